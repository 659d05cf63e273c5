import type { Clock } from "../../domain/ports/clock.ts";
import type { Raised } from "../../domain/rank.ts";
import type { RuledServer } from "../rule-book.ts";

/** A command that an earlier process sent has run by then, or never will. */
const LONGEST_SENDING_MS = 2 * 60_000;

/** When the latest step about a player ended, by the monotonic clock: only answers that were asked for since show its effect. */
export class StepTimes {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #startedMs: number;
  readonly #endedMs = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  onEnded(server: RuledServer, playerId: number): void {
    this.#endedMs.set(keyOf(server, playerId), this.#clock.monotonicMs());
  }

  forget(server: RuledServer, playerId: number): void {
    this.#endedMs.delete(keyOf(server, playerId));
  }

  endedAtMs(server: RuledServer, { playerId, state, isSure }: Raised): number {
    const known = this.#endedMs.get(keyOf(server, playerId));
    if (known !== undefined) return known;
    const isOpen = (state === "raising" || state === "taking") && isSure !== true;
    return this.#startedMs + (isOpen ? LONGEST_SENDING_MS : 0);
  }
}

function keyOf({ guildId, bindingId }: RuledServer, playerId: number): string {
  return `${guildId}:${bindingId}:${playerId}`;
}
