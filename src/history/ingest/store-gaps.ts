import { sql, type Transaction } from "kysely";
import type { RecordedLog } from "../../domain/history.ts";
import { type HistoryTables, VISIT } from "../database/schema.ts";
import type { AfterGap, ClearedTime, LogRows } from "./recorded-answer.ts";
import type { ScopeState } from "./scope-state.ts";

const TABLES = { joins: "visits", kills: "kills", commands: "commands", modCalls: "mod_calls" } as const;

/**
 * Between a window that shares no row with what is stored and the rows before and after it, rows may have scrolled out
 * of the log unseen. Nothing is missing where the server was empty and its log is shorter than it has been: the game
 * server started anew.
 */
export async function storeGaps(
  db: Transaction<HistoryTables>,
  state: ScopeState,
  log: RecordedLog,
  window: AfterGap & Pick<LogRows<never>, "length">,
): Promise<void> {
  const rowS = await neighbour(db, state.id, log, "before", window.oldestS);
  const beforeS = rowS ?? (window.isFirst ? undefined : emptySince(state, window));
  const afterS = window.isFirst ? await neighbour(db, state.id, log, "after", window.newestS) : undefined;
  const startedAnew =
    window.isFirst && state.count?.players === 0 && window.length < (state.longest.get(log) ?? 0);
  const gaps = [
    ...(beforeS === undefined || startedAnew ? [] : [{ from_s: beforeS, to_s: window.oldestS }]),
    ...(afterS === undefined ? [] : [{ from_s: window.newestS, to_s: afterS }]),
  ];
  await insert(db, state, log, gaps);
}

/** Where no row stands before it, the log was looked at and was empty; what came before the link is none of the guild's. */
function emptySince({ startS }: ScopeState, { fromS, oldestS }: AfterGap): number | undefined {
  const sinceS = Math.max(startS, fromS ?? startS);
  return sinceS < oldestS ? sinceS : undefined;
}

/** Times of which rows went with a log that was cleared. */
export async function storeCleared(
  db: Transaction<HistoryTables>,
  state: ScopeState,
  log: RecordedLog,
  cleared: readonly ClearedTime[],
): Promise<void> {
  const gaps: { from_s: number; to_s: number }[] = [];
  for (const { fromS, toS } of cleared) {
    const beganS = fromS ?? (await neighbour(db, state.id, log, "before", toS)) ?? toS;
    // What came before the guild linked the server is none of its.
    const from_s = Math.max(state.startS, beganS);
    if (from_s < toS) gaps.push({ from_s, to_s: toS });
  }
  await insert(db, state, log, gaps);
}

async function insert(
  db: Transaction<HistoryTables>,
  { id: scope }: ScopeState,
  log: RecordedLog,
  gaps: readonly { readonly from_s: number; readonly to_s: number }[],
): Promise<void> {
  for (const gap of gaps) {
    await db
      .insertInto("gaps")
      .values({ scope, log, ...gap })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

async function neighbour(
  db: Transaction<HistoryTables>,
  scope: number,
  log: RecordedLog,
  side: "before" | "after",
  atS: number,
): Promise<number | undefined> {
  // Of visits, only what the log itself has: the others stand at times at which somebody looked.
  const ofLog =
    log === "joins" ? sql<boolean>`kind in (${VISIT.joined}, ${VISIT.left})` : sql<boolean>`1 = 1`;
  const row = await db
    .selectFrom(TABLES[log])
    .select("at_s")
    .where("scope", "=", scope)
    .where(ofLog)
    .where("at_s", side === "before" ? "<" : ">", atS)
    .orderBy("at_s", side === "before" ? "desc" : "asc")
    .limit(1)
    .executeTakeFirst();
  return row?.at_s;
}
