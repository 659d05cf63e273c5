import type { HistoryRow, PresentPlayer, RewindView, UnrecordedInterval } from "../../domain/history.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { QueryContext } from "./context.ts";
import { type RowFilter, readRows } from "./history-rows.ts";
import { presentAt } from "./players-present.ts";
import { idsOf, personOf, refsOf, type Scope, scopesOf } from "./scopes.ts";
import { sessionsOf, type Visit } from "./sessions.ts";

const MOST_ROWS_A_SIDE = 150;
/** Where only one player's rows are shown, as many are looked through: ten minutes of a very busy server. */
const MOST_SEARCHED_A_SIDE = 1_500;
const MOST_INTERVALS = 100;
/** Sessions are looked for this far around the time. */
const BEFORE_S = 2 * 86_400;
const AFTER_S = 43_200;
const ALL_LOGS = ["visits", "kills", "commands", "mod_calls", "emergency_calls"] as const;
const NO_RANK = "Normal";

type CommandRow = Extract<HistoryRow, { readonly kind: "command" }>;

interface RewindArgs {
  readonly guildId: string;
  readonly bindingId: string;
  readonly atS: number;
  readonly fromS: number;
  readonly toS: number;
  readonly player?: Required<PlayerRef> | undefined;
}

/** What happened on one server about a time, and who was in it. */
export async function at(context: QueryContext, args: RewindArgs): Promise<RewindView> {
  const { guildId, bindingId, atS, fromS, toS, player } = args;
  const [scope] = await scopesOf(context, guildId, bindingId);
  const base = { bindingId, atS, fromS, toS };
  if (scope === undefined) return { ...base, present: [], rows: [], isShortened: false, unrecorded: [] };
  const scopes = [scope];
  const limit = player === undefined ? MOST_ROWS_A_SIDE + 1 : MOST_SEARCHED_A_SIDE;
  const sides = [
    { upToS: atS, fromS },
    { fromS: atS + 1, toS },
  ] as const;
  const [before = [], after = []] = await Promise.all(
    sides.map(async (side) => {
      const range = { scopes, side, limit };
      const rows = await readRows(context, ALL_LOGS, range);
      if (player === undefined) return rows;
      const aimed = await aimedAt(context, { guildId, range, player });
      return rows.filter((row) => isAbout(row, player, aimed));
    }),
  );
  const players = await playersAt(context, scope, atS);
  const readUntilS = await readUntil(context, scope);
  return {
    ...base,
    present: await present(context, scope, atS),
    rows: [...before.slice(0, MOST_ROWS_A_SIDE).reverse(), ...after.slice(0, MOST_ROWS_A_SIDE)],
    isShortened: before.length > MOST_ROWS_A_SIDE || after.length > MOST_ROWS_A_SIDE,
    ...(players === undefined ? {} : { players }),
    unrecorded: await intervals(context, scopes, { fromS, toS }),
    ...(scope.startS === undefined ? {} : { recordedSinceS: scope.startS }),
    ...(readUntilS === undefined ? {} : { readUntilS }),
  };
}

/** Commands that hit the player, also by an id or by the beginning of their name, as on the player's card. */
async function aimedAt(
  context: QueryContext,
  {
    guildId,
    range,
    player,
  }: {
    readonly guildId: string;
    readonly range: Omit<RowFilter, "person">;
    readonly player: Required<PlayerRef>;
  },
): Promise<ReadonlySet<string>> {
  const found = await personOf(context, guildId, player.id);
  if (found === undefined) return new Set();
  const rows = await readRows(context, ["commands"], {
    ...range,
    person: { id: found.person, as: "target" },
  });
  return new Set(rows.flatMap((row) => (row.kind === "command" ? [commandKey(row)] : [])));
}

function commandKey({ atS, player, text }: CommandRow): string {
  return JSON.stringify([atS, player.id, player.name, text]);
}

/** Whether the player did it, or it was done to them. A command names them, where it does not hit them, by their name. */
function isAbout(row: HistoryRow, { id, name }: Required<PlayerRef>, aimed: ReadonlySet<string>): boolean {
  const isThem = (ref: PlayerRef | undefined) => ref?.id === id;
  switch (row.kind) {
    case "kill":
      return isThem(row.killer) || isThem(row.killed);
    case "command": {
      const words = row.text.toLowerCase().split(/[\s,]+/);
      return isThem(row.player) || aimed.has(commandKey(row)) || words.includes(name.toLowerCase());
    }
    case "modCall":
      return isThem(row.caller) || isThem(row.moderator);
    case "emergencyCall":
      return isThem(row.caller);
    default:
      return isThem(row.player);
  }
}

/** Where rows of the guild's servers may be missing, newest first. */
export async function unrecorded(
  context: QueryContext,
  { guildId, sinceS }: { readonly guildId: string; readonly sinceS: number },
): Promise<readonly UnrecordedInterval[]> {
  const scopes = await scopesOf(context, guildId);
  return intervals(context, scopes, { fromS: sinceS, toS: Number.MAX_SAFE_INTEGER });
}

async function intervals(
  { db }: QueryContext,
  scopes: readonly Scope[],
  { fromS, toS }: { readonly fromS: number; readonly toS: number },
): Promise<readonly UnrecordedInterval[]> {
  if (scopes.length === 0) return [];
  const rows = await db
    .selectFrom("gaps")
    .selectAll()
    .where("scope", "in", idsOf(scopes))
    .where("from_s", "<=", toS)
    .where("to_s", ">=", fromS)
    .orderBy("from_s", "desc")
    .limit(MOST_INTERVALS)
    .execute();
  const bindings = new Map(scopes.map(({ id, bindingId }) => [id, bindingId]));
  return rows.map(({ scope, log, from_s, to_s }) => ({
    bindingId: bindings.get(scope) ?? "",
    log: log as UnrecordedInterval["log"],
    fromS: from_s,
    toS: to_s,
  }));
}

async function playersAt({ db }: QueryContext, { id }: Scope, atS: number): Promise<number | undefined> {
  const row = await db
    .selectFrom("counts")
    .select("players")
    .where("scope", "=", id)
    .where("at_s", "<=", atS)
    .orderBy("at_s", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.players;
}

/** A look of which it is not clear yet who was there has its number of players at least. */
async function readUntil({ db }: QueryContext, { id, lookedS }: Scope): Promise<number | undefined> {
  const row = await db
    .selectFrom("counts")
    .select("at_s")
    .where("scope", "=", id)
    .orderBy("at_s", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? lookedS : Math.max(row.at_s, lookedS ?? 0);
}

async function present(context: QueryContext, scope: Scope, atS: number): Promise<readonly PresentPlayer[]> {
  const persons = await presentAt(context.db, scope.id, atS);
  if (persons.length === 0) return [];
  const visits = await context.db
    .selectFrom("visits")
    .select(["person", "at_s", "kind", "after_s"])
    .where("scope", "=", scope.id)
    .where("person", "in", [...persons])
    .where("at_s", ">=", atS - BEFORE_S)
    .where("at_s", "<=", atS + AFTER_S)
    .orderBy("at_s")
    .execute();
  const byPerson = Map.groupBy(visits, ({ person }) => person);
  const ranks = await ranksAt(context, scope, persons, atS);
  const refOf = await refsOf(context, persons);
  const found = persons.map((person) => {
    const sessions = sessionsOf((byPerson.get(person) ?? []) as readonly Visit[]);
    const own = sessions.findLast(
      ({ start, end }) => start.atS <= atS && (end === undefined || end.atS >= atS),
    );
    const session = own ?? { start: { atS, isSure: false } };
    const permission = ranks.get(person);
    return {
      player: refOf(person),
      session: { bindingId: scope.bindingId, ...session },
      ...(permission === undefined || permission === NO_RANK ? {} : { permission }),
    };
  });
  return found.sort((a, b) => a.player.name.localeCompare(b.player.name));
}

export async function ranksAt(
  { db }: Pick<QueryContext, "db">,
  { id }: Pick<Scope, "id">,
  persons: readonly number[],
  atS: number,
): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom("ranks")
    .select(["person", "permission"])
    .where("scope", "=", id)
    .where("person", "in", [...persons])
    .where("at_s", "<=", atS)
    .orderBy("at_s")
    .execute();
  return new Map(rows.map(({ person, permission }) => [person, permission]));
}
