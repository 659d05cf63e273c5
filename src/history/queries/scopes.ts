import type { PlayerRef } from "../../domain/model.ts";
import type { QueryContext } from "./context.ts";

/** A linked server of a guild. */
export interface Scope {
  readonly id: number;
  readonly bindingId: string;
  readonly startS: number | undefined;
  /** The last look at who was there. */
  readonly lookedS: number | undefined;
}

/** The servers that a guild has linked now, of which anything is kept; or the one that is meant. */
export async function scopesOf(
  { db }: QueryContext,
  guildId: string,
  bindingId?: string,
): Promise<readonly Scope[]> {
  let query = db
    .selectFrom("scopes")
    .innerJoin("guilds", "guilds.id", "scopes.guild")
    .select(["scopes.id", "binding_id", "start_s", "looked_s"])
    .where("guild_id", "=", guildId)
    .where("ended_ms", "is", null);
  if (bindingId !== undefined) query = query.where("binding_id", "=", bindingId);
  const rows = await query.execute();
  return rows.map(({ id, binding_id, start_s, looked_s }) => ({
    id,
    bindingId: binding_id,
    startS: start_s ?? undefined,
    lookedS: looked_s ?? undefined,
  }));
}

/** Their numbers, as the rows of logs name them. */
export function idsOf(scopes: readonly Scope[]): readonly number[] {
  return scopes.map(({ id }) => id);
}

/** The number of a player in a guild; undefined: nothing is kept of them. */
export async function personOf(
  { db }: QueryContext,
  guildId: string,
  playerId: number,
): Promise<{ readonly guild: number; readonly person: number } | undefined> {
  const row = await db
    .selectFrom("persons")
    .innerJoin("guilds", "guilds.id", "persons.guild")
    .select(["persons.id", "persons.guild"])
    .where("guild_id", "=", guildId)
    .where("player_id", "=", playerId)
    .where("bare_name", "=", "")
    .executeTakeFirst();
  return row === undefined ? undefined : { guild: row.guild, person: row.id };
}

const PERSONS_AT_ONCE = 500;

/** The present names of persons. One who was forgotten has none. */
export async function refsOf(
  { db }: Pick<QueryContext, "db">,
  persons: Iterable<number | null>,
): Promise<(person: number | null) => PlayerRef> {
  const wanted = [...new Set(persons)].filter((person) => person !== null);
  const refs = new Map<number, PlayerRef>();
  for (let at = 0; at < wanted.length; at += PERSONS_AT_ONCE) {
    const rows = await db
      .selectFrom("persons")
      .leftJoin("names", "names.person", "persons.id")
      .select(["persons.id", "player_id", "name"])
      .where("persons.id", "in", wanted.slice(at, at + PERSONS_AT_ONCE))
      .orderBy("names.last_s")
      .orderBy("names.first_s")
      .execute();
    for (const { id, player_id: playerId, name } of rows) {
      const shown = name ?? String(playerId);
      refs.set(id, playerId === 0 ? { name: shown } : { name: shown, id: playerId });
    }
  }
  return (person) => refs.get(person ?? 0) ?? { name: "(forgotten)" };
}
