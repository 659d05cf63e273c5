import { z } from "zod";
import {
  type CallEntry,
  type ChangeEntry,
  type ChangeKind,
  isState,
  type JournalList,
  STATE_LISTS,
  type StateList,
} from "../../domain/changes.ts";
import type { EmergencyCall, ListName, Lists, LogList, PlayerRef } from "../../domain/model.ts";
import { logLists } from "./window-facts.ts";

/** What of a look is compared with the look before, for each list that has no log: one entry of `STATES` is all of it. */

/** One thing that a look shows. `key`: what it is known by; `same`: what makes a change of it when it differs. */
export interface StateRow {
  readonly key: string;
  readonly same: string;
  /** What is told of it, as JSON. */
  readonly told: string;
}

/** When two looks were, seconds of the service, and what the later one showed. */
export interface BetweenLooks {
  readonly fromS: number;
  readonly atS: number;
  readonly lists: Partial<Lists>;
}

type StateEntry = ChangeEntry | CallEntry;

interface StateKind {
  /** A look says something of it where it shows all of these. */
  readonly lists: readonly ListName[];
  rows(lists: Partial<Lists>): readonly StateRow[];
  came?(row: StateRow, between: BetweenLooks): StateEntry | undefined;
  changed?(row: StateRow, before: StateRow, between: BetweenLooks): StateEntry | undefined;
  /** It was missing in two looks. */
  gone?(before: StateRow, between: BetweenLooks): StateEntry | undefined;
  /** What came and went in a pause was seen by nobody: that is said. */
  readonly tellsPauses?: true;
  /** Of each start too, since looks before it may have shown what was never written. */
  readonly tellsStarts?: true;
  /** What the first look shows is told too: its followers know by themselves what is not their business. */
  readonly tellsFirst?: true;
}

const playerCells = z.tuple([z.string(), z.number().nullable(), z.string()]);
const vehicleCells = z.tuple([z.string(), z.string()]);

export const STATES: Readonly<Record<StateList, StateKind>> = {
  emergencyCalls: {
    lists: ["emergencyCalls"],
    rows: ({ emergencyCalls = [] }) =>
      emergencyCalls.map((call) => {
        const { team, description, positionDescriptor, unitIds, callNumber, startedAtS } = call;
        const units = unitIds.toSorted((a, b) => a - b);
        const same = JSON.stringify([team, description, positionDescriptor, units]);
        return { key: `${callNumber} ${startedAtS}`, same, told: JSON.stringify(call) };
      }),
    came: (row, between) => callEntry("began", row, between),
    changed: (row, _, between) => callEntry("changed", row, between),
    gone: (row, between) => callEntry("ended", row, between),
    tellsPauses: true,
    tellsStarts: true,
    tellsFirst: true,
  },
  teams: {
    lists: ["players"],
    // Where an answer does not tell a team, nobody has left theirs.
    rows: ({ players = [] }) => players.filter(({ team }) => team !== "").map(teamRow),
    changed: teamChange,
    tellsPauses: true,
  },
  vehicles: {
    lists: ["vehicles"],
    rows: ({ vehicles = [] }) =>
      numbered(
        vehicles.map(({ name, owner, plate, texture }) => ({
          key: JSON.stringify([owner, name, plate, texture]),
          told: JSON.stringify([owner, plate === undefined ? name : `${name} (${plate})`]),
        })),
      ),
    came: (row, between) => vehicleChange("spawned", row, between),
    gone: (row, between) => vehicleChange("despawned", row, between),
    tellsPauses: true,
  },
  queue: {
    lists: ["queue"],
    rows: ({ queue = [] }) => queue.map((id) => ({ key: String(id), same: "", told: String(id) })),
    came: ({ key }, { fromS, atS }) => ({
      kind: "change",
      what: "queued",
      atS,
      fromS,
      player: { name: key, id: Number(key) },
      values: [],
    }),
    tellsPauses: true,
  },
};

/** All that a server may have a journal of. */
export const JOURNAL_LISTS: readonly JournalList[] = [...logLists, ...STATE_LISTS];

/** The lists of the service without which a look says nothing of a journal. */
function shownLists(list: JournalList): readonly ListName[] {
  return isState(list) ? STATES[list].lists : [list satisfies LogList];
}

export function isShownIn(lists: Partial<Lists>, list: JournalList): boolean {
  return shownLists(list).every((one) => lists[one] !== undefined);
}

/** How many rows of a log a look shows. */
export function rowsShown(lists: Partial<Lists>, list: JournalList): number {
  return isState(list) ? 0 : (lists[list]?.length ?? 0);
}

function teamRow({ player: { name, id }, team }: Lists["players"][number]): StateRow {
  return {
    key: id === undefined ? `~${name}` : String(id),
    same: team,
    told: JSON.stringify([name, id ?? null, team]),
  };
}

function teamChange(row: StateRow, before: StateRow, { fromS, atS }: BetweenLooks): ChangeEntry {
  const [name, id, team] = playerCells.parse(JSON.parse(row.told));
  const player = id === null ? { name } : { name, id };
  return { kind: "change", what: "team", atS, fromS, player, values: [before.same, team] };
}

function vehicleChange(what: ChangeKind, { told }: StateRow, { fromS, atS }: BetweenLooks): ChangeEntry {
  const [owner, vehicle] = vehicleCells.parse(JSON.parse(told));
  return { kind: "change", what, atS, fromS, player: { name: owner }, values: [vehicle] };
}

/** As it is stored. */
export const emergencyCall = z.object({
  team: z.string(),
  callerId: z.number().exactOptional(),
  unitIds: z.array(z.number()),
  position: z.tuple([z.number(), z.number()]).exactOptional(),
  startedAtS: z.number(),
  callNumber: z.number(),
  description: z.string().exactOptional(),
  positionDescriptor: z.string().exactOptional(),
});

function callEntry(
  step: CallEntry["step"],
  { told }: StateRow,
  { fromS, atS, lists }: BetweenLooks,
): CallEntry {
  const call: EmergencyCall = emergencyCall.parse(JSON.parse(told));
  const ids = new Set([call.callerId, ...call.unitIds]);
  const people = (lists.players ?? []).flatMap(({ player }): PlayerRef[] =>
    ids.has(player.id) ? [player] : [],
  );
  return { kind: "call", step, atS, fromS, call, people };
}

/** Equal ones are several: each has its place in its key. */
function numbered(rows: readonly Omit<StateRow, "same">[]): readonly StateRow[] {
  const counts = new Map<string, number>();
  return rows.map(({ key, told }) => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return { key: `${key} ${count}`, same: "", told };
  });
}
