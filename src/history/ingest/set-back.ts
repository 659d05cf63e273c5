import type { Transaction } from "kysely";
import { LATEST_ROW_AHEAD_MS } from "../../domain/future-rows.ts";
import { type HistoryTables, VISIT } from "../database/schema.ts";
import type { RecordedAnswer } from "./recorded-answer.ts";
import type { Presence, ScopeState } from "./scope-state.ts";

type Db = Transaction<HistoryTables>;

/** An answer that is this much older than the last is no answer that came late. */
const SET_BACK_S = LATEST_ROW_AHEAD_MS / 1_000;

/**
 * Whether the time that the service stated was wrong, and is less now: of two answers with players in a row, the later one
 * is still far from what is stored. One alone may be an old answer.
 */
export function isSetBack(presence: Presence, { players, atS }: RecordedAnswer): boolean {
  if (players === undefined) return false;
  const { lastLookS = Number.NEGATIVE_INFINITY, behindS } = presence;
  presence.behindS = atS < lastLookS - SET_BACK_S ? atS : undefined;
  return presence.behindS !== undefined && behindS !== undefined && atS > behindS;
}

/** What looks alone showed at times that are still to come was seen at other times: it would be told of then. */
export async function eraseLater(db: Db, { guild, scope, atS }: Record<"guild" | "scope" | "atS", number>) {
  const kinds = [VISIT.appeared, VISIT.vanished];
  await db
    .deleteFrom("visits")
    .where("scope", "=", scope)
    .where("at_s", ">", atS)
    .where("kind", "in", kinds)
    .execute();
  for (const table of ["counts", "rosters", "ranks", "positions"] as const)
    await db.deleteFrom(table).where("scope", "=", scope).where("at_s", ">", atS).execute();
  await db
    .updateTable("mod_calls")
    .set({ answered_s: null, open_s: null })
    .where("scope", "=", scope)
    .where("answered_s", ">", atS)
    .execute();
  await db
    .updateTable("scopes")
    .set({ looked_s: null, looked_before_s: null })
    .where("id", "=", scope)
    .where("looked_s", ">", atS)
    .execute();
  for (const table of ["persons", "names"] as const) {
    const ofGuild = db.updateTable(table).where("guild", "=", guild);
    await ofGuild.set({ first_s: atS }).where("first_s", ">", atS).execute();
    await ofGuild.set({ last_s: atS }).where("last_s", ">", atS).execute();
  }
}

/** Rows of the log that have such a time too make no answer an old one. */
export function notAhead({ presence, newestS }: ScopeState, atS: number): void {
  presence.lastLookS = Math.min(presence.lastLookS ?? atS, atS);
  if ((newestS.get("joins") ?? atS) > atS) newestS.delete("joins");
}

/**
 * The present, for what is too old: where the service does not tell its time, our clock may be ahead by years, and the
 * newest row then says better what is new.
 */
export function presentOf({ atS, joins, kills, commands, modCalls }: RecordedAnswer): number {
  const newest = [joins, kills, commands, modCalls]
    .flatMap((log) => log?.newestS ?? [])
    .filter(Number.isFinite);
  return newest.length === 0 ? atS : Math.min(atS, Math.max(...newest));
}
