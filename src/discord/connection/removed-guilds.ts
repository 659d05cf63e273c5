import { DiscordAPIError, type REST, RESTJSONErrorCodes, Routes } from "discord.js";

export interface RemovedGuildsPorts {
  readonly rest: REST;
  /** Guilds with stored documents. */
  known(): AsyncIterable<string>;
  /** Whether the guild belongs to a shard of this process. */
  isOurs(guildId: string): boolean;
  /** Whether the gateway has listed the guild, available or not. */
  isHere(guildId: string): boolean;
}

/**
 * Finds the guilds that removed the bot while it was not running; no event will name them any more. The gateway's list
 * is not enough reason to delete a community's keys and feeds, so Discord is asked about each missing guild. Any answer
 * but "not yours" leaves the guild for the next start.
 */
export async function findRemovedGuilds({
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

/** The shard that receives the events of a guild, by Discord's rule. */
export function shardOf(guildId: string, count: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(count));
}
