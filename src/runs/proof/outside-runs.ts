import type { Binding } from "../../domain/guild.ts";
import type { SourceId } from "../../domain/model.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { RemoteRow } from "./match-runs.ts";
import type { FreshRow } from "./seen-rows.ts";

export interface OutsideRunsPorts {
  readonly audit: Pick<AuditLog, "event">;
  readonly bindings: Pick<Bindings, "list" | "bySource">;
  readonly settings: Pick<Settings, "of">;
  readonly demands: Demands;
  /** New rows of one linked server; the same may come again after a crash. Rejects when they could not be kept. */
  onOutside(binding: Pick<Binding, "guildId" | "id">, rows: readonly FreshRow[]): Promise<void>;
}

/** Commands by "Remote Server" that were run outside this bot: which logs are watched for them, and their audit rows. */
export class OutsideRuns {
  readonly #ports: OutsideRunsPorts;
  readonly #watched = new Map<string, readonly SourceId[]>();

  constructor(ports: OutsideRunsPorts) {
    this.#ports = ports;
  }

  /** Demands the log of commands for a guild with an audit channel, and withdraws it for one without. */
  async watch(guildId: string): Promise<void> {
    const { auditChannelId } = await this.#ports.settings.of(guildId);
    const linked = auditChannelId === undefined ? [] : await this.#ports.bindings.list(guildId);
    const sources = [...new Set(linked.map(({ source }) => source))];
    const demands = sources.map((source) => ({
      source,
      lists: ["commandLogs"] as const,
      guildId,
    }));
    this.#ports.demands.put(`runs-outside:${guildId}`, demands);
    if (sources.length === 0) this.#watched.delete(guildId);
    else this.#watched.set(guildId, sources);
  }

  /** Writes the new rows that no run accounts for into the audit of each guild that links the server, and tells of them. */
  async report(source: SourceId, fresh: readonly FreshRow[], foreign: readonly RemoteRow[]): Promise<void> {
    const strange = foreignAmong(fresh, foreign);
    if (strange.length === 0) return;
    const bindings = await this.#ports.bindings.bySource(source);
    for (const binding of bindings) await this.#ports.onOutside(binding, strange);
    for (const [index, row] of strange.entries()) {
      for (const { guildId, id, name } of bindings) {
        await this.#ports.audit.event({
          // The same row found again after a crash is the same event.
          id: `outside-${id}-${source.slice(0, 8)}-${row.atS}-${index}`,
          guildId,
          atMs: row.atS * 1000,
          actorId: "",
          actorName: "Remote Server",
          action: "outside-run",
          text: `${name}: ${row.text}`,
        });
      }
    }
  }

  stop(): void {
    for (const guildId of this.#watched.keys()) this.#ports.demands.put(`runs-outside:${guildId}`, []);
    this.#watched.clear();
  }
}

/** The foreign rows that are new, as often as they are new. */
function foreignAmong(fresh: readonly FreshRow[], foreign: readonly RemoteRow[]): readonly FreshRow[] {
  const left = [...foreign];
  return fresh.filter((row) => {
    const at = left.findIndex((other) => other.atS === row.atS && other.text === row.text);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}
