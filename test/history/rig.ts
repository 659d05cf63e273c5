import type { Player, PlayerRef, Snapshot, SourceId } from "../../src/domain/model.ts";
import type { Link } from "../../src/history/ingest/recorded-answer.ts";
import { Recorder } from "../../src/history/ingest/recorder.ts";
import { openContext, type QueryContext } from "../../src/history/queries/context.ts";
import { take } from "../../src/history/queries/ingest.ts";
import { VirtualClock } from "../support/clock.ts";
import { serverStatus } from "../support/server-status.ts";
import { WakeUp } from "../support/wake-up.ts";
import type { Databases } from "./databases.ts";

export const SOURCE = "s1" as SourceId;
export const START_S = 1_700_000_000;

/** A game server of a test: what its lists hold now. */
export interface Town {
  readonly joins?: readonly (readonly [player: PlayerRef, atS: number, joined: boolean])[];
  readonly kills?: readonly (readonly [killer: PlayerRef, killed: PlayerRef, atS: number])[];
  readonly commands?: readonly (readonly [player: PlayerRef, text: string, atS: number])[];
  readonly modCalls?: readonly (readonly [caller: PlayerRef, atS: number, moderator?: PlayerRef])[];
  readonly players?: readonly (PlayerRef & { readonly permission?: string })[];
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
        ({ permission = "Normal", ...player }): Player => ({
          player,
          team: "Civilian",
          permission,
          wantedStars: 0,
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
  /** Shows the town as it is at that time, and waits until it is stored. Answers how many rows were new. */
  see(town: Town, atS: number): Promise<number>;
}

export const GUILD = "900";
export const BINDING = "b1";

/** The main thread's end and the worker's, without the thread between them. */
export async function openRig(databases: Pick<Databases, "open">, url?: string): Promise<HistoryRig> {
  const { db } = await databases.open(url);
  const context = await openContext({ db }, new Uint8Array(32));
  const clock = new VirtualClock();
  const targetsOf = (text: string) => /^:(?:kick|pm|bring) (\S+)/.exec(text)?.slice(1) ?? [];
  let stored = 0;
  const failures: unknown[] = [];
  const ended = new WakeUp();
  const recorder = new Recorder({
    clock,
    random: { next: () => 0.5, id: () => "id" },
    presentS: () => undefined,
    linksOf: () => rig.links,
    targetsOf,
    store: (answers) => take(context, { answers: structuredClone(answers) }),
    onStored: (rows) => {
      stored += rows;
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
    links: [{ guildId: GUILD, bindingId: BINDING, linkedAtS: START_S }],
    async see(town, atS) {
      stored = 0;
      recorder.take(snapshotOf(town, atS));
      while (recorder.queued > 0 && failures.length === 0) await ended.next();
      if (failures.length > 0) throw failures[0];
      return stored;
    },
  };
  return rig;
}
