import { DiscordAPIError, type REST, RESTJSONErrorCodes, Routes } from "discord.js";

export interface RemovedGuildsPorts {
  readonly rest: REST;
  /** Guilds that something is kept of. */
  known(): AsyncIterable<string>;
  /** Whether the gateway of this process would tell of that guild: it is of one of our shards. */
  isOurs(guildId: string): boolean;
  /** Whether the gateway has told of it, available or not. */
  isHere(guildId: string): boolean;
}

/**
 * The guilds that removed the bot while it was not running: nobody will tell of them any more. A list of the gateway
 * alone is not enough to delete a community's keys and feeds, so Discord is asked for each by itself; any other
 * answer than "not yours" leaves it for the next start.
 */
export async function removedGuilds({
  rest,
  known,
  isOurs,
  isHere,
}: RemovedGuildsPorts): Promise<readonly string[]> {
  const missing = new Set<string>();
  for await (const guildId of known()) if (isOurs(guildId) && !isHere(guildId)) missing.add(guildId);
  const gone: string[] = [];
  for (const guildId of missing) {
    const error: unknown = await rest.get(Routes.guild(guildId)).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof DiscordAPIError && NOT_OURS.has(error.code)) gone.push(guildId);
  }
  return gone;
}

const NOT_OURS: ReadonlySet<string | number> = new Set([
  RESTJSONErrorCodes.UnknownGuild,
  RESTJSONErrorCodes.MissingAccess,
]);

/** Discord's rule: which of so many shards hears of a guild. */
export function shardOf(guildId: string, count: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(count));
}
