import type { ServerClock, Span } from "./server-clock.ts";
import type { Trial } from "./trial.ts";

/** Extra waits of the first windows, each at another part of a second: at stated resets one always meets the same rounding. */
const SPREAD_MS = [0, 400, 700, 150, 150, 150];
const ROUNDING_MS = 1_000;
/** No window is taken to be shorter. */
const SHORTEST_WINDOW_MS = 1_000;

/**
 * Where a window of one to three requests ends. None of them can be spared to look for its end, so the stated reset is the
 * measure: it lies at least a window after the request that opened it, and the least that it ever did is nearly the length.
 * That resets are rounded up, and that windows begin with a request, one counter at a time tries for all of them.
 */
export class StatedEnd {
  readonly #clock: ServerClock;
  /** The least and the most that a stated reset lay after the arrival of the request that opened its window. */
  #leastMs = Number.POSITIVE_INFINITY;
  #mostMs = Number.NEGATIVE_INFINITY;
  #measured = 0;
  /** Windows do not begin with a request: only the stated reset says when they end. */
  #isByClock = false;
  #openedMs: number | undefined;
  /** What the request on its way tries. */
  #trials: readonly Trial[] = [];

  constructor(clock: ServerClock) {
    this.#clock = clock;
  }

  /** A window was opened by a request of ours. */
  onOpened({ lowMs, highMs }: Span, resetMs: number): void {
    this.#endTrials("good");
    this.#openedMs = highMs;
    this.#measured += 1;
    this.#leastMs = Math.min(this.#leastMs, this.#clock.latest(resetMs) - lowMs);
    this.#mostMs = Math.max(this.#mostMs, this.#clock.earliest(resetMs) - highMs);
    if (this.#mostMs - this.#leastMs > ROUNDING_MS) this.#isByClock = true;
  }

  /** A window whose first request was not ours, or not seen. */
  onOther(): void {
    this.#endTrials("unknown");
    this.#openedMs = undefined;
  }

  /** The window went on after a request had been written to open the next. */
  onWrong(resetMs: number, sentMs: number): void {
    if (this.#trials.length === 0) return;
    if (sentMs >= this.#clock.latest(resetMs) && !this.#clock.roundsDown) this.#clock.noteRoundedDown();
    else this.#clock.noteByClock();
    this.#endTrials("bad");
  }

  /** When the next window's first request may be written. */
  releaseMs(resetMs: number, nowMs: number): number {
    const isRoundedUp = !this.#clock.roundsDown && this.#clock.endsAsStated.isOpen(nowMs);
    const lateMs = isRoundedUp ? 0 : ROUNDING_MS;
    const statedMs = this.#clock.latest(resetMs + lateMs) + (SPREAD_MS[this.#measured] ?? 0);
    if (this.#openedMs === undefined || this.#isByClock || this.#clock.isByClock) return statedMs;
    if (this.#measured < SPREAD_MS.length || !this.#clock.beginsWithRequest.isOpen(nowMs)) return statedMs;
    return Math.min(statedMs, this.#openedMs + Math.max(SHORTEST_WINDOW_MS, this.#leastMs + lateMs));
  }

  /** A request is written that is to open the next window: what does it rely on? */
  onReleased(resetMs: number, nowMs: number): void {
    const { endsAsStated, beginsWithRequest, roundsDown } = this.#clock;
    const isEarlierBy = (ms: number) => nowMs < this.#clock.latest(resetMs + ms);
    const isEarlier = isEarlierBy(roundsDown ? ROUNDING_MS : 0);
    this.#trials = [
      ...(!roundsDown && isEarlierBy(ROUNDING_MS) ? [endsAsStated] : []),
      ...(isEarlier ? [beginsWithRequest] : []),
    ];
    for (const trial of this.#trials) trial.begin(nowMs);
  }

  /** It never left. */
  onNotWritten(): void {
    this.#endTrials("unknown");
  }

  #endTrials(outcome: "good" | "bad" | "unknown"): void {
    for (const trial of this.#trials) trial.end(outcome);
    this.#trials = [];
  }
}
