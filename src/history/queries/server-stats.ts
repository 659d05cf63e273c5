import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { RecordedLog } from "../../domain/history.ts";
import type { ServerStats, StatsSpan } from "../../domain/stats.ts";
import { VISIT } from "../database/schema.ts";
import { type CallRow, callFigures } from "../stats/answer-times.ts";
import { Hours } from "../stats/hours.ts";
import { allRows, PAGE_ROWS } from "./all-rows.ts";
import type { QueryContext } from "./context.ts";
import { insideFrom } from "./players-present.ts";
import { idsOf, type Scope, scopesOf } from "./scopes.ts";

/** Figures of one server over a time. */

/** A longer time is shown by days. */
const HOURS_UP_TO_S = 8 * 86_400;
const QUARTER_S = 900;

export interface ServerStatsArgs extends StatsSpan {
  readonly guildId: string;
  readonly bindingId: string;
}

export async function server(context: QueryContext, args: ServerStatsArgs): Promise<ServerStats> {
  const { guildId, bindingId, fromS, toS, zone } = args;
  const span = { fromS, toS, zone };
  const hours = new Hours(span);
  const [scope] = await scopesOf(context, guildId, bindingId);
  if (scope !== undefined) {
    await addLooks(context, scope, { hours, span });
    await addCounts(context, scope, { hours, span });
  }
  const calls = scope === undefined ? [] : await readCalls(context, [scope], span);
  for (const { at_s } of calls) hours.count("calls", at_s, 1);
  const { calls: _, startS: __, endS: ___, ...total } = hours.total();
  const stepKind = toS - fromS <= HOURS_UP_TO_S ? "hour" : "day";
  const { peakAtS } = hours;
  return {
    ...span,
    bindingId,
    ...total,
    ...(scope?.startS === undefined ? {} : { recordedSinceS: scope.startS }),
    ...(peakAtS === undefined ? {} : { peakAtS }),
    visitors: scope === undefined ? 0 : await visitors(context, scope, span),
    calls: callFigures(calls),
    stepKind,
    steps: hours.steps(stepKind),
    week: hours.week(),
    unrecordedS:
      scope === undefined ? 0 : await unrecordedS(context, [scope], { ...span, logs: COUNTED_LOGS }),
  };
}

/** Hands over the looks of a span, and the last one before it, in the order of their time. */
export async function eachLook(
  { db }: QueryContext,
  { id }: Scope,
  { fromS, toS }: StatsSpan,
  onLook: (look: { readonly atS: number; readonly players: number; readonly staff: number | null }) => void,
): Promise<void> {
  const counts = db.selectFrom("counts").select(["at_s", "players", "staff"]).where("scope", "=", id);
  const before = await counts.where("at_s", "<", fromS).orderBy("at_s", "desc").limit(1).executeTakeFirst();
  if (before !== undefined) onLook({ ...before, atS: before.at_s });
  for (let nextS = fromS; ; ) {
    const page = await counts
      .where("at_s", ">=", nextS)
      .where("at_s", "<", toS)
      .orderBy("at_s")
      .limit(PAGE_ROWS)
      .execute();
    for (const { at_s: atS, players, staff } of page) onLook({ atS, players, staff });
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return;
    nextS = last.at_s + 1;
    await setImmediate();
  }
}

interface Filled {
  readonly hours: Hours;
  readonly span: StatsSpan;
}

async function addLooks(context: QueryContext, scope: Scope, { hours, span }: Filled): Promise<void> {
  await eachLook(context, scope, span, (look) => hours.look(look));
  hours.end(scope.lookedS);
}

async function addCounts({ db }: QueryContext, { id }: Scope, { hours, span }: Filled): Promise<void> {
  // Counted in the database by quarters of an hour, of which the hours of every zone consist.
  const quarter = sql<number>`at_s / 900`;
  const joins = await db
    .selectFrom("visits")
    .select(({ fn }) => [quarter.as("quarter"), fn.countAll<number>().as("rows")])
    .where("scope", "=", id)
    .where("kind", "=", VISIT.joined)
    .where("at_s", ">=", span.fromS)
    .where("at_s", "<", span.toS)
    .groupBy("quarter")
    .execute();
  const kills = await db
    .selectFrom("kills")
    .select(({ fn }) => [quarter.as("quarter"), fn.countAll<number>().as("rows")])
    .where("scope", "=", id)
    .where("at_s", ">=", span.fromS)
    .where("at_s", "<", span.toS)
    .groupBy("quarter")
    .execute();
  for (const row of joins) hours.count("joins", row.quarter * QUARTER_S, row.rows);
  for (const row of kills) hours.count("kills", row.quarter * QUARTER_S, row.rows);
}

export type Call = CallRow & { readonly scope: number; readonly caller: number };

/** All calls of a span, newest first. */
export async function readCalls(
  { db }: QueryContext,
  scopes: readonly Scope[],
  { fromS, toS }: StatsSpan,
): Promise<readonly Call[]> {
  if (scopes.length === 0) return [];
  return await allRows(toS, (beforeS) =>
    db
      .selectFrom("mod_calls")
      .select(["scope", "at_s", "caller", "moderator", "answered_s", "open_s"])
      .where("scope", "in", idsOf(scopes))
      .where("at_s", ">=", fromS)
      .where("at_s", "<", beforeS)
      .orderBy("at_s", "desc")
      .limit(PAGE_ROWS)
      .execute(),
  );
}

/**
 * Different players who were there: who was inside when the span began, who came in it, and who left in it. Of the last
 * ones the join may be erased, where the span begins with what is kept.
 */
async function visitors(context: QueryContext, scope: Scope, { fromS, toS }: StatsSpan): Promise<number> {
  const there = await context.db
    .selectFrom("visits")
    .select("person")
    .distinct()
    .where("scope", "=", scope.id)
    .where("at_s", ">=", fromS)
    .where("at_s", "<", toS)
    .where((eb) =>
      eb.or([
        eb("kind", "in", [VISIT.joined, VISIT.appeared, VISIT.seenAgain]),
        eb.and([eb("kind", "=", VISIT.left), eb("at_s", ">", fromS)]),
        eb.and([eb("kind", "=", VISIT.vanished), eb("after_s", ">", fromS)]),
      ]),
    )
    .execute();
  const inside = await insideFrom(context.db, scope, fromS);
  return new Set([...inside, ...there.map(({ person }) => person)]).size;
}

/** The logs of which the figures of a server are made. */
const COUNTED_LOGS = ["joins", "kills", "modCalls"] as const satisfies readonly RecordedLog[];

/** Seconds of a span in which rows of these logs may be missing, on any of these servers. */
export async function unrecordedS(
  { db }: QueryContext,
  scopes: readonly Scope[],
  { fromS, toS, logs }: StatsSpan & { readonly logs: readonly RecordedLog[] },
): Promise<number> {
  if (scopes.length === 0) return 0;
  const gaps = await db
    .selectFrom("gaps")
    .select(["from_s", "to_s"])
    .where("scope", "in", idsOf(scopes))
    .where("log", "in", [...logs])
    .where("from_s", "<", toS)
    .where("to_s", ">=", fromS)
    .orderBy("from_s")
    .execute();
  let sumS = 0;
  let reachedS = fromS;
  for (const { from_s, to_s } of gaps) {
    const startS = Math.max(from_s, reachedS);
    const endS = Math.min(to_s + 1, toS);
    sumS += Math.max(0, endS - startS);
    reachedS = Math.max(reachedS, endS);
  }
  return sumS;
}
