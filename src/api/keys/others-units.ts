import type { SharedUnits } from "../../domain/ports/shared-limits.ts";

interface Spent {
  readonly atMs: number;
  readonly guildId: string | undefined;
}

const HOUR_MS = 3_600_000;
/** What others have under way ends within moments; a request that leaves is checked against all of it anyway. */
const FLYING_KNOWN_MS = 50;

/** What other processes that ask from the same address have spent, as they last said. Pure; times are monotonic. */
export class OthersUnits {
  #refusals: readonly Spent[] = [];
  #held: readonly Spent[] = [];
  #flying = 0;
  #seenMs = Number.NEGATIVE_INFINITY;
  /** As they said it. */
  last: SharedUnits = { refusals: [], open: [], firstsAgeMs: [] };

  see(units: SharedUnits, nowMs: number): void {
    const spent = ({
      ageMs,
      guildId,
    }: {
      readonly ageMs: number;
      readonly guildId?: string | undefined;
    }) => ({
      atMs: nowMs - Math.max(0, ageMs),
      guildId,
    });
    this.last = units;
    this.#refusals = units.refusals.map(spent);
    this.#held = units.open.filter(({ isHeld }) => isHeld).map(spent);
    this.#flying = units.open.length - this.#held.length;
    this.#seenMs = nowMs;
  }

  refusals(nowMs: number): number {
    return within(this.#refusals, nowMs).length;
  }

  /** Requests that went unanswered: refusals, for all that is known. */
  held(nowMs: number): number {
    return within(this.#held, nowMs).length;
  }

  /** Requests that they had under way a moment ago. */
  flying(nowMs: number): number {
    return nowMs - this.#seenMs < FLYING_KNOWN_MS ? this.#flying : 0;
  }

  /** Refusals of keys that nobody typed. */
  linkedRefusals(nowMs: number): number {
    return within(this.#refusals, nowMs).filter(({ guildId }) => guildId === undefined).length;
  }

  /** When each of them counts no more. */
  freeTimes(nowMs: number): readonly number[] {
    return this.#spent(nowMs).map(({ atMs }) => atMs + HOUR_MS);
  }

  /** What typed keys have cost or may have cost, and when each counts no more. */
  typed(nowMs: number): readonly { readonly guildId: string; readonly freeMs: number }[] {
    return this.#spent(nowMs).flatMap(({ guildId, atMs }) =>
      guildId === undefined ? [] : [{ guildId, freeMs: atMs + HOUR_MS }],
    );
  }

  #spent(nowMs: number): readonly Spent[] {
    return [...within(this.#refusals, nowMs), ...within(this.#held, nowMs)];
  }
}

function within(spent: readonly Spent[], nowMs: number): readonly Spent[] {
  return spent.length === 0 ? spent : spent.filter(({ atMs }) => nowMs - atMs < HOUR_MS);
}
