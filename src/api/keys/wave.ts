/** What is kept of a wave over a restart: ages, so that a step of the wall clock changes nothing. */
export interface StoredWave {
  /** Names this wave in the stored times at which keys were taken. */
  readonly id: string;
  readonly openedAgeMs: number;
  readonly lastAgeMs: number;
}

interface OpenWave {
  readonly id: string;
  readonly openedMs: number;
  lastMs: number;
}

const GATHERED_OVER_MS = 10 * 60_000;
const LASTS_MS = 60 * 60_000;

/**
 * Whether many keys are going bad at once. A wave opens when `opensAt` linked keys were refused for the first time
 * within ten minutes, and ends an hour after the last such refusal: from its opening on, what was known of keys before
 * counts for nothing. Pure; times are monotonic.
 */
export class Wave {
  readonly #opensAt: number;
  #firstRefusalsMs: number[] = [];
  /** Of other processes that ask from the same address. */
  #othersFirstsMs: readonly number[] = [];
  #open: OpenWave | undefined;

  constructor(opensAt: number) {
    this.#opensAt = opensAt;
  }

  /** A linked key was refused for the first time. `id` names the wave if this refusal opens one. True: it did. */
  note(nowMs: number, id: string): boolean {
    const open = this.current(nowMs);
    if (open !== undefined) {
      open.lastMs = nowMs;
      return false;
    }
    this.#firstRefusalsMs = this.#firstRefusalsMs.filter((atMs) => nowMs - atMs < GATHERED_OVER_MS);
    this.#firstRefusalsMs.push(nowMs);
    const others = this.#othersFirstsMs.filter((atMs) => nowMs - atMs < GATHERED_OVER_MS);
    if (this.#firstRefusalsMs.length + others.length < this.#opensAt) return false;

    this.#open = { id, openedMs: nowMs, lastMs: nowMs };
    this.#firstRefusalsMs = [];
    return true;
  }

  /** First refusals of this process that count together, as ages. */
  firstsAgeMs(nowMs: number): readonly number[] {
    return this.#firstRefusalsMs.map((atMs) => nowMs - atMs).filter((ageMs) => ageMs < GATHERED_OVER_MS);
  }

  /** What other processes that ask from the same address met: their wave is everybody's. */
  hear(
    others: { readonly firstsAgeMs: readonly number[]; readonly wave?: StoredWave | undefined },
    nowMs: number,
  ): void {
    this.#othersFirstsMs = others.firstsAgeMs.map((ageMs) => nowMs - ageMs);
    const { wave } = others;
    if (wave === undefined) return;
    const open = this.current(nowMs);
    if (open === undefined) this.restore(wave, nowMs);
    else open.lastMs = Math.max(open.lastMs, nowMs - Math.max(0, wave.lastAgeMs));
  }

  /** The wave that is open now, if one is. */
  current(nowMs: number): OpenWave | undefined {
    if (this.#open !== undefined && nowMs >= this.#open.lastMs + LASTS_MS) this.#open = undefined;
    return this.#open;
  }

  /** When the open wave ends if nothing more happens; undefined when none is open. */
  endsAtMs(nowMs: number): number | undefined {
    const open = this.current(nowMs);
    return open === undefined ? undefined : open.lastMs + LASTS_MS;
  }

  stored(nowMs: number): StoredWave | undefined {
    const open = this.current(nowMs);
    if (open === undefined) return undefined;
    return { id: open.id, openedAgeMs: nowMs - open.openedMs, lastAgeMs: nowMs - open.lastMs };
  }

  /** The wave of an earlier process goes on where it stood when it was last written. */
  restore(stored: StoredWave, nowMs: number): void {
    this.#open = {
      id: stored.id,
      openedMs: nowMs - Math.max(0, stored.openedAgeMs),
      lastMs: nowMs - Math.max(0, stored.lastAgeMs),
    };
  }
}
