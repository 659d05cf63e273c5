import type { PlayerSession } from "../../domain/history.ts";
import type { AnsweredCalls, DutyFacts, TypedRow } from "../../domain/ports/duty-store.ts";
import { chunks } from "../database/chunks.ts";
import type { QueryContext } from "./context.ts";
import { sessionsOf, type Visit } from "./sessions.ts";

/** Nobody stays longer without leaving a row: what is read begins so long before the time that is asked for. */
const LOOK_BACK_S = 2 * 86_400;

interface Wanted {
  readonly guildId: string;
  readonly playerIds: readonly number[];
  readonly fromS: number;
}

/** When some players were on which server of a guild, and what they typed there for duty. */
export async function facts(
  context: QueryContext,
  { guildId, playerIds, fromS }: Wanted,
): Promise<DutyFacts> {
  const { db } = context;
  const scopes = await db
    .selectFrom("scopes")
    .innerJoin("guilds", "guilds.id", "scopes.guild")
    .select(["scopes.id", "scopes.guild", "binding_id", "looked_s", "looked_before_s", "ended_ms"])
    .where("guild_id", "=", guildId)
    .orderBy("scopes.id")
    .execute();
  const servers = scopes.map(({ binding_id, looked_s, looked_before_s, ended_ms }) => ({
    bindingId: binding_id,
    lookedS: looked_s ?? undefined,
    lookedBeforeS: looked_before_s ?? undefined,
    isEnded: ended_ms !== null,
  }));
  const guild = scopes[0]?.guild;
  if (guild === undefined || playerIds.length === 0) return { servers, sessions: [], typed: [] };
  const bindingOf = new Map(scopes.map(({ id, binding_id }) => [id, binding_id]));
  const sessions: (PlayerSession & { readonly playerId: number })[] = [];
  const typed: TypedRow[] = [];
  for (const some of chunks([...new Set(playerIds)])) {
    const persons = await db
      .selectFrom("persons")
      .select(["id", "player_id"])
      .where("guild", "=", guild)
      .where("player_id", "in", some)
      .execute();
    const playerOf = new Map(persons.map(({ id, player_id }) => [id, player_id]));
    if (persons.length === 0) continue;
    sessions.push(...(await readSessions(context, { bindingOf, playerOf, fromS })));
    typed.push(...(await readTyped(context, { bindingOf, playerOf, fromS })));
  }
  return { servers, sessions, typed: typed.sort((a, b) => a.atS - b.atS) };
}

/** The calls that players answered in a time, on all servers of a guild, by the second in which they were made. */
export async function answeredCalls(
  { db }: QueryContext,
  { guildId, fromS, untilS }: { readonly guildId: string; readonly fromS: number; readonly untilS: number },
): Promise<readonly AnsweredCalls[]> {
  const found = await db
    .selectFrom("mod_calls")
    .innerJoin("scopes", "scopes.id", "mod_calls.scope")
    .innerJoin("guilds", "guilds.id", "scopes.guild")
    .innerJoin("persons", "persons.id", "mod_calls.moderator")
    .select((columns) => ["persons.player_id", "mod_calls.at_s", columns.fn.countAll<number>().as("calls")])
    .where("guilds.guild_id", "=", guildId)
    .where("mod_calls.at_s", ">=", fromS)
    .where("mod_calls.at_s", "<", untilS)
    .groupBy(["persons.player_id", "mod_calls.at_s"])
    .execute();
  return found.map(({ player_id, at_s, calls }) => ({
    playerId: player_id,
    atS: at_s,
    calls: Number(calls),
  }));
}

interface People {
  readonly bindingOf: ReadonlyMap<number, string>;
  readonly playerOf: ReadonlyMap<number, number>;
  readonly fromS: number;
}

async function readSessions({ db }: QueryContext, { bindingOf, playerOf, fromS }: People) {
  const found = await db
    .selectFrom("visits")
    .select(["scope", "person", "at_s", "kind", "after_s"])
    .where("person", "in", [...playerOf.keys()])
    .where("scope", "in", [...bindingOf.keys()])
    .where("at_s", ">=", fromS - LOOK_BACK_S)
    .orderBy("at_s")
    .execute();
  const groups = Map.groupBy(found, ({ scope, person }) => `${scope} ${person}`);
  const sessions = [...groups.values()].flatMap((visits) => {
    const [first] = visits;
    const bindingId = bindingOf.get(first?.scope ?? 0) ?? "";
    const playerId = playerOf.get(first?.person ?? 0) ?? 0;
    return sessionsOf(visits as readonly Visit[]).map((one) => ({ ...one, bindingId, playerId }));
  });
  return sessions
    .filter(({ end }) => end === undefined || end.atS >= fromS)
    .sort((a, b) => a.start.atS - b.start.atS);
}

async function readTyped({ db }: QueryContext, { bindingOf, playerOf, fromS }: People) {
  const found = await db
    .selectFrom("commands")
    .selectAll()
    .where("person", "in", [...playerOf.keys()])
    .where("scope", "in", [...bindingOf.keys()])
    .where("at_s", ">=", fromS)
    .orderBy("at_s")
    .execute();
  return found
    .filter(({ text }) => /^\s*:log\s/iu.test(text))
    .map(
      ({ scope, person, at_s: atS, hash, n, text }): TypedRow => ({
        id: `${scope} ${hash} ${n}`,
        bindingId: bindingOf.get(scope) ?? "",
        playerId: playerOf.get(person) ?? 0,
        atS,
        text,
      }),
    );
}
