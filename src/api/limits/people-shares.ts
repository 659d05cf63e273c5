/** Reads of a guild's people that go at once; further ones wait as polls do. */
const BURST = 20;
/** One more read after each such time: the share of a guild whose people never stop asking. */
const REFILL_MS = 2_000;
const SWEEP_ABOVE = 1_000;

interface Share {
  readonly left: number;
  readonly atMs: number;
}

/**
 * How many reads the people of each guild may still have before polls: a guild whose people ask on and on takes them
 * from its own share and not from everybody's polls. Monotonic time comes in by arguments.
 */
export class PeopleShares {
  readonly #shares = new Map<string, Share>();

  /** When a read of this guild's people may go before polls; `nowMs`: at once. */
  readyAtMs(guild: string, nowMs: number): number {
    return nowMs + Math.max(0, 1 - this.#left(guild, nowMs)) * REFILL_MS;
  }

  /** A read of this guild's people was sent. */
  spend(guild: string, nowMs: number): void {
    const left = Math.max(0, this.#left(guild, nowMs) - 1);
    this.#shares.set(guild, { left, atMs: nowMs });
    if (this.#shares.size > SWEEP_ABOVE) this.#sweep(nowMs);
  }

  #left(guild: string, nowMs: number): number {
    const share = this.#shares.get(guild);
    return share === undefined ? BURST : Math.min(BURST, share.left + (nowMs - share.atMs) / REFILL_MS);
  }

  /** A guild whose share is whole again is as one that never asked. */
  #sweep(nowMs: number): void {
    for (const guild of this.#shares.keys())
      if (this.#left(guild, nowMs) >= BURST) this.#shares.delete(guild);
  }
}
