import type { Binding } from "../../domain/guild.ts";
import type { Snapshot, SourceId } from "../../domain/model.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { SnapshotListener } from "../../domain/ports/snapshots.ts";
import type { ProofState, RecentRun, RunRecord } from "../../domain/run.ts";
import { matchRuns, type RemoteRow, type SentRun } from "./match-runs.ts";
import { newRows, type SeenRows } from "./seen-rows.ts";

/** After a run its server's log is read at least this often, for `PROOF_FOR_MS`. */
const PROOF_MAX_AGE_MS = 5_000;
const PROOF_FOR_MS = 90_000;
/** How far before its row a run may have been sent: an answer takes a while, and the two clocks differ. */
const SENT_BEFORE_ROW_MS = 5 * 60_000;
/** Of one server, for how many runs it is remembered where their rows were seen; older ones are long out of its log. */
const MOST_SEEN = 500;

interface Found {
  readonly proof: ProofState;
  readonly atS?: number;
}

export interface ProofPorts {
  readonly audit: AuditLog;
  readonly bindings: Bindings;
  readonly settings: Settings;
  readonly demands: Demands;
  readonly seenRows: Documents<SeenRows>;
  readonly clock: Clock;
  /** The row of a run says now what the log tells of it. */
  onProof(record: RunRecord): Promise<void>;
}

/**
 * Looks for runs in CommandLogs, and for commands by "Remote Server" that no run accounts for.
 * What ran is read from the audit, so runs of other processes and of the time before a restart count too.
 */
export class Proof implements SnapshotListener {
  readonly #ports: ProofPorts;
  /** By server and run, until when it is sought, by the monotonic clock. */
  readonly #pending = new Map<SourceId, Map<string, number>>();
  /** By server and run, in the order of sighting. */
  readonly #seenAtS = new Map<SourceId, Map<string, number>>();
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
    runs.set(id, this.#ports.clock.monotonicMs() + PROOF_FOR_MS);
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
      guildId,
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
    const runs = await this.#sentRuns(source, fresh);
    const times = log.map(({ atS }) => atS);
    const span =
      times.length === 0 ? undefined : { oldestS: Math.min(...times), newestS: Math.max(...times) };
    const matched = matchRuns(
      runs.map((run) => this.#asSent(source, run)),
      rows,
      span,
    );
    for (const run of runs) {
      const found = matched.proofs.get(run.id);
      if (found !== undefined) await this.#note(source, run, found);
    }
    const bindings = await this.#ports.bindings.bySource(source);
    await this.#reportOutside(source, bindings, foreignAmong(fresh, matched.foreign));
    if (changed) await this.#ports.seenRows.set(source, next);
    this.#forgetOld(source);
  }

  /** Runs of all guilds of this server that may have left a row: the fresh ones, and those still sought. */
  #sentRuns(source: SourceId, fresh: readonly RemoteRow[]): Promise<readonly RecentRun[]> {
    const nowMs = this.#ports.clock.nowMs();
    const oldestRowMs = Math.min(nowMs, ...fresh.map(({ atS }) => atS * 1000));
    const sinceMs = Math.min(oldestRowMs, nowMs - PROOF_FOR_MS) - SENT_BEFORE_ROW_MS;
    return this.#ports.audit.recentRuns(source, sinceMs);
  }

  #asSent(source: SourceId, { id, text, sentAtMs, endedAtMs, status }: RecentRun): SentRun {
    const open = status === "sending";
    const seenAtS = this.#seenAtS.get(source)?.get(id);
    return {
      id,
      text,
      sentS: Math.floor(sentAtMs / 1000),
      endS: Math.ceil((open ? this.#ports.clock.nowMs() : (endedAtMs ?? sentAtMs)) / 1000),
      ...(seenAtS === undefined ? {} : { seenAtS }),
      ...(open ? { open } : {}),
    };
  }

  async #note(source: SourceId, run: RecentRun, { proof, atS }: Found): Promise<void> {
    const { audit } = this.#ports;
    if (atS !== undefined) this.#remember(source, run.id, atS);
    // While it is under way its row belongs to the run that is sending it.
    if (run.status === "sending") return;
    if (STRENGTH[proof] > STRENGTH[run.proof]) {
      const record = await audit.get(run.guildId, run.id);
      if (record !== undefined) {
        await audit.put({ ...record, proof });
        await this.#ports.onProof({ ...record, proof });
      }
    }
    if (proof !== "not-seen") this.#settle(source, run.id);
  }

  #remember(source: SourceId, id: string, atS: number): void {
    const seen = this.#seenAtS.get(source) ?? new Map<string, number>();
    this.#seenAtS.set(source, seen.set(id, atS));
    const [oldest] = seen.keys();
    if (seen.size > MOST_SEEN && oldest !== undefined) seen.delete(oldest);
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

  #settle(source: SourceId, id: string): void {
    const runs = this.#pending.get(source);
    if (runs?.delete(id) !== true) return;
    this.#demand(source);
  }

  #forgetOld(source: SourceId): void {
    const nowMs = this.#ports.clock.monotonicMs();
    const runs = this.#pending.get(source);
    for (const [id, untilMs] of runs ?? []) if (untilMs <= nowMs) runs?.delete(id);
    if (runs !== undefined) this.#demand(source);
  }

  #demand(source: SourceId): void {
    const runs = this.#pending.get(source);
    if (runs === undefined || runs.size === 0) {
      this.#pending.delete(source);
      this.#ports.demands.put(`runs-proof:${source}`, []);
      return;
    }
    const { clock } = this.#ports;
    const leftMs = Math.max(...runs.values()) - clock.monotonicMs();
    const untilMs = clock.nowMs() + leftMs;
    const demand = { source, lists: ["commandLogs"] as const, maxAgeMs: PROOF_MAX_AGE_MS, untilMs };
    this.#ports.demands.put(`runs-proof:${source}`, [demand]);
  }
}

/** A conclusion is replaced only by a stronger one, because a later window may have dropped the row. */
const STRENGTH: Readonly<Record<ProofState, number>> = {
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
