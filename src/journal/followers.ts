import { isState, type JournalList } from "../domain/changes.ts";
import { lookAtEach } from "../domain/counting.ts";
import { ownerOf, serverOf } from "../domain/journal-id.ts";
import type { Snapshot, SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type {
  FollowerStart,
  FollowerWants,
  JournalItem,
  JournalLog,
  JournalReader,
  LogPlace,
  StatesWanted,
  Unread,
} from "../domain/ports/journal.ts";
import { logLists } from "./compare/window-facts.ts";
import { type Open, seqOfDay } from "./open-journal.ts";
import { failedOn, type Handed, handedOut, wentWell } from "./trials.ts";

/** What a follower leaves unread beyond this, or for longer than a day, is given up, and it reads a gap instead. */
const MOST_UNREAD = 5_000;
/** Who makes what people are shown keeps it longer, however old it is. */
const KEPT_LONGER: ReadonlyMap<string, number> = new Map([["cases", 20_000]]);

/** What a follower reads, and where it begins. */
interface Reader {
  readonly start: FollowerStart;
  readonly logs: ReadonlySet<JournalList>;
  readonly states: StatesWanted;
}

interface MarkedJournals {
  /** Those that an answer shows. */
  shown(look: Snapshot): readonly Open[];
  ofServer(source: SourceId): readonly Open[];
  read(log: JournalLog, fromSeq: number): Promise<readonly JournalItem[]>;
  /** Writes a journal's marks as they are. */
  writeMarks(open: Open): Promise<void>;
}

interface FollowersParts {
  readonly clock: Pick<Clock, "monotonicMs">;
  warn(message: string, error: unknown): void;
}

/** By follower, of all journals of linked servers. */
export interface FollowersProgress {
  /** Events that it has not dealt with. */
  readonly unread: Readonly<Record<string, number>>;
  /** Events since the start that it will not get any more: it failed on each again and again, and on others not. */
  readonly setAside: Readonly<Record<string, number>>;
}

/**
 * Who follows all journals, each with a mark in every one: the first number that it has not dealt with. Marks are stored
 * with the next answer that brings something, so that they cost no write: what was dealt with just before a crash comes
 * again, and is known again.
 */
export class Followers {
  readonly #readers = new Map<string, Reader>();
  readonly #setAside = new Map<string, number>();
  readonly #warn: (message: string, error: unknown) => void;
  readonly #clock: Pick<Clock, "monotonicMs">;

  constructor({ warn, clock }: FollowersParts) {
    this.#warn = warn;
    this.#clock = clock;
  }

  reader(
    name: string,
    { start, wants }: { readonly start: FollowerStart; readonly wants: FollowerWants },
    journals: MarkedJournals,
  ): JournalReader {
    const { logs = logLists, states = () => [] } = wants;
    const reader: Reader = { start, logs: new Set(logs), states };
    this.#readers.set(name, reader);
    const shown = (look: Snapshot) => journals.shown(look).filter((open) => mayRead(reader, open));
    return {
      unread: (look) => this.#unread({ name, lookMs: look.takenAtMs }, shown(look), journals),
      places: (look) => places(shown(look)),
      pass(look) {
        for (const open of shown(look)) if (open.head !== undefined) settle(open, name, open.head.nextSeq);
      },
      readAnew(source) {
        for (const open of journals.ofServer(source)) if (mayRead(reader, open)) open.firsts.set(name, true);
      },
    };
  }

  /** The journals that followers of this server read. */
  lists(server: SourceId): readonly JournalList[] {
    const readers = [...this.#readers.values()];
    const logs = readers.flatMap((reader) => [...reader.logs]);
    return [...new Set([...logs, ...readers.flatMap(({ states }) => states(server))])];
  }

  /** Before an answer is compared: who has no mark in this journal begins with it. */
  begin(open: Open, nextSeq: number): void {
    for (const [name, reader] of this.#readers) {
      if (open.marks[name] !== undefined || !reads(reader, open)) continue;
      open.marks[name] = nextSeq;
      if (reader.start === "window") open.firsts.set(name, true);
    }
  }

  /**
   * On a disk what has been read stays stored as long as what has not: `npm run store -- rewind` lets a follower read it
   * again. The journals of a guild are in Redis, so in memory: there only what somebody needs stays.
   */
  storedSeq(open: Open): number {
    const neededSeq = this.neededSeq(open);
    const isKept = open.isFollowed && ownerOf(open.source) === "server";
    return isKept ? Math.min(neededSeq, this.#oldestSeq(open)) : neededSeq;
  }

  #oldestSeq(open: Open): number {
    return Math.max((open.head?.nextSeq ?? 0) - MOST_UNREAD, seqOfDay(open, this.#clock.monotonicMs()));
  }

  /** The lowest number that some follower needs and is still given; Infinity where there is none. */
  neededSeq(open: Open): number {
    const nextSeq = open.head?.nextSeq ?? 0;
    const oldestSeq = this.#oldestSeq(open);
    let lowest = Number.POSITIVE_INFINITY;
    for (const [name, reader] of this.#readers) {
      if (!mayRead(reader, open)) continue;
      const mark = open.marks[name] ?? nextSeq;
      const kept = KEPT_LONGER.get(name);
      lowest = Math.min(lowest, Math.max(mark, kept === undefined ? oldestSeq : nextSeq - kept));
    }
    return lowest;
  }

  /** Counted in turns of the event loop, each journal as it is in its turn. */
  async state(opens: Iterable<Open>): Promise<FollowersProgress> {
    const unread = new Map([...this.#readers.keys()].map((name) => [name, 0]));
    await lookAtEach(opens, (open) => {
      const { head, isFollowed, marks } = open;
      if (head === undefined || !isFollowed) return;
      for (const [name, reader] of this.#readers) {
        if (!mayRead(reader, open)) continue;
        const left = Math.max(0, head.nextSeq - (marks[name] ?? head.nextSeq));
        if (left > 0) unread.set(name, (unread.get(name) ?? 0) + left);
      }
    });
    const setAside = [...this.#readers.keys()].map((name) => [name, this.#setAside.get(name) ?? 0] as const);
    return { unread: Object.fromEntries(unread), setAside: Object.fromEntries(setAside) };
  }

  #onFailed(
    name: string,
    open: Open,
    { handed, lookMs, error }: { readonly handed: Handed; readonly lookMs: number; readonly error: unknown },
  ): void {
    const trial = failedOn(open.trials.get(name), handed, lookMs);
    if (trial === undefined) return;
    if (trial !== "set aside") {
      open.trials.set(name, trial);
      return;
    }
    settle(open, name, (handed.items[0]?.seq ?? 0) + 1);
    this.#setAside.set(name, (this.#setAside.get(name) ?? 0) + 1);
    this.#warn(`${name} failed again and again on one event of ${open.list} and goes on without it`, error);
  }

  /** What a follower has not dealt with, of these journals. Rejects where the store fails. */
  async #unread(
    { name, lookMs }: { readonly name: string; readonly lookMs: number },
    opens: readonly Open[],
    { read, writeMarks }: Pick<MarkedJournals, "read" | "writeMarks">,
  ): Promise<readonly Unread[]> {
    const found: Unread[] = [];
    for (const open of opens) {
      const { source, list, head } = open;
      const mark = open.marks[name];
      if (!open.isFollowed || head === undefined || mark === undefined) continue;
      const isFirst = open.firsts.has(name);
      if (!isFirst && mark >= head.nextSeq) continue;
      const log = { source, list };
      const handed = handedOut(open.trials.get(name), isFirst ? [] : await read(log, mark));
      const { items } = handed;
      const next = isFirst ? mark : (items.at(-1)?.seq ?? mark) + 1;
      const done = () => {
        const trial = wentWell(open.trials.get(name), handed, next);
        if (!handed.isProbe) settle(open, name, next);
        if (trial !== undefined) open.trials.set(name, trial);
      };
      const failed = (error: unknown) => this.#onFailed(name, open, { handed, lookMs, error });
      const doneForGood = async () => {
        done();
        await writeMarks(open);
      };
      found.push({ log, lineage: head.lineage, isFirst, items, done, failed, doneForGood });
    }
    return found;
  }

  /** As they are stored. Who has yet to read a whole window begins anew after a crash. */
  stored(open: Open): Readonly<Record<string, number>> | undefined {
    const marks = Object.entries(open.marks).filter(([name]) => {
      const reader = this.#readers.get(name);
      return reader !== undefined && mayRead(reader, open) && !open.firsts.has(name);
    });
    return marks.length === 0 ? undefined : Object.fromEntries(marks);
  }
}

/** Whether it begins to read this journal now: which states it reads changes with what people set up. */
function reads(reader: Reader, open: Open): boolean {
  const { list } = open;
  return isState(list) ? reader.states(serverOf(open.source)).includes(list) : reader.logs.has(list);
}

/** A log that a follower does not read holds nothing for it, whatever marks a release before has stored. */
function mayRead({ logs }: Reader, { list }: Pick<Open, "list">): boolean {
  return isState(list) || logs.has(list);
}

/** Up to where journals are written. */
function places(opens: readonly Open[]): readonly LogPlace[] {
  return opens.flatMap(({ source, list, head, isFollowed }) =>
    isFollowed && head !== undefined
      ? [{ log: { source, list }, lineage: head.lineage, nextSeq: head.nextSeq }]
      : [],
  );
}

function settle(open: Open, name: string, mark: number): void {
  open.firsts.delete(name);
  open.trials.delete(name);
  open.marks[name] = Math.max(mark, open.marks[name] ?? 0);
}
