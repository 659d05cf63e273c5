import { serviceAheadS } from "../domain/clocks-apart.ts";
import type { JoinEntry, PlayerRef, Snapshot, SourceId } from "../domain/model.ts";

/** Who was in a server at a second, as far as the latest lists tell: whom a command could have hit. */

/** The lists of one server, as they are asked: an answer brings up to a hundred commands, each of which asks. */
interface SeenLists {
  /** Without any row of the join log: in the list of players now or within the last minutes. */
  readonly unlogged: readonly PlayerRef[];
  /** Of each player the rows of the join log, oldest first. */
  readonly rowsOf: readonly (readonly JoinEntry[])[];
  /** Those of the join log who have an id, by their name in small letters. */
  readonly named: ReadonlyMap<string, readonly Required<PlayerRef>[]>;
}

function seenLists(players: readonly PlayerRef[], joins: readonly JoinEntry[]): SeenLists {
  const rowsOf = Map.groupBy(joins, ({ player }) => player.id ?? player.name);
  const known = new Map(
    joins.flatMap(({ player: { name, id } }) => (id === undefined ? [] : [[id, { name, id }]])),
  );
  return {
    unlogged: players.filter((player) => !rowsOf.has(player.id ?? player.name)),
    rowsOf: [...rowsOf.values()].map((rows) => rows.toSorted((a, b) => a.atS - b.atS)),
    named: Map.groupBy(known.values(), ({ name }) => name.toLowerCase()),
  };
}

/**
 * Of each player the nearest row of the join log decides: after a join they are there, after a leave not. A command and
 * the leave that follows it share a second. Players without any row are those in the list. Pure.
 */
function presentAt({ unlogged, rowsOf }: SeenLists, atS: number): readonly PlayerRef[] {
  const present = [...unlogged];
  for (const rows of rowsOf) {
    const before = rows.findLast((row) => (row.joined ? row.atS <= atS : row.atS < atS));
    const next = rows.find((row) => row !== before && row.atS >= atS);
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
  /** By how much the clock by which they are dated is ahead of ours. */
  readonly aheadS: number;
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
  /** What was asked of last, since the commands of one answer ask one after the other. */
  #asked: { readonly of: Memory; readonly lists: SeenLists } | undefined;

  /** Takes in what an answer shows; a list that it does not have stays as it was. */
  see(look: Snapshot): void {
    const { source, lists, takenAtMs } = look;
    const before = this.#servers.get(source);
    const players = new Map(before?.players ?? []);
    for (const [key, { seenAtMs }] of players) {
      if (takenAtMs - seenAtMs > REMEMBERED_MS) players.delete(key);
    }
    for (const { player } of lists.players ?? []) {
      players.set(player.id ?? player.name, { player, seenAtMs: takenAtMs });
    }
    const joins = lists.joinLogs === undefined ? (before?.joins ?? "[]") : packJoins(lists.joinLogs);
    this.#servers.set(source, { players, joins, aheadS: serviceAheadS(look) });
  }

  /** No guild has this server linked any more. */
  forget(source: SourceId): void {
    this.#servers.delete(source);
  }

  at(source: SourceId, atS: number): readonly PlayerRef[] {
    const memory = this.#servers.get(source);
    return memory === undefined ? [] : presentAt(this.#listsOf(memory), atS);
  }

  /** The same for a second of our own clock, which may be wrong. */
  atOurs(source: SourceId, ourS: number): readonly PlayerRef[] {
    return this.at(source, ourS + (this.#servers.get(source)?.aheadS ?? 0));
  }

  /** Those of that whole name whom the join log shows, in the server or not; an id each. */
  named(source: SourceId, name: string): readonly Required<PlayerRef>[] {
    const memory = this.#servers.get(source);
    if (memory === undefined) return [];
    return this.#listsOf(memory).named.get(name.toLowerCase()) ?? [];
  }

  #listsOf(memory: Memory): SeenLists {
    if (this.#asked?.of !== memory) {
      const players = [...memory.players.values()].map(({ player }) => player);
      this.#asked = { of: memory, lists: seenLists(players, joinsIn(memory)) };
    }
    return this.#asked.lists;
  }
}
