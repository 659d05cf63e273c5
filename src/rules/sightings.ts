import type { Snapshot } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import { type Present, presentOf, stateKey } from "./present.ts";

/** A state has to last so long to be a breach. */
const LASTS_MS = 20_000;
/** Answers farther apart than this say too little of what was between them. */
const NEAR_MS = 90_000;

/** One player, as long as every answer has shown the same of them. Times are of the monotonic clock. */
export interface Sighting {
  readonly present: Present;
  readonly key: string;
  /** Since when they have been in the server without a break, as far as that is known; by this machine's wall clock. */
  readonly visitFromMs: number | undefined;
  /** Of the first answer with this state, and of the first that no gap or untold team lies behind: when it was there. */
  readonly sinceMs: number;
  readonly nearSinceMs: number;
  /** Of the latest: when it was asked for. */
  readonly askedAtMs: number;
}

/** When an answer was asked for and when it was there, by the monotonic clock. */
export interface LookTimes {
  readonly askedAtMs: number;
  readonly takenAtMs: number;
  readonly nowMs: number;
  /** How far the service's clock was ahead of this machine's wall clock. */
  readonly serviceAheadMs?: number;
}

/** The times of an answer that is here now. */
export function lookTimes(
  look: Pick<Snapshot, "askedAtMs" | "takenAtMs" | "serviceAtMs">,
  clock: Clock,
): LookTimes {
  const takenAtMs = clock.monotonicMs();
  const tookMs = Math.max(0, look.takenAtMs - look.askedAtMs);
  const serviceAheadMs = (look.serviceAtMs ?? look.takenAtMs) - look.takenAtMs;
  return { takenAtMs, askedAtMs: takenAtMs - tookMs, nowMs: clock.nowMs(), serviceAheadMs };
}

/** What the answers of one server have shown of who is there. */
export class Sightings {
  #players: ReadonlyMap<number, Sighting> = new Map();
  #lastMs = Number.NEGATIVE_INFINITY;
  #lastTakenMs = Number.NEGATIVE_INFINITY;
  #apartMs = 0;
  #firstTakenMs: number | undefined;

  get players(): ReadonlyMap<number, Sighting> {
    return this.#players;
  }

  /** When the latest answer was there. */
  get takenAtMs(): number {
    return this.#lastTakenMs;
  }

  /** Whether answers come too far apart for anything but telling. */
  get isSparse(): boolean {
    return this.#apartMs > NEAR_MS;
  }

  /** Whether the first answer of all has shown this state: it may have begun before this process. */
  isFromBefore({ sinceMs }: Sighting): boolean {
    return sinceMs === this.#firstTakenMs;
  }

  /** An answer with a list of players. One that was asked for before an earlier one says nothing. */
  take(lists: Snapshot["lists"], times: LookTimes): void {
    const { players } = lists;
    const { askedAtMs, takenAtMs } = times;
    if (players === undefined || askedAtMs < this.#lastMs) return;
    const apartMs = takenAtMs - this.#lastMs;
    const isNear = apartMs <= NEAR_MS;
    const before = this.#players;
    const after = new Map<number, Sighting>();
    for (const seen of presentOf({ ...lists, players })) {
      const { id } = seen.player;
      const known = before.get(id);
      // Rows leave the logs after a while.
      const lifeS = Math.max(seen.lifeS, known?.present.lifeS ?? 0);
      const joinedS = Math.max(seen.joinedS, known?.present.joinedS ?? 0);
      // Where an answer does not tell a team, nobody has left theirs; but it is no reason to act.
      const isTold = seen.team !== "";
      const team = isTold ? seen.team : (known?.present.team ?? "");
      const present = { ...seen, team, lifeS, joinedS };
      const key = stateKey(present);
      const isSame = known?.key === key;
      after.set(id, {
        present,
        key,
        visitFromMs: this.#visitFromMs(present, known, times),
        sinceMs: isSame ? known.sinceMs : takenAtMs,
        nearSinceMs: isSame && isNear && isTold ? known.nearSinceMs : takenAtMs,
        askedAtMs,
      });
    }
    this.#players = after;
    if (this.#firstTakenMs !== undefined) this.#apartMs = apartMs;
    this.#firstTakenMs ??= takenAtMs;
    this.#lastMs = askedAtMs;
    this.#lastTakenMs = takenAtMs;
  }

  /** Who was not there in the answer before has come since. */
  #visitFromMs(
    { joinedS }: Present,
    known: Sighting | undefined,
    { nowMs, serviceAheadMs = 0 }: LookTimes,
  ): number | undefined {
    const joinedMs = joinedS === 0 ? undefined : joinedS * 1_000 - serviceAheadMs;
    if (known === undefined) return this.#firstTakenMs === undefined ? joinedMs : (joinedMs ?? nowMs);
    return joinedMs !== undefined && joinedS > known.present.joinedS ? joinedMs : known.visitFromMs;
  }
}

/** Two answers at least, so far apart, have shown the same, and so has every one between them. */
export function isBreachToTell({ sinceMs, askedAtMs }: Sighting): boolean {
  return askedAtMs - sinceMs >= LASTS_MS;
}

/** The same, with no gap between them. */
export function isBreachToAct({ nearSinceMs, askedAtMs }: Sighting): boolean {
  return askedAtMs - nearSinceMs >= LASTS_MS;
}
