import type { Feed } from "../../domain/guild.ts";
import type { SentMessage } from "../../domain/message.ts";
import type { BatchChannel, Batches, BatchWait } from "../../domain/ports/batches.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { FrozenBatch, OffsetRecord } from "../positions/offsets.ts";
import { type ChannelView, viewChannel } from "./channel-view.ts";
import type { DeliveryStart } from "./delivery-start.ts";
import { heldByDigest } from "./digest-match.ts";
import type { Planner } from "./planner.ts";
import { answeredWith, reconcile, withoutHeld } from "./reconcile.ts";

/** Rows that were lost with a power cut come back within a few answers, old ones served again included. */
const STANDING_KEPT_MS = 900_000;

export interface FeedChannelPorts {
  readonly batches: Batches;
  readonly clock: Clock;
  readonly renderer: FeedRenderer;
  /** How the process before ended. */
  readonly lastEnd: { readonly postedUpToS: number | undefined; isDoubtful(feedId: string): boolean };
  /** The name to show where a guild has several servers. */
  serverName(feed: Feed): Promise<string | undefined>;
  /** What the server was called before: its older messages carry those names. */
  formerNames(feed: Feed): Promise<readonly string[]>;
  warn(message: string, error: unknown): void;
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
  readonly #way: BatchChannel;
  /** What an earlier life may have posted there was looked for. */
  #isLookedInto: boolean;
  #polled = false;
  #knownSinceMs: number;
  #others = 0;
  /** What stands there can be told only once the server has been read again. */
  awaitsPoll = false;

  constructor({ feed, record, doubtful }: DeliveryStart, planner: Planner, ports: FeedChannelPorts) {
    this.#feed = feed;
    this.#planner = planner;
    this.#ports = ports;
    this.#isLookedInto = !doubtful;
    this.#way = ports.batches.channel({
      channelId: feed.channelId,
      isDoubtful: doubtful,
      isTried: doubtful && record.frozen !== undefined,
    });
    this.#knownSinceMs = ports.clock.monotonicMs();
  }

  /** It must be read before anything is sent. */
  get isDoubtful(): boolean {
    return this.#way.isDoubtful;
  }

  /** Nothing is on its way without an outcome, and nothing stands there that the record does not tell. */
  get settled(): boolean {
    return this.#way.isSettled;
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
    this.#way.onNewMessage();
  }

  /** Keys of what stands there have waited for their entries long enough. */
  isStandingOver(nowMs: number): boolean {
    return nowMs - this.#knownSinceMs >= STANDING_KEPT_MS;
  }

  /**
   * Reads what we posted there; resolves with what the record becomes, which is to be written before `onRead`.
   * Undefined: only the next answer of the server can tell. Rejects as the channel does.
   */
  async read(record: OffsetRecord, wait: BatchWait): Promise<OffsetRecord | undefined> {
    const [firstPending] = await this.#planner.first(record, 1);
    const known = { record, firstPending, channel: this.#way, wait };
    const view = await viewChannel(this.#feed, known, this.#ports);
    if (view.kind === "read") return await this.#withDigests(record, view);
    if (!this.#isLookedInto) this.#planner.markUpToS = this.#ports.lastEnd.postedUpToS;
    return record;
  }

  /** What was read is written; `frozen`: the batch that was up. */
  onRead(frozen: FrozenBatch | undefined): void {
    this.#isLookedInto = true;
    this.#knownSinceMs = this.#ports.clock.monotonicMs();
    this.#way.onRead(frozen?.atMs);
  }

  /** Resolves when a message may be sent, which is to be decided on then. Rejects with the signal's reason. */
  hold(wait: BatchWait): Promise<void> {
    return this.#way.hold(wait);
  }

  release(): void {
    this.#way.release();
  }

  /** One attempt, once its turn has come. Rejects as the channel does. */
  async send(batch: FrozenBatch, wait: BatchWait): Promise<Sent> {
    const message = { ...batch.body, silent: this.#feed.silent, nonce: batch.nonce };
    const answer = await this.#way.send(message, { ...wait, frozenAtMs: batch.atMs });
    return this.#outcomeOf(answer, [batch, { ...batch, body: answer.said }]);
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
}
