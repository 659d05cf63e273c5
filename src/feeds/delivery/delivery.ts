import { Postponed, SinkRefusal } from "../../domain/failure.ts";
import type { Feed } from "../../domain/guild.ts";
import type { BatchWait } from "../../domain/ports/batches.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { Journal, JournalItem } from "../../domain/ports/journal.ts";
import type { FrozenBatch, OffsetRecord } from "../positions/offsets.ts";
import { Arrivals } from "./arrivals.ts";
import type { DraftBatch } from "./batch.ts";
import { countDelivered, type FigurePorts } from "./delivered-figures.ts";
import type { CallFeed, DeliveryStart } from "./delivery-start.ts";
import { FeedChannel, type FeedChannelPorts } from "./feed-channel.ts";
import { nextStep, type Step } from "./next-step.ts";
import { nonceOf } from "./nonce.ts";
import { type Looked, mayFitOtherwise, Planner, type PlannerPorts } from "./planner.ts";
import { delivered, skipped, withoutStanding } from "./reconcile.ts";
import { reasonInWords } from "./refusal-words.ts";
import { type LoopWork, WakeLoop } from "./wake-loop.ts";

export interface DeliveryPorts extends PlannerPorts, FeedChannelPorts, FigurePorts {
  readonly journal: Pick<Journal, "read" | "head" | "acknowledge">;
  readonly offsets: Documents<OffsetRecord>;
  readonly random: Random;
  readonly nonceKey: Uint8Array | string;
  /** Resolves when all that was written before survives a power cut, as far as the store can tell. */
  onDisk(): Promise<void>;
  /** Mod calls become cards: takes them over durably before it resolves. Idempotent. */
  takeCalls(from: CallFeed, items: readonly JournalItem[]): Promise<void>;
  /** Discord will not have this feed's messages any more: park it and tell who configured it. */
  park(feed: Feed, why: string): Promise<void>;
  /** Deliveries that may have something to post or run late: among ten thousand feeds few do. */
  readonly busy: { add(delivery: Delivery): void; delete(delivery: Delivery): void };
}

/**
 * Carries one feed's entries from the journal into its channel, each once and in order: freeze the batch (written),
 * send it under its nonce, acknowledge (written). Only this object writes the feed's record. It costs no timer and no
 * promise while there is nothing to post.
 */
export class Delivery {
  static readonly #work: LoopWork<Delivery> = {
    pass: (delivery) => delivery.#drain().finally(() => delivery.#channel.release()),
    onFailed: (delivery, error) => delivery.#onFailed(error),
    onBusy: (delivery) => delivery.#ports.busy.add(delivery),
    onIdle: (delivery) => delivery.#onIdle(),
  };

  readonly feed: Feed;
  readonly #ports: DeliveryPorts;
  readonly #planner: Planner;
  readonly #channel: FeedChannel;
  readonly #arrivals: Arrivals;
  readonly #loop: WakeLoop<Delivery>;
  #record: OffsetRecord;
  /** The frozen batch stands in the channel under this id, but that could not be written yet. */
  #delivered: string | undefined;
  #pollLateSinceMs: number | undefined;
  #parkWhy: string | undefined;

  constructor(start: DeliveryStart, ports: DeliveryPorts) {
    const { clock } = ports;
    this.feed = start.feed;
    this.#record = start.record;
    this.#ports = ports;
    this.#planner = new Planner(start.feed, ports);
    this.#channel = new FeedChannel(start, this.#planner, ports);
    this.#loop = new WakeLoop<Delivery>(this, Delivery.#work, ports);
    const [wallMs, monotonicMs] = [clock.nowMs(), clock.monotonicMs()];
    this.#arrivals = new Arrivals({ head: this.#head, wallMs, monotonicMs });
  }

  get record(): OffsetRecord {
    return this.#record;
  }

  /** Entries of the journal that this feed has not dealt with. */
  get undelivered(): number {
    return Math.max(0, this.#head - this.#record.nextSeq);
  }

  /** How long its oldest entry has waited since this process noticed it; 0 where none waits. */
  get oldestWaitMs(): number {
    if (this.undelivered === 0) return 0;
    return this.#arrivals.sinceNoticedMs(this.#record.nextSeq, this.#ports.clock.monotonicMs());
  }

  get lateSinceMs(): number | undefined {
    return this.#record.lateSinceMs ?? this.#pollLateSinceMs;
  }

  /** The record tells all that stands in the channel: nothing is on its way without an outcome. */
  get settled(): boolean {
    return this.#channel.settled && this.#delivered === undefined && !this.#loop.isRunning;
  }

  /** There may be something to do. Returns at once. */
  wake(): void {
    this.#arrivals.note(this.#head, this.#ports.clock.monotonicMs());
    this.#loop.wake();
  }

  /** An answer of the server was kept: the journal holds what it showed. */
  onPolled(): void {
    if (this.#channel.onPolled()) this.wake();
  }

  /** The server has not been read since `sinceMs`, or is read again (undefined). */
  pollLate(sinceMs: number | undefined): void {
    if (this.#pollLateSinceMs === sinceMs) return;
    this.#pollLateSinceMs = sinceMs;
    this.wake();
  }

  /** Ends after the message that is on its way, if any, and what has come of it is written. */
  async stop(): Promise<void> {
    this.#loop.end("the delivery was stopped");
    await this.#loop.ended();
  }

  get #head(): number {
    const { source, list, nextSeq } = this.#record;
    return list === undefined ? nextSeq : this.#ports.journal.head(source, list);
  }

  #onFailed(error: unknown): number | "at once" {
    if (error instanceof SinkRefusal) {
      this.#parkWhy = reasonInWords(error);
      return "at once";
    }
    if (error instanceof Postponed) return error.atLeastMs;
    this.#ports.metrics.count("marshal_feed_errors_total");
    this.#ports.warn(`feed ${this.feed.id} waits after an error`, error);
    return 0;
  }

  #onIdle(): void {
    if (this.undelivered === 0 && this.lateSinceMs === undefined) this.#ports.busy.delete(this);
  }

  async #drain(): Promise<void> {
    let looked: Looked | undefined;
    while (!this.#loop.signal.aborted) {
      const step = this.#next(looked);
      looked = undefined;
      if (step.kind === "rest") {
        if (step.caughtUp) await this.#onCaughtUp();
        return;
      }
      if (step.kind === "look") looked = await this.#planner.look(this.#record, this.#arrivals);
      else await this.#perform(step);
    }
  }

  #next({ items, owed }: Partial<Looked> = {}): Step {
    const nowMs = this.#ports.clock.monotonicMs();
    const [first, last] = [items?.[0], items?.at(-1)];
    return nextStep({
      kind: this.feed.kind,
      record: this.#record,
      parkWhy: this.#parkWhy,
      endedInOrder: !this.#ports.lastEnd.isDoubtful(this.feed.id),
      doubtful: this.#channel.isDoubtful,
      awaitsPoll: this.#channel.awaitsPoll,
      pollLateSinceMs: this.#pollLateSinceMs,
      head: this.#head,
      items,
      firstWaitedMs: first === undefined ? 0 : this.#arrivals.waitedMs(first.seq, nowMs),
      lastWaitedMs: last === undefined ? 0 : this.#arrivals.waitedMs(last.seq, nowMs),
      owed,
    });
  }

  async #perform(step: Exclude<Step, { kind: "rest" | "look" }>): Promise<void> {
    switch (step.kind) {
      case "park":
        await this.#ports.park(this.feed, step.why);
        this.#loop.end("the feed was parked");
        return;
      case "read-back":
        return await this.#readBack();
      case "deliver":
        return await this.#deliver(step.batch);
      case "say-late":
        return await this.#freezeLate(step.sinceMs);
      case "acknowledge":
        return await this.#acknowledge(step.nextSeq, []);
      case "into-cards":
        await this.#ports.takeCalls({ feed: this.feed, sinceMs: this.#record.sinceMs }, step.items);
        return await this.#acknowledge(step.nextSeq, []);
      case "wait":
        return await this.#ports.clock.sleep(step.forMs, this.#loop.signal);
      case "batch":
        return await this.#batch(step.items, step.forMs);
    }
  }

  async #batch(items: readonly JournalItem[], forMs: number): Promise<void> {
    const plan = await this.#planner.plan(this.#record, items);
    this.#loop.signal.throwIfAborted();
    if (plan.kind === "skip") await this.#acknowledge(plan.throughSeq, plan.met);
    else if (forMs > 0 && !plan.full) await this.#ports.clock.sleep(forMs, this.#loop.signal);
    else await this.#freezeInTurn();
  }

  /** What has come while it waited for its turn goes with it. */
  async #freezeInTurn(): Promise<void> {
    await this.#channel.hold(this.#turnWait());
    const plan = await this.#planner.plan(this.#record, await this.#planner.first(this.#record));
    if (plan.kind === "post") return await this.#freeze(plan.batch);
    this.#channel.release();
    await this.#acknowledge(plan.throughSeq, plan.met);
  }

  #turnWait(): BatchWait {
    const waiting = () => this.#arrivals.oldest(this.#record.nextSeq, this.#head);
    return { waiting, signal: this.#loop.signal };
  }

  async #readBack(): Promise<void> {
    const record = await this.#channel.read(this.#record, this.#turnWait());
    this.#loop.signal.throwIfAborted();
    if (record === undefined) return;
    const { frozen } = this.#record;
    if (record !== this.#record) await this.#write(record);
    this.#channel.onRead(frozen);
    if (frozen !== undefined && record.frozen === undefined) this.#onDone(record, frozen);
  }

  async #deliver(batch: FrozenBatch): Promise<void> {
    try {
      if (this.#delivered === undefined) {
        // What a file holds cannot be read back entry by entry, and the times of a gap hang on when this process
        // looked: after a power cut such a batch must still be known.
        if (batch.form === "digest" || batch.isGap === true) await this.#ports.onDisk();
        const sent = await this.#channel.send(batch, this.#turnWait());
        if (sent.kind === "other") return await this.#makeAnew(batch, sent.keys);
        this.#delivered = sent.messageId;
      }
    } catch (error) {
      if (!(error instanceof SinkRefusal) || !mayFitOtherwise(error, batch)) throw error;
      return await this.#freeze(await this.#planner.reshaped(this.#record, batch));
    }

    const record = delivered(this.#record, batch, this.#delivered);
    const isOver = this.#channel.isStandingOver(this.#ports.clock.monotonicMs());
    await this.#write(isOver ? withoutStanding(record) : record);
    this.#onDone(this.#record, batch);
  }

  #onDone(record: OffsetRecord, batch: FrozenBatch): void {
    this.#delivered = undefined;
    this.#channel.onNewMessage();
    this.#loop.progressed();
    this.#ports.journal.acknowledge(this.feed.id, record.nextSeq);
    if (record.nextSeq >= batch.throughSeq) countDelivered(this.#ports, this.feed, batch);
  }

  /** Discord answered with another message: the entries that it does not show go out under another nonce. */
  async #makeAnew(batch: FrozenBatch, keys: readonly string[]): Promise<void> {
    // A notice has no entries to plan anew: the same words again.
    if (batch.form === "notice") return await this.#freeze(batch);
    const { frozen: _, standing = [], ...rest } = this.#record;
    const all = [...standing, ...keys];
    await this.#write({ ...rest, ...(all.length === 0 ? {} : { standing: all }) });
    this.#channel.onNewMessage();
  }

  /** A notice goes the way of a batch without entries: frozen, so it is said once even across a crash. */
  async #freezeLate(lateSinceMs: number): Promise<void> {
    const late = { ...this.#record, lateSinceMs };
    const plan = await this.#planner.late(this.#record, lateSinceMs);
    if (plan.kind === "skip") await this.#write(skipped(late, plan.throughSeq, plan.met));
    else await this.#freeze(plan.batch, late);
  }

  /** Under a nonce that no other message has had or will have. */
  async #freeze(draft: DraftBatch, record = this.#record): Promise<void> {
    const nonce = nonceOf(this.#ports.nonceKey, this.feed.id, this.#ports.random.id(), draft.atMs);
    await this.#write({ ...record, frozen: { ...draft, nonce } });
    this.#channel.onNewMessage();
  }

  async #acknowledge(nextSeq: number, met: readonly string[]): Promise<void> {
    await this.#write(skipped(this.#record, nextSeq, met));
    this.#ports.journal.acknowledge(this.feed.id, nextSeq);
  }

  async #onCaughtUp(): Promise<void> {
    if (this.#record.lateSinceMs === undefined || this.#pollLateSinceMs !== undefined) return;
    const { lateSinceMs: _, ...rest } = this.#record;
    await this.#write(rest);
  }

  async #write(record: OffsetRecord): Promise<void> {
    await this.#ports.offsets.set(this.feed.id, record);
    this.#record = record;
    this.#arrivals.forget(record.nextSeq);
  }
}
