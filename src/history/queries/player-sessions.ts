import type { PlayerSession } from "../../domain/history.ts";
import type { QueryContext } from "./context.ts";
import { idsOf, type Scope } from "./scopes.ts";
import { sessionsOf, type Visit } from "./sessions.ts";

/** Rows of one player that one card reads, the newest. */
const MOST_VISITS = 5_000;
/** The number of players is written at least this often, so that it shows when a server was last looked at. */
const LOOKED_AT_S = 900;

/** Newest first. */
export async function readSessions(
  { db }: QueryContext,
  scopes: readonly Scope[],
  person: number,
): Promise<readonly PlayerSession[]> {
  if (scopes.length === 0) return [];
  const rows = await db
    .selectFrom("visits")
    .select(["scope", "at_s", "kind", "after_s"])
    .where("person", "=", person)
    .where("scope", "in", idsOf(scopes))
    .orderBy("at_s", "desc")
    .limit(MOST_VISITS)
    .execute();
  const byScope = Map.groupBy(rows, ({ scope }) => scope);
  const sessions = scopes.flatMap(({ id, bindingId }) =>
    sessionsOf([...((byScope.get(id) ?? []) as readonly Visit[])].reverse()).map((session) => ({
      bindingId,
      ...session,
    })),
  );
  return sessions.sort((a, b) => b.start.atS - a.start.atS);
}

/** How long somebody was in the game between two times. A session without an end lasts as long as somebody looked. */
export async function playedS(
  { db }: QueryContext,
  sessions: readonly PlayerSession[],
  scopes: readonly Scope[],
  fromS: number,
  nowS: number,
): Promise<number> {
  let sum = 0;
  for (const { bindingId, start, end } of sessions) {
    let endS = end?.atS;
    if (endS === undefined) {
      const scope = scopes.find((one) => one.bindingId === bindingId);
      const looked = await db
        .selectFrom("counts")
        .select("at_s")
        .where("scope", "=", scope?.id ?? 0)
        .orderBy("at_s", "desc")
        .limit(1)
        .executeTakeFirst();
      endS = Math.min(nowS, Math.max(start.atS, (looked?.at_s ?? start.atS) + LOOKED_AT_S));
    }
    sum += Math.max(0, Math.min(endS, nowS) - Math.max(start.atS, fromS));
  }
  return sum;
}
