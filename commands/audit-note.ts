import type { Services } from "../src/discord/services.ts";
import type { Actor } from "../src/domain/guild.ts";

/** Writes into the audit that somebody configured something. */
export async function note(
  { audit, clock, random }: Pick<Services, "audit" | "clock" | "random">,
  { guildId, userId: actorId, userName: actorName }: Actor,
  action: string,
  text: string,
): Promise<void> {
  await audit.event({ id: random.id(), guildId, atMs: clock.nowMs(), actorId, actorName, action, text });
}
