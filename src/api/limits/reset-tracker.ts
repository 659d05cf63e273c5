import type { RateHeaders } from "../http/headers.ts";
import { type Observation, WOBBLE_MS } from "./server-clock.ts";

/** Which window an answer speaks of: the present one, one that is over, or a new one. */
export type AnsweredWindow = "present" | "past" | "new";

/** By how many votes a reset must lead to be taken for the true one. */
const SURE_LEAD = 4;

/** An answer that was read, and what it said was left. */
interface Low {
  readonly readMs: number;
  readonly remaining: number;
}

/**
 * Tells windows apart by what answers say of one counter. While resets never went back, each reset is a window. Once
 * one has, they are known to wobble; then only a counter that went up shows a new window (a request that was sent after
 * an answer had been read must find less left in the same window), or a reset beyond any wobble.
 */
export class ResetTracker {
  #wobbles = false;
  /** How often answers have named each reset for the present window. */
  #votes = new Map<number, number>();
  #likeliestMs = Number.NEGATIVE_INFINITY;
  /** By how many votes the likeliest leads. */
  #lead = 0;
  #wasSure = false;
  /** When the likeliest reset was first read. */
  #readMs = Number.NEGATIVE_INFINITY;
  /** Falling `remaining` with the moment when each was read. */
  #lows: Low[] = [];
  /** When the request was sent that showed the present window first. */
  #firstSentMs = Number.NEGATIVE_INFINITY;

  /** Whether answers about one window were seen to name different resets. */
  get wobbles(): boolean {
    return this.#wobbles;
  }

  /** The reset that most answers of the present window named; of several the latest. Epoch milliseconds of the service. */
  get likeliestMs(): number {
    return this.#likeliestMs;
  }

  /** Whether the likeliest reset of the present window is its true one. */
  get isSure(): boolean {
    return !this.#wobbles || this.#lead >= SURE_LEAD;
  }

  /** The same of the window before. */
  get wasSure(): boolean {
    return this.#wasSure;
  }

  /** Takes an answer in. `refused`: it spent nothing, so it may show as much left as the one before. */
  windowOf(quota: RateHeaders, observation: Observation, refused: boolean): AnsweredWindow {
    const window = this.#judge(quota, observation, refused);
    if (window === "past") return window;
    if (window === "new") this.#begin(quota.resetMs, observation);
    else this.#vote(quota.resetMs, observation.readMs);
    this.#noteLow(quota.remaining, observation.readMs);
    return window;
  }

  #judge(quota: RateHeaders, observation: Observation, refused: boolean): AnsweredWindow {
    if (!Number.isFinite(this.#likeliestMs)) return "new";
    const laterMs = quota.resetMs - this.#likeliestMs;
    if (laterMs > 2 * WOBBLE_MS) return "new";
    if (laterMs < -2 * WOBBLE_MS) return "past";

    const rose = this.hasRisen(quota.remaining, observation.sentMs, refused);
    if (!this.#wobbles) {
      if (laterMs === 0) return "present";
      // A later one without more left than before may be a wobble, too. To take it for one sends less, which is safe.
      if (laterMs > 0) return rose ? "new" : "present";
      // A counter's reset never goes back: an older one is late, or the resets wobble.
      if (laterMs < -WOBBLE_MS || observation.sentMs < this.#readMs) return "past";
      this.#wobbles = true;
    }
    if (rose) return "new";
    return observation.sentMs < this.#firstSentMs ? "past" : "present";
  }

  /** Whether more is left than the present window can have: the counter began anew. */
  hasRisen(remaining: number, sentMs: number, refused = false): boolean {
    const low = this.#lows.findLast(({ readMs }) => readMs <= sentMs);
    return low !== undefined && (refused ? remaining > low.remaining : remaining >= low.remaining);
  }

  #begin(resetMs: number, { sentMs, readMs }: Observation): void {
    this.#wasSure = this.isSure;
    this.#votes = new Map([[resetMs, 1]]);
    this.#lead = 1;
    this.#likeliestMs = resetMs;
    this.#readMs = readMs;
    this.#firstSentMs = sentMs;
    this.#lows = [];
  }

  #vote(resetMs: number, readMs: number): void {
    if (!this.#wobbles) {
      if (resetMs <= this.#likeliestMs) return;
      this.#likeliestMs = resetMs;
      this.#readMs = readMs;
      return;
    }
    this.#votes.set(resetMs, (this.#votes.get(resetMs) ?? 0) + 1);
    const [first, second] = [...this.#votes].sort(([aMs, a], [bMs, b]) => b - a || bMs - aMs);
    this.#likeliestMs = first?.[0] ?? resetMs;
    this.#lead = (first?.[1] ?? 0) - (second?.[1] ?? 0);
  }

  #noteLow(remaining: number, readMs: number): void {
    const last = this.#lows.at(-1);
    if (last === undefined || remaining < last.remaining) this.#lows.push({ readMs, remaining });
  }
}
