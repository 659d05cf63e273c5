import { Postponed, SinkRefusal } from "../domain/failure.ts";
import type { MessageBody, OutgoingMessage, PostedMessage } from "../domain/message.ts";
import type { BatchChannel, Batches, BatchPlace, BatchWait, SentBatch } from "../domain/ports/batches.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Sink } from "../domain/ports/sink.ts";
import type { Turn, Turns } from "../domain/ports/turns.ts";
import { inTurn, readAllAfter } from "./in-turn.ts";
import { Doubt } from "./posts/doubt.ts";
import { leavesDoubt, Refusals } from "./posts/refusals.ts";

export interface BatchesPorts {
  readonly sink: Pick<Sink, "send" | "readBack">;
  readonly turns: Turns;
  readonly clock: Clock;
  possiblyRepeated(body: MessageBody): MessageBody;
  report(what: string, error: unknown): void;
}

/** Batches go in turns, of which the feed gets the next whose entries have waited the most together. */
export function createBatches(ports: BatchesPorts): Batches {
  return { channel: (place) => new OwnChannel(place, ports) };
}

/** What is known of the message that is up. Only while something is: most channels rest. */
interface Tried {
  readonly doubt: Doubt;
  readonly refusals: Refusals;
}

class OwnChannel implements BatchChannel {
  readonly #channelId: string;
  readonly #ports: BatchesPorts;
  #isInherited: boolean;
  #isTriedBefore: boolean;
  #isUnreadable = false;
  #tried: Tried | undefined;
  #turn: Turn | undefined;

  constructor({ channelId, isDoubtful, isTried }: BatchPlace, ports: BatchesPorts) {
    this.#channelId = channelId;
    this.#ports = ports;
    this.#isInherited = isDoubtful;
    this.#isTriedBefore = isTried;
  }

  get isDoubtful(): boolean {
    return this.#isInherited || this.#tried?.doubt.mustRead(false) === true;
  }

  get isSettled(): boolean {
    return !this.#isInherited && this.#tried?.doubt.isUnanswered !== true;
  }

  async hold({ waiting, signal }: BatchWait): Promise<void> {
    if (this.#turn !== undefined) return;
    const isInDoubt = this.#tried?.doubt.isUnanswered === true;
    const channelId = this.#channelId;
    const wanted = { class: "batch", channelId, request: "send", isInDoubt, waiting } as const;
    this.#turn = await this.#ports.turns.take(wanted, signal);
    if (signal.aborted) this.release();
    signal.throwIfAborted();
  }

  release(): void {
    this.#turn?.done("unused");
    this.#turn = undefined;
  }

  async send(
    message: OutgoingMessage,
    wait: BatchWait & { readonly frozenAtMs: number },
  ): Promise<SentBatch> {
    await this.hold(wait);
    const { clock, sink, possiblyRepeated } = this.#ports;
    const startedMs = clock.monotonicMs();
    // The turn may have come so late that the nonce of an earlier attempt is forgotten by now.
    if (this.isDoubtful) throw new Postponed("an earlier attempt is too old to be repeated");
    const said = this.#tried?.doubt.mustMark === true ? possiblyRepeated(message) : message;
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn === undefined) throw new Error("a message needs a turn");
    try {
      const sent = await inTurn(turn, () => sink.send(this.#channelId, { ...message, ...said }));
      return { ...sent, said };
    } catch (error) {
      if (leavesDoubt(error)) this.#state.doubt.onUnanswered(startedMs);
      throw this.#asPostponed(error);
    }
  }

  async readAfter(
    afterMessageId: string,
    { waiting }: BatchWait,
  ): Promise<readonly PostedMessage[] | undefined> {
    const wanted = { class: "batch", channelId: this.#channelId, waiting } as const;
    try {
      const posted = await readAllAfter(this.#ports, wanted, afterMessageId);
      this.#isUnreadable = posted === undefined;
      return posted;
    } catch (error) {
      throw this.#asPostponed(error);
    }
  }

  onRead(frozenAtMs: number | undefined): void {
    const isInherited = this.#isTriedBefore && frozenAtMs !== undefined;
    const found = this.#isUnreadable ? "unreadable" : "nowhere";
    if (this.#tried !== undefined || isInherited) {
      this.#state.doubt.onRead(found, { isInherited, sinceMs: frozenAtMs });
    }
    this.#isInherited = false;
  }

  onNewMessage(): void {
    this.#tried = undefined;
    this.#isTriedBefore = false;
  }

  get #state(): Tried {
    this.#tried ??= { doubt: new Doubt(this.#ports.clock), refusals: new Refusals() };
    return this.#tried;
  }

  #asPostponed(error: unknown): unknown {
    if (!(error instanceof SinkRefusal)) {
      this.#ports.report("a request for entries failed without Discord's refusal", error);
    }
    return this.#state.refusals.asPostponed(error);
  }
}
