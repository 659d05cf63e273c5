const discordEpochMs = 1_420_070_400_000;

/** Mints ids as Discord does: time since its epoch, then a counter; unique and increasing even if the clock stands or steps back. */
export class SnowflakeMint {
  #last = 0n;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  next(): string {
    const sinceEpoch = Math.max(1, Math.floor(this.#nowMs() - discordEpochMs));
    const fresh = BigInt(sinceEpoch) << 22n;
    this.#last = fresh > this.#last ? fresh : this.#last + 1n;
    return String(this.#last);
  }
}

/** Order of two snowflakes as numbers: shorter is older, equal lengths compare as text. */
export function compareSnowflakes(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
