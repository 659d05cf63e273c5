import type { JournalList } from "../domain/changes.ts";
import { lookAtEach, oneCount } from "../domain/counting.ts";
import type { Snapshot, SourceId } from "../domain/model.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type {
  FollowerStart,
  FollowerWants,
  Journal,
  JournalItem,
  JournalLog,
  JournalReader,
  MoveResult,
} from "../domain/ports/journal.ts";
import { isShownIn, JOURNAL_LISTS, rowsShown } from "./compare/states.ts";
import { Followers } from "./followers.ts";
import type { JournalHead } from "./journal-records.ts";
import { moveJournal } from "./move-journal.ts";
import { type Advance, emptyHead, trimmed, withoutRetained } from "./next-head.ts";
import { stepOf } from "./next-state.ts";
import { goOnAt, neededSeq, noteShown, type Open, rejections } from "./open-journal.ts";
import { OpenJournals } from "./open-journals.ts";
import { readItems } from "./read-items.ts";
import { type Answer, lookOf, noteLook, readAnswer } from "./server-answer.ts";
import { type Beside, StoredJournals, type StoredJournalsParts } from "./stored-journals.ts";

export interface JournalParts extends StoredJournalsParts {
  readonly random: Random;
  readonly clock: Pick<Clock, "monotonicMs" | "nowMs">;
  /** The journals of a server that followers read: of none that nobody links. */
  followedOf(server: SourceId): readonly SourceId[];
}

/** See journal-port.ts for what each method promises. One file: every method takes its turn on the same open journals. */
export class StoredJournal implements Journal {
  readonly #parts: JournalParts;
  readonly #stored: StoredJournals;
  readonly #journals = new OpenJournals();
  readonly #followers: Followers;
  readonly #byFeed = new Map<string, Set<Open>>();
  /** The longest that each kind of log was seen on any server: it drops rows beyond that. */
  readonly #fullest = new Map<JournalList, number>();
  readonly #listeners = new Set<(source: SourceId, list: JournalList) => void>();
  /** Moves lock two journals; one after the other, so that two of them cannot wait for each other. */
  #moves: Promise<unknown> = Promise.resolve();
  #trimming = false;
  #lookId = 0;

  constructor(parts: JournalParts) {
    this.#parts = parts;
    this.#stored = new StoredJournals(parts);
    this.#followers = new Followers(parts);
  }

  /** Rejects when the store fails; what was not written is found again by the next snapshot. */
  protected async write(snapshot: Snapshot): Promise<void> {
    const failures: unknown[] = [];
    const unread = this.#followed(snapshot).filter(({ head }) => head === undefined);
    const loads = unread.map((open) => this.#journals.exclusive(open, () => this.#load(open)));
    // Feeds know where they are when they attach: without followers nothing is loaded here, and nothing waits.
    if (loads.length > 0) failures.push(...rejections(await Promise.allSettled(loads)));
    for (const open of this.#journals.ofServer(snapshot.source)) {
      noteShown(open, snapshot, this.#parts.clock.monotonicMs());
    }
    const shown = Map.groupBy(this.#shown(snapshot), ({ source }) => source);
    const work = [...shown.values()].flatMap((opens) => {
      const answer = readAnswer(opens, snapshot, ++this.#lookId);
      return opens.map((open) => this.#journals.exclusive(open, () => this.#advance(open, snapshot, answer)));
    });
    failures.push(...rejections(await Promise.allSettled(work)));
    if (failures.length > 0) throw failures[0];
  }

  reader(name: string, start: FollowerStart, wants: FollowerWants = {}): JournalReader {
    return this.#followers.reader(
      name,
      { start, wants },
      {
        shown: (look) => this.#shown(look),
        ofServer: (source) => this.#journals.ofServer(source),
        read: (log, fromSeq) => this.read(log, fromSeq, MOST_READ),
        writeMarks: (open) => this.#journals.exclusive(open, () => this.#writeHead(open, open.head)),
      },
    );
  }

  /** Nobody follows it any more: it goes, unless a feed reads it. */
  protected async forget(journal: SourceId): Promise<void> {
    for (const list of JOURNAL_LISTS) {
      const open = this.#journals.opened(journal, list);
      await this.#journals.exclusive(open, async () => {
        await this.#known(open);
        open.isFollowed = false;
        await this.#retire(open);
      });
    }
  }

  /** The journals of a server that are in memory. */
  protected journalsOf(server: SourceId): readonly SourceId[] {
    return [...new Set(this.#journals.ofServer(server).map(({ source }) => source))];
  }

  attach(feedId: string, { source, list }: JournalLog, fromSeq: number): Promise<void> {
    const open = this.#journals.opened(source, list);
    return this.#journals.exclusive(open, async () => {
      const head = await this.#load(open);
      // A power cut may have set the journal back behind the feed: numbers go on where the feed is, or it would
      // take what comes next for delivered.
      if (fromSeq > head.nextSeq) goOnAt(open, head, fromSeq);
      this.#hold(open, feedId, fromSeq);
    });
  }

  attachAtHead(feedId: string, source: SourceId, list: JournalList): Promise<number> {
    const open = this.#journals.opened(source, list);
    return this.#journals.exclusive(open, async () => {
      const known = await this.#load(open);
      if (open.feeds.size > 0 || !this.#trimming || (open.isFollowed && open.isShown)) {
        if (known.retained === undefined && known.looked === undefined) await this.#writeHead(open, known);
        this.#hold(open, feedId, known.nextSeq);
        return known.nextSeq;
      }
      // Nobody has read this journal since who knows when: its next window is a baseline, and a crash keeps it so.
      const fresh = open.isFollowed
        ? withoutRetained(known)
        : emptyHead(this.#parts.random.id(), known.nextSeq);
      open.wholeS = undefined;
      open.newestS = undefined;
      await this.#writeHead(open, fresh, open.isFollowed ? undefined : fresh.nextSeq);
      this.#hold(open, feedId, fresh.nextSeq);
      return fresh.nextSeq;
    });
  }

  acknowledge(feedId: string, nextSeq: number): void {
    for (const open of this.#byFeed.get(feedId) ?? []) {
      if ((open.feeds.get(feedId) ?? nextSeq) >= nextSeq) continue;
      open.feeds.set(feedId, nextSeq);
      if (open.head !== undefined && this.#trimming) open.head = trimmed(open.head, this.#neededSeq(open));
    }
  }

  async detach(feedId: string): Promise<void> {
    const held = this.#byFeed.get(feedId) ?? [];
    this.#byFeed.delete(feedId);
    for (const open of held) open.feeds.delete(feedId);
    for (const open of held) await this.#journals.exclusive(open, () => this.#retire(open));
  }

  trimFromNow(): void {
    this.#trimming = true;
  }

  read({ source, list }: JournalLog, fromSeq: number, limit: number): Promise<readonly JournalItem[]> {
    const nowMs = this.#parts.clock.nowMs();
    return readItems(this.#journals.get(source, list), { fromSeq, limit, nowMs, stored: this.#stored });
  }

  head(source: SourceId, list: JournalList): number {
    return this.#journals.get(source, list)?.head?.nextSeq ?? 1;
  }

  awaitsBaseline(source: SourceId, list: JournalList): boolean {
    const head = this.#journals.get(source, list)?.head;
    return head !== undefined && head.retained === undefined && head.looked === undefined;
  }

  onItems(listener: (source: SourceId, list: JournalList) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  move(oldSource: SourceId, newSource: SourceId, list: JournalList): Promise<MoveResult> {
    const work = () => {
      const from = this.#journals.opened(oldSource, list);
      const to = this.#journals.opened(newSource, list);
      return this.#journals.exclusive(from, () => this.#journals.exclusive(to, () => this.#moved(from, to)));
    };
    const moved = this.#moves.then(work, work);
    this.#moves = moved.catch(() => undefined);
    return moved;
  }

  /** How far each follower is. */
  readonly state = oneCount(() => this.#followers.state(this.#journals.all()));

  readonly journals = oneCount(async () => {
    let journals = 0;
    await lookAtEach(this.#journals.all(), ({ head, feeds }) => {
      if (head !== undefined && feeds.size > 0) journals += 1;
    });
    return journals;
  });

  async #advance(open: Open, snapshot: Snapshot, answer: Answer): Promise<void> {
    const head = open.isStale && open.head !== undefined ? withoutRetained(open.head) : open.head;
    if (head === undefined || (open.feeds.size === 0 && !open.isFollowed)) return;
    if (open.isFollowed) this.#followers.begin(open, head.nextSeq);
    const monotonicMs = this.#parts.clock.monotonicMs();
    const needed = this.#trimming ? this.#neededSeq(open) : 0;
    const taking = { head, snapshot, neededSeq: needed };
    const look = { ...lookOf(open, answer, monotonicMs), fullest: this.#fullest.get(open.list) ?? 0 };
    const step = stepOf(open, taking, { look, storedS: this.#journals.storedS(snapshot.source) });
    if (step.advance !== undefined) await this.#write(open, step.advance);
    const grownBy = step.advance?.grownBy ?? 0;
    const rows = rowsShown(snapshot.lists, open.list);
    const full = noteLook(open, answer, { ...step, rows, monotonicMs, grownBy });
    if (full !== undefined) this.#noteFullest(open.list, full);
  }

  #noteFullest(list: JournalList, rows: number): void {
    this.#fullest.set(list, Math.max(this.#fullest.get(list) ?? 0, rows));
  }

  async #write(open: Open, step: Advance): Promise<void> {
    await this.#stored.append(open, step, this.#beside(open));
    if (open.looks !== undefined) open.looks.unwritten = undefined;
    // Feeds may have acknowledged while this was being written.
    if (this.#trimming) open.head = trimmed(step.head, this.#neededSeq(open));
    if (step.added.length > 0) for (const listener of this.#listeners) listener(open.source, open.list);
  }

  /** `neededSeq`: rows below it go. */
  async #writeHead(open: Open, head: JournalHead | undefined, neededSeq?: number): Promise<void> {
    if (head === undefined) return;
    const beside = this.#beside(open);
    await this.#stored.writeHead(open, head, neededSeq === undefined ? beside : { ...beside, neededSeq });
  }

  /** Marks stand in memory beside the head. */
  #beside(open: Open): Beside {
    const storedSeq = Math.min(neededSeq(open), this.#followers.storedSeq(open));
    return { marks: this.#followers.stored(open), neededSeq: this.#trimming ? storedSeq : 0 };
  }

  #moved(from: Open, to: Open): Promise<MoveResult> {
    const known = (open: Open) => this.#known(open);
    const copy = (of: Open, head: JournalHead, into: Open) =>
      this.#stored.copy(of, head, into, { marks: this.#followers.stored(of), neededSeq: 0 });
    return moveJournal(from, to, { known, copy, journals: this.#journals });
  }

  /** The last feed is gone: nobody reads this journal, and the next feed starts at a baseline. */
  async #retire(open: Open): Promise<void> {
    if (open.feeds.size > 0 || open.isFollowed) return;
    const { head } = open;
    open.head = undefined;
    if (head !== undefined && this.#trimming) await this.#stored.delete(open);
  }

  /** What the store or the memory has; undefined where there is no journal. */
  async #known(open: Open): Promise<JournalHead | undefined> {
    if (open.head === undefined) {
      const loaded = await this.#stored.load(open);
      this.#noteFullest(open.list, loaded?.head.fullest ?? 0);
      Object.assign(open.marks, loaded?.marks);
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

  /** The journals that followers read of what this answer shows. */
  #followed({ source, lists }: Snapshot): readonly Open[] {
    const followed = this.#followers.lists(source).filter((list) => isShownIn(lists, list));
    if (followed.length === 0) return [];
    return this.#parts.followedOf(source).flatMap((journal) =>
      followed.flatMap((list) => {
        const open = this.#journals.opened(journal, list);
        open.isFollowed = true;
        return [open];
      }),
    );
  }

  #shown({ source, lists }: Snapshot): readonly Open[] {
    return this.#journals.ofServer(source).filter(({ list }) => isShownIn(lists, list));
  }

  /** The lowest number that somebody has not dealt with. */
  #neededSeq(open: Open): number {
    return Math.min(neededSeq(open), this.#followers.neededSeq(open));
  }
}

/** Of one log at once. */
const MOST_READ = 2_000;
