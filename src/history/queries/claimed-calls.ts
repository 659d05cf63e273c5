import type { ClaimName } from "../../domain/stats.ts";
import { storableName } from "../database/storable.ts";
import type { QueryContext } from "./context.ts";
import { personOf } from "./scopes.ts";
import type { Call } from "./server-stats.ts";

/**
 * The calls, with the player in the place of the name on Discord under which somebody claimed them who had linked no
 * account yet.
 */
export async function joinClaims(
  context: QueryContext,
  guildId: string,
  { calls, claimNames }: { readonly calls: readonly Call[]; readonly claimNames: readonly ClaimName[] },
): Promise<readonly Call[]> {
  const bare = await barePersons(context, guildId, calls);
  if (bare.size === 0) return calls;
  const players = new Map<number, number>();
  for (const { name, playerId } of claimNames) {
    const claimed = bare.get(storableName(name));
    const player = claimed === undefined ? undefined : await personOf(context, guildId, playerId);
    if (claimed !== undefined && player !== undefined) players.set(claimed, player.person);
  }
  return calls.map((call) => {
    const player = call.moderator === null ? undefined : players.get(call.moderator);
    return player === undefined ? call : { ...call, moderator: player };
  });
}

/** Who answered a call and has no id, by name. */
async function barePersons(
  { db }: QueryContext,
  guildId: string,
  calls: readonly Call[],
): Promise<ReadonlyMap<string, number>> {
  const answering = new Set(calls.flatMap(({ moderator }) => moderator ?? []));
  if (answering.size === 0) return new Map();
  const rows = await db
    .selectFrom("persons")
    .innerJoin("guilds", "guilds.id", "persons.guild")
    .select(["persons.id", "bare_name"])
    .where("guild_id", "=", guildId)
    .where("player_id", "=", 0)
    .execute();
  return new Map(rows.filter(({ id }) => answering.has(id)).map(({ id, bare_name }) => [bare_name, id]));
}
