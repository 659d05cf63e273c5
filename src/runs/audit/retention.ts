import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Settings } from "../../domain/ports/settings.ts";

const dayMs = 24 * 60 * 60_000;
/** Not while everything starts. */
const firstAfterMs = 10 * 60_000;

export interface RetentionPorts {
  readonly audit: AuditLog;
  readonly bindings: Bindings;
  readonly settings: Settings;
  readonly clock: Clock;
  report(what: string, error: unknown): void;
  owns(guildId: string): boolean;
}

/** Once a day, rows older than each guild's retention go. The returned function ends it. */
export function startRetention(ports: RetentionPorts): () => void {
  let cancel = ports.clock.after(firstAfterMs, round);
  function round(): void {
    cancel = ports.clock.after(dayMs, round);
    pruneAll(ports).catch((error: unknown) => ports.report("old audit rows could not be removed", error));
  }
  return () => cancel();
}

/** Answers how many rows went. */
async function pruneAll({ audit, bindings, settings, clock, owns }: RetentionPorts): Promise<number> {
  const guilds = new Set<string>();
  for await (const { guildId } of bindings.all()) if (owns(guildId)) guilds.add(guildId);
  let removed = 0;
  for (const guildId of guilds) {
    const { auditRetentionDays } = await settings.of(guildId);
    removed += await audit.prune(guildId, clock.nowMs() - auditRetentionDays * dayMs);
  }
  return removed;
}
