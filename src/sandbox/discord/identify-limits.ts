import type { DiscordLimits } from "./settings.ts";

const DAY_MS = 24 * 60 * 60_000;

/** How often sessions may be begun: so many in a day, and one at a time for each `shard % maxConcurrency`. */
export class IdentifyLimits {
  readonly #limits: Pick<DiscordLimits, "identify">;
  readonly #nowMs: () => number;
  readonly #latest = new Map<number, number>();
  #day = { endsAtMs: 0, used: 0 };
  #refused = 0;

  constructor(limits: Pick<DiscordLimits, "identify">, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /** How often a session was not begun because it came too soon. */
  get refused(): number {
    return this.#refused;
  }

  /** As `/gateway/bot` tells it. */
  get told() {
    const { total, maxConcurrency } = this.#limits.identify;
    const day = this.#today();
    return {
      total,
      remaining: Math.max(0, total - day.used),
      reset_after: Math.max(0, day.endsAtMs - this.#nowMs()),
      max_concurrency: maxConcurrency,
    };
  }

  /** Spends one. `too-soon`: another shard of its turn began within the last seconds. `spent`: none is left today. */
  take(shard: number): "begun" | "too-soon" | "spent" {
    const { total, maxConcurrency, everyMs } = this.#limits.identify;
    const nowMs = this.#nowMs();
    const day = this.#today();
    if (day.used >= total) return "spent";
    day.used += 1;
    const turn = shard % maxConcurrency;
    const latestMs = this.#latest.get(turn) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - latestMs < everyMs) {
      this.#refused += 1;
      return "too-soon";
    }
    this.#latest.set(turn, nowMs);
    return "begun";
  }

  #today(): { endsAtMs: number; used: number } {
    const nowMs = this.#nowMs();
    if (nowMs >= this.#day.endsAtMs) this.#day = { endsAtMs: nowMs + DAY_MS, used: 0 };
    return this.#day;
  }
}
