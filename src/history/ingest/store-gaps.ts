import { sql, type Transaction } from "kysely";
import type { RecordedLog } from "../../domain/history.ts";
import { type HistoryTables, VISIT } from "../database/schema.ts";
import type { AfterGap, LogRows, MissedTime } from "./recorded-answer.ts";
import type { ScopeState } from "./scope-state.ts";

const TABLES = { joins: "visits", kills: "kills", commands: "commands", modCalls: "mod_calls" } as const;

/**
 * Between a first window that shares no row with what is stored and the rows before and after it, rows may have scrolled
 * out of the log unseen. Nothing is missing where the server was empty and its log is shorter than it has been: the game
 * server started anew.
 */
export async function storeFirstGaps(
  db: Transaction<HistoryTables>,
  state: ScopeState,
  log: RecordedLog,
  { oldestS, newestS, length }: AfterGap & Pick<LogRows<never>, "length">,
): Promise<void> {
  const beforeS = await neighbour(db, state.id, log, "before", oldestS);
  const afterS = await neighbour(db, state.id, log, "after", newestS);
  const startedAnew = state.count?.players === 0 && length < (state.longest.get(log) ?? 0);
  const gaps = [
    ...(beforeS === undefined || startedAnew ? [] : [{ from_s: beforeS, to_s: oldestS }]),
    ...(afterS === undefined ? [] : [{ from_s: newestS, to_s: afterS }]),
  ];
  await insert(db, state, log, gaps);
}

/** Times of which rows may be missing, as the journal tells them and a channel says. `oldestS`: of the rows after it. */
export async function storeMissed(
  db: Transaction<HistoryTables>,
  state: ScopeState,
  log: RecordedLog,
  missed: readonly (MissedTime & { readonly oldestS?: number })[],
): Promise<void> {
  const gaps: { from_s: number; to_s: number }[] = [];
  for (const { fromS, toS, oldestS = toS } of missed) {
    const beganS = fromS ?? (await neighbour(db, state.id, log, "before", oldestS));
    // What came before the guild linked the server is none of its.
    const from_s = Math.max(state.startS, beganS ?? state.startS);
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
