import type { LogList, Snapshot } from "../../src/domain/model.ts";
import { clearedBefore, lists, rangeAt, type Shown, type SimServer } from "./world.ts";

const toldLists = [...lists, "emergencyCalls"] as const;

/** One answer that reached the bot, in the order of arrival. */
export interface Look {
  /** When the service made it: an answer that is served again is old. */
  readonly builtMs: number;
  readonly players: boolean;
  /** When the feeds had kept it; undefined: the process died, the store refused, or a power cut took it. */
  keptAtMs: number | undefined;
  /** What it told of, as bits in the order of `toldLists`. */
  readonly told: number;
}

/** What the bot could see of each server: by this alone it is judged whether a notice was due. */
export class Looks {
  readonly #ofServer = new Map<number, Look[]>();
  readonly #pending = new WeakMap<Snapshot, Look>();

  /** An answer reached the bot. */
  answered(server: SimServer, { builtMs }: Shown, snapshot: Snapshot): void {
    const told = toldLists.reduce(
      (bits, list, bit) => bits | (snapshot.lists[list] === undefined ? 0 : 1 << bit),
      0,
    );
    const look: Look = { builtMs, players: snapshot.status.currentPlayers > 0, keptAtMs: undefined, told };
    this.#pending.set(snapshot, look);
    const looks = this.#ofServer.get(server.index);
    if (looks === undefined) this.#ofServer.set(server.index, [look]);
    else looks.push(look);
  }

  /** The feeds have kept it. */
  kept(snapshot: Snapshot, nowMs: number): void {
    const look = this.#pending.get(snapshot);
    if (look !== undefined) look.keptAtMs = nowMs;
  }

  /** A power cut took what was kept after `toMs`. */
  setBack(toMs: number): void {
    for (const looks of this.#ofServer.values()) {
      for (const look of looks) if ((look.keptAtMs ?? 0) > toMs) look.keptAtMs = undefined;
    }
  }

  /** Every answer of a server, kept or not. */
  all(server: SimServer): readonly Look[] {
    return this.#ofServer.get(server.index) ?? [];
  }

  /** The kept answers that told of a log. */
  of(server: SimServer, list: LogList): readonly Look[] {
    return this.#thatTold(server, list);
  }

  /** The kept answers that told of emergency calls. */
  withCalls(server: SimServer): readonly Look[] {
    return this.#thatTold(server, "emergencyCalls");
  }

  #thatTold(server: SimServer, list: (typeof toldLists)[number]): readonly Look[] {
    const bit = 1 << toldLists.indexOf(list);
    return this.all(server).filter(({ keptAtMs, told }) => keptAtMs !== undefined && (told & bit) !== 0);
  }
}

/** The true indexes [start, end) that an answer showed of a log. */
export function rangeOf(server: SimServer, list: LogList, look: Look): readonly [start: number, end: number] {
  return rangeAt(server, list, look.builtMs);
}

/** By true index: when the newest of these answers was made that showed the row; 0 for none. */
export function lastShown(server: SimServer, list: LogList, looks: readonly Look[]): Float64Array {
  const shownMs = new Float64Array(server.logs[list].arrivedMs.length);
  for (const look of looks) {
    const [start, end] = rangeOf(server, list, look);
    for (let index = start; index < end; index++) {
      shownMs[index] = Math.max(shownMs[index] ?? 0, look.builtMs);
    }
  }
  return shownMs;
}

/** The clears of a server's logs, with which the game server began anew, in [fromMs, toMs]. */
export function clearsBetween(server: SimServer, fromMs: number, toMs: number): readonly number[] {
  const clears: number[] = [];
  for (
    let atMs = clearedBefore(server, toMs);
    atMs > 0 && atMs >= fromMs;
    atMs = clearedBefore(server, atMs - 1)
  ) {
    clears.unshift(atMs);
  }
  return clears;
}
