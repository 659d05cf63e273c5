import type { LogEntry } from "../../domain/model.ts";
import { isLogItem, type LogItem, type Unread } from "../../domain/ports/journal.ts";
import type { AfterGap, LogRows, MissedTime } from "./recorded-answer.ts";

/**
 * What is to be stored of one log. Of each second with a new row all rows of the window come along, so that equal ones
 * can be counted; a new row that has left the window since comes with the equal ones before it. Pure.
 */
export function unreadRows<T extends LogEntry>(
  window: readonly T[],
  { isFirst, items: all }: Pick<Unread, "isFirst" | "items">,
): LogRows<T> | undefined {
  const items = all.filter(isLogItem);
  const seconds = new Set(items.flatMap((item) => (item.kind === "gap" ? [] : [item.entry.atS])));
  if (isFirst) for (const { atS } of window) seconds.add(atS);
  const shown = window.filter(({ atS }) => seconds.has(atS));
  // Some of the oldest second may have left the window.
  const edgeS = isFirst ? Number.NEGATIVE_INFINITY : spanOf(window).oldestS;
  const left = items.filter((item) => item.kind !== "gap" && item.entry.atS <= edgeS);
  // The items of a log are rows of its kind; the pairing is lost on the type checker only.
  const rows = left.length === 0 ? shown : (withShown(leftRows(left), shown) as readonly T[]);
  const { gaps, cleared } = gapsIn(isFirst ? [] : items);
  if (rows.length + cleared.length === 0) return undefined;

  const whole = spanOf(window.length === 0 ? rows : window);
  const first = isFirst ? [whole] : gaps;
  return { rows, gaps: first, cleared, newestS: whole.newestS, length: window.length };
}

function spanOf(rows: readonly { readonly atS: number }[]) {
  let [oldestS, newestS] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { atS } of rows) {
    oldestS = Math.min(oldestS, atS);
    newestS = Math.max(newestS, atS);
  }
  return { oldestS, newestS };
}

/** What follows each gap, up to the next; and gaps that nothing follows. */
function gapsIn(items: readonly LogItem[]) {
  const gaps: AfterGap[] = [];
  const cleared: MissedTime[] = [];
  for (const [at, item] of items.entries()) {
    if (item.kind !== "gap") continue;
    const next = items.findIndex(({ kind }, index) => index > at && kind === "gap");
    const after = items.slice(at + 1, next === -1 ? undefined : next);
    const rows = after.flatMap((one) => (one.kind === "gap" ? [] : [one.entry]));
    const { fromS, toS } = item;
    const missed = fromS === undefined ? { toS } : { fromS, toS };
    if (rows.length > 0) gaps.push({ missed, ...spanOf(rows) });
    else cleared.push(missed);
  }
  return { gaps, cleared };
}

/** The rows that have left, and those that a window shows, where it shows one of them only once. */
function withShown(left: readonly LogEntry[], shown: readonly LogEntry[]): readonly LogEntry[] {
  const alone = [...left];
  for (const row of shown) {
    const same = alone.findIndex((other) => wholeOf(other) === wholeOf(row));
    const at = same === -1 ? alone.findIndex((other) => identityOf(other) === identityOf(row)) : same;
    if (at !== -1) alone.splice(at, 1);
  }
  return [...alone, ...shown];
}

function wholeOf(row: LogEntry): string {
  return row.kind === "modCall" ? `${identityOf(row)} ${row.moderator?.id}` : identityOf(row);
}

/** `Moderator` is no part of it: a call gets one later. */
function identityOf(row: LogEntry): string {
  const of = (...fields: readonly unknown[]) => JSON.stringify([row.atS, ...fields]);
  switch (row.kind) {
    case "join":
      return of(row.player.id, row.player.name, row.joined);
    case "kill":
      return of(row.killer.id, row.killer.name, row.killed.id, row.killed.name);
    case "command":
      return of(row.player.id, row.player.name, row.text);
    case "modCall":
      return of(row.caller.id, row.caller.name);
  }
}

/** The rows of these items, each as often as it had come by then; a call with its answer is one row. */
function leftRows(items: readonly LogItem[]): readonly LogEntry[] {
  const rows: LogEntry[] = [];
  const counts = new Map<string, number>();
  for (const item of items) {
    if (item.kind === "gap") continue;
    if (item.kind === "answer") {
      const at = rows.findIndex(
        (row) =>
          row.kind === "modCall" && row.moderator === undefined && identityOf(row) === identityOf(item.entry),
      );
      if (at === -1) rows.push(item.entry);
      else rows[at] = item.entry;
      continue;
    }
    const key = identityOf(item.entry);
    let count = counts.get(key) ?? 0;
    for (; count <= (item.ordinal ?? 0); count++) rows.push(item.entry);
    counts.set(key, count);
  }
  return rows;
}
