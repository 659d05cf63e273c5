import { isState, type JournalList, type StateList } from "../domain/changes.ts";
import { serverOf } from "../domain/journal-id.ts";
import type { Snapshot, SourceId } from "../domain/model.ts";
import type {
  FollowerStart,
  JournalItem,
  JournalLog,
  JournalReader,
  LogPlace,
  StatesWanted,
  Unread,
} from "../domain/ports/journal.ts";
import { logLists } from "./compare/window-facts.ts";
import type { Open } from "./open-journal.ts";

/** What a follower leaves unread beyond this is given up, and it reads a gap instead. */
const MOST_UNREAD = 5_000;

interface MarkedJournals {
  /** Those that an answer shows. */
  shown(look: Snapshot): readonly Open[];
  ofServer(source: SourceId): readonly Open[];
  read(log: JournalLog, fromSeq: number): Promise<readonly JournalItem[]>;
  /** Writes a journal's marks as they are. */
  writeMarks(open: Open): Promise<void>;
}

/**
 * Who follows all journals, each with a mark in every one: the first number that it has not dealt with. Marks are stored
 * with the next answer that brings something, so that they cost no write: what was dealt with just before a crash comes
 * again, and is known again.
 */
export class Followers {
  readonly #starts = new Map<string, { readonly start: FollowerStart; readonly wants: StatesWanted }>();

  reader(
    name: string,
    { start, wants }: { readonly start: FollowerStart; readonly wants: StatesWanted },
    journals: MarkedJournals,
  ): JournalReader {
    this.#starts.set(name, { start, wants });
    return {
      unread: (look) => this.#unread(name, journals.shown(look), journals),
      places: (look) => places(journals.shown(look)),
      pass(look) {
        for (const open of journals.shown(look))
          if (open.head !== undefined) settle(open, name, open.head.nextSeq);
      },
      readAnew(source) {
        for (const open of journals.ofServer(source)) open.firsts.add(name);
      },
    };
  }

  /** The journals that followers of this server read. */
  lists(server: SourceId): readonly JournalList[] {
    if (this.#starts.size === 0) return [];
    return [...logLists, ...new Set([...this.#starts.values()].flatMap(({ wants }) => wants(server)))];
  }

  /** Before an answer is compared: who has no mark in this journal begins with it. */
  begin(open: Open, nextSeq: number): void {
    for (const [name, { start, wants }] of this.#starts) {
      if (open.marks.has(name) || !reads(open.list, wants(serverOf(open.source)))) continue;
      open.marks.set(name, nextSeq);
      if (start === "window") open.firsts.add(name);
    }
  }

  /** The lowest number that some follower needs and is still given; Infinity where there is none. */
  neededSeq(open: Open): number {
    const nextSeq = open.head?.nextSeq ?? 0;
    let lowest = Number.POSITIVE_INFINITY;
    for (const name of this.#starts.keys()) {
      const mark = open.marks.get(name) ?? nextSeq;
      lowest = Math.min(lowest, Math.max(mark, nextSeq - MOST_UNREAD));
    }
    return lowest;
  }

  /** What a follower has not dealt with, of these journals. Rejects where the store fails. */
  async #unread(
    name: string,
    opens: readonly Open[],
    { read, writeMarks }: Pick<MarkedJournals, "read" | "writeMarks">,
  ): Promise<readonly Unread[]> {
    const found: Unread[] = [];
    for (const open of opens) {
      const { source, list, head } = open;
      const mark = open.marks.get(name);
      if (!open.isFollowed || head === undefined || mark === undefined) continue;
      const isFirst = open.firsts.has(name);
      if (!isFirst && mark >= head.nextSeq) continue;
      const log = { source, list };
      const items = isFirst ? [] : await read(log, mark);
      const next = isFirst ? mark : (items.at(-1)?.seq ?? mark) + 1;
      const done = () => settle(open, name, next);
      const doneForGood = async () => {
        done();
        await writeMarks(open);
      };
      found.push({ log, lineage: head.lineage, isFirst, items, done, doneForGood });
    }
    return found;
  }

  /** As they are stored. Who has yet to read a whole window begins anew after a crash. */
  stored(open: Open): Readonly<Record<string, number>> | undefined {
    const marks = [...open.marks].filter(([name]) => this.#starts.has(name) && !open.firsts.has(name));
    return marks.length === 0 ? undefined : Object.fromEntries(marks);
  }
}

/** All followers read all logs. */
function reads(list: JournalList, wanted: readonly StateList[]): boolean {
  return !isState(list) || wanted.includes(list);
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
  open.marks.set(name, Math.max(mark, open.marks.get(name) ?? 0));
}
