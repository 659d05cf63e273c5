// Over 200 lines: one journal, whose head and chunks are written in an order that a crash may interrupt anywhere.
import type { LogList, Snapshot, SourceId } from "../../domain/model.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import { logLists } from "../diff/window-facts.ts";
import { mayGoOnFrom, serverOf } from "./journal-id.ts";
import type { Journal, JournalItem, JournalLog, MoveResult } from "./journal-port.ts";
import { headKey, type JournalHead } from "./journal-records.ts";
import { type Advance, emptyHead, nextHead } from "./next-head.ts";
import { type Found, neededSeq, type Open, opened, trimmed, trimmedAway, withGaps } from "./open-journal.ts";
import { type Answer, lookOf, noteLook, readAnswer } from "./server-answer.ts";
import { StoredChunks, type StoredChunksParts } from "./stored-chunks.ts";

export interface JournalParts extends StoredChunksParts {
  readonly heads: Documents<JournalHead>;
  readonly random: Random;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** See journal-port.ts for what each method promises. One file: every method takes its turn on the same open journals. */
export class StoredJournal implements Journal {
  readonly #parts: JournalParts;
  readonly #chunks: StoredChunks;
  readonly #open = new Map<string, Open>();
  readonly #byServer = new Map<SourceId, Set<Open>>();
  readonly #byFeed = new Map<string, Set<Open>>();
  /** The longest that each kind of log was seen on any server: it drops rows beyond that. */
  readonly #fullest = new Map<LogList, number>();
  readonly #listeners = new Set<(source: SourceId, list: LogList) => void>();
  /** Moves lock two journals; one after the other, so that two of them cannot wait for each other. */
  #moves: Promise<unknown> = Promise.resolve();
  #trimming = false;
  #lookId = 0;

  constructor(parts: JournalParts) {
    this.#parts = parts;
    this.#chunks = new StoredChunks(parts);
  }

  /** Rejects when the store fails; what was not written is found again by the next snapshot. */
  async take(snapshot: Snapshot): Promise<void> {
    const ids = new Set([...(this.#byServer.get(snapshot.source) ?? [])].map(({ source }) => source));
    const work = [...ids].flatMap((id) => {
      const opens = logLists.flatMap((list) => {
        const open = this.#open.get(headKey(id, list));
        return open === undefined || snapshot.lists[list] === undefined ? [] : [open];
      });
      const answer = readAnswer(opens, snapshot, ++this.#lookId);
      return opens.map((open) => this.#exclusive(open, () => this.#advance(open, snapshot, answer)));
    });
    for (const done of await Promise.allSettled(work)) if (done.status === "rejected") throw done.reason;
  }

  attach(feedId: string, { source, list }: JournalLog, fromSeq: number): Promise<void> {
    const open = this.#opened(source, list);
    return this.#exclusive(open, async () => {
      const head = await this.#load(open);
      // A power cut may have set the journal back behind the feed: numbers go on where the feed is, or it would
      // take what comes next for delivered.
      const nextSeq = Math.max(head.nextSeq, fromSeq);
      if (nextSeq !== head.nextSeq) open.head = { ...head, nextSeq };
      this.#hold(open, feedId, fromSeq);
    });
  }

  attachAtHead(feedId: string, source: SourceId, list: LogList): Promise<number> {
    const open = this.#opened(source, list);
    return this.#exclusive(open, async () => {
      const known = await this.#load(open);
      if (open.feeds.size > 0 || !this.#trimming) {
        if (known.retained === undefined) await this.#parts.heads.set(open.key, known);
        this.#hold(open, feedId, known.nextSeq);
        return known.nextSeq;
      }
      // Nobody has read this journal since who knows when: its next window is a baseline, and a crash keeps it so.
      const fresh = emptyHead(this.#parts.random.id(), known.nextSeq);
      open.wholeS = undefined;
      open.newestS = undefined;
      await this.#parts.heads.set(open.key, fresh);
      open.head = fresh;
      this.#hold(open, feedId, fresh.nextSeq);
      await this.#chunks.delete(open, known);
      return fresh.nextSeq;
    });
  }

  acknowledge(feedId: string, nextSeq: number): void {
    for (const open of this.#byFeed.get(feedId) ?? []) {
      if ((open.feeds.get(feedId) ?? nextSeq) >= nextSeq) continue;
      open.feeds.set(feedId, nextSeq);
      if (open.head !== undefined && this.#trimming) open.head = trimmed(open.head, neededSeq(open));
    }
  }

  async detach(feedId: string): Promise<void> {
    const held = this.#byFeed.get(feedId) ?? [];
    this.#byFeed.delete(feedId);
    for (const open of held) open.feeds.delete(feedId);
    for (const open of held) await this.#exclusive(open, () => this.#retire(open));
  }

  trimFromNow(): void {
    this.#trimming = true;
  }

  async read({ source, list }: JournalLog, fromSeq: number, limit: number): Promise<readonly JournalItem[]> {
    const open = this.#open.get(headKey(source, list));
    // One look at the head before the first await: a poll that lands meanwhile belongs to the next read.
    const head = open?.head;
    if (open === undefined || head === undefined) return [];
    const found: Found[] = [];
    for (const ref of head.chunks) {
      if (ref.lastSeq < fromSeq || found.length >= limit) continue;
      const items = await this.#chunks.read(open, ref);
      // The feed was detached while it read, and its items went with it.
      if (items === undefined && !open.head?.chunks.includes(ref)) return [];
      if (items === undefined) found.push({ kind: "lost", seq: ref.lastSeq });
      else found.push(...items.filter((item) => item.seq >= fromSeq));
    }
    for (const item of head.tail) if (item.seq >= fromSeq) found.push(item);
    const items = withGaps(head, found);
    // One gap for all: a lost chunk at the front tells what was trimmed before it, too.
    const before = found[0]?.kind === "lost" ? [] : trimmedAway(head, fromSeq, items[0]);
    return [...before, ...items].slice(0, limit);
  }

  head(source: SourceId, list: LogList): number {
    return this.#open.get(headKey(source, list))?.head?.nextSeq ?? 1;
  }

  awaitsBaseline(source: SourceId, list: LogList): boolean {
    const head = this.#open.get(headKey(source, list))?.head;
    return head !== undefined && head.retained === undefined;
  }

  onItems(listener: (source: SourceId, list: LogList) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  move(oldSource: SourceId, newSource: SourceId, list: LogList): Promise<MoveResult> {
    const work = () => {
      const from = this.#opened(oldSource, list);
      const to = this.#opened(newSource, list);
      return this.#exclusive(from, () => this.#exclusive(to, () => this.#copy(from, to)));
    };
    const moved = this.#moves.then(work, work);
    this.#moves = moved.catch(() => undefined);
    return moved;
  }

  get journals(): number {
    let journals = 0;
    for (const { head, feeds } of this.#open.values())
      if (head !== undefined && feeds.size > 0) journals += 1;
    return journals;
  }

  async #advance(open: Open, snapshot: Snapshot, answer: Answer): Promise<void> {
    const { head } = open;
    if (head === undefined || open.feeds.size === 0) return;
    const monotonicMs = this.#parts.clock.monotonicMs();
    const needed = this.#trimming ? neededSeq(open) : 0;
    const taking = {
      head,
      list: open.list,
      snapshot,
      neededSeq: needed,
      firstFreeChunk: open.freeChunk,
      look: { ...lookOf(open, answer, monotonicMs), fullest: this.#fullest.get(open.list) ?? 0 },
    };
    const rows = snapshot.lists[open.list]?.length ?? 0;
    const step = nextHead(taking);
    if (step.advance !== undefined) await this.#write(open, step.advance);
    const grownBy = step.advance?.grownBy ?? 0;
    const full = noteLook(open, answer, { ...step, rows, monotonicMs, grownBy });
    if (full !== undefined) this.#noteFullest(open.list, full);
  }

  #noteFullest(list: LogList, rows: number): void {
    this.#fullest.set(list, Math.max(this.#fullest.get(list) ?? 0, rows));
  }

  async #write(open: Open, step: Advance): Promise<void> {
    const { heads } = this.#parts;
    open.freeChunk = step.head.nextChunk;
    await this.#chunks.write(open, step.sealed);
    await heads.set(open.key, step.head);
    // Feeds may have acknowledged while this was being written.
    open.head = this.#trimming ? trimmed(step.head, neededSeq(open)) : step.head;
    if (step.added > 0) for (const listener of this.#listeners) listener(open.source, open.list);
    open.garbage = [...open.garbage, ...step.droppedChunks];
    await this.#chunks.sweep(open);
  }

  async #copy(asked: Open, to: Open): Promise<MoveResult> {
    const lineage = (await this.#known(asked))?.lineage;
    if (lineage === undefined) return "none";
    const existing = await this.#known(to);
    if (existing !== undefined) return existing.lineage === lineage ? "same" : "other";
    const from = this.#newest(asked, to, lineage);
    const old = from.head;
    if (old === undefined) return "none";
    await this.#chunks.copy(from, old, to);
    await this.#parts.heads.set(to.key, old);
    to.head = old;
    return "moved";
  }

  /**
   * A guild may have kept a revoked key and then link the next one: its journal is behind that of a guild which did
   * not. Only the newest may go on, or the two would give different entries the same number.
   */
  #newest(asked: Open, to: Open, lineage: string): Open {
    let newest = asked;
    for (const open of this.#open.values()) {
      if (open.list !== asked.list || open.head?.lineage !== lineage) continue;
      if (!mayGoOnFrom(open.source, to.source)) continue;
      if (open.head.nextSeq > (newest.head?.nextSeq ?? 0)) newest = open;
    }
    return newest;
  }

  /** The last feed is gone: nobody reads this journal, and the next feed starts at a baseline. */
  async #retire(open: Open): Promise<void> {
    if (open.feeds.size > 0) return;
    const { head } = open;
    open.head = undefined;
    if (head === undefined || !this.#trimming) return;
    await this.#parts.heads.delete(open.key);
    await this.#chunks.delete(open, head);
  }

  /** What the store or the memory has; undefined where there is no journal. */
  async #known(open: Open): Promise<JournalHead | undefined> {
    if (open.head === undefined) {
      open.head = await this.#parts.heads.get(open.key);
      this.#noteFullest(open.list, open.head?.fullest ?? 0);
    }
    return open.head;
  }

  async #load(open: Open): Promise<JournalHead> {
    const head = (await this.#known(open)) ?? emptyHead(this.#parts.random.id(), 1);
    open.head = head;
    return head;
  }

  #hold(open: Open, feedId: string, fromSeq: number): void {
    open.feeds.set(feedId, fromSeq);
    const held = this.#byFeed.get(feedId) ?? new Set();
    this.#byFeed.set(feedId, held.add(open));
  }

  #opened(source: SourceId, list: LogList): Open {
    const key = headKey(source, list);
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const open = opened(source, list);
    this.#open.set(key, open);
    const server = serverOf(source);
    this.#byServer.set(server, (this.#byServer.get(server) ?? new Set()).add(open));
    return open;
  }

  #close(open: Open): void {
    this.#open.delete(open.key);
    const server = serverOf(open.source);
    const others = this.#byServer.get(server);
    others?.delete(open);
    if (others?.size === 0) this.#byServer.delete(server);
  }

  /** One thing at a time on each journal; one that nobody reads or works on leaves the memory. */
  #exclusive<T>(open: Open, work: () => Promise<T>): Promise<T> {
    const guarded = async () => {
      try {
        return await work();
      } finally {
        open.queued -= 1;
        if (open.queued === 0 && open.feeds.size === 0) this.#close(open);
      }
    };
    open.queued += 1;
    const result = open.chain.then(guarded, guarded);
    open.chain = result.catch(() => undefined);
    return result;
  }
}
