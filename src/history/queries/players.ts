import { type AliasedExpression, sql } from "kysely";
import type { KnownPlayer } from "../../domain/history.ts";
import { nameKey } from "../database/storable.ts";
import type { QueryContext } from "./context.ts";
import { known } from "./known-players.ts";

/** Names of a guild that one search reads at most. */
const MOST_SCANNED_NAMES = 20_000;
const LAST_CHARACTER = "\u{10ffff}";
const MOST_FOUND = 25;
/** A command has at most a thousand characters, and a name three. */
const MOST_FOUND_AT_ONCE = 1_000;

interface SearchArgs {
  readonly guildId: string;
  readonly typed: string;
  readonly limit: number;
}

/** Players whose name, or earlier name, begins with what was typed; then those that only contain it; or by id. */
export async function search(context: QueryContext, args: SearchArgs): Promise<readonly KnownPlayer[]> {
  const limit = Math.max(0, Math.min(args.limit, MOST_FOUND));
  const typed = nameKey(args.typed.trim());
  const guild = await guildNumber(context, args.guildId);
  if (guild === undefined || limit === 0) return [];
  if (typed === "") return known(context, await seenLast(context, guild, limit));

  const found = new Set(await byId(context, guild, typed));
  for (const person of await byBeginning(context, guild, typed, limit)) found.add(person);
  if (found.size < limit) for (const person of await byPart(context, guild, typed, limit)) found.add(person);
  return known(context, [...found].slice(0, limit));
}

/** Those who have that whole name now, else those who had it; or the one of that id. */
export async function find(
  context: QueryContext,
  { guildId, nameOrId }: { readonly guildId: string; readonly nameOrId: string },
): Promise<readonly KnownPlayer[]> {
  const wanted = nameKey(nameOrId.trim());
  const guild = await guildNumber(context, guildId);
  if (guild === undefined || wanted === "") return [];
  const ids = await byId(context, guild, wanted);
  if (ids.length > 0) return known(context, ids);
  const rows = await context.db
    .selectFrom("names")
    .select("person")
    .where("guild", "=", guild)
    .where("name_key", "=", wanted)
    .limit(MOST_FOUND)
    .execute();
  const all = await known(context, [...new Set(rows.map(({ person }) => person))]);
  const now = all.filter(({ name }) => name.toLowerCase() === wanted);
  return now.length > 0 ? now : all;
}

/** The same for several names or ids, with three questions to the database however many they are. */
export async function findAll(
  context: QueryContext,
  { guildId, namesOrIds }: { readonly guildId: string; readonly namesOrIds: readonly string[] },
): Promise<readonly KnownPlayer[]> {
  const wanted = [...new Set(namesOrIds.map((one) => nameKey(one.trim())).filter((one) => one !== ""))];
  const guild = await guildNumber(context, guildId);
  if (guild === undefined || wanted.length === 0) return [];
  const ids = wanted.filter((one) => /^\d{1,15}$/.test(one) && Number(one) !== 0).map(Number);
  const named = await context.db
    .selectFrom("names")
    .select("person as id")
    .distinct()
    .where("guild", "=", guild)
    .where("name_key", "in", wanted)
    .limit(MOST_FOUND_AT_ONCE)
    .execute();
  const numbered = context.db
    .selectFrom("persons")
    .select("id")
    .where("guild", "=", guild)
    .where("player_id", "in", ids)
    .where("bare_name", "=", "");
  const withIds = ids.length === 0 ? [] : await numbered.execute();
  const found = await known(context, [...new Set([...named, ...withIds].map(({ id }) => id))]);
  // A name without an id was never a player's.
  const all = found.filter(({ playerId }) => playerId > 0);
  const isNow = new Set(all.map(({ name }) => name.toLowerCase()));
  // An earlier name that somebody else has now is theirs.
  return all.filter(
    ({ playerId, name, earlierNames }) =>
      ids.includes(playerId) ||
      wanted.includes(name.toLowerCase()) ||
      earlierNames.some((one) => wanted.includes(one.toLowerCase()) && !isNow.has(one.toLowerCase())),
  );
}

async function guildNumber({ db }: QueryContext, guildId: string): Promise<number | undefined> {
  const guild = await db.selectFrom("guilds").select("id").where("guild_id", "=", guildId).executeTakeFirst();
  return guild?.id;
}

async function seenLast({ db }: QueryContext, guild: number, limit: number): Promise<readonly number[]> {
  const rows = await db
    .selectFrom("persons")
    .select("id")
    .where("guild", "=", guild)
    .where("player_id", ">", 0)
    .orderBy("last_s", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

async function byId({ db }: QueryContext, guild: number, digits: string): Promise<readonly number[]> {
  const playerId = Number(digits);
  if (!/^\d{1,15}$/.test(digits) || playerId === 0) return [];
  const row = await db
    .selectFrom("persons")
    .select("id")
    .where("guild", "=", guild)
    .where("player_id", "=", playerId)
    .where("bare_name", "=", "")
    .executeTakeFirst();
  return row === undefined ? [] : [row.id];
}

async function byBeginning(
  context: QueryContext,
  guild: number,
  typed: string,
  limit: number,
): Promise<readonly number[]> {
  const scanned = names(context, guild)
    .where("name_key", ">=", typed)
    .where("name_key", "<", `${typed}${LAST_CHARACTER}`)
    .as("scanned");
  return newest(context, scanned, limit);
}

async function byPart(
  context: QueryContext,
  guild: number,
  typed: string,
  limit: number,
): Promise<readonly number[]> {
  const pattern = `%${typed.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  const all = context.db.selectFrom(names(context, guild).as("every")).selectAll();
  const scanned = all.where(sql<boolean>`name_key like ${pattern} escape '\\'`).as("scanned");
  return newest(context, scanned, limit);
}

/** A bounded number of the names of a guild. */
function names({ db }: QueryContext, guild: number) {
  return db
    .selectFrom("names")
    .select(["person", "name_key"])
    .where("guild", "=", guild)
    .orderBy("name_key")
    .limit(MOST_SCANNED_NAMES);
}

type Scanned = AliasedExpression<{ person: number; name_key: string }, "scanned">;

async function newest({ db }: QueryContext, scanned: Scanned, limit: number): Promise<readonly number[]> {
  const rows = await db
    .selectFrom(scanned)
    .innerJoin("persons", "persons.id", "scanned.person")
    .select("persons.id")
    .distinct()
    .select("persons.last_s")
    .where("persons.player_id", ">", 0)
    .orderBy("persons.last_s", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
