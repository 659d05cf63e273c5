import type { CleanStop } from "../../domain/ports/clean-stop.ts";
import type { Clock } from "../../domain/ports/clock.ts";

/** By then every sender has asked for what it owed before its end out of order. */
const ASKED_FOR_WITHIN_MS = 900_000;

/** How the process before ended, and so which messages may stand somewhere although no record says so. */
export class LastPosts {
  readonly #cleanStop: CleanStop | undefined;
  readonly #clock: Clock;
  /** By key; undefined: each may. */
  #unsettled: Set<string> | undefined;
  #begunMs: number | undefined;

  /** `cleanStop`: none where nobody can tell. */
  constructor(cleanStop: CleanStop | undefined, clock: Clock) {
    this.#cleanStop = cleanStop;
    this.#clock = clock;
  }

  /** Before anything is posted. Rejects when the store fails. */
  async begin(): Promise<void> {
    const clean = await this.#cleanStop?.take();
    this.#unsettled = clean && new Set(clean.unsettled);
    this.#begunMs = this.#clock.monotonicMs();
  }

  mayStand(key: string): boolean {
    return this.#unsettled?.has(key) ?? true;
  }

  /** It is known whether and where it stands. */
  onSettled(key: string): void {
    this.#unsettled?.delete(key);
  }

  /** This process ends in order; these may stand somewhere. Rejects when the store fails. */
  async leave(unsettled: readonly string[]): Promise<void> {
    if (this.#begunMs === undefined) return;
    const isAllAskedFor = this.#clock.monotonicMs() - this.#begunMs >= ASKED_FOR_WITHIN_MS;
    if (this.#unsettled === undefined && !isAllAskedFor) return;
    await this.#cleanStop?.leave({ unsettled: [...(this.#unsettled ?? []), ...unsettled] });
  }
}
