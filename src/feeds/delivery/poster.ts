import { BackOff } from "../../domain/back-off.ts";
import { SinkRefusal } from "../../domain/failure.ts";
import type { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { MessageBody, OutgoingMessage, PostedMessage } from "../../domain/message.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import { Attempts, NONCE_TRUSTED_MS, TryAgain } from "./attempts.ts";
import { findPosted, laterId, snowflakeBefore } from "./read-back.ts";

/** A message that must stand in its channel once. */
export interface Posting {
  readonly channelId: string;
  /** Asked for at each attempt: what the message says at that moment. Everything but the nonce. */
  compose(): Omit<OutgoingMessage, "nonce">;
  /** The same for the same message, and never for another one. */
  readonly nonce: string;
  /** Is this message of ours, read back, the one? */
  matches(posted: PostedMessage): boolean;
  /** The last message known to stand before it, if any. */
  readonly afterMessageId: string | undefined;
  /** It cannot have been sent before, epoch milliseconds: nothing older needs to be read back. */
  readonly notBeforeMs: number;
  /** It may stand already: an earlier life may have sent it. */
  readonly sentBefore: boolean;
}

export interface Posted {
  readonly messageId: string;
  /** It may show what was composed at an earlier attempt, not the last one. */
  readonly maybeOlder: boolean;
  /** It says that it may stand there twice. */
  readonly marked: boolean;
}

export interface PosterPorts {
  readonly sink: Sink;
  readonly clock: Clock;
  readonly random: Random;
  readonly turns: KeyedMutex;
  possiblyRepeated(body: MessageBody): MessageBody;
  warn(message: string, error: unknown): void;
}

/**
 * Posts until the message stands in the channel. An attempt without an answer is repeated with the same nonce;
 * once Discord may have forgotten that, the channel is read back first. Where history may not be read the message is
 * sent again with a mark: at least once.
 * Rejects with the SinkRefusal when Discord refuses for good, and with the signal's reason when it is aborted.
 */
export async function post(posting: Posting, ports: PosterPorts, signal: AbortSignal): Promise<Posted> {
  const delivery = new MessagePosting(posting, ports);
  const backOff = new BackOff(ports.clock, ports.random);
  for (;;) {
    signal.throwIfAborted();
    try {
      // Order in the channel: who waits here before us posts before us.
      return await ports.turns.take(posting.channelId, () => delivery.once(signal));
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
      await backOff.wait(signal, error.afterMs);
    }
  }
}

/** What is known between attempts of one message. */
class MessagePosting {
  readonly #posting: Posting;
  readonly #ports: PosterPorts;
  readonly #attempts = new Attempts();
  #nonce: string;
  #mustReadBack: boolean;
  #sentBefore: boolean;
  #mark = false;

  constructor(posting: Posting, ports: PosterPorts) {
    this.#posting = posting;
    this.#ports = ports;
    this.#nonce = posting.nonce;
    this.#mustReadBack = posting.sentBefore;
    this.#sentBefore = posting.sentBefore;
  }

  async once(signal: AbortSignal): Promise<Posted> {
    signal.throwIfAborted();
    if (this.#mustReadBack || this.#attempts.isForgotten(this.#ports.clock.monotonicMs())) {
      const found = await this.#lookBack();
      if (found !== undefined) return { messageId: found, maybeOlder: true, marked: false };
    }
    return await this.#send();
  }

  async #lookBack(): Promise<string | undefined> {
    const { channelId, afterMessageId, notBeforeMs, matches } = this.#posting;
    const { sink, clock } = this.#ports;
    const after = laterId(afterMessageId, snowflakeBefore(notBeforeMs));
    try {
      const found = await findPosted(sink, { channelId, afterMessageId: after }, matches);
      if (found !== undefined) return found.messageId;
      this.#mark = false;
    } catch (error) {
      if (!(error instanceof SinkRefusal)) throw error;
      if (error.reason !== "no-history") throw this.#attempts.retryOrGiveUp(error);
      // Its nonce, which is made from what it is about, was first used after this time: Discord remembers it so long.
      const ageMs = clock.nowMs() - notBeforeMs;
      this.#mark = this.#sentBefore && (ageMs < 0 || ageMs >= NONCE_TRUSTED_MS);
    }
    this.#mustReadBack = false;
    this.#attempts.lookedBack(clock.monotonicMs());
    return undefined;
  }

  async #send(): Promise<Posted> {
    const { sink, clock, random, possiblyRepeated, warn } = this.#ports;
    const composed = this.#posting.compose();
    const message = this.#mark ? { ...composed, ...possiblyRepeated(composed) } : composed;
    const startedMs = clock.monotonicMs();
    const maybeOlder = this.#sentBefore;
    this.#sentBefore = true;
    try {
      const { messageId, posted } = await sink.send(this.#posting.channelId, {
        ...message,
        nonce: this.#nonce,
      });
      if (posted === undefined || this.#nonce !== this.#posting.nonce || this.#posting.matches(posted)) {
        return { messageId, maybeOlder, marked: this.#mark };
      }
      warn("Discord answered with another message than the one that was sent", new Error(messageId));
    } catch (error) {
      if (!(error instanceof SinkRefusal)) warn("a send failed without Discord's refusal", error);
      return this.#attempts.onSendFailed(error, startedMs);
    }
    // Discord answers a nonce that was used before with the old message, so ours does not stand yet.
    this.#nonce = random.id().slice(0, 25);
    return await this.#send();
  }
}
