import { BackOff } from "../../domain/back-off.ts";
import { SinkRefusal } from "../../domain/failure.ts";
import type { Feed } from "../../domain/guild.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { LogList } from "../../domain/model.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { Metrics } from "../../domain/ports/metrics.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import type { Journal, JournalItem } from "../journal/journal-port.ts";
import type { FrozenBatch, OffsetRecord } from "../journal/offsets.ts";
import { type BatchContext, type BatchPlan, entriesOf, planBatch, planDigest } from "./batch.ts";
import { teamsOf } from "./filter.ts";
import { nonceOf, type PosterPorts, post } from "./poster.ts";
import { sameMessage } from "./read-back.ts";
import { reasonInWords } from "./refusal-words.ts";

/** Design 5, Batches: flush after 2 s of quiet, or 5 s after the first entry. */
const quietMs = 2_000;
const longestWaitMs = 5_000;
/** More items than a message holds, so that what is filtered out seldom costs a second reading. */
const readAhead = 150;
const fewItems = 12;
/** Past this many undelivered entries a feed gets a digest with the whole list attached (design 5). */
const digestFrom = 2_000;
/** Discord takes files of 10 MB; a line is about 70 bytes. What is above follows as another digest. */
const digestAtMost = 20_000;
const readChunk = 1_000;
const batchLeap = 1_000;
/** An entry that has waited longer makes the feed late, and the channel is told once. */
export const lateAfterMs = 300_000;

export interface DeliveryPorts extends PosterPorts {
  readonly journal: Pick<Journal, "read" | "head" | "acknowledge">;
  readonly offsets: Documents<OffsetRecord>;
  readonly snapshots: Pick<Snapshots, "latest">;
  readonly renderer: FeedRenderer;
  readonly metrics: Metrics;
  readonly nonceKey: Uint8Array | string;
  /** The name to show where a guild has several servers. */
  serverName(feed: Feed): Promise<string | undefined>;
  /** Mod calls become cards: takes them over durably before it resolves. Idempotent. */
  takeModCalls(feed: Feed, items: readonly JournalItem[]): Promise<void>;
  /** Discord will not have this feed's messages any more: park it and tell who configured it. */
  park(feed: Feed, why: string): Promise<void>;
}

/**
 * Carries one feed's entries from the journal into its channel, each once and in order (design 5, Delivery): freeze
 * the batch (written), send it under its nonce, acknowledge (written). Only this object writes the feed's record.
 * It costs no timer and no promise while there is nothing to post.
 */
export class Delivery {
  readonly feed: Feed;
  readonly #ports: DeliveryPorts;
  readonly #stop = new AbortController();
  readonly #backOff: BackOff;
  #record: OffsetRecord;
  /** Of the frozen batch. Found at a start, it may stand in the channel already. */
  #before: "unsent" | "sent" | "check";
  /** The frozen batch stands in the channel under this id, but that could not be written yet. */
  #delivered: string | undefined;
  #pollLateSinceMs: number | undefined;
  #parkWhy: string | undefined;
  #woken = false;
  #running: Promise<void> | undefined;

  /** `found`: the record is an earlier run's, not made just now. */
  constructor(feed: Feed, record: OffsetRecord, ports: DeliveryPorts, found: boolean) {
    this.feed = feed;
    // A record that a power cut set back must not make a nonce a second time for another message.
    this.#record = record.frozen === undefined ? { ...record, batch: record.batch + batchLeap } : record;
    this.#ports = ports;
    this.#before = record.frozen !== undefined ? "sent" : found ? "check" : "unsent";
    this.#backOff = new BackOff(ports.clock, ports.random);
  }

  get record(): OffsetRecord {
    return this.#record;
  }

  /** Entries of the journal that this feed has not dealt with. */
  get undelivered(): number {
    const { source, list, nextSeq } = this.#record;
    return list === undefined ? 0 : Math.max(0, this.#ports.journal.head(source, list) - nextSeq);
  }

  get lateSinceMs(): number | undefined {
    return this.#record.lateSinceMs ?? this.#pollLateSinceMs;
  }

  /** There may be something to do. Returns at once. */
  wake(): void {
    this.#woken = true;
    if (this.#running !== undefined || this.#stop.signal.aborted) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      // Woken between the last look and here: nobody else would notice.
      if (this.#woken) this.wake();
    });
  }

  /** The server has not been read since `sinceMs`, or is read again (undefined). */
  pollLate(sinceMs: number | undefined): void {
    if (this.#pollLateSinceMs === sinceMs) return;
    this.#pollLateSinceMs = sinceMs;
    this.wake();
  }

  /** Ends after the message that is on its way, if any, and what has come of it is written. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the delivery was stopped"));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (this.#woken && !signal.aborted) {
      this.#woken = false;
      try {
        await this.#drain();
        this.#backOff.reset();
      } catch (error) {
        if (signal.aborted) return;
        this.#woken = true;
        if (error instanceof SinkRefusal) {
          this.#parkWhy = reasonInWords(error);
          continue;
        }
        this.#ports.metrics.count("marshal_feed_errors_total");
        this.#ports.warn(`feed ${this.feed.id} waits after an error`, error);
        await this.#backOff.wait(signal).catch(() => undefined);
      }
    }
  }

  async #drain(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      if (this.#parkWhy !== undefined) {
        await this.#ports.park(this.feed, this.#parkWhy);
        this.#stop.abort(new Error("the feed was parked"));
      } else if (this.#record.frozen !== undefined) {
        await this.#deliver(this.#record.frozen);
      } else if (this.#pollLateSinceMs !== undefined && this.#record.lateSinceMs === undefined) {
        await this.#freezeLate(this.#pollLateSinceMs);
      } else if (this.#record.list === undefined || this.undelivered === 0) {
        await this.#caughtUp();
        return;
      } else {
        await this.#next(this.#record.list);
      }
    }
  }

  /** Plans, and freezes or skips, what stands first; or waits for it to become a batch. */
  async #next(list: LogList): Promise<void> {
    const { source, nextSeq } = this.#record;
    const items = await this.#ports.journal.read(source, list, nextSeq, readAhead);
    this.#stop.signal.throwIfAborted();
    const [first] = items;
    if (first === undefined) {
      // Detached meanwhile; or gone from the store, which only a record of ours that was set back explains.
      const head = this.#ports.journal.head(source, list);
      if (head > nextSeq) await this.#acknowledge(head);
      return;
    }
    const nowMs = this.#ports.clock.nowMs();
    if (nowMs - first.seenAtMs >= lateAfterMs && this.#record.lateSinceMs === undefined) {
      await this.#freezeLate(first.seenAtMs);
      return;
    }
    if (this.feed.kind === "modCalls" && first.kind !== "gap") {
      await this.#intoCards(items);
      return;
    }
    const lastSeenMs = items.at(-1)?.seenAtMs ?? first.seenAtMs;
    const waitMs = Math.min(first.seenAtMs + longestWaitMs, lastSeenMs + quietMs) - nowMs;
    // So few cannot fill a message: not worth rendering before the wait is over.
    const few = waitMs > 0 && items.length < fewItems && first.kind !== "gap";
    if (few) return await this.#ports.clock.sleep(waitMs, this.#stop.signal);
    const plan = (await this.#digestPlan(list, first)) ?? planBatch(this.feed, items, await this.#context());
    if (plan.kind === "skip") return await this.#acknowledge(plan.throughSeq);
    if (waitMs > 0 && !plan.full) return await this.#ports.clock.sleep(waitMs, this.#stop.signal);
    await this.#freeze(plan.batch);
  }

  async #intoCards(items: readonly JournalItem[]): Promise<void> {
    const gapAt = items.findIndex((item) => item.kind === "gap");
    const calls = gapAt < 0 ? items : items.slice(0, gapAt);
    await this.#ports.takeModCalls(this.feed, calls);
    await this.#acknowledge((calls.at(-1)?.seq ?? this.#record.nextSeq - 1) + 1);
  }

  /** A plan for a backlog past the limit, up to the next gap; undefined when lines will do. */
  async #digestPlan(list: LogList, first: JournalItem): Promise<BatchPlan | undefined> {
    if (this.undelivered <= digestFrom || first.kind === "gap") return undefined;
    const endSeq = Math.min(this.#ports.journal.head(this.#record.source, list), first.seq + digestAtMost);
    const items = await this.#readUntil(list, endSeq);
    const gapAt = items.findIndex((item) => item.kind === "gap");
    const whole = gapAt < 0 ? items : items.slice(0, gapAt);
    // A short stretch before a gap reads better as lines; it is the stretch after it that is long.
    if (whole.length < readAhead) return undefined;
    return planDigest(this.feed, whole, "backlog", await this.#context());
  }

  async #readUntil(list: LogList, endSeq: number): Promise<JournalItem[]> {
    const { source, nextSeq } = this.#record;
    const items: JournalItem[] = [];
    for (let from = nextSeq; from < endSeq; ) {
      const chunk = await this.#ports.journal.read(source, list, from, Math.min(readChunk, endSeq - from));
      const last = chunk.at(-1);
      if (last === undefined) break;
      items.push(...chunk);
      from = last.seq + 1;
    }
    return items.filter((item) => item.seq < endSeq);
  }

  async #deliver(batch: FrozenBatch): Promise<void> {
    try {
      this.#delivered ??= await this.#post(batch);
    } catch (error) {
      if (!(error instanceof SinkRefusal) || !isAboutForm(error, batch)) throw error;
      await this.#reshape(batch);
      return;
    }
    const { frozen: _, ...rest } = this.#record;
    await this.#write({ ...rest, nextSeq: batch.throughSeq, lastMessageId: this.#delivered });
    this.#delivered = undefined;
    this.#before = "unsent";
    this.#ports.journal.acknowledge(this.feed.id, batch.throughSeq);
    this.#ports.metrics.count("marshal_feed_entries_total", { kind: this.feed.kind }, batch.entries);
  }

  async #post(batch: FrozenBatch): Promise<string> {
    const { feed } = this;
    const posting = {
      channelId: feed.channelId,
      compose: () => ({ ...batch.body, silent: feed.silent }),
      nonce: nonceOf(this.#ports.nonceKey, feed.id, this.#record.batch),
      matches: (posted: Parameters<typeof sameMessage>[1]) => sameMessage(batch.body, posted),
      afterMessageId: this.#record.lastMessageId,
      madeAtMs: batch.atMs,
      before: this.#before,
    };
    return (await post(posting, this.#ports, this.#stop.signal)).messageId;
  }

  /** Discord refused the form (50035): the same entries as a file, and if that is refused too, a bare notice. */
  async #reshape(batch: FrozenBatch): Promise<void> {
    const { list } = this.#record;
    const items = list === undefined ? [] : await this.#readUntil(list, batch.throughSeq);
    const context = await this.#context();
    if (batch.form === "lines") {
      const plan = planDigest(this.feed, items, "refused", context);
      if (plan.kind === "post") {
        await this.#freeze({ ...plan.batch, throughSeq: batch.throughSeq });
        return;
      }
    }
    const times = entriesOf(this.feed, items, context.teamOf).map((entry) => entry.atS);
    const fromS = times.reduce((a, b) => Math.min(a, b), Math.floor(batch.atMs / 1_000));
    const toS = times.reduce((a, b) => Math.max(a, b), fromS);
    const body = this.#ports.renderer.unpostable(this.feed.kind, batch.entries, fromS, toS);
    await this.#freeze({ ...batch, body, form: "notice", atMs: this.#ports.clock.nowMs() });
  }

  /** A notice goes the way of a batch without entries: frozen, so it is said once even across a crash. */
  async #freezeLate(sinceMs: number): Promise<void> {
    const body: MessageBody = this.#ports.renderer.late(this.feed.kind, sinceMs);
    const { nextSeq } = this.#record;
    const atMs = this.#ports.clock.nowMs();
    await this.#freeze({ throughSeq: nextSeq, entries: 0, body, atMs, form: "notice" }, sinceMs);
  }

  async #freeze(frozen: FrozenBatch, lateSinceMs = this.#record.lateSinceMs): Promise<void> {
    const late = lateSinceMs === undefined ? {} : { lateSinceMs };
    await this.#write({ ...this.#record, ...late, batch: this.#record.batch + 1, frozen });
    if (this.#before === "sent") this.#before = "unsent";
  }

  async #acknowledge(nextSeq: number): Promise<void> {
    await this.#write({ ...this.#record, nextSeq });
    this.#ports.journal.acknowledge(this.feed.id, nextSeq);
  }

  async #caughtUp(): Promise<void> {
    if (this.#record.lateSinceMs === undefined || this.#pollLateSinceMs !== undefined) return;
    const { lateSinceMs: _, ...rest } = this.#record;
    await this.#write(rest);
  }

  async #write(record: OffsetRecord): Promise<void> {
    await this.#ports.offsets.set(this.feed.id, record);
    this.#record = record;
  }

  async #context(): Promise<BatchContext> {
    const { clock, snapshots, renderer } = this.#ports;
    const nowMs = clock.nowMs();
    const teamOf = teamsOf(snapshots.latest(this.#record.source), nowMs);
    return { teamOf, nowMs, renderer, serverName: await this.#ports.serverName(this.feed) };
  }
}

/** Would another form of the same entries be taken? A file may be too large, which Discord tells in several ways. */
function isAboutForm(refusal: SinkRefusal, batch: FrozenBatch): boolean {
  if (batch.form === "notice") return false;
  return refusal.reason === "form" || (refusal.reason === "rejected" && batch.form === "digest");
}
