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
  PlayerRef,
  ServerStatus,
  Staff,
  Vehicle,
} from "../domain/model.ts";

/**
 * The only place that knows the service's spelling. Answers are read row by row: an odd row is skipped and counted, an
 * odd field that nothing hangs on is left out, unknown fields and values pass (design 3). Compiled once, since each poll
 * reads hundreds of rows.
 */

/** An epoch number above this counts milliseconds (design 3). */
const EPOCH_MS_FROM = 1e12;

const text = z.string();
const maybeText = z.string().optional().catch(undefined);
const ref = z
  .string()
  .min(1)
  .transform((value, context): PlayerRef => {
    const read = playerRef(value);
    if (read !== undefined) return read;
    context.addIssue({ code: "custom", message: "no name" });
    return z.NEVER;
  });
const epochS = z
  .union([z.number(), z.string().regex(/^\d+(\.\d+)?$/)])
  .transform(Number)
  .refine((value) => Number.isFinite(value) && value > 0)
  .transform((value) => Math.floor(value > EPOCH_MS_FROM ? value / 1_000 : value));
const userId = z
  .union([z.number(), z.string().regex(/^\d+$/)])
  .transform(Number)
  .pipe(z.int().min(0));
const count = z.number().catch(0);

const statusRow = z.object({
  Name: text,
  OwnerId: userId.catch(0),
  CoOwnerIds: z.array(z.unknown()).catch([]),
  CurrentPlayers: count,
  MaxPlayers: count,
  JoinKey: text.catch(""),
  AccVerifiedReq: text.catch(""),
  TeamBalance: z.boolean().catch(false),
});
const locationRow = z.object({
  LocationX: z.number(),
  LocationZ: z.number(),
  PostalCode: maybeText,
  StreetName: maybeText,
  BuildingNumber: maybeText,
});
const playerRow = z.object({
  Player: ref,
  Team: text.catch(""),
  Permission: text.catch("Normal"),
  Callsign: maybeText,
  Location: locationRow.optional().catch(undefined),
  WantedStars: count,
});
const joinRow = z.object({ Join: z.boolean(), Timestamp: epochS, Player: ref });
const killRow = z.object({ Killed: ref, Killer: ref, Timestamp: epochS });
const commandRow = z.object({ Player: ref, Timestamp: epochS, Command: text });
const modCallRow = z.object({ Caller: ref, Timestamp: epochS, Moderator: ref.optional().catch(undefined) });
const emergencyRow = z.object({
  Team: text,
  StartedAt: epochS,
  CallNumber: z.number(),
  Caller: userId.optional().catch(undefined),
  Players: z.array(z.unknown()).catch([]),
  Position: z.tuple([z.number(), z.number()]).optional().catch(undefined),
  Description: maybeText,
  PositionDescriptor: maybeText,
});
const vehicleRow = z.object({
  Name: text,
  Owner: text,
  Plate: maybeText,
  Texture: maybeText,
  ColorHex: maybeText,
  ColorName: maybeText,
});
const staffMaps = z.object({
  Admins: z.unknown().optional(),
  Mods: z.unknown().optional(),
  Helpers: z.unknown().optional(),
});
const commandAnswer = z.object({ message: text.catch(""), commandId: maybeText });

/** A list as read, and how many of its rows could not be. */
interface Rows<T> {
  readonly value: T;
  readonly skipped: number;
}

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

const READERS: { readonly [L in ListName]: (wire: unknown) => Rows<Lists[L]> | undefined } = {
  players: (wire) => rows(wire, playerRow, player),
  staff,
  joinLogs: (wire) =>
    rows(
      wire,
      joinRow,
      (row): JoinEntry => ({
        kind: "join",
        atS: row.Timestamp,
        player: row.Player,
        joined: row.Join,
      }),
    ),
  queue: (wire) => rows(wire, userId, (id) => id),
  killLogs: (wire) =>
    rows(
      wire,
      killRow,
      (row): KillEntry => ({
        kind: "kill",
        atS: row.Timestamp,
        killer: row.Killer,
        killed: row.Killed,
      }),
    ),
  commandLogs: (wire) =>
    rows(
      wire,
      commandRow,
      (row): CommandEntry => ({
        kind: "command",
        atS: row.Timestamp,
        player: row.Player,
        text: row.Command,
      }),
    ),
  modCalls: (wire) =>
    rows(
      wire,
      modCallRow,
      (row): ModCallEntry => ({
        kind: "modCall",
        atS: row.Timestamp,
        caller: row.Caller,
        ...(row.Moderator === undefined ? {} : { moderator: row.Moderator }),
      }),
    ),
  emergencyCalls: (wire) => rows(wire, emergencyRow, emergencyCall),
  vehicles: (wire) => rows(wire, vehicleRow, vehicle),
};

/** `name:id`; a bare name has no id ("Remote Server", design 3). Undefined when there is no name. */
export function playerRef(value: string): PlayerRef | undefined {
  const colon = value.lastIndexOf(":");
  const digits = colon < 0 ? "" : value.slice(colon + 1);
  const id = /^\d{1,16}$/.test(digits) ? Number(digits) : undefined;
  const name = id === undefined && digits !== "" ? value : value.slice(0, colon < 0 ? undefined : colon);
  if (name.trim() === "") return undefined;
  return id === undefined || !Number.isSafeInteger(id) ? { name } : { name, id };
}

/** The base fields. Failure "bad-response" when this is no server's status. */
export function readStatus(wire: unknown): ServerStatus {
  const parsed = statusRow.safeParse(wire);
  if (!parsed.success)
    throw new Failure("bad-response", "The service's answer is not a server's status.", {
      cause: parsed.error,
    });
  const row = parsed.data;
  return {
    name: row.Name,
    ownerId: row.OwnerId,
    coOwnerIds: ids(row.CoOwnerIds),
    currentPlayers: row.CurrentPlayers,
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
  const fields: Readonly<Record<string, unknown>> = { ...(wire as object) };
  const lists: { -readonly [L in ListName]?: Lists[L] } = {};
  const skippedRows: Partial<Record<ListName, number>> = {};
  const take = <L extends ListName>(name: L) => {
    const read = READERS[name](fields[LIST_FIELDS[name]]);
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
  return commandId === undefined ? { message } : { message, commandId };
}

function rows<S extends z.ZodType, T>(
  wire: unknown,
  schema: S,
  read: (row: z.output<S>) => T,
): Rows<readonly T[]> | undefined {
  const list = listOf(wire);
  if (list === undefined) return undefined;
  const value: T[] = [];
  for (const row of list) {
    const parsed = schema.safeParse(row);
    if (parsed.success) value.push(read(parsed.data));
  }
  return { value, skipped: list.length - value.length };
}

/** An array; `{}` is how some write an empty one. */
function listOf(wire: unknown): readonly unknown[] | undefined {
  if (Array.isArray(wire)) return wire;
  const isEmptyMap = typeof wire === "object" && wire !== null && Object.keys(wire).length === 0;
  return isEmptyMap ? [] : undefined;
}

function player(row: z.output<typeof playerRow>): Player {
  const place = row.Location;
  return {
    player: row.Player,
    team: row.Team,
    permission: row.Permission,
    wantedStars: row.WantedStars,
    ...(row.Callsign === undefined ? {} : { callsign: row.Callsign }),
    ...(place === undefined
      ? {}
      : {
          location: {
            x: place.LocationX,
            z: place.LocationZ,
            ...(place.PostalCode === undefined ? {} : { postalCode: place.PostalCode }),
            ...(place.StreetName === undefined ? {} : { streetName: place.StreetName }),
            ...(place.BuildingNumber === undefined ? {} : { buildingNumber: place.BuildingNumber }),
          },
        }),
  };
}

/** Three maps; an empty one arrives as `[]` (design 3). */
function staff(wire: unknown): Rows<Staff> | undefined {
  if (Array.isArray(wire) && wire.length === 0)
    return { value: { admins: new Map(), mods: new Map(), helpers: new Map() }, skipped: 0 };
  const parsed = staffMaps.safeParse(wire);
  if (!parsed.success) return undefined;
  let skipped = 0;
  const members = (map: unknown): ReadonlyMap<number, string> => {
    const read = new Map<number, string>();
    if (typeof map !== "object" || map === null) return read;
    for (const [id, name] of Object.entries(map)) {
      if (typeof name === "string" && /^\d+$/.test(id) && !Array.isArray(map)) read.set(Number(id), name);
      else skipped += 1;
    }
    return read;
  };
  const { Admins, Mods, Helpers } = parsed.data;
  const value = { admins: members(Admins), mods: members(Mods), helpers: members(Helpers) };
  return { value, skipped };
}

function emergencyCall(row: z.output<typeof emergencyRow>): EmergencyCall {
  return {
    team: row.Team,
    unitIds: ids(row.Players),
    startedAtS: row.StartedAt,
    callNumber: row.CallNumber,
    ...(row.Caller === undefined ? {} : { callerId: row.Caller }),
    ...(row.Position === undefined ? {} : { position: row.Position }),
    ...(row.Description === undefined ? {} : { description: row.Description }),
    ...(row.PositionDescriptor === undefined ? {} : { positionDescriptor: row.PositionDescriptor }),
  };
}

function vehicle(row: z.output<typeof vehicleRow>): Vehicle {
  return {
    name: row.Name,
    owner: row.Owner,
    ...(row.Plate === undefined ? {} : { plate: row.Plate }),
    ...(row.Texture === undefined ? {} : { texture: row.Texture }),
    ...(row.ColorHex === undefined ? {} : { colorHex: row.ColorHex }),
    ...(row.ColorName === undefined ? {} : { colorName: row.ColorName }),
  };
}

/** User ids among what a list holds: numbers, digits, or `name:id`. */
function ids(list: readonly unknown[]): readonly number[] {
  return list.flatMap((item) => {
    if (typeof item === "number") return Number.isSafeInteger(item) ? [item] : [];
    if (typeof item !== "string") return [];
    const id = /^\d+$/.test(item) ? Number(item) : playerRef(item)?.id;
    return id === undefined ? [] : [id];
  });
}
