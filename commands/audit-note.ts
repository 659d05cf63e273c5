import type { Services } from "../src/discord/services.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { AuditEvent } from "../src/domain/run.ts";

/** Writes into the audit that somebody configured something. */
export async function note(
  services: Pick<Services, "audit" | "clock" | "random">,
  actor: Actor,
  action: string,
  text: string,
): Promise<void> {
  await services.audit.event(eventOf(services, actor, action, text));
}

/** The row that says what somebody did, or was refused. */
export function eventOf(
  { clock, random }: Pick<Services, "clock" | "random">,
  { guildId, userId: actorId, userName: actorName }: Actor,
  action: string,
  text: string,
): AuditEvent {
  return { id: random.id(), guildId, atMs: clock.nowMs(), actorId, actorName, action, text };
}
