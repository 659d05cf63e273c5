import type { Clock } from "../domain/ports/clock.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { Log } from "../log.ts";
import { type Facts, judge, type Memory, NOTHING_SEEN, type Reason } from "./readiness.ts";

export interface ReadinessParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  facts(): Promise<Facts>;
  /** For those who lose something by it. */
  onBegun(reason: Reason): void;
  onEnded(reason: Reason): void;
}

/** One look costs the store one small write, so nobody who asks for /readyz causes one. */
const LOOK_EVERY_MS = 10_000;

const STARTING: Reason = { code: "discord", text: "not logged in to Discord" };

/** Looks at what keeps the bot from its work; each reason is logged, counted and handed on when it begins and ends. */
export class ReadinessWatch {
  readonly #parts: ReadinessParts;
  #memory: Memory = NOTHING_SEEN;
  /** By code and shard. Undefined before the first look. */
  #standing: ReadonlyMap<string, Reason> | undefined;
  #cancel: () => void = () => undefined;
  #stopped = false;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** Why the bot is not ready, in words; empty: it is. As of the last look, at most ten seconds ago. */
  reasons(): readonly string[] {
    return this.#standing === undefined
      ? [STARTING.text]
      : [...this.#standing.values()].map(({ text }) => text);
  }

  /** Looks once, then again and again. To be called when everything runs. */
  async start(): Promise<void> {
    await this.#look();
    if (this.#stopped) return;
    this.#cancel = this.#parts.clock.after(LOOK_EVERY_MS, () => void this.start());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    const { clock, log } = this.#parts;
    try {
      const facts = await this.#parts.facts();
      if (this.#stopped) return;
      const { memory, reasons } = judge(this.#memory, facts, clock.monotonicMs());
      this.#memory = memory;
      this.#compare(new Map(reasons.map((reason) => [`${reason.code}/${reason.shard ?? ""}`, reason])));
    } catch (err) {
      log.error({ err }, "it is not known whether the bot is ready");
    }
  }

  #compare(now: ReadonlyMap<string, Reason>): void {
    const { log, metrics, onBegun, onEnded } = this.#parts;
    const before = this.#standing ?? new Map<string, Reason>();
    this.#standing = now;
    for (const [key, reason] of now) {
      if (before.has(key)) continue;
      log.error({ reason: reason.code }, reason.text);
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
