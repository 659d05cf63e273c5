import { createHmac } from "node:crypto";
import { BackOff } from "../../domain/back-off.ts";
import { SinkRefusal } from "../../domain/failure.ts";
import type { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { MessageBody, OutgoingMessage, PostedMessage } from "../../domain/message.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import { findPosted, laterId, snowflakeBefore } from "./read-back.ts";

/** Discord remembers a nonce for minutes only; past this age an attempt may have been forgotten (design 5). */
const nonceTrustedMs = 120_000;

/** A refusal that says nothing we know may pass; after so many (about four minutes) it will not. */
const rejectionsBorne = 8;

/** A message that must stand in its channel once. */
export interface Posting {
  readonly channelId: string;
  /** Asked for at each attempt: what the message says at that moment. Everything but the nonce. */
  compose(): Omit<OutgoingMessage, "nonce">;
  readonly nonce: string;
  /** Is this message, read back, the one? */
  matches(posted: PostedMessage): boolean;
  /** The last message known to stand before it, if any. */
  readonly afterMessageId: string | undefined;
  /** When it was first meant to be sent, epoch milliseconds: nothing older needs to be read back. */
  readonly madeAtMs: number;
  /**
   * "sent": it may stand already, the process ended while it was on its way. "check": it should not, but a power
   * cut may have set the store back a moment; where the channel cannot be read that is not worth a mark.
   */
  readonly before: "unsent" | "sent" | "check";
}

export interface Posted {
  readonly messageId: string;
  /** It may show what was composed at an earlier attempt, not the last one. */
  readonly maybeOlder: boolean;
}

export interface PosterPorts {
  readonly sink: Sink;
  readonly clock: Clock;
  readonly random: Random;
  readonly turns: KeyedMutex;
  possiblyRepeated(body: MessageBody): MessageBody;
  warn(message: string, error: unknown): void;
}

/** 25 characters that only this host can make, the same for the same parts: a repeat is recognised by Discord. */
export function nonceOf(nonceKey: Uint8Array | string, ...parts: readonly (string | number)[]): string {
  return createHmac("sha256", nonceKey).update(JSON.stringify(parts)).digest("base64url").slice(0, 25);
}

/**
 * Posts until the message stands in the channel. An attempt without an answer is repeated with the same nonce;
 * once Discord may have forgotten that, the channel is read back first. Where history may not be read the message is
 * sent again with a mark: at least once (design 5, Delivery).
 * Rejects with the SinkRefusal when Discord refuses for good, and with the signal's reason when it is aborted.
 */
export async function post(posting: Posting, ports: PosterPorts, signal: AbortSignal): Promise<Posted> {
  const attempt = new Attempt(posting, ports);
  const backOff = new BackOff(ports.clock, ports.random);
  for (;;) {
    signal.throwIfAborted();
    // Per-channel order: whoever waits here before us posts before us.
    const result = await ports.turns.take(posting.channelId, () => attempt.once(signal));
    if (result.posted !== undefined) return result.posted;
    await backOff.wait(signal, result.retryAfterMs);
  }
}

type AttemptResult =
  | { readonly posted: Posted }
  | { readonly posted?: undefined; readonly retryAfterMs: number | undefined };

/** What is known between attempts of one message. */
class Attempt {
  readonly #posting: Posting;
  readonly #ports: PosterPorts;
  /** The first attempt without an answer since the channel was last read back. */
  #unknownSinceMs: number | undefined;
  #mustReadBack: boolean;
  #sentBefore: boolean;
  #unreadable = false;
  #rejections = 0;

  constructor(posting: Posting, ports: PosterPorts) {
    this.#posting = posting;
    this.#ports = ports;
    this.#mustReadBack = posting.before !== "unsent";
    this.#sentBefore = posting.before === "sent";
  }

  async once(signal: AbortSignal): Promise<AttemptResult> {
    signal.throwIfAborted();
    const { clock } = this.#ports;
    if (this.#unknownSinceMs !== undefined && clock.nowMs() - this.#unknownSinceMs >= nonceTrustedMs) {
      this.#mustReadBack = true;
    }
    try {
      if (this.#mustReadBack) {
        const found = await this.#lookBack();
        if (found !== undefined) return { posted: { messageId: found, maybeOlder: true } };
      }
      return { posted: await this.#send() };
    } catch (error) {
      return { retryAfterMs: this.#retryAfterMs(error) };
    }
  }

  async #lookBack(): Promise<string | undefined> {
    const posting = this.#posting;
    const after = laterId(posting.afterMessageId, snowflakeBefore(posting.madeAtMs));
    try {
      const found = await findPosted(this.#ports.sink, posting.channelId, after, posting.matches);
      if (found !== undefined) return found.messageId;
      this.#unreadable = false;
    } catch (error) {
      if (!(error instanceof SinkRefusal) || error.reason !== "no-history") throw error;
      this.#unreadable = this.#sentBefore;
    }
    this.#mustReadBack = false;
    this.#unknownSinceMs = undefined;
    return undefined;
  }

  async #send(): Promise<Posted> {
    const { sink, clock, possiblyRepeated } = this.#ports;
    const composed = this.#posting.compose();
    const message = this.#unreadable ? { ...composed, ...possiblyRepeated(composed) } : composed;
    const startedMs = clock.nowMs();
    const maybeOlder = this.#sentBefore;
    this.#sentBefore = true;
    try {
      const { messageId } = await sink.send(this.#posting.channelId, {
        ...message,
        nonce: this.#posting.nonce,
      });
      return { messageId, maybeOlder };
    } catch (error) {
      if (error instanceof SinkRefusal && error.reason !== "unknown") throw error;
      // The clock of Discord's memory starts with the first attempt that it may have taken. A defect beneath us
      // says nothing about whether it did, so it counts as no answer.
      this.#unknownSinceMs ??= startedMs;
      if (error instanceof SinkRefusal) throw error;
      this.#ports.warn("a send failed without Discord's refusal", error);
      throw new SinkRefusal("unknown", "the send failed", { cause: error });
    }
  }

  /** Undefined or a time: try again. Throws what is for good. */
  #retryAfterMs(error: unknown): number | undefined {
    if (!(error instanceof SinkRefusal)) throw error;
    if (isUnknown(error) || error.retryAfterMs !== undefined) return error.retryAfterMs;
    if (error.reason === "rejected" && ++this.#rejections < rejectionsBorne) return undefined;
    throw error;
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof SinkRefusal && error.reason === "unknown";
}
