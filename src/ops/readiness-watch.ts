import type { Clock } from "../domain/ports/clock.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { Log } from "../log.ts";
import {
  assessReadiness,
  type Facts,
  NOTHING_SEEN,
  type ReadinessMemory,
  type Reason,
  type ReasonCode,
} from "./readiness.ts";

export interface ReadinessParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  facts(): Promise<Facts>;
  /** Called once when a reason begins, `onEnded` once when it ends. */
  onBegun(reason: Reason): void;
  onEnded(reason: Reason): void;
}

/** Checks run by this clock and not for each request of /readyz, because a check costs the store one small write. */
const CHECK_EVERY_MS = 10_000;

const STARTING: Reason = { code: "discord", text: "not logged in to Discord" };

/** Checks what keeps the bot from its work. Each reason is logged, counted and announced when it begins and ends. */
export class ReadinessWatch {
  readonly #parts: ReadinessParts;
  #memory: ReadinessMemory = NOTHING_SEEN;
  /** Present reasons by code and shard. Undefined before the first check. */
  #standing: ReadonlyMap<string, Reason> | undefined;
  #cancel: () => void = () => undefined;
  #stopped = false;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** Why the bot is not ready, in words; empty: it is ready. As of the latest check, at most ten seconds ago. */
  reasons(): readonly string[] {
    return this.#standing === undefined
      ? [STARTING.text]
      : [...this.#standing.values()].map(({ text }) => text);
  }

  /** Whether that reason stood at the latest check. */
  isPresent(code: ReasonCode): boolean {
    return [...(this.#standing?.values() ?? [])].some((reason) => reason.code === code);
  }

  /** Checks now and then every ten seconds. To be called when everything runs. */
  async start(): Promise<void> {
    await this.#check();
    if (this.#stopped) return;
    this.#cancel = this.#parts.clock.after(CHECK_EVERY_MS, () => void this.start());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  async #check(): Promise<void> {
    const { clock, log } = this.#parts;
    try {
      const facts = await this.#parts.facts();
      if (this.#stopped) return;
      const { memory, reasons } = assessReadiness(this.#memory, facts, clock.monotonicMs());
      this.#memory = memory;
      this.#compare(new Map(reasons.map((reason) => [`${reason.code}/${reason.shard ?? ""}`, reason])));
    } catch (err) {
      log.error({ err }, "could not check whether the bot is ready");
    }
  }

  #compare(now: ReadonlyMap<string, Reason>): void {
    const { log, metrics, onBegun, onEnded } = this.#parts;
    const before = this.#standing ?? new Map<string, Reason>();
    this.#standing = now;
    for (const [key, reason] of now) {
      if (before.has(key)) continue;
      // A warning: the operator's alarm is the metric. The one error line of a process that ends says what to do.
      log.warn({ reason: reason.code }, reason.text);
      metrics.count("marshal_not_ready_total", { reason: reason.code });
      onBegun(reason);
    }
    for (const [key, reason] of before) {
      if (now.has(key)) continue;
      log.info({ reason: reason.code }, `over: ${reason.text}`);
      onEnded(reason);
    }
  }
}
