import assert from "node:assert/strict";
import type { JoinEntry, LogEntry, LogList, SourceId } from "../../src/domain/model.ts";
import type { JournalItem } from "../../src/domain/ports/journal.ts";
import { createJournal, type JournalWing } from "../../src/journal/create-journal.ts";
import type { JournalHead } from "../../src/journal/journal-records.ts";
import { opened } from "../../src/journal/open-journal.ts";
import { StoredJournals } from "../../src/journal/stored-journals.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { journalTexts, MemoryJournalStore } from "../support/memory-journal.ts";
import { snapshotWith } from "./compare/log-model.ts";

export const source = "aa" as SourceId;

/** A journal over a store that outlives it. */
export class Rig {
  readonly texts = journalTexts();
  readonly random = seededRandom(1);
  readonly clock = new VirtualClock();
  readonly warnings: string[] = [];
  store = new MemoryJournalStore(this.texts);
  journal = this.#made();

  /** The process ends and starts again; what was in memory is gone. */
  restart(): void {
    this.store = new MemoryJournalStore(this.texts);
    this.journal = this.#made();
  }

  take(rows: readonly LogEntry[], list: LogList = "joinLogs", of = source): Promise<void> {
    return this.journal.take(snapshotWith(list, rows, { source: of }));
  }

  async names(fromSeq: number, of = source): Promise<readonly string[]> {
    return (await this.journal.read({ source: of, list: "joinLogs" }, fromSeq, 10_000)).map(wordOf);
  }

  /** What the next process would know. */
  async stored(list: LogList = "joinLogs", of = source): Promise<JournalHead | undefined> {
    const warn = () => undefined;
    return (await new StoredJournals({ ...this.store, warn }).load(opened(of, list)))?.head;
  }

  /** The numbers of all rows that are stored. */
  rowNumbers(list: LogList = "joinLogs", of = source): readonly number[] {
    const keys = [...this.texts.rows.keys()].filter((key) => key.startsWith(`${of}:${list} `));
    return keys.map((key) => Number(key.slice(`${of}:${list} `.length))).sort((a, b) => a - b);
  }

  #made(): JournalWing {
    const { random, clock } = this;
    const { heads, chunks, rows, write } = this.store;
    return createJournal({
      followedOf: () => [],
      heads,
      chunks,
      rows,
      write,
      random,
      clock,
      warn: (message) => this.warnings.push(message),
    });
  }
}

export async function started(feedId = "feed"): Promise<Rig> {
  const rig = new Rig();
  rig.journal.trimFromNow();
  assert.equal(await rig.journal.attachAtHead(feedId, source, "joinLogs"), 1);
  return rig;
}

export function wordOf(item: JournalItem): string {
  if (item.kind === "gap") return `gap ${item.fromS}-${item.toS}`;
  return item.entry.kind === "join" ? item.entry.player.name : item.entry.kind;
}

export function joins(fromS: number, count: number): JoinEntry[] {
  return Array.from({ length: count }, (_, index) => join(fromS + index, `p${fromS + index}`));
}

export function join(atS: number, name: string, joined = true): JoinEntry {
  return { kind: "join", atS, player: { name, id: atS }, joined };
}
