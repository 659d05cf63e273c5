import type { SourceId } from "../../domain/model.ts";
import type { RateHeaders } from "../http/headers.ts";
import { type Observation, type ServerClock, WOBBLE_MS } from "./server-clock.ts";

/** What an answer shows of the counter that it came from. */
export interface KeyedAnswer extends Observation {
  readonly source: SourceId;
  readonly quota: RateHeaders;
}

/** No window of the service is shorter: within it, one counter says each number once. */
const SHORTEST_WINDOW_MS = 600;
const KEPT = 64;
/** Two may lie on either side of a window's end, three cannot. */
const KEYS_TO_PROVE = 3;

/**
 * Finds keys that cannot share a counter: one counter shows each `remaining` once in a window, so three keys that got
 * the same number within less than a window are counted apart, whatever their resets say.
 */
export class SeparateCounters {
  readonly #clock: ServerClock;
  /** The latest answers, oldest first. */
  #recent: KeyedAnswer[] = [];

  constructor(clock: ServerClock) {
    this.#clock = clock;
  }

  /** Takes in an answer that was no refusal; gives those that prove, together with it, counters of their own. */
  find(answer: KeyedAnswer): readonly KeyedAnswer[] {
    const { quota, readMs } = answer;
    if (this.#recent.length >= KEPT) this.#recent.shift();
    this.#recent.push(answer);
    // The latest of each key: where one key is asked often, its older answers cost a comparison and no more.
    const equal = new Map<SourceId, KeyedAnswer>();
    for (let index = this.#recent.length - 1; index >= 0; index--) {
      const one = this.#recent[index];
      if (one === undefined || one.quota.remaining !== quota.remaining || one.quota.limit !== quota.limit)
        continue;
      if (!equal.has(one.source) && this.#mayBeOneWindow(one, readMs)) equal.set(one.source, one);
    }
    return equal.size < KEYS_TO_PROVE ? [] : [...equal.values()];
  }

  forget(source: SourceId): void {
    this.#recent = this.#recent.filter((one) => one.source !== source);
  }

  /** Whether the window in which this was answered cannot have ended before `nowMs`. */
  #mayBeOneWindow({ sentMs, quota }: KeyedAnswer, nowMs: number): boolean {
    const surelyUntilMs = this.#clock.earliest(quota.resetMs - 1_000 - WOBBLE_MS);
    return nowMs <= Math.max(sentMs + SHORTEST_WINDOW_MS, surelyUntilMs);
  }
}
