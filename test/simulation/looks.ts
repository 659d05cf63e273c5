import type { LogList, Snapshot } from "../../src/domain/model.ts";
import { clearedBefore, lists, rangeAt, type Shown, type SimServer } from "./world.ts";

const toldLists = [...lists, "emergencyCalls"] as const;

/** In a longer time without an answer a whole evening may have come and gone. */
const LONG_MS = 15 * 60_000;
const NOT_AT_ALL: ReadonlyMap<string, number> = new Map();

/** One answer that reached the bot, in the order of arrival. */
export interface Look {
  /** When the service made it: an answer that is served again is old. */
  readonly builtMs: number;
  readonly players: boolean;
  /** When the feeds had kept it; undefined: the process died, the store refused, or a power cut took it. */
  keptAtMs: number | undefined;
  /** By list, when its journal alone had written it, where the answer as a whole was not kept. */
  partlyAtMs: ReadonlyMap<string, number>;
  /** When it came, by the bot's clock. */
  readonly takenAtMs: number;
  /** What it told of, as bits in the order of `toldLists`. */
  readonly told: number;
}

/** What the bot could see of each server: by this alone it is judged whether a notice was due. */
export class Looks {
  readonly #ofServer = new Map<number, Look[]>();
  readonly #pending = new WeakMap<Snapshot, Look>();
  #cutAtMs = Number.NEGATIVE_INFINITY;

  /** An answer reached the bot. */
  answered(server: SimServer, { builtMs }: Shown, snapshot: Snapshot): void {
    const told = toldLists.reduce(
      (bits, list, bit) => bits | (snapshot.lists[list] === undefined ? 0 : 1 << bit),
      0,
    );
    const { takenAtMs, status } = snapshot;
    const look: Look = {
      builtMs,
      players: status.currentPlayers > 0,
      told,
      takenAtMs,
      keptAtMs: undefined,
      partlyAtMs: NOT_AT_ALL,
    };
    this.#pending.set(snapshot, look);
    const looks = this.#ofServer.get(server.index);
    if (looks === undefined) this.#ofServer.set(server.index, [look]);
    else looks.push(look);
  }

  /** The feeds have kept it. */
  kept(snapshot: Snapshot, nowMs: number): void {
    const look = this.#pending.get(snapshot);
    if (look === undefined) return;
    look.keptAtMs = nowMs;
    look.partlyAtMs = NOT_AT_ALL;
  }

  /**
   * One log's journal has written what came at `takenAtMs`. The store may refuse the other logs of that answer, or the
   * process die before them: this log goes on from there all the same.
   */
  written(
    server: SimServer,
    list: LogList,
    { takenAtMs, nowMs }: { takenAtMs: number; nowMs: number },
  ): void {
    // The process that died of the cut may still tell what it had written right before: that is gone.
    if (nowMs === this.#cutAtMs) return;
    const look = this.#ofServer.get(server.index)?.findLast((one) => one.takenAtMs === takenAtMs);
    if (look === undefined || look.keptAtMs !== undefined) return;
    look.partlyAtMs = new Map([...look.partlyAtMs, [list, nowMs]]);
  }

  /** A power cut took at `nowMs` what was kept after `toMs`. */
  setBack(toMs: number, nowMs: number): void {
    this.#cutAtMs = nowMs;
    for (const looks of this.#ofServer.values()) {
      for (const look of looks) {
        if ((look.keptAtMs ?? 0) > toMs) look.keptAtMs = undefined;
        if (look.partlyAtMs.size === 0) continue;
        look.partlyAtMs = new Map([...look.partlyAtMs].filter(([, atMs]) => atMs <= toMs));
      }
    }
  }

  /** Every answer of a server, kept or not. */
  all(server: SimServer): readonly Look[] {
    return this.#ofServer.get(server.index) ?? [];
  }

  /**
   * Whether answers told of a restart between these two that it was the only one: they came soon after one another, and
   * the second showed rows that would be gone with another one.
   */
  tellsOfRestart(
    server: SimServer,
    { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  ): boolean {
    const showsRows = ({ builtMs, told }: Look) =>
      builtMs === toMs &&
      lists.some((list, bit) => {
        const [start, end] = rangeAt(server, list, builtMs);
        return (told & (1 << bit)) !== 0 && start < end;
      });
    return toMs - fromMs <= LONG_MS && this.all(server).some(showsRows);
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
    return this.all(server).filter(
      ({ keptAtMs, partlyAtMs, told }) =>
        (told & bit) !== 0 && (keptAtMs !== undefined || partlyAtMs.has(list)),
    );
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
