/** While others wait a guild gets so many turns a second of all classes together, */
const PER_S = 4;
/** and so many at once after a quiet while. */
const BURST = 40;

/**
 * Whether a guild has had its part: one that posts without end, in as many channels and classes as it likes, takes only
 * turns that nobody else wants. What is kept is bounded by the guilds of the last seconds.
 */
export class GuildTurns {
  /** When a guild's allowance is whole again, monotonic milliseconds; those that are come first. */
  readonly #wholeAtMs = new Map<string, number>();

  isWithin(guild: string, nowMs: number): boolean {
    const usedMs = (this.#wholeAtMs.get(guild) ?? nowMs) - nowMs;
    return usedMs <= (1_000 / PER_S) * (BURST - 1);
  }

  onTurn(guild: string, nowMs: number): void {
    for (const [other, wholeMs] of this.#wholeAtMs) {
      if (wholeMs > nowMs) break;
      this.#wholeAtMs.delete(other);
    }
    const usedMs = Math.max(0, (this.#wholeAtMs.get(guild) ?? nowMs) - nowMs);
    this.#wholeAtMs.delete(guild);
    // What it took while nobody else waited is not held against it for longer than a burst.
    this.#wholeAtMs.set(guild, nowMs + Math.min(usedMs + 1_000 / PER_S, (1_000 / PER_S) * BURST));
  }
}
