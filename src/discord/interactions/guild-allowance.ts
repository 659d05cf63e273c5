/** Interactions of one guild that are begun in a second, and how many of them at once after a quiet while. */
const PER_S = 20;
const BURST = 40;

interface Allowance {
  /** What is left, as of `atMs` (monotonic). */
  readonly left: number;
  readonly atMs: number;
}

/**
 * Bounds what the people of one guild can make the bot do in a second, so that one guild costs the others nothing. A guild
 * that has its full allowance again is forgotten, so what is kept is bounded by the guilds of the last seconds.
 */
export class GuildAllowance {
  readonly #allowances = new Map<string, Allowance>();

  /** Takes one of the guild's allowance; false when none is left. `nowMs` is monotonic. */
  take(guildId: string, nowMs: number): boolean {
    this.#forgetFull(nowMs);
    const before = this.#allowances.get(guildId) ?? { left: BURST, atMs: nowMs };
    const left = leftAt(before, nowMs);
    if (left < 1) return false;
    // Put at the end, so that the first ones are those that were used longest ago.
    this.#allowances.delete(guildId);
    this.#allowances.set(guildId, { left: left - 1, atMs: nowMs });
    return true;
  }

  /** Guilds of which something is kept. */
  get size(): number {
    return this.#allowances.size;
  }

  #forgetFull(nowMs: number): void {
    for (const [guildId, allowance] of this.#allowances) {
      if (leftAt(allowance, nowMs) < BURST) return;
      this.#allowances.delete(guildId);
    }
  }
}

function leftAt({ left, atMs }: Allowance, nowMs: number): number {
  return Math.min(BURST, left + ((nowMs - atMs) / 1_000) * PER_S);
}
