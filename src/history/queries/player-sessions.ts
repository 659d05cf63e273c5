import { type PlayerSession, sessionUntilS } from "../../domain/history.ts";
import { allRows, PAGE_ROWS } from "./all-rows.ts";
import type { QueryContext } from "./context.ts";
import { idsOf, type Scope } from "./scopes.ts";
import { sessionsOf, type Visit } from "./sessions.ts";

/** Newest first. */
export async function readSessions(
  { db }: QueryContext,
  scopes: readonly Scope[],
  person: number,
): Promise<readonly PlayerSession[]> {
  if (scopes.length === 0) return [];
  const rows = await allRows(Number.MAX_SAFE_INTEGER, (beforeS) =>
    db
      .selectFrom("visits")
      .select(["scope", "at_s", "kind", "after_s"])
      .where("person", "=", person)
      .where("scope", "in", idsOf(scopes))
      .where("at_s", "<", beforeS)
      .orderBy("at_s", "desc")
      .limit(PAGE_ROWS)
      .execute(),
  );
  const byScope = Map.groupBy(rows, ({ scope }) => scope);
  const sessions = scopes.flatMap(({ id, bindingId }) =>
    sessionsOf([...((byScope.get(id) ?? []) as readonly Visit[])].reverse()).map((session) => ({
      bindingId,
      ...session,
    })),
  );
  return sessions.sort((a, b) => b.start.atS - a.start.atS);
}

/** How long somebody was in the game from a time on. */
export function playedS(
  sessions: readonly PlayerSession[],
  scopes: readonly Scope[],
  { fromS, nowS }: { readonly fromS: number; readonly nowS: number },
): number {
  const lookedS = new Map(scopes.map((scope) => [scope.bindingId, scope.lookedS]));
  return sessions.reduce((sum, session) => {
    const untilS = sessionUntilS(session, lookedS.get(session.bindingId));
    return sum + Math.max(0, Math.min(untilS, nowS) - Math.max(session.start.atS, fromS));
  }, 0);
}
