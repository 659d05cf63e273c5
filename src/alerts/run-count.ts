import type { AuditLog } from "../domain/ports/audit-log.ts";
import type { Clock } from "../domain/ports/clock.ts";
import { type RunRecord, surelyRan } from "../domain/run.ts";
import type { MemberRun } from "./facts.ts";
import type { PunishmentTest } from "./punishments.ts";
import type { WatchedServers } from "./watched-servers.ts";

export interface RunCountPorts {
  readonly audit: Pick<AuditLog, "recentRuns" | "get">;
  readonly servers: WatchedServers;
  readonly clock: Pick<Clock, "nowMs">;
  readonly isPunishment: PunishmentTest;
  /** Counts a run, unless it was counted before. */
  onRun(of: { readonly guildId: string; readonly bindingId: string }, run: MemberRun): void;
  report(what: string, error: unknown): void;
}

/** A window, and the time that a run may have taken. */
const LOOK_BACK_MS = 90 * 60_000;

/** Punishing commands that members send through this bot: in the game's log all of them are "Remote Server"'s. */
export class RunCount {
  readonly #ports: RunCountPorts;

  constructor(ports: RunCountPorts) {
    this.#ports = ports;
  }

  onRun(record: RunRecord): void {
    const run = this.#countedOf(record);
    if (run !== undefined) this.#ports.onRun(record, run);
  }

  /** Runs that an earlier process may not have counted before it ended. Never rejects. */
  async recover(): Promise<void> {
    const { audit, servers, clock, report } = this.#ports;
    const counting = servers.all().filter(({ rules }) => rules.some(({ kind }) => kind === "punishments"));
    for (const { binding, rules } of counting) {
      try {
        const its = rules.filter(({ kind }) => kind === "punishments");
        const since = Math.min(...its.map(({ createdAtMs }) => createdAtMs));
        const sinceMs = Math.max(since, clock.nowMs() - LOOK_BACK_MS);
        const recent = await audit.recentRuns(binding.source, sinceMs);
        for (const { id, guildId, bindingId, sentAtMs } of recent) {
          if (guildId !== binding.guildId || bindingId !== binding.id || sentAtMs < sinceMs) continue;
          const record = await audit.get(guildId, id);
          const run = record === undefined ? undefined : this.#countedOf(record);
          if (run !== undefined) this.#ports.onRun({ guildId, bindingId }, run);
        }
      } catch (error) {
        report("runs of before the start could not be counted for alerts", error);
      }
    }
  }

  /** One that surely ran; what may have run is counted once the game's log shows it. */
  #countedOf(record: RunRecord): MemberRun | undefined {
    const { id, sentAtMs, actorId, actorName, text, hit = [], byId = [] } = record;
    if (!surelyRan(record) || sentAtMs === undefined) return undefined;
    if (!this.#ports.isPunishment(text)) return undefined;
    const atS = Math.floor(sentAtMs / 1_000);
    const [only] = hit.length === 1 ? hit : [];
    const whom = only === undefined ? {} : { hit: byId.find(({ name }) => name === only) ?? { name: only } };
    return { id, atS, userId: actorId, userName: actorName, text, ...whom };
  }
}
