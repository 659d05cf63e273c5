import { SinkRefusal } from "../../domain/failure.ts";
import type { Feed } from "../../domain/guild.ts";
import type { SentMessage } from "../../domain/message.ts";
import type { Batches, SendTurn, WaitingEntries } from "../../domain/ports/batches.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { FrozenBatch, OffsetRecord } from "../positions/offsets.ts";
import { Attempts, NONCE_TRUSTED_MS, TryAgain } from "./attempts.ts";
import { type ChannelView, viewChannel } from "./channel-view.ts";
import type { DeliveryStart } from "./delivery-start.ts";
import { heldByDigest } from "./digest-match.ts";
import { nonceOf } from "./nonce.ts";
import type { Planner } from "./planner.ts";
import { answeredWith, reconcile, withoutHeld } from "./reconcile.ts";

/** Rows that were lost with a power cut come back within a few answers, old ones served again included. */
const STANDING_KEPT_MS = 900_000;

export interface FeedChannelPorts {
  readonly batches: Batches;
  readonly clock: Clock;
  readonly renderer: FeedRenderer;
  readonly nonceKey: Uint8Array | string;
  /** How the process before ended. */
  readonly lastEnd: { readonly postedUpToS: number | undefined };
  /** The name to show where a guild has several servers. */
  serverName(feed: Feed): Promise<string | undefined>;
  /** What the server was called before: its older messages carry those names. */
  formerNames(feed: Feed): Promise<readonly string[]>;
  warn(message: string, error: unknown): void;
}

/** How a turn is waited for; `waiting`: when the entries arrived that go with it. */
export interface TurnWait {
  readonly waiting: () => readonly number[];
  readonly signal: AbortSignal;
}

export type Sent =
  | { readonly kind: "stands"; readonly messageId: string }
  /** Discord answered with another message; `keys`: what that shows of the batch. */
  | { readonly kind: "other"; readonly keys: readonly string[] };

/** A second other answer in a row, each to a nonce of its own, says that we misread what was posted. */
const MOST_OTHERS = 2;

/**
 * One feed's channel as far as it is known: what stands there for sure, what may, and how to find out. One file:
 * sending and reading back change the same few facts.
 */
export class FeedChannel {
  readonly #feed: Feed;
  readonly #planner: Planner;
  readonly #ports: FeedChannelPorts;
  /** Messages may stand there that the record does not know of. */
  #doubtful: boolean;
  /** The frozen batch was there when this object was made: an earlier life may have sent it. */
  #inherited: boolean;
  #attempts = new Attempts();
  #turn: SendTurn | undefined;
  /** Its history may not be read, so what is sent again after minutes carries a mark. */
  #unreadable = false;
  #polled = false;
  #knownSinceMs: number;
  #others = 0;
  /** What stands there can be told only once the server has been read again. */
  awaitsPoll = false;

  constructor({ feed, record, doubtful }: DeliveryStart, planner: Planner, ports: FeedChannelPorts) {
    this.#feed = feed;
    this.#planner = planner;
    this.#ports = ports;
    this.#doubtful = doubtful;
    this.#inherited = doubtful && record.frozen !== undefined;
    this.#knownSinceMs = ports.clock.monotonicMs();
  }

  /** It must be read before anything is sent. */
  isDoubtful(nowMs: number): boolean {
    return this.#doubtful || this.#attempts.isForgotten(nowMs);
  }

  /** Nothing is on its way without an outcome, and nothing stands there that the record does not tell. */
  get settled(): boolean {
    return !this.#doubtful && !this.#attempts.unknown;
  }

  /** Whether something has waited for it. */
  onPolled(): boolean {
    const waited = this.awaitsPoll;
    this.#polled = true;
    this.awaitsPoll = false;
    return waited;
  }

  /** Another message is up: nothing has been tried with it. */
  onNewMessage(): void {
    this.#attempts = new Attempts();
    this.#inherited = false;
  }

  /** Keys of what stands there have waited for their entries long enough. */
  isStandingOver(nowMs: number): boolean {
    return nowMs - this.#knownSinceMs >= STANDING_KEPT_MS;
  }

  /**
   * Reads what we posted there; resolves with what the record becomes, which is to be written before `onRead`.
   * Undefined: only the next answer of the server can tell. Rejects with TryAgain or the SinkRefusal.
   */
  async read(record: OffsetRecord, { waiting }: TurnWait): Promise<OffsetRecord | undefined> {
    const [first] = await this.#planner.first(record, 1);
    let view: ChannelView;
    try {
      const entries = this.#entries(waiting);
      view = await viewChannel(this.#feed, { record, firstPending: first, entries }, this.#ports);
    } catch (error) {
      throw error instanceof SinkRefusal ? this.#attempts.retryOrGiveUp(error) : error;
    }
    this.#unreadable = view.kind === "unreadable";
    if (view.kind === "unreadable") {
      if (this.#doubtful) this.#planner.markUpToS = this.#ports.lastEnd.postedUpToS;
      return record;
    }
    return await this.#withDigests(record, view);
  }

  /** What was read is written. */
  onRead(): void {
    const nowMs = this.#ports.clock.monotonicMs();
    this.#doubtful = false;
    this.#knownSinceMs = nowMs;
    this.#attempts.lookedBack(nowMs);
  }

  /**
   * Resolves when a message may be sent, which is to be decided on then: by `send`, or by `release` where there is none.
   * Rejects with the signal's reason.
   */
  async hold({ waiting, signal }: TurnWait): Promise<void> {
    if (this.#turn !== undefined) return;
    const turn = await this.#ports.batches.turn(this.#entries(waiting), signal);
    this.#turn = turn;
    if (signal.aborted) this.release();
    signal.throwIfAborted();
  }

  release(): void {
    this.#turn?.giveBack();
    this.#turn = undefined;
  }

  /** One attempt, once its turn has come. Rejects with TryAgain, with the SinkRefusal, or with the signal's reason. */
  async send(record: OffsetRecord, batch: FrozenBatch, wait: TurnWait): Promise<Sent> {
    await this.hold(wait);
    const { clock, nonceKey, renderer } = this.#ports;
    const { id, silent } = this.#feed;
    const startedMs = clock.monotonicMs();
    // The turn may have come so late that the nonce of an earlier attempt is forgotten by now.
    if (this.#attempts.isForgotten(startedMs)) {
      throw new TryAgain(new SinkRefusal("unknown", "an earlier attempt is too old to be repeated"));
    }
    const nonce = batch.nonce ?? nonceOf(nonceKey, id, record.batch ?? 0);
    const body = this.#mustMark(batch) ? renderer.possiblyRepeated(batch.body) : batch.body;
    const turn = this.#turn;
    this.#turn = undefined;
    let answer: SentMessage;
    try {
      if (turn === undefined) throw new Error("a message needs a turn");
      answer = await turn.send({ ...body, silent, nonce });
    } catch (error) {
      if (!(error instanceof SinkRefusal)) this.#ports.warn("a send failed without Discord's refusal", error);
      return this.#attempts.onSendFailed(error, startedMs);
    }
    return this.#outcomeOf(answer, [batch, { ...batch, body }]);
  }

  #entries(waiting: () => readonly number[]): WaitingEntries {
    return { channelId: this.#feed.channelId, isInDoubt: this.#attempts.unknown, waiting };
  }

  /** Discord answers a nonce that was used before with the old message: what that does not show is still owed. */
  #outcomeOf({ messageId, posted }: SentMessage, sent: readonly FrozenBatch[]): Sent {
    const { kind } = this.#feed;
    const keysOf = (message: Parameters<FeedRenderer["keysOf"]>[0]) =>
      this.#ports.renderer.keysOf(message, { kind });
    const found = posted === undefined ? [] : sent.map((one) => answeredWith(one, posted, keysOf));
    if (posted === undefined || found.some(({ stands }) => stands === "all")) {
      this.#others = 0;
      return { kind: "stands", messageId };
    }
    this.#others += 1;
    this.#ports.warn(
      `Discord answered feed ${this.#feed.id} with another message than the one that was sent`,
      new Error(`it stands in ${this.#feed.channelId} as ${messageId}`),
    );
    if (this.#others >= MOST_OTHERS) return { kind: "stands", messageId };
    return { kind: "other", keys: found[0]?.keys ?? [] };
  }

  /** Deals with digests that stand there. Undefined: only the next answer of the server can tell. */
  async #withDigests(
    before: OffsetRecord,
    { posted, keysOf }: Extract<ChannelView, { kind: "read" }>,
  ): Promise<OffsetRecord | undefined> {
    const { digestHash, entryKeys } = this.#ports.renderer;
    let record = reconcile(before, posted, keysOf);
    const own = (before.frozen?.body.files ?? []).map(({ name }) => name);
    const others = posted.filter(
      ({ attachmentNames }) => !attachmentNames.some((name) => own.includes(name)),
    );
    for (const mark of others.flatMap((message) => keysOf(message).digests)) {
      const pending = await this.#planner.pending(record);
      const held = heldByDigest(pending.entries, mark, digestHash);
      if (held !== undefined) {
        const { frozen: _, ...rest } = record;
        record = withoutHeld(rest, held, pending, entryKeys);
      } else if (!this.#polled) {
        // A journal that was set back gets the rest of the digest's entries with the next answer.
        this.awaitsPoll = true;
        return undefined;
      } else {
        // The log shows them only in part, or no longer: nobody can tell which of those that come are among them.
        record = { ...record, inFileUpToS: Math.max(mark.toS, record.inFileUpToS ?? 0) };
      }
    }
    return record;
  }

  /** It may have been sent so long ago that Discord has forgotten its nonce, and the channel cannot tell. */
  #mustMark(batch: FrozenBatch): boolean {
    if (!this.#unreadable) return false;
    if (this.#attempts.wasForgotten || !this.#inherited) return this.#attempts.wasForgotten;
    const ageMs = this.#ports.clock.nowMs() - batch.atMs;
    return ageMs < 0 || ageMs >= NONCE_TRUSTED_MS;
  }
}
