import type { Player, PlayerRef, Snapshot, SourceId } from "../../src/domain/model.ts";
import type { CallOnCard } from "../../src/domain/ports/mod-calls.ts";
import { aimedAt } from "../../src/history/ingest/aimed-at.ts";
import type { Link } from "../../src/history/ingest/recorded-answer.ts";
import { Recorder } from "../../src/history/ingest/recorder.ts";
import { openContext, type QueryContext } from "../../src/history/queries/context.ts";
import { take } from "../../src/history/queries/ingest.ts";
import { WhoWasThere } from "../../src/history/who-was-there.ts";
import type { JournalWing } from "../../src/journal/create-journal.ts";
import { readLogged } from "../../src/runs/catalogue/read-logged.ts";
import { VirtualClock } from "../support/clock.ts";
import { memoryJournal } from "../support/memory-journal.ts";
import { serverStatus } from "../support/server-status.ts";
import { WakeUp } from "../support/wake-up.ts";
import type { Databases } from "./tracked-databases.ts";

export const SOURCE = "s1" as SourceId;
export const START_S = 1_700_000_000;

/** A game server of a test: what its lists hold now. */
export interface Town {
  readonly joins?: readonly (readonly [player: PlayerRef, atS: number, joined: boolean])[];
  readonly kills?: readonly (readonly [killer: PlayerRef, killed: PlayerRef, atS: number])[];
  readonly commands?: readonly (readonly [player: PlayerRef, text: string, atS: number])[];
  readonly modCalls?: readonly (readonly [caller: PlayerRef, atS: number, moderator?: PlayerRef])[];
  readonly players?: readonly (PlayerRef & { readonly permission?: string; readonly x?: number })[];
}

export const bob = { name: "Bob", id: 11 };
export const ann = { name: "Ann", id: 12 };
export const mod = { name: "Mona", id: 13 };

/** An answer of the service, of rows that no other answer shares by reference. */
export function snapshotOf(town: Town, atS: number, source = SOURCE): Snapshot {
  const { joins = [], kills = [], commands = [], modCalls = [], players = [] } = town;
  const one = (player: PlayerRef): PlayerRef => ({ ...player });
  return {
    source,
    askedAtMs: atS * 1_000,
    takenAtMs: atS * 1_000,
    serviceAtMs: atS * 1_000,
    status: serverStatus({ name: "Town", currentPlayers: players.length }),
    lists: {
      joinLogs: joins.map(([player, at, joined]) => ({ kind: "join", player: one(player), atS: at, joined })),
      killLogs: kills.map(([killer, killed, at]) => ({
        kind: "kill",
        killer: one(killer),
        killed: one(killed),
        atS: at,
      })),
      commandLogs: commands.map(([player, text, at]) => ({
        kind: "command",
        player: one(player),
        text,
        atS: at,
      })),
      modCalls: modCalls.map(([caller, at, moderator]) => ({
        kind: "modCall",
        caller: one(caller),
        atS: at,
        ...(moderator === undefined ? {} : { moderator: one(moderator) }),
      })),
      players: players.map(
        ({ permission = "Normal", x, ...player }): Player => ({
          player,
          team: "Civilian",
          permission,
          wantedStars: 0,
          ...(x === undefined ? {} : { location: { x, z: 0 } }),
        }),
      ),
    },
    skippedRows: {},
  };
}

export interface HistoryRig {
  readonly context: QueryContext;
  readonly clock: VirtualClock;
  links: readonly Link[];
  /** Of further servers. */
  readonly linksBySource: Map<SourceId, readonly Link[]>;
  /** Rows that the database did not take. */
  refused: number;
  /** The calls on the cards of the server; the member `u13` is `mod` in the game. */
  cards: readonly CallOnCard[];
  /** Shows the town as it is at that time, and waits until it is stored. Answers how many rows were new. */
  see(town: Town, atS: number): Promise<number>;
  /** The same for an answer as it is. */
  take(snapshot: Snapshot): Promise<number>;
}

export const GUILD = "900";
export const BINDING = "b1";

/** The main thread's end and the worker's, without the thread between them. */
export async function openRig(
  databases: Pick<Databases, "open">,
  url?: string,
  journal: JournalWing = memoryJournal({ clock: new VirtualClock() }),
): Promise<HistoryRig> {
  const { db } = await databases.open(url);
  const context = await openContext({ db }, new Uint8Array(32));
  const clock = new VirtualClock();
  const there = new WhoWasThere();
  let stored = 0;
  const failures: unknown[] = [];
  const ended = new WakeUp();
  const recorder = new Recorder({
    clock,
    journal: journal.reader("history", "window"),
    random: { next: () => 0.5, id: () => "id" },
    servers: () => 1,
    presentS: () => undefined,
    linksOf: (source) => rig.linksBySource.get(source) ?? rig.links,
    tracks: () => true,
    hitBy: (source, row) => aimedAt({ read: readLogged, there }, source, row),
    callsOnCards: () => rig.cards,
    accountOf: async (_, userId) => (userId === "u13" ? mod : undefined),
    store: (answers) => take(context, { answers: structuredClone(answers) }),
    onStored: ({ rows, refused }) => {
      stored += rows;
      rig.refused += refused;
      ended.call();
    },
    onFailed(error) {
      failures.push(error);
      ended.call();
    },
    onDropped: () => ended.call(),
  });
  const rig: HistoryRig = {
    context,
    clock,
    linksBySource: new Map(),
    links: [{ guildId: GUILD, bindingId: BINDING, linkedAtS: START_S }],
    cards: [],
    refused: 0,
    see: (town, atS) => rig.take(snapshotOf(town, atS)),
    async take(snapshot) {
      stored = 0;
      there.see(snapshot);
      await journal.take(snapshot);
      recorder.take(snapshot);
      while (recorder.queued > 0 && failures.length === 0) await ended.next();
      if (failures.length > 0) throw failures.splice(0)[0];
      return stored;
    },
  };
  return rig;
}
