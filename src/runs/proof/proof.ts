import type { Binding } from "../../domain/guild.ts";
import type { Snapshot, SourceId } from "../../domain/model.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { SnapshotListener } from "../../domain/ports/snapshots.ts";
import type { ProofState, RunRecord } from "../../domain/run.ts";
import { expiresAfterMs } from "../queue/active-run.ts";
import { matchRuns, type RemoteRow, type SentRun } from "./match-runs.ts";
import { newRows, type SeenRows } from "./seen-rows.ts";

/** After a run its server's log is read this often, for so long. */
const proofMaxAgeMs = 5_000;
const proofForMs = 90_000;
/** Where a guild has an audit channel, its log is read at least this often: others may run commands too. */
const outsideMaxAgeMs = 120_000;
/** Of each guild, the newest: the store's finest index is the day, so a search by time would read all of today. */
const maxRuns = 300;

export interface ProofPorts {
  readonly audit: AuditLog;
  readonly bindings: Bindings;
  readonly settings: Settings;
  readonly demands: Demands;
  readonly seenRows: Documents<SeenRows>;
  readonly clock: Clock;
}

/**
 * Looks for runs in CommandLogs, and for commands by "Remote Server" that no run accounts for (design 6, Proof).
 * What ran is read from the audit, so runs of other processes and of the time before a restart count too.
 */
export class Proof implements SnapshotListener {
  readonly #ports: ProofPorts;
  readonly #pending = new Map<SourceId, Map<string, number>>();
  readonly #seenAtS = new Map<string, number>();
  readonly #watched = new Map<string, readonly SourceId[]>();
  readonly #chains = new Map<SourceId, Promise<void>>();

  constructor(ports: ProofPorts) {
    this.#ports = ports;
  }

  get pendingCount(): number {
    return [...this.#pending.values()].reduce((sum, runs) => sum + runs.size, 0);
  }

  /** A run that was, or may have been, sent: look for it for a while. */
  seek({ source, id }: RunRecord): void {
    const runs = this.#pending.get(source) ?? new Map<string, number>();
    runs.set(id, this.#ports.clock.nowMs() + proofForMs);
    this.#pending.set(source, runs);
    this.#demand(source);
  }

  /** An audit channel was set or cleared, a server linked or unlinked: watch its log for commands of others, or stop. */
  async follow(guildId: string): Promise<void> {
    const { auditChannelId } = await this.#ports.settings.of(guildId);
    const linked = auditChannelId === undefined ? [] : await this.#ports.bindings.list(guildId);
    const sources = [...new Set(linked.map(({ source }) => source))];
    const demands = sources.map((source) => ({
      source,
      lists: ["commandLogs"] as const,
      maxAgeMs: outsideMaxAgeMs,
    }));
    this.#ports.demands.put(`runs-outside:${guildId}`, demands);
    if (sources.length === 0) this.#watched.delete(guildId);
    else this.#watched.set(guildId, sources);
  }

  stop(): void {
    for (const source of this.#pending.keys()) this.#ports.demands.put(`runs-proof:${source}`, []);
    for (const guildId of this.#watched.keys()) this.#ports.demands.put(`runs-outside:${guildId}`, []);
    this.#pending.clear();
    this.#watched.clear();
  }

  /** One snapshot of a source after the other: their answers may come out of turn. */
  take(snapshot: Snapshot): Promise<void> {
    if (snapshot.lists.commandLogs === undefined) return Promise.resolve();
    const { source } = snapshot;
    const work = (this.#chains.get(source) ?? Promise.resolve()).then(() => this.#read(snapshot));
    const settled = work.catch(() => undefined);
    this.#chains.set(source, settled);
    void settled.then(() => {
      if (this.#chains.get(source) === settled) this.#chains.delete(source);
    });
    return work;
  }

  async #read(snapshot: Snapshot): Promise<void> {
    const { source } = snapshot;
    const log = snapshot.lists.commandLogs ?? [];
    const rows = log
      .filter(({ player }) => player.name.toLowerCase() === "remote server")
      .map(({ text, atS }) => ({ text, atS }));
    const { fresh, next, changed } = newRows(await this.#ports.seenRows.get(source), rows);
    const pending = this.#pending.get(source);
    if (fresh.length === 0 && pending === undefined) {
      if (changed) await this.#ports.seenRows.set(source, next);
      return;
    }
    const bindings = await this.#ports.bindings.bySource(source);
    const records = await this.#sentRuns(source, bindings, fresh);
    const times = log.map(({ atS }) => atS);
    const span =
      times.length === 0 ? undefined : { oldestS: Math.min(...times), newestS: Math.max(...times) };
    const matched = matchRuns(
      records.map((record) => this.#asSent(record)),
      rows,
      span,
    );
    for (const record of records) {
      const found = matched.proofs.get(record.id);
      if (found !== undefined) await this.#note(record, found.proof, found.atS);
    }
    await this.#reportOutside(source, bindings, foreignAmong(fresh, matched.foreign));
    if (changed) await this.#ports.seenRows.set(source, next);
    this.#forgetOld(source);
  }

  /** Runs of all guilds of this server that may have left a row: the fresh ones, and those still sought. */
  async #sentRuns(
    source: SourceId,
    bindings: readonly Binding[],
    fresh: readonly RemoteRow[],
  ): Promise<readonly RunRecord[]> {
    const nowMs = this.#ports.clock.nowMs();
    const oldestRowMs = Math.min(nowMs, ...fresh.map(({ atS }) => atS * 1000));
    // Found by when they were asked for, which may be long before they were sent.
    const fromMs = Math.min(oldestRowMs, nowMs - proofForMs) - expiresAfterMs - 60_000;
    const guilds = [...new Set(bindings.map(({ guildId }) => guildId))];
    const found = await Promise.all(
      guilds.map((guildId) => this.#ports.audit.search(guildId, { limit: maxRuns })),
    );
    return found
      .flat()
      .filter(
        (row) =>
          row.source === source && row.askedAtMs >= fromMs && (row.status === "sending" || row.ran !== "no"),
      )
      .filter(({ sentAtMs }) => sentAtMs !== undefined);
  }

  #asSent({ id, text, sentAtMs = 0, endedAtMs, status }: RunRecord): SentRun {
    const open = status === "sending";
    const seenAtS = this.#seenAtS.get(id);
    return {
      id,
      text,
      sentS: Math.floor(sentAtMs / 1000),
      endS: Math.ceil((open ? this.#ports.clock.nowMs() : (endedAtMs ?? sentAtMs)) / 1000),
      ...(seenAtS === undefined ? {} : { seenAtS }),
      ...(open ? { open } : {}),
    };
  }

  async #note(record: RunRecord, proof: ProofState, atS: number | undefined): Promise<void> {
    if (atS !== undefined) this.#seenAtS.set(record.id, atS);
    // While it is under way its row belongs to whoever sends it.
    if (record.status === "sending") return;
    const better = strength[proof] > strength[record.proof];
    if (better) await this.#ports.audit.put({ ...record, proof });
    if (proof !== "not-seen") this.#settle(record);
  }

  async #reportOutside(
    source: SourceId,
    bindings: readonly Binding[],
    rows: readonly RemoteRow[],
  ): Promise<void> {
    for (const [index, row] of rows.entries()) {
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

  #settle({ source, id }: RunRecord): void {
    const runs = this.#pending.get(source);
    if (runs?.delete(id) !== true) return;
    this.#demand(source);
  }

  #forgetOld(source: SourceId): void {
    const nowMs = this.#ports.clock.nowMs();
    const runs = this.#pending.get(source);
    for (const [id, untilMs] of runs ?? []) if (untilMs <= nowMs) runs?.delete(id);
    if (runs !== undefined) this.#demand(source);
    // Insertion order is order of time: what goes is long out of any log.
    for (const id of this.#seenAtS.keys()) {
      if (this.#seenAtS.size <= 5_000) break;
      this.#seenAtS.delete(id);
    }
  }

  #demand(source: SourceId): void {
    const runs = this.#pending.get(source);
    if (runs === undefined || runs.size === 0) {
      this.#pending.delete(source);
      this.#ports.demands.put(`runs-proof:${source}`, []);
      return;
    }
    const untilMs = Math.max(...runs.values());
    const demand = { source, lists: ["commandLogs"] as const, maxAgeMs: proofMaxAgeMs, untilMs };
    this.#ports.demands.put(`runs-proof:${source}`, [demand]);
  }
}

/** What was concluded once is only replaced by something that tells more: a later window may have dropped the row. */
const strength: Readonly<Record<ProofState, number>> = {
  unchecked: 0,
  "not-seen": 1,
  seen: 2,
  "seen-twice": 3,
};

/** The foreign rows that are new, as often as they are new. */
function foreignAmong(fresh: readonly RemoteRow[], foreign: readonly RemoteRow[]): readonly RemoteRow[] {
  const left = [...foreign];
  return fresh.filter((row) => {
    const at = left.findIndex((other) => other.atS === row.atS && other.text === row.text);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}
