import type { CleanStop } from "../domain/ports/clean-stop.ts";
import type { Clock } from "../domain/ports/clock.ts";

/** The service's clock and ours may differ by a little. */
const CLOCK_SLACK_S = 5;

/** How the process before ended, and so what may stand in the channels that the store knows nothing of. */
export class LastEnd {
  readonly #cleanStop: CleanStop;
  readonly #clock: Clock;
  #postedUpToS: number | undefined = Number.POSITIVE_INFINITY;
  #unsettled: ReadonlySet<string> | undefined;

  constructor(cleanStop: CleanStop, clock: Clock) {
    this.#cleanStop = cleanStop;
    this.#clock = clock;
  }

  /** Before anything is opened. Rejects when the store fails. */
  async begin(): Promise<void> {
    const startedS = Math.floor(this.#clock.nowMs() / 1_000);
    const clean = await this.#cleanStop.take();
    this.#unsettled = clean && new Set(clean.unsettled);
    this.#postedUpToS = clean === undefined ? startedS + CLOCK_SLACK_S : undefined;
  }

  /**
   * Entries up to this second, epoch seconds, may have been posted without the store knowing; undefined after a clean
   * stop.
   */
  get postedUpToS(): number | undefined {
    return this.#postedUpToS;
  }

  /** Messages of this feed, which the store holds, may stand in its channel that its record does not know of. */
  isDoubtful(feedId: string): boolean {
    return this.#unsettled?.has(feedId) ?? true;
  }
}
