import { z } from "zod";
import { Failure } from "../domain/failure.ts";
import type {
  CommandEntry,
  EmergencyCall,
  JoinEntry,
  KillEntry,
  ListName,
  Lists,
  ModCallEntry,
  Player,
  ServerStatus,
  Staff,
  Vehicle,
} from "../domain/model.ts";
import { epochS, PlayerRefs, playerRef } from "./rows/player-ref.ts";
import { listOf, type Rows, readRows } from "./rows/read-rows.ts";
import {
  commandRow,
  emergencyRow,
  joinRow,
  killRow,
  modCallRow,
  playerRow,
  vehicleRow,
} from "./rows/row-schemas.ts";
import { SharedTexts } from "./rows/shared-texts.ts";

/**
 * The only place that knows the service's spelling. Answers are read row by row: an odd row is skipped and counted, an
 * odd field that nothing depends on is left out, unknown fields and values pass.
 */

const text = z.string();
const digits = z.string().regex(/^\d+$/).transform(Number);
const userId = z.int().min(0);
const count = z.number();
const list = z.array(z.unknown());
const statusRow = z.compile(
  z.object({
    Name: text,
    OwnerId: z.union([userId, digits.pipe(userId)]).catch(0),
    CoOwnerIds: list.catch([]),
    CurrentPlayers: count.optional().catch(undefined),
    Players: z.unknown().optional(),
    MaxPlayers: count.catch(0),
    JoinKey: text.catch(""),
    AccVerifiedReq: text.catch(""),
    TeamBalance: z.boolean().catch(false),
  }),
);
const staffMaps = z.object({
  Admins: z.unknown().optional(),
  Mods: z.unknown().optional(),
  Helpers: z.unknown().optional(),
});
const commandAnswer = z.object({ message: text.catch(""), commandId: text.nullish().catch(undefined) });

/** The query parameter of each list, which is also its field (spec: GET /v2/server). */
export const LIST_FIELDS: Readonly<Record<ListName, string>> = {
  players: "Players",
  staff: "Staff",
  joinLogs: "JoinLogs",
  queue: "Queue",
  killLogs: "KillLogs",
  commandLogs: "CommandLogs",
  modCalls: "ModCalls",
  emergencyCalls: "EmergencyCalls",
  vehicles: "Vehicles",
};

const READERS: {
  readonly [L in ListName]: (wire: unknown, players: PlayerRefs) => Rows<Lists[L]> | undefined;
} = {
  players: (wire, players) => readRows(wire, playerRow, (row) => player(row, players)),
  staff,
  joinLogs: (wire, players) => readRows(wire, joinRow, (row) => joinEntry(row, players)),
  queue: (wire) => readIds(wire),
  killLogs: (wire, players) => readRows(wire, killRow, (row) => killEntry(row, players)),
  commandLogs: (wire, players) => readRows(wire, commandRow, (row) => commandEntry(row, players)),
  modCalls: (wire, players) => readRows(wire, modCallRow, (row) => modCallEntry(row, players)),
  emergencyCalls: (wire) => readRows(wire, emergencyRow, emergencyCall),
  vehicles: (wire) => readRows(wire, vehicleRow, vehicle),
};

/** The base fields. Failure "bad-response" when this is no server's status. */
export function readStatus(wire: unknown): ServerStatus {
  const parsed = statusRow.safeParse(wire);
  if (!parsed.success)
    throw new Failure("bad-response", "The game service's answer was not a server status.", {
      cause: parsed.error,
    });
  const row = parsed.data;
  return {
    name: row.Name,
    ownerId: row.OwnerId,
    coOwnerIds: ids(row.CoOwnerIds),
    currentPlayers: row.CurrentPlayers ?? listOf(row.Players)?.length ?? 0,
    maxPlayers: row.MaxPlayers,
    joinKey: row.JoinKey,
    accVerifiedReq: row.AccVerifiedReq,
    teamBalance: row.TeamBalance,
  };
}

/**
 * The lists that were asked for. One that is missing, or is no list, is left out rather than read as empty: an empty log
 * would mean that the game server restarted.
 */
export function readLists(
  wire: unknown,
  asked: readonly ListName[],
): { readonly lists: Partial<Lists>; readonly skippedRows: Partial<Record<ListName, number>> } {
  const fields = wire as Readonly<Record<string, unknown>>;
  const lists: { -readonly [L in ListName]?: Lists[L] } = {};
  const skippedRows: Partial<Record<ListName, number>> = {};
  const players = new PlayerRefs();
  const take = <L extends ListName>(name: L) => {
    const read = READERS[name](fields[LIST_FIELDS[name]], players);
    if (read === undefined) return;
    lists[name] = read.value as (typeof lists)[L];
    if (read.skipped > 0) skippedRows[name] = read.skipped;
  };
  for (const name of asked) take(name);
  return { lists, skippedRows };
}

/** The answer 200 of the command route. */
export function readCommandAnswer(wire: unknown): { readonly message: string; readonly commandId?: string } {
  const parsed = commandAnswer.safeParse(wire);
  if (!parsed.success) return { message: "" };
  const { message, commandId } = parsed.data;
  return commandId == null ? { message } : { message, commandId };
}

function joinEntry(row: z.output<typeof joinRow>, players: PlayerRefs): JoinEntry | undefined {
  const atS = epochS(row.Timestamp);
  const who = players.of(row.Player);
  if (atS === undefined || who === undefined) return undefined;
  return { kind: "join", atS, player: who, joined: row.Join };
}

function killEntry(row: z.output<typeof killRow>, players: PlayerRefs): KillEntry | undefined {
  const atS = epochS(row.Timestamp);
  const killer = players.of(row.Killer);
  const killed = players.of(row.Killed);
  if (atS === undefined || killer === undefined || killed === undefined) return undefined;
  return { kind: "kill", atS, killer, killed };
}

function commandEntry(row: z.output<typeof commandRow>, players: PlayerRefs): CommandEntry | undefined {
  const atS = epochS(row.Timestamp);
  const who = players.of(row.Player);
  if (atS === undefined || who === undefined) return undefined;
  return { kind: "command", atS, player: who, text: row.Command };
}

function modCallEntry(row: z.output<typeof modCallRow>, players: PlayerRefs): ModCallEntry | undefined {
  const atS = epochS(row.Timestamp);
  const caller = players.of(row.Caller);
  const moderator = typeof row.Moderator === "string" ? players.of(row.Moderator) : undefined;
  if (atS === undefined || caller === undefined) return undefined;
  return moderator === undefined
    ? { kind: "modCall", atS, caller }
    : { kind: "modCall", atS, caller, moderator };
}

function player(row: z.output<typeof playerRow>, players: PlayerRefs): Player | undefined {
  const who = players.of(row.Player);
  if (who === undefined) return undefined;
  const place = row.Location;
  return {
    player: who,
    team: row.Team,
    permission: row.Permission,
    wantedStars: row.WantedStars,
    ...(row.Callsign == null ? {} : { callsign: row.Callsign }),
    ...(place == null
      ? {}
      : {
          location: {
            x: place.LocationX,
            z: place.LocationZ,
            ...(place.PostalCode == null ? {} : { postalCode: place.PostalCode }),
            ...(place.StreetName == null ? {} : { streetName: streets.of(place.StreetName) }),
            ...(place.BuildingNumber == null ? {} : { buildingNumber: place.BuildingNumber }),
          },
        }),
  };
}

const NOBODY: ReadonlyMap<number, string> = new Map();
/** All servers have the same map. */
const streets = new SharedTexts();

/** Three maps; an empty one arrives as `[]`. */
function staff(wire: unknown): Rows<Staff> | undefined {
  if (Array.isArray(wire) && wire.length === 0)
    return { value: { admins: NOBODY, mods: NOBODY, helpers: NOBODY }, skipped: 0 };
  const parsed = staffMaps.safeParse(wire);
  if (!parsed.success) return undefined;
  let skipped = 0;
  const members = (map: unknown): ReadonlyMap<number, string> => {
    const read = new Map<number, string>();
    if (typeof map !== "object" || map === null) return read;
    for (const [id, name] of Object.entries(map)) {
      const member = Array.isArray(map) ? undefined : wholeId(id);
      if (typeof name === "string" && member !== undefined) read.set(member, name);
      else skipped += 1;
    }
    return read.size === 0 ? NOBODY : read;
  };
  const { Admins, Mods, Helpers } = parsed.data;
  const value = { admins: members(Admins), mods: members(Mods), helpers: members(Helpers) };
  return { value, skipped };
}

function emergencyCall(row: z.output<typeof emergencyRow>): EmergencyCall | undefined {
  const startedAtS = epochS(row.StartedAt);
  if (startedAtS === undefined) return undefined;
  return {
    team: row.Team,
    unitIds: ids(row.Players),
    startedAtS,
    callNumber: row.CallNumber,
    ...(row.Caller == null ? {} : { callerId: row.Caller }),
    ...(row.Position == null ? {} : { position: row.Position }),
    ...(row.Description == null ? {} : { description: row.Description }),
    ...(row.PositionDescriptor == null ? {} : { positionDescriptor: row.PositionDescriptor }),
  };
}

function vehicle(row: z.output<typeof vehicleRow>): Vehicle {
  return {
    name: row.Name,
    owner: row.Owner,
    ...(row.Plate == null ? {} : { plate: row.Plate }),
    ...(row.Texture == null ? {} : { texture: row.Texture }),
    ...(row.ColorHex == null ? {} : { colorHex: row.ColorHex }),
    ...(row.ColorName == null ? {} : { colorName: row.ColorName }),
  };
}

/** The queue: rows that name nobody are skipped. */
function readIds(wire: unknown): Rows<readonly number[]> | undefined {
  const listed = listOf(wire);
  if (listed === undefined) return undefined;
  const value = ids(listed);
  return { value, skipped: listed.length - value.length };
}

/** User ids among what a list holds: numbers, digits, or `name:id`. */
function ids(list: readonly unknown[]): readonly number[] {
  const found: number[] = [];
  for (const item of list) {
    const id = idOf(item);
    if (id !== undefined) found.push(id);
  }
  return found;
}

function idOf(item: unknown): number | undefined {
  if (typeof item === "number") return Number.isSafeInteger(item) && item >= 0 ? item : undefined;
  if (typeof item !== "string") return undefined;
  return wholeId(item) ?? playerRef(item)?.id;
}

/** Digits as an id; more of them than a number holds exactly would be the id of somebody else. */
function wholeId(digits: string): number | undefined {
  const id = Number(digits);
  return /^\d+$/.test(digits) && Number.isSafeInteger(id) ? id : undefined;
}
