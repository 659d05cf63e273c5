import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";

/** Names by id of the players whom the history knows; none while it is off or does not answer. */
export async function knownNames(
  { history }: Pick<Services, "history">,
  guildId: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  try {
    const found = await history.players.findAll(guildId, ids.map(String));
    return new Map(found.map(({ playerId, name }) => [playerId, name]));
  } catch (error) {
    if (error instanceof Failure) return new Map();
    throw error;
  }
}
