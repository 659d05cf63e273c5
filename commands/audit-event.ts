import type { AuditAction } from "../src/discord/render/audit-rows.ts";
import type { Services } from "../src/discord/services.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { AuditEvent } from "../src/domain/run.ts";

/** An action that has no words of its own cannot be written. */
export interface AuditWhat {
  readonly action: AuditAction;
  readonly text: string;
}

/** Writes into the audit that somebody configured something. */
export async function recordEvent(
  services: Pick<Services, "audit" | "clock" | "random">,
  actor: Actor,
  what: AuditWhat,
): Promise<void> {
  await services.audit.event(auditEventOf(services, actor, what));
}

/** The audit row that says what somebody did, or was refused. */
export function auditEventOf(
  { clock, random }: Pick<Services, "clock" | "random">,
  { guildId, userId: actorId, userName: actorName }: Actor,
  what: AuditWhat,
): AuditEvent {
  return { id: random.id(), guildId, atMs: clock.nowMs(), actorId, actorName, ...what };
}
