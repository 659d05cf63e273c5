import { type Escaped, md } from "../../../domain/escaped.ts";
import type { HistoryRow, HistoryRowOf } from "../../../domain/history.ts";
import type { RunAuthor } from "../../../domain/ports/run-authors.ts";
import { stretchesOf } from "../feed-bursts.ts";
import { foldedBurst } from "../folded-burst.ts";
import { historyLine } from "./history-line.ts";

/** The rows of a rewind, line by line; what many did in one second is one. Pure. */

export interface ShownRow {
  readonly row: HistoryRow;
  readonly text: Escaped;
}

interface KnownOfRows {
  readonly authors: ReadonlyMap<HistoryRow, RunAuthor>;
  readonly takers: ReadonlyMap<HistoryRow, string>;
}

/** Fewer who were there at the first look need no count. */
const APPEARED_FROM = 4;
/** A rewind has room for several. */
const ROOM_FOR_BURST = 900;

export function shownRows(
  rows: readonly HistoryRow[],
  { authors, takers }: KnownOfRows,
): readonly ShownRow[] {
  const appeared = Map.groupBy(
    rows.filter(({ kind }) => kind === "appeared"),
    ({ atS }) => atS,
  );
  const lineOf = (row: HistoryRow): ShownRow => ({
    row,
    text: historyLine(row, { author: authors.get(row), takenBy: takers.get(row) }),
  });
  const told = new Set<number>();
  return killsTogether(rows).flatMap((part): readonly ShownRow[] => {
    if (part.kills !== undefined) return foldedKills(part.kills, lineOf);
    const { row } = part;
    const count = row.kind === "appeared" ? (appeared.get(row.atS)?.length ?? 0) : 0;
    if (count < APPEARED_FROM) return [lineOf(row)];
    if (told.has(row.atS)) return [];
    told.add(row.atS);
    return [{ row, text: md`<t:${row.atS}:T> 🟢 **${count}** were already there` }];
  });
}

type Part =
  | { readonly row: HistoryRow; readonly kills?: undefined }
  | { readonly kills: HistoryRowOf<"kill">[] };

/** Neighbouring kills of one second are one part. */
function killsTogether(rows: readonly HistoryRow[]): readonly Part[] {
  const parts: Part[] = [];
  for (const row of rows) {
    const kills = parts.at(-1)?.kills;
    if (row.kind !== "kill") parts.push({ row });
    else if (kills?.[0]?.atS === row.atS) kills.push(row);
    else parts.push({ kills: [row] });
  }
  return parts;
}

/** Those of one killer as the feed of kills folds them. */
function foldedKills(
  kills: readonly HistoryRowOf<"kill">[],
  lineOf: (row: HistoryRow) => ShownRow,
): readonly ShownRow[] {
  return stretchesOf(kills).flatMap(({ from, to, burst }) => {
    const part = kills.slice(from, to);
    const lines: ShownRow[] = [];
    while (burst && part.length > 0) {
      const entries = { entries: part, factsOf: () => ({}), linked: false };
      const { text, count } = foldedBurst(entries, ROOM_FOR_BURST);
      const [row] = part.splice(0, count);
      if (row === undefined) break;
      lines.push({ row, text });
    }
    return [...lines, ...part.map(lineOf)];
  });
}
