import type { TurnWanted } from "../../domain/ports/turns.ts";

/** Discord takes about this many requests of a kind in a channel */
const PER_WINDOW = 5;
/** in this time; longer than it is by the time that a request may take there. */
const WINDOW_MS = 5_000;

interface Used {
  /** Moments at which a request ended, oldest first. */
  readonly endedMs: number[];
  underWay: number;
}

type Place = Pick<TurnWanted, "channelId" | "request">;

/** What each channel still takes, by what was asked of it. One new message at a time, so that they stand in order. */
export class ChannelRoom {
  readonly #used = new Map<string, Used>();
  /** Until when Discord wants nothing of a kind in a channel. */
  readonly #closedUntilMs = new Map<string, number>();
  #sweepAt = 1_000;

  /** When a request may be made there; Infinity: once another has ended. */
  opensAtMs(place: Place): number {
    const key = keyOf(place);
    const closedMs = this.#closedUntilMs.get(key) ?? Number.NEGATIVE_INFINITY;
    const used = this.#used.get(key);
    if (used === undefined) return closedMs;
    if (used.underWay > 0 && (place.request === "send" || used.underWay >= PER_WINDOW)) {
      return Number.POSITIVE_INFINITY;
    }
    const free = PER_WINDOW - used.underWay - used.endedMs.length;
    const oldest = used.endedMs[-free] ?? Number.NEGATIVE_INFINITY;
    return Math.max(closedMs, free > 0 ? Number.NEGATIVE_INFINITY : oldest + WINDOW_MS);
  }

  begin(place: Place, nowMs: number): void {
    this.#sweep(nowMs);
    const key = keyOf(place);
    const used = this.#used.get(key) ?? { endedMs: [], underWay: 0 };
    forgetOld(used, nowMs);
    used.underWay += 1;
    this.#used.set(key, used);
  }

  /** `isCounted`: a request was made. */
  end(place: Place, nowMs: number, { isCounted }: { readonly isCounted: boolean }): void {
    const used = this.#used.get(keyOf(place));
    if (used === undefined) return;
    used.underWay -= 1;
    if (isCounted) used.endedMs.push(nowMs);
    forgetOld(used, nowMs);
  }

  /** Discord says that a channel takes nothing of this kind for now. */
  close(place: Place, untilMs: number): void {
    this.#closedUntilMs.set(keyOf(place), untilMs);
  }

  /** Channels are many, and most of them rest. */
  #sweep(nowMs: number): void {
    if (this.#used.size < this.#sweepAt) return;
    for (const [key, used] of this.#used) {
      forgetOld(used, nowMs);
      if (used.underWay === 0 && used.endedMs.length === 0) this.#used.delete(key);
    }
    for (const [key, untilMs] of this.#closedUntilMs) {
      if (untilMs <= nowMs) this.#closedUntilMs.delete(key);
    }
    this.#sweepAt = Math.max(1_000, 2 * this.#used.size);
  }
}

function keyOf({ channelId, request }: Place): string {
  return `${request} ${channelId}`;
}

function forgetOld({ endedMs }: Used, nowMs: number): void {
  while (endedMs.length > 0 && (endedMs[0] ?? nowMs) <= nowMs - WINDOW_MS) endedMs.shift();
}
