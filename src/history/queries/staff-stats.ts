import { setImmediate } from "node:timers/promises";
import { sessionUntilS } from "../../domain/history.ts";
import {
  type CaseCount,
  type ClaimName,
  QUIET_PLAYERS,
  type StaffDay,
  type StaffFigures,
  type StaffStats,
  type StatsSpan,
} from "../../domain/stats.ts";
import { type LocalHour, localHours } from "../../domain/zone-time.ts";
import { callFigures } from "../stats/answer-times.ts";
import { knownUntilS, LOOK_VALID_S } from "../stats/hours.ts";
import { firstAfter, type Interval, sharedS, within } from "../stats/intervals.ts";
import { allRows, PAGE_ROWS } from "./all-rows.ts";
import { joinClaims } from "./claimed-calls.ts";
import type { QueryContext } from "./context.ts";
import { idsOf, personOf, refsOf, type Scope, scopesOf } from "./scopes.ts";
import { type Call, eachLook, readCalls, unrecordedS } from "./server-stats.ts";
import { sessionsOf, type Visit } from "./sessions.ts";

/** What staff did, over all servers of a guild. */

const NO_RANK = "Normal";
/** The logs of which their figures are made; hours are made of the lists of players too. */
const COUNTED_LOGS = ["modCalls", "commands"] as const;
/** Sessions that began this long before are still found. */
const LOOK_BACK_S = 2 * 86_400;
const MOST_STAFF = 200;
const MOST_SHOWN = 50;

export interface StaffStatsArgs extends StatsSpan {
  readonly guildId: string;
  /** Absent: all of staff. */
  readonly playerId?: number | undefined;
  readonly claimNames?: readonly ClaimName[];
}

/** What is known of one server during the span. */
interface Watched {
  readonly scope: Scope;
  /** In which few players were there. */
  readonly quiet: readonly Interval[];
  /** Oldest first. */
  readonly calls: readonly Call[];
}

interface Session extends Interval {
  readonly watched: Watched;
}

export async function staff(context: QueryContext, args: StaffStatsArgs): Promise<StaffStats> {
  const { guildId, playerId, claimNames = [], ...span } = args;
  const scopes = await scopesOf(context, guildId);
  const read = await readCalls(context, scopes, span);
  const calls = await joinClaims(context, guildId, { calls: read, claimNames });
  const watched: Watched[] = [];
  for (const scope of scopes) watched.push(await watchedOf(context, scope, { calls, span }));
  const found =
    playerId === undefined
      ? await staffPersons(context, { scopes, calls, span })
      : [(await personOf(context, guildId, playerId))?.person].filter((person) => person !== undefined);

  const figures: { readonly own: StaffFigures; readonly sessions: readonly Session[]; person: number }[] = [];
  const refOf = await refsOf(context, found);
  const commands = await commandCounts(context, { scopes, persons: found, span });
  for (const person of found.slice(0, MOST_STAFF)) {
    const sessions = await readPlayed(context, { person, watched, span });
    const own = {
      player: refOf(person),
      ...figuresOf({ person, sessions, calls }),
      commands: commands.get(person) ?? 0,
    };
    figures.push({ own, sessions, person });
    await setImmediate();
  }
  const [only] = figures;
  const starts = scopes.flatMap(({ startS }) => startS ?? []);
  const active = figures
    .map(({ own }) => own)
    .filter((own) => playerId !== undefined || own.sessions + own.callsAnswered + own.commands > 0)
    .sort((a, b) => b.playedS - a.playedS || b.callsAnswered - a.callsAnswered);
  return {
    ...span,
    ...(starts.length === 0 ? {} : { recordedSinceS: Math.min(...starts) }),
    calls: callFigures(calls),
    staff: active.slice(0, MOST_SHOWN),
    isShortened: active.length > MOST_SHOWN || found.length > MOST_STAFF,
    days: playerId === undefined || only === undefined ? [] : daysOf(span, only, calls),
    unrecordedS: await unrecordedS(context, scopes, { ...span, logs: COUNTED_LOGS }),
  };
}

/** Cases that count, by who made them. */
export async function caseCounts(
  { db }: QueryContext,
  { guildId, fromMs, toMs }: { readonly guildId: string; readonly fromMs: number; readonly toMs: number },
): Promise<readonly CaseCount[]> {
  const rows = await db
    .selectFrom("cases")
    .select(({ fn }) => ["author_user", "author_player", fn.countAll<number>().as("cases")])
    .where("guild_id", "=", guildId)
    .where("is_revoked", "=", 0)
    .where("at_ms", ">=", fromMs)
    .where("at_ms", "<", toMs)
    .groupBy(["author_user", "author_player"])
    .execute();
  return rows.map(({ author_user: userId, author_player: playerId, cases }) => ({
    ...(userId === null ? {} : { userId }),
    ...(playerId === null ? {} : { playerId }),
    cases,
  }));
}

async function watchedOf(
  context: QueryContext,
  scope: Scope,
  { calls, span }: { readonly calls: readonly Call[]; readonly span: StatsSpan },
): Promise<Watched> {
  const quiet: Interval[] = [];
  let last: { readonly atS: number; readonly players: number } | undefined;
  const until = (nextS: number) => {
    if (last === undefined || last.players > QUIET_PLAYERS) return;
    const one = { fromS: last.atS, toS: Math.min(nextS, last.atS + LOOK_VALID_S) };
    if (one.fromS < one.toS) quiet.push(one);
  };
  await eachLook(context, scope, span, (look) => {
    until(look.atS);
    last = look;
  });
  until(Math.min(span.toS, knownUntilS(last, scope.lookedS)));
  const its = calls.filter((call) => call.scope === scope.id).sort((a, b) => a.at_s - b.at_s);
  return { scope, quiet, calls: its };
}

interface Asked {
  readonly scopes: readonly Scope[];
  readonly span: StatsSpan;
}

/** Who had a rank in the game at some time of the span, or answered a call in it. */
async function staffPersons(
  { db }: QueryContext,
  { scopes, calls, span }: Asked & { readonly calls: readonly Call[] },
): Promise<readonly number[]> {
  if (scopes.length === 0) return [];
  const ranks = await db
    .selectFrom("ranks")
    .select(["scope", "person", "at_s", "permission"])
    .where("scope", "in", idsOf(scopes))
    .where("at_s", "<", span.toS)
    .orderBy("at_s")
    .execute();
  const found = new Set(calls.flatMap(({ moderator }) => moderator ?? []));
  for (const rows of Map.groupBy(ranks, ({ scope, person }) => `${scope} ${person}`).values()) {
    const before = rows.findLast(({ at_s }) => at_s < span.fromS);
    const held = rows.filter((row) => row === before || row.at_s >= span.fromS);
    const [first] = rows;
    if (first !== undefined && held.some(({ permission }) => permission !== NO_RANK)) found.add(first.person);
  }
  return [...found];
}

async function commandCounts(
  { db }: QueryContext,
  { scopes, persons, span }: Asked & { readonly persons: readonly number[] },
): Promise<ReadonlyMap<number, number>> {
  if (scopes.length === 0 || persons.length === 0) return new Map();
  const rows = await db
    .selectFrom("commands")
    .select(({ fn }) => ["person", fn.countAll<number>().as("rows")])
    .where("scope", "in", idsOf(scopes))
    .where("person", "in", persons.slice(0, MOST_STAFF))
    .where("at_s", ">=", span.fromS)
    .where("at_s", "<", span.toS)
    .groupBy("person")
    .execute();
  return new Map(rows.map(({ person, rows: count }) => [person, count]));
}

/** When somebody was seen in a server: an end that nobody saw counts up to the last look before it. */
async function readPlayed(
  { db }: QueryContext,
  {
    person,
    watched,
    span,
  }: { readonly person: number; readonly watched: readonly Watched[]; readonly span: StatsSpan },
): Promise<readonly Session[]> {
  const rows = await allRows(span.toS, (beforeS) =>
    db
      .selectFrom("visits")
      .select(["scope", "at_s", "kind", "after_s"])
      .where("person", "=", person)
      .where("at_s", ">=", span.fromS - LOOK_BACK_S)
      .where("at_s", "<", beforeS)
      .orderBy("at_s", "desc")
      .limit(PAGE_ROWS)
      .execute(),
  );
  const byScope = Map.groupBy(rows, ({ scope }) => scope);
  return watched.flatMap((one) =>
    sessionsOf((byScope.get(one.scope.id) ?? []) as readonly Visit[]).flatMap((session) => {
      const played = { fromS: session.start.atS, toS: sessionUntilS(session, one.scope.lookedS) };
      const isMoment = played.fromS === played.toS && span.fromS <= played.fromS && played.fromS < span.toS;
      const cut = isMoment ? played : within(played, span);
      return cut === undefined ? [] : { ...cut, watched: one };
    }),
  );
}

function figuresOf({
  person,
  sessions,
  calls,
}: {
  readonly person: number;
  readonly sessions: readonly Session[];
  readonly calls: readonly Call[];
}): Omit<StaffFigures, "player" | "commands"> {
  const { answered, timed, medianAnswerS } = callFigures(
    calls.filter(({ moderator }) => moderator === person),
  );
  return {
    playedS: sessions.reduce((sum, { fromS, toS }) => sum + toS - fromS, 0),
    quietS: sessions.reduce((sum, session) => sum + sharedS(session, session.watched.quiet), 0),
    sessions: sessions.length,
    callsAnswered: answered,
    timed,
    ...(medianAnswerS === undefined ? {} : { medianAnswerS }),
    ...meanwhileOf(sessions, person),
  };
}

/** Calls of others that came while this person was there. */
function meanwhileOf(sessions: readonly Session[], person: number) {
  const calls = sessions.flatMap((session) => callsIn(session, person));
  const own = calls.filter(({ moderator }) => moderator === person);
  return { callsMeanwhile: calls.length, answeredMeanwhile: own.length };
}

function callsIn({ fromS, toS, watched: { calls } }: Session, person: number): readonly Call[] {
  const found: Call[] = [];
  for (let at = firstAfter(calls, fromS - 1, ({ at_s }) => at_s); at < calls.length; at += 1) {
    const call = calls[at];
    if (call === undefined || call.at_s >= toS) break;
    if (call.caller !== person) found.push(call);
  }
  return found;
}

/** Day by day of the zone, without a hole. */
function daysOf(
  span: StatsSpan,
  { sessions, person }: { readonly sessions: readonly Session[]; readonly person: number },
  calls: readonly Call[],
): readonly StaffDay[] {
  const hourOf = localHours(span.zone);
  const days = new Map<number, { startS: number; playedS: number; callsAnswered: number }>();
  const eachHour = (of: Interval, work: (hour: LocalHour, piece: Interval) => void) => {
    for (let atS = of.fromS; atS < of.toS; ) {
      const hour = hourOf(atS);
      const toS = Math.min(of.toS, hour.startS + 3_600);
      work(hour, { fromS: atS, toS });
      atS = toS;
    }
  };
  eachHour(span, ({ day }, { fromS }) => {
    if (!days.has(day)) days.set(day, { startS: fromS, playedS: 0, callsAnswered: 0 });
  });
  for (const session of sessions) {
    eachHour(session, (hour, { fromS, toS }) => {
      const day = days.get(hour.day);
      if (day !== undefined) day.playedS += toS - fromS;
    });
  }
  for (const { at_s, moderator } of calls) {
    const day = moderator === person ? days.get(hourOf(at_s).day) : undefined;
    if (day !== undefined) day.callsAnswered += 1;
  }
  return [...days.values()];
}
