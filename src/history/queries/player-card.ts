import {
  type BestStreak,
  type CallNearKill,
  type HistoryRowOf,
  type KnownPlayer,
  type PlayerHistory,
  type PlayerSession,
  sessionUntilS,
} from "../../domain/history.ts";
import { allRows, PAGE_ROWS } from "./all-rows.ts";
import type { QueryContext } from "./context.ts";
import { readRows } from "./history-rows.ts";
import { known } from "./known-players.ts";
import { countAimedCommands } from "./log-rows.ts";
import { playedS, readSessions } from "./player-sessions.ts";
import { idsOf, personOf, refsOf, type Scope, scopesOf } from "./scopes.ts";

const DAY_S = 86_400;
/** Kills that follow each other within this time are one streak. */
const STREAK_PAUSE_S = 60;
/** A call within this time after a kill may be about it. */
const ABOUT_A_KILL_S = 180;
const LATEST_SHOWN = 5;
const NO_RANK = "Normal";

interface CardArgs {
  readonly guildId: string;
  readonly playerId: number;
  readonly nowS: number;
  readonly bindingId?: string | undefined;
  /** Names of verbs that do nobody harm. */
  readonly harmless: readonly string[];
}

/** All that a card shows of a player; undefined: nothing is kept of them. */
export async function card(
  context: QueryContext,
  { guildId, playerId, nowS, bindingId, harmless }: CardArgs,
): Promise<PlayerHistory | undefined> {
  const found = await personOf(context, guildId, playerId);
  const [player] = found === undefined ? [] : await known(context, [found.person]);
  if (found === undefined || player === undefined) return undefined;
  const { person } = found;
  const scopes = await scopesOf(context, guildId, bindingId);
  const sessions = await readSessions(context, scopes, person);
  const [latest] = sessions;
  const played = (days: number) => playedS(sessions, scopes, { fromS: nowS - days * DAY_S, nowS });
  const near = await callsNearKills(context, scopes, person);
  const streak = await bestStreak(context, scopes, person);
  const permission = await lastPermission(context, scopes, person);
  const starts = scopes.flatMap(({ startS }) => startS ?? []);
  const against = await readRows(context, ["commands"], {
    scopes,
    side: { upToS: Number.MAX_SAFE_INTEGER },
    limit: LATEST_SHOWN,
    person: { id: person, as: "target", without: harmless },
  });
  return {
    player: bindingId === undefined ? player : { ...player, ...seenIn(sessions, scopes) },
    sessions: sessions.length,
    ...(latest === undefined ? {} : { latestSession: latest }),
    playedLast7DaysS: played(7),
    playedLast30DaysS: played(30),
    kills: await count(context, scopes, "kills", "killer", person),
    deaths: await count(context, scopes, "kills", "killed", person),
    ...(streak === undefined ? {} : { bestStreak: streak }),
    callsMade: await count(context, scopes, "mod_calls", "caller", person),
    callsAnswered: await count(context, scopes, "mod_calls", "moderator", person),
    callsNearKills: near.length,
    latestCallsNearKills: near.slice(0, LATEST_SHOWN),
    commandsRun: await count(context, scopes, "commands", "person", person),
    commandsAgainst:
      scopes.length === 0
        ? 0
        : await countAimedCommands(context.db, idsOf(scopes), { id: person, without: harmless }),
    latestCommandsAgainst: against.filter((row) => row.kind === "command"),
    ...(permission === undefined ? {} : { permission }),
    ...(starts.length === 0 ? {} : { recordedSinceS: Math.min(...starts) }),
  };
}

/** When a player was seen first and last on one server; nothing where they never were. */
function seenIn(
  sessions: readonly PlayerSession[],
  [scope]: readonly Scope[],
): Partial<Pick<KnownPlayer, "firstSeenS" | "lastSeenS">> {
  const [latest] = sessions;
  const first = sessions.at(-1);
  if (latest === undefined || first === undefined) return {};
  return { firstSeenS: first.start.atS, lastSeenS: sessionUntilS(latest, scope?.lookedS) };
}

async function count(
  { db }: QueryContext,
  scopes: readonly Scope[],
  table: "kills" | "mod_calls" | "commands",
  column: string,
  person: number,
): Promise<number> {
  if (scopes.length === 0) return 0;
  const { rows } = await db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as("rows"))
    .where(db.dynamic.ref(column), "=", person)
    .where("scope", "in", idsOf(scopes))
    .executeTakeFirstOrThrow();
  return rows;
}

async function bestStreak(
  { db }: QueryContext,
  scopes: readonly Scope[],
  person: number,
): Promise<BestStreak | undefined> {
  if (scopes.length === 0) return undefined;
  const rows = await allRows(Number.MAX_SAFE_INTEGER, (beforeS) =>
    db
      .selectFrom("kills")
      .select(["scope", "at_s"])
      .where("killer", "=", person)
      .where("scope", "in", idsOf(scopes))
      .where("at_s", "<", beforeS)
      .orderBy("at_s", "desc")
      .limit(PAGE_ROWS)
      .execute(),
  );
  let best: BestStreak | undefined;
  for (const its of Map.groupBy(rows, ({ scope }) => scope).values()) {
    let now: BestStreak | undefined;
    for (const { at_s: atS } of its) {
      now =
        now !== undefined && now.firstS - atS <= STREAK_PAUSE_S
          ? { kills: now.kills + 1, firstS: atS, lastS: now.lastS }
          : { kills: 1, firstS: atS, lastS: atS };
      if (now.kills > Math.max(1, best?.kills ?? 0)) best = now;
    }
  }
  return best;
}

/** Calls of others soon after a kill of this player on the same server, newest first. */
async function callsNearKills(
  context: QueryContext,
  scopes: readonly Scope[],
  person: number,
): Promise<readonly CallNearKill[]> {
  if (scopes.length === 0) return [];
  // Each call once, however many kills it follows. A cross join keeps sqlite from looking through the kills for each call.
  const rows = await context.db
    .selectFrom("kills")
    .crossJoin("mod_calls")
    .select(["mod_calls.scope", "mod_calls.at_s", "caller", "moderator", "mod_calls.n"])
    .select((eb) =>
      eb.fn
        .max<number>(eb.case().when("kills.killed", "=", eb.ref("caller")).then(1).else(0).end())
        .as("by_victim"),
    )
    .whereRef("mod_calls.scope", "=", "kills.scope")
    .whereRef("mod_calls.at_s", ">=", "kills.at_s")
    .where((eb) => eb("mod_calls.at_s", "<=", eb("kills.at_s", "+", ABOUT_A_KILL_S)))
    .where("kills.killer", "=", person)
    .where("kills.scope", "in", idsOf(scopes))
    .where("caller", "!=", person)
    .groupBy(["mod_calls.scope", "mod_calls.at_s", "caller", "moderator", "mod_calls.n"])
    .execute();
  const calls = rows.map((row) => ({ ...row, byVictim: Number(row.by_victim) === 1 }));
  calls.sort((a, b) => b.at_s - a.at_s);
  const refOf = await refsOf(
    context,
    calls.flatMap(({ caller, moderator }) => [caller, moderator]),
  );
  const bindings = new Map(scopes.map(({ id, bindingId }) => [id, bindingId]));
  return calls.map(({ scope, at_s: atS, caller, moderator, byVictim }) => {
    const call: HistoryRowOf<"modCall"> = {
      kind: "modCall",
      bindingId: bindings.get(scope) ?? "",
      atS,
      caller: refOf(caller),
      ...(moderator === null ? {} : { moderator: refOf(moderator) }),
    };
    return { call, byVictim };
  });
}

/** The rank that they have on one of these servers, the newest of several. */
async function lastPermission(
  { db }: QueryContext,
  scopes: readonly Scope[],
  person: number,
): Promise<string | undefined> {
  if (scopes.length === 0) return undefined;
  const rows = await db
    .selectFrom("ranks")
    .select(["scope", "permission"])
    .where("person", "=", person)
    .where("scope", "in", idsOf(scopes))
    .orderBy("at_s", "desc")
    .execute();
  const last = Map.groupBy(rows, ({ scope }) => scope).values();
  return last.map(([row]) => row?.permission).find((one) => one !== undefined && one !== NO_RANK);
}
