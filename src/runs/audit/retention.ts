import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { ServiceTime } from "../../domain/service-time.ts";

const DAY_MS = 24 * 60 * 60_000;
/** The first removal waits until the work of the start is done. */
const FIRST_AFTER_MS = 10 * 60_000;

export interface RetentionPorts {
  readonly audit: AuditLog;
  /** Every guild of which anything is kept; some may come twice. */
  guilds(): AsyncIterable<string>;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly serviceTime: Pick<ServiceTime, "ms">;
  report(what: string, error: unknown): void;
  owns(guildId: string): boolean;
}

/** Removes rows older than each guild's retention, once a day. The returned function ends it. */
export function startRetention(ports: RetentionPorts): () => void {
  let cancel = ports.clock.after(FIRST_AFTER_MS, round);
  function round(): void {
    cancel = ports.clock.after(DAY_MS, round);
    pruneAll(ports).catch((error: unknown) => ports.report("old audit rows could not be removed", error));
  }
  return () => cancel();
}

/** Returns how many rows were removed. */
async function pruneAll(ports: RetentionPorts): Promise<number> {
  const { audit, guilds, settings, owns } = ports;
  const own = new Set<string>();
  for await (const guildId of guilds()) if (owns(guildId)) own.add(guildId);
  let removed = 0;
  for (const guildId of own) {
    const { auditRetentionDays } = await settings.of(guildId);
    removed += await audit.prune(guildId, presentMs(ports) - auditRetentionDays * DAY_MS);
  }
  return removed;
}

/** The earlier of what the two clocks say: with this machine's set ahead, no row is old for it. */
function presentMs({ clock, serviceTime }: RetentionPorts): number {
  return Math.min(clock.nowMs(), serviceTime.ms() ?? Number.POSITIVE_INFINITY);
}
