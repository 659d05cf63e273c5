import { type Case, soughtUntilMs } from "../../domain/case.ts";
import type { Clock } from "../../domain/ports/clock.ts";

/** The card of an older case is not corrected by a start. */
const CORRECTED_MS = 24 * 60 * 60_000;

export interface SearchEndsPorts {
  readonly clock: Pick<Clock, "nowMs" | "after">;
  /** Brings its card up to date. */
  show(guildId: string, number: number): void;
}

/** Of cases for whose command the game's log is read: when that ends without a find, their cards say so. */
export class SearchEnds {
  readonly #ports: SearchEndsPorts;
  /** Cancels what waits for the end: `guild number`. */
  readonly #waiting = new Map<string, () => void>();

  constructor(ports: SearchEndsPorts) {
    this.#ports = ports;
  }

  /** Waits for the end of the search of this case as it is now, in the place of an earlier wait. */
  follow(one: Pick<Case, "guildId" | "number" | "receipt">): void {
    this.forget(one);
    const leftMs = () => (soughtUntilMs(one) ?? 0) - this.#ports.clock.nowMs();
    if (leftMs() <= 0) return;
    const cancel = this.#ports.clock.after(leftMs(), () => {
      // Its card goes by the wall clock, which may have been set back since.
      if (leftMs() > 0) return this.follow(one);
      this.#waiting.delete(keyOf(one));
      this.#ports.show(one.guildId, one.number);
    });
    this.#waiting.set(keyOf(one), cancel);
  }

  forget(one: Pick<Case, "guildId" | "number">): void {
    this.#waiting.get(keyOf(one))?.();
    this.#waiting.delete(keyOf(one));
  }

  stop(): void {
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }
}

/** Whether its card may still say that the game's log is read: the process that would have corrected it was gone by then. */
export function mayClaimSearch(one: Pick<Case, "atMs" | "receipt">, nowMs: number): boolean {
  return soughtUntilMs(one) !== undefined && nowMs - one.atMs <= CORRECTED_MS;
}

function keyOf({ guildId, number }: Pick<Case, "guildId" | "number">): string {
  return `${guildId} ${number}`;
}
