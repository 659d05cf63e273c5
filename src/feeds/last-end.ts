import type { CleanStop } from "../domain/ports/clean-stop.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { ServiceTime } from "../domain/service-time.ts";

/** The service's clock and ours may differ by a little. */
const CLOCK_SLACK_S = 5;
/** What a power cut took comes again within a few answers, old ones that are served again included. */
const OPEN_FOR_S = 900;

export interface LastEndPorts {
  readonly cleanStop: CleanStop;
  readonly clock: Clock;
  readonly serviceTime: Pick<ServiceTime, "ms">;
}

/** How the process before ended, and so what may stand in the channels that the store knows nothing of. */
export class LastEnd {
  readonly #cleanStop: CleanStop;
  readonly #clock: Clock;
  readonly #serviceTime: LastEndPorts["serviceTime"];
  /** By our clock. */
  #postedUpToS: number | undefined = Number.POSITIVE_INFINITY;
  #unsettled: ReadonlySet<string> | undefined;
  /** Feeds that the end before left open, until the deliveries of this process know of them themselves. */
  #inherited: readonly string[] = [];

  constructor({ cleanStop, clock, serviceTime }: LastEndPorts) {
    this.#cleanStop = cleanStop;
    this.#clock = clock;
    this.#serviceTime = serviceTime;
  }

  /** Before anything is opened. Rejects when the store fails. */
  async begin(): Promise<void> {
    const startedS = Math.floor(this.#clock.nowMs() / 1_000);
    const clean = await this.#cleanStop.take();
    // What was marked or looked for in the process before is not known of any feed here.
    this.#unsettled = clean?.postedUpToS === undefined ? clean && new Set(clean.unsettled) : undefined;
    this.#inherited = [...(this.#unsettled ?? [])];
    this.#postedUpToS = clean === undefined ? startedS + CLOCK_SLACK_S : clean.postedUpToS;
  }

  /** Each feed's delivery knows now what it has to look for. */
  onOpened(): void {
    this.#inherited = [];
  }

  /**
   * This process ends in order. What an end before it left open may not have come again in its time, so that is handed
   * on. Rejects when the store fails.
   */
  async leave(unsettled: readonly string[]): Promise<void> {
    const postedUpToS = this.#postedUpToS;
    // Nothing was opened: how the process before ended is not known.
    if (postedUpToS === Number.POSITIVE_INFINITY) return;
    const isOpen = postedUpToS !== undefined && this.#clock.nowMs() / 1_000 - postedUpToS < OPEN_FOR_S;
    await this.#cleanStop.leave({
      unsettled: [...this.#inherited, ...unsettled],
      ...(isOpen ? { postedUpToS } : {}),
    });
  }

  /**
   * Entries up to this second, epoch seconds, may have been posted without the store knowing; undefined where all
   * processes have ended in order. They are dated by the service's clock, which may be ahead of ours.
   */
  get postedUpToS(): number | undefined {
    if (this.#postedUpToS === undefined) return undefined;
    const nowMs = this.#clock.nowMs();
    return this.#postedUpToS + Math.max(0, (this.#serviceTime.ms() ?? nowMs) - nowMs) / 1_000;
  }

  /** Messages of this feed, which the store holds, may stand in its channel that its record does not know of. */
  isDoubtful(feedId: string): boolean {
    return this.#unsettled?.has(feedId) ?? true;
  }
}
