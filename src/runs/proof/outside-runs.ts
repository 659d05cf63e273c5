import { createHash } from "node:crypto";
import type { Binding } from "../../domain/guild.ts";
import { guildOf, serverOf } from "../../domain/journal-id.ts";
import type { CommandEntry, SourceId } from "../../domain/model.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { JournalItem } from "../../domain/ports/journal.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { RemoteRow } from "./match-runs.ts";

/** A row that was not seen before. */
export interface FreshRow extends RemoteRow {
  /** Its place among equal rows of its second, from 0. */
  readonly ordinal: number;
}

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
  /** Events of the rows that were new at the latest look: they come again where that could not be remembered. */
  readonly #written = new Map<SourceId, ReadonlySet<string>>();

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

  /**
   * Writes the new rows that no run accounts for into the audit of each guild that reads this journal, and tells of them.
   * Nobody is told of one that may be of a run of ours all the same. Answers whether there were any.
   */
  async report(
    journal: SourceId,
    fresh: readonly FreshRow[],
    { foreign, isUnsure }: { readonly foreign: readonly RemoteRow[]; isUnsure(row: RemoteRow): boolean },
  ): Promise<boolean> {
    const source = serverOf(journal);
    const guildId = guildOf(journal);
    const strange = foreignAmong(fresh, foreign);
    const before = this.#written.get(journal);
    if (strange.length === 0) {
      this.#written.delete(journal);
      return false;
    }
    const linked = await this.#ports.bindings.bySource(source);
    const bindings = linked.filter((one) => guildId === undefined || one.guildId === guildId);
    const sure = strange.filter((row) => !isUnsure(row));
    if (sure.length > 0) for (const binding of bindings) await this.#ports.onOutside(binding, sure);
    const written = new Set(before);
    this.#written.set(journal, written);
    const now = new Set<string>();
    for (const row of strange) {
      for (const binding of bindings) {
        const id = eventId(binding, source, row);
        if (!written.has(id)) await this.#write(id, binding, { ...row, isUnsure: isUnsure(row) });
        written.add(id);
        now.add(id);
      }
    }
    this.#written.set(journal, now);
    return true;
  }

  async #write(
    id: string,
    { guildId, name }: Binding,
    { atS, text, isUnsure }: FreshRow & { readonly isUnsure: boolean },
  ): Promise<void> {
    await this.#ports.audit.event({
      id,
      guildId,
      atMs: atS * 1000,
      actorId: "",
      actorName: "Remote Server",
      action: isUnsure ? "unsure-run" : "outside-run",
      text: `${name}: ${text}`,
    });
  }

  stop(): void {
    for (const guildId of this.#watched.keys()) this.#ports.demands.put(`runs-outside:${guildId}`, []);
    this.#watched.clear();
  }
}

/** The same row found again after a crash is the same event, whatever stands beside it then. */
function eventId({ id }: Binding, source: SourceId, { atS, text, ordinal }: FreshRow): string {
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 12);
  return `outside-${id}-${source.slice(0, 8)}-${atS}-${hash}-${ordinal}`;
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

/** A row of the journal, where it is a command that came through an API. */
export function remoteRow(item: JournalItem): readonly FreshRow[] {
  if (item.kind !== "entry" || item.entry.kind !== "command" || !isRemote(item.entry)) return [];
  const { text, atS } = item.entry;
  return [{ text, atS, ordinal: item.ordinal ?? 0 }];
}

export function isRemote({ player }: CommandEntry): boolean {
  return player.name.toLowerCase() === "remote server";
}
