import type { JoinEntry, PlayerRef, Snapshot, SourceId } from "../domain/model.ts";

/** Who was in a server at a second, as far as the latest lists tell: whom a command could have hit. */

export interface SeenLists {
  /** In the list of players now or within the last minutes. */
  readonly players: readonly PlayerRef[];
  readonly joins: readonly JoinEntry[];
}

/**
 * Of each player the nearest row of the join log decides: after a join they are there, after a leave not. A command and
 * the leave that follows it share a second. Players without any row are those in the list. Pure.
 */
export function presentAt({ players, joins }: SeenLists, atS: number): readonly PlayerRef[] {
  const rowsOf = Map.groupBy(joins, ({ player }) => player.id ?? player.name);
  const present = players.filter((player) => !rowsOf.has(player.id ?? player.name));
  for (const rows of rowsOf.values()) {
    const sorted = rows.toSorted((a, b) => a.atS - b.atS);
    const before = sorted.findLast((row) => (row.joined ? row.atS <= atS : row.atS < atS));
    const next = sorted.find((row) => row !== before && row.atS >= atS);
    const isThere = before === undefined ? next?.joined === false : before.joined;
    const player = (before ?? next)?.player;
    if (isThere && player !== undefined) present.push(player);
  }
  return present;
}

/** Players stay known for this long after they were last in the list. */
const REMEMBERED_MS = 120_000;

interface Memory {
  readonly players: ReadonlyMap<number | string, { readonly player: PlayerRef; readonly seenAtMs: number }>;
  /** A text, because it is kept of each server and needed at few commands. */
  readonly joins: string;
}

type PackedJoin = readonly [name: string, atS: number, joined: boolean, id?: number];

function packJoins(joins: readonly JoinEntry[]): string {
  const rows = joins.map(({ player: { name, id }, atS, joined }): PackedJoin => {
    return id === undefined ? [name, atS, joined] : [name, atS, joined, id];
  });
  return JSON.stringify(rows);
}

function joinsIn({ joins }: Memory): readonly JoinEntry[] {
  // Written by `packJoins` alone.
  return (JSON.parse(joins) as readonly PackedJoin[]).map(([name, atS, joined, id]) => {
    const player = id === undefined ? { name } : { name, id };
    return { kind: "join", player, atS, joined };
  });
}

/** The lists of each server as they were seen last, with who left the list of players lately. */
export class WhoWasThere {
  readonly #servers = new Map<SourceId, Memory>();

  /** Takes in what an answer shows; a list that it does not have stays as it was. */
  see({ source, lists, takenAtMs }: Snapshot): void {
    const before = this.#servers.get(source);
    const players = new Map(before?.players ?? []);
    for (const [key, { seenAtMs }] of players) {
      if (takenAtMs - seenAtMs > REMEMBERED_MS) players.delete(key);
    }
    for (const { player } of lists.players ?? []) {
      players.set(player.id ?? player.name, { player, seenAtMs: takenAtMs });
    }
    const joins = lists.joinLogs === undefined ? (before?.joins ?? "[]") : packJoins(lists.joinLogs);
    this.#servers.set(source, { players, joins });
  }

  /** No guild has this server linked any more. */
  forget(source: SourceId): void {
    this.#servers.delete(source);
  }

  at(source: SourceId, atS: number): readonly PlayerRef[] {
    const memory = this.#servers.get(source);
    if (memory === undefined) return [];
    return presentAt(
      { players: [...memory.players.values()].map(({ player }) => player), joins: joinsIn(memory) },
      atS,
    );
  }

  /** Those of that whole name whom the join log shows, in the server or not; an id each. */
  named(source: SourceId, name: string): readonly Required<PlayerRef>[] {
    const wanted = name.toLowerCase();
    const found = new Map<number, Required<PlayerRef>>();
    const memory = this.#servers.get(source);
    for (const { player } of memory === undefined ? [] : joinsIn(memory)) {
      const { id } = player;
      if (id !== undefined && player.name.toLowerCase() === wanted) found.set(id, { ...player, id });
    }
    return [...found.values()];
  }
}
