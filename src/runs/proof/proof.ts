import type { Snapshot, SourceId } from "../../domain/model.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { JournalLooks, JournalReader, Unread } from "../../domain/ports/journal.ts";
import { LOG_SOUGHT_MS, type ProofState, type RecentRun, type RunRecord } from "../../domain/run.ts";
import { matchRuns, type RemoteRow, type SentRun } from "./match-runs.ts";
import { isRemote, OutsideRuns, type OutsideRunsPorts, remoteRow } from "./outside-runs.ts";

/** After a run its server's log is read at least this often, for `LOG_SOUGHT_MS`. */
const PROOF_MAX_AGE_MS = 5_000;
/** How far before its row a run may have been sent: an answer takes a while, and the two clocks differ. */
const SENT_BEFORE_ROW_MS = 5 * 60_000;
/** How exactly the service's clock is known from its answers. */
const CLOCKS_APART_MS = 2_000;
/** Matched runs that are remembered for one server; older ones have long left its log. */
const MOST_SEEN = 500;

interface Found {
  readonly proof: ProofState;
  readonly atS?: number;
}

export interface ProofPorts extends OutsideRunsPorts {
  readonly audit: AuditLog;
  readonly demands: Demands;
  readonly journal: Pick<JournalLooks, "reader">;
  readonly clock: Clock;
  /** Of the time before, runs may be missing in the audit, epoch milliseconds; undefined: none is. */
  readonly wholeSinceMs: number | undefined;
  /** The audit row of a run has a new proof. */
  onProof(record: RunRecord): void;
  /** So it has, and another process wrote it: one that serves a guild with the same server reads the same log. */
  onProvedElsewhere(record: RunRecord): void;
}

/** A run that is looked for. */
interface Sought {
  /** The end of the search, by the monotonic clock. */
  readonly untilMs: number;
  readonly sentAtMs: number;
  /** Wall time less monotonic time when its times were written: that clock may have been set since. */
  readonly wallAheadMs: number;
  /** What this process has told of it. */
  told: ProofState;
}

/**
 * Looks for runs in the game's log of commands. What ran is read from the audit, so runs of other processes and of the
 * time before a restart are found too. Rows that no run accounts for are handed to `OutsideRuns`.
 */
export class Proof {
  readonly #ports: ProofPorts;
  /** By server and run. */
  readonly #pending = new Map<SourceId, Map<string, Sought>>();
  /** The second of the row that a run was matched with, by server and run, in the order of matching. */
  readonly #seenAtS = new Map<SourceId, Map<string, number>>();
  readonly #outside: OutsideRuns;
  readonly #log: JournalReader;
  /** By server: the sources that its earlier keys made it, under which its runs of then stand in the audit. */
  readonly #former = new Map<SourceId, readonly SourceId[]>();
  readonly #chains = new Map<SourceId, Promise<void>>();

  constructor(ports: ProofPorts) {
    this.#ports = ports;
    this.#outside = new OutsideRuns(ports);
    this.#log = ports.journal.reader("proof", "head", { logs: ["commandLogs"] });
  }

  get pendingCount(): number {
    return [...this.#pending.values()].reduce((sum, runs) => sum + runs.size, 0);
  }

  /** Looks for a run that was, or may have been, sent, for `LOG_SOUGHT_MS` from now on. */
  seek({ source, id, sentAtMs, askedAtMs }: RunRecord): void {
    const runs = this.#pending.get(source) ?? new Map<string, Sought>();
    const untilMs = this.#ports.clock.monotonicMs() + LOG_SOUGHT_MS;
    const wallAheadMs = this.#wallAheadMs();
    runs.set(id, { untilMs, sentAtMs: sentAtMs ?? askedAtMs, wallAheadMs, told: "unchecked" });
    this.#pending.set(source, runs);
    this.#demand(source);
  }

  /** A server has a new key: runs that were sent with the one before are looked for in the same log. */
  onReplaced(from: SourceId, to: SourceId): void {
    this.#former.set(to, [from, ...(this.#former.get(from) ?? [])]);
    const pending = this.#pending.get(from);
    if (pending !== undefined) this.#pending.set(to, new Map([...pending, ...(this.#pending.get(to) ?? [])]));
    const seen = this.#seenAtS.get(from);
    if (seen !== undefined) this.#seenAtS.set(to, new Map([...seen, ...(this.#seenAtS.get(to) ?? [])]));
    this.#demand(to);
  }

  /** An audit channel was set or cleared, or a server linked or unlinked: watches its log for commands of others, or not. */
  watchOutside(guildId: string): Promise<void> {
    return this.#outside.watch(guildId);
  }

  stop(): void {
    for (const source of this.#pending.keys()) this.#ports.demands.put(`runs-proof:${source}`, []);
    this.#outside.stop();
    this.#pending.clear();
  }

  /** Reads the snapshots of one server one after the other, because they may come while an earlier one is read. */
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
    const unread = await this.#log.unread(snapshot);
    try {
      await this.#readNews(snapshot, unread);
    } catch (error) {
      for (const one of unread) one.failed(error);
      throw error;
    }
  }

  async #readNews(look: Snapshot, unread: readonly Unread[]): Promise<void> {
    const { source, lists } = look;
    const log = lists.commandLogs ?? [];
    const rows = log.filter(isRemote).map(({ text, atS }) => ({ text, atS }));
    const news = unread.map((one) => ({ ...one, fresh: one.items.flatMap(remoteRow) }));
    const fresh = news.flatMap((one) => one.fresh);
    if (fresh.length === 0) for (const { done } of news) done();
    if (fresh.length === 0 && !this.#pending.has(source)) return;
    const runs = await this.#sentRuns(source, fresh);
    const times = log.map(({ atS }) => atS);
    const span =
      times.length === 0 ? undefined : { oldestS: Math.min(...times), newestS: Math.max(...times) };
    const matched = matchRuns(
      runs.map((run) => this.#asSent(look, run)),
      rows,
      span,
    );
    for (const run of runs) {
      await this.#note(source, run, matched.proofs.get(run.id) ?? { proof: run.proof });
    }
    const isUnsure = (row: RemoteRow) => this.#isUnsure(look, row);
    for (const one of news) {
      const isReported = await this.#outside.report(one.log.source, one.fresh, {
        foreign: matched.foreign,
        isUnsure,
      });
      if (isReported) await one.doneForGood();
      else one.done();
    }
    this.#forgetOld(source);
  }

  /** Whether it may be of a run that is missing in the audit. */
  #isUnsure({ takenAtMs, serviceAtMs = takenAtMs }: Snapshot, { atS }: RemoteRow): boolean {
    const { wholeSinceMs } = this.#ports;
    if (wholeSinceMs === undefined) return false;
    return atS * 1000 - (serviceAtMs - takenAtMs) < wholeSinceMs + CLOCKS_APART_MS;
  }

  /** Runs of all guilds of this server that may have left a row: the fresh ones, and those still sought. */
  async #sentRuns(source: SourceId, fresh: readonly RemoteRow[]): Promise<readonly RecentRun[]> {
    const nowMs = this.#ports.clock.nowMs();
    const oldestRowMs = Math.min(nowMs, ...fresh.map(({ atS }) => atS * 1000));
    // Somebody may ask for one again that was sent long ago.
    const sought = [...(this.#pending.get(source)?.values() ?? [])].map(({ sentAtMs }) => sentAtMs);
    const sinceMs = Math.min(oldestRowMs, nowMs - LOG_SOUGHT_MS, ...sought) - SENT_BEFORE_ROW_MS;
    const { audit } = this.#ports;
    const sources = [...new Set([...(this.#former.get(source) ?? []), source])];
    return (await Promise.all(sources.map((one) => audit.recentRuns(one, sinceMs)))).flat();
  }

  /** By the service's time, which rows are in: the clock of this machine may be wrong, or have been set since. */
  #asSent(look: Snapshot, { id, text, sentAtMs, endedAtMs, status }: RecentRun): SentRun {
    const { source, takenAtMs, serviceAtMs = takenAtMs } = look;
    const open = status === "sending";
    const seenAtS = this.#seenAtS.get(source)?.get(id);
    const sought = this.#pending.get(source)?.get(id);
    const setSinceMs = sought === undefined ? 0 : this.#wallAheadMs() - sought.wallAheadMs;
    const aheadMs = setSinceMs + serviceAtMs - takenAtMs;
    const endMs = open ? this.#ports.clock.nowMs() : (endedAtMs ?? sentAtMs);
    return {
      id,
      text,
      sentS: Math.floor((sentAtMs + aheadMs) / 1000),
      endS: Math.ceil((endMs + aheadMs) / 1000),
      ...(seenAtS === undefined ? {} : { seenAtS }),
      ...(open ? { open } : {}),
    };
  }

  async #note(source: SourceId, run: RecentRun, { proof, atS }: Found): Promise<void> {
    const { audit } = this.#ports;
    if (atS !== undefined) this.#remember(source, run.id, atS);
    // The audit row of a run that is being sent is written by the run itself.
    if (run.status === "sending") return;
    const sought = this.#pending.get(source)?.get(run.id);
    const isNew = STRENGTH[proof] > STRENGTH[run.proof];
    const isUntold = sought !== undefined && STRENGTH[run.proof] > STRENGTH[sought.told];
    if (!isNew && !isUntold) return;
    const stored = await audit.get(run.guildId, run.id);
    if (stored === undefined) return;
    const record = isNew ? { ...stored, proof } : stored;
    if (sought !== undefined) sought.told = record.proof;
    if (isNew) {
      await audit.put(record);
      this.#ports.onProof(record);
    } else this.#ports.onProvedElsewhere(record);
    if (record.proof !== "not-seen") this.#settle(source, run.id);
  }

  #remember(source: SourceId, id: string, atS: number): void {
    const seen = this.#seenAtS.get(source) ?? new Map<string, number>();
    this.#seenAtS.set(source, seen.set(id, atS));
    const [oldest] = seen.keys();
    if (seen.size > MOST_SEEN && oldest !== undefined) seen.delete(oldest);
  }

  #settle(source: SourceId, id: string): void {
    const runs = this.#pending.get(source);
    if (runs?.delete(id) !== true) return;
    this.#demand(source);
  }

  #wallAheadMs(): number {
    const { clock } = this.#ports;
    return clock.nowMs() - clock.monotonicMs();
  }

  #forgetOld(source: SourceId): void {
    const nowMs = this.#ports.clock.monotonicMs();
    const runs = this.#pending.get(source);
    for (const [id, { untilMs }] of runs ?? []) if (untilMs <= nowMs) runs?.delete(id);
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
    const leftMs = Math.max(...[...runs.values()].map(({ untilMs }) => untilMs)) - clock.monotonicMs();
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
