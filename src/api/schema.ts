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
import { RepeatingJson } from "./http/repeating-json.ts";
import { type LogKind, LogWindow, type RowSchemas, type Rows, readRows } from "./log-rows.ts";

/**
 * The only place that knows the service's spelling. Answers are read row by row: an odd row is skipped and counted, an
 * odd field that nothing hangs on is left out, unknown fields and values pass (design 3).
 */

/** An epoch number above this counts milliseconds (design 3). */
const EPOCH_MS_FROM = 1e12;
const COLON = 58;

function schemas<R>(plain: z.ZodType<R>, patient: z.ZodType<R>): RowSchemas<R> {
  return { plain: z.compile(plain), patient };
}

const text = z.string();
const maybeText = text.nullish();
const oddText = maybeText.catch(undefined);
const digits = z.string().regex(/^\d+$/).transform(Number);
const epoch = z.number();
const oddEpoch = z.union([epoch, digits]);
const userId = z.int().min(0);
const oddUserId = z.union([userId, digits.pipe(userId)]);
const list = z.array(z.unknown());
const count = z.number();

const statusRow = z.compile(
  z.object({
    Name: text,
    OwnerId: oddUserId.catch(0),
    CoOwnerIds: list.catch([]),
    CurrentPlayers: count.catch(0),
    MaxPlayers: count.catch(0),
    JoinKey: text.catch(""),
    AccVerifiedReq: text.catch(""),
    TeamBalance: z.boolean().catch(false),
  }),
);
const location = z.object({
  LocationX: z.number(),
  LocationZ: z.number(),
  PostalCode: maybeText,
  StreetName: maybeText,
  BuildingNumber: maybeText,
});
const oddLocation = location.extend({ PostalCode: oddText, StreetName: oddText, BuildingNumber: oddText });
const playerRow = schemas(
  z.object({
    Player: text,
    Team: text,
    Permission: text,
    Callsign: maybeText,
    Location: location.nullish(),
    WantedStars: count,
  }),
  z.object({
    Player: text,
    Team: text.catch(""),
    Permission: text.catch("Normal"),
    Callsign: oddText,
    Location: oddLocation.nullish().catch(undefined),
    WantedStars: count.catch(0),
  }),
);
const joinRow = schemas(
  z.object({ Join: z.boolean(), Timestamp: epoch, Player: text }),
  z.object({ Join: z.boolean(), Timestamp: oddEpoch, Player: text }),
);
const killRow = schemas(
  z.object({ Killed: text, Killer: text, Timestamp: epoch }),
  z.object({ Killed: text, Killer: text, Timestamp: oddEpoch }),
);
const commandRow = schemas(
  z.object({ Player: text, Timestamp: epoch, Command: text }),
  z.object({ Player: text, Timestamp: oddEpoch, Command: text }),
);
const modCallRow = schemas(
  z.object({ Caller: text, Timestamp: epoch, Moderator: maybeText }),
  z.object({ Caller: text, Timestamp: oddEpoch, Moderator: oddText }),
);
const position = z.tuple([z.number(), z.number()]);
const emergencyRow = schemas(
  z.object({
    Team: text,
    StartedAt: epoch,
    CallNumber: count,
    Caller: userId.nullish(),
    Players: list,
    Position: position.nullish(),
    Description: maybeText,
    PositionDescriptor: maybeText,
  }),
  z.object({
    Team: text,
    StartedAt: oddEpoch,
    CallNumber: count,
    Caller: oddUserId.nullish().catch(undefined),
    Players: list.catch([]),
    Position: position.nullish().catch(undefined),
    Description: oddText,
    PositionDescriptor: oddText,
  }),
);
const vehicleRow = schemas(
  z.object({
    Name: text,
    Owner: text,
    Plate: maybeText,
    Texture: maybeText,
    ColorHex: maybeText,
    ColorName: maybeText,
  }),
  z.object({
    Name: text,
    Owner: text,
    Plate: oddText,
    Texture: oddText,
    ColorHex: oddText,
    ColorName: oddText,
  }),
);
const queueRow = schemas(userId, oddUserId);
const staffMaps = z.object({
  Admins: z.unknown().optional(),
  Mods: z.unknown().optional(),
  Helpers: z.unknown().optional(),
});
const commandAnswer = z.object({ message: text.catch(""), commandId: oddText });

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

const JOINS: LogKind<z.output<typeof joinRow.plain>, JoinEntry> = {
  schemas: joinRow,
  entry: (row) => {
    const atS = epochS(row.Timestamp);
    const who = playerRef(row.Player);
    if (atS === undefined || who === undefined) return undefined;
    return { kind: "join", atS, player: who, joined: row.Join };
  },
};
const KILLS: LogKind<z.output<typeof killRow.plain>, KillEntry> = {
  schemas: killRow,
  entry: (row) => {
    const atS = epochS(row.Timestamp);
    const killer = playerRef(row.Killer);
    const killed = playerRef(row.Killed);
    if (atS === undefined || killer === undefined || killed === undefined) return undefined;
    return { kind: "kill", atS, killer, killed };
  },
};
const COMMANDS: LogKind<z.output<typeof commandRow.plain>, CommandEntry> = {
  schemas: commandRow,
  entry: (row) => {
    const atS = epochS(row.Timestamp);
    const who = playerRef(row.Player);
    if (atS === undefined || who === undefined) return undefined;
    return { kind: "command", atS, player: who, text: row.Command };
  },
};
const MOD_CALLS: LogKind<z.output<typeof modCallRow.plain>, ModCallEntry> = {
  schemas: modCallRow,
  entry: (row) => {
    const atS = epochS(row.Timestamp);
    const caller = playerRef(row.Caller);
    const moderator = typeof row.Moderator === "string" ? playerRef(row.Moderator) : undefined;
    if (atS === undefined || caller === undefined) return undefined;
    return moderator === undefined
      ? { kind: "modCall", atS, caller }
      : { kind: "modCall", atS, caller, moderator };
  },
};

/** The logs of one source as its latest answer showed them. */
export class LogMemory {
  readonly json = new RepeatingJson(["JoinLogs", "KillLogs", "CommandLogs", "ModCalls"]);
  readonly joinLogs = new LogWindow(JOINS);
  readonly killLogs = new LogWindow(KILLS);
  readonly commandLogs = new LogWindow(COMMANDS);
  readonly modCalls = new LogWindow(MOD_CALLS);
}

const READERS: {
  readonly [L in ListName]: (wire: unknown, memory: LogMemory) => Rows<Lists[L]> | undefined;
} = {
  players: (wire) => readRows(wire, playerRow, player),
  staff,
  joinLogs: (wire, memory) => memory.joinLogs.read(wire),
  queue: (wire) => readRows(wire, queueRow, (id) => id),
  killLogs: (wire, memory) => memory.killLogs.read(wire),
  commandLogs: (wire, memory) => memory.commandLogs.read(wire),
  modCalls: (wire, memory) => memory.modCalls.read(wire),
  emergencyCalls: (wire) => readRows(wire, emergencyRow, emergencyCall),
  vehicles: (wire) => readRows(wire, vehicleRow, vehicle),
};

/** `name:id`; a bare name has no id ("Remote Server", design 3). Undefined when there is no name. */
export function playerRef(value: string): PlayerRef | undefined {
  // Runs for each name of each row: one pass from the end, in small whole numbers, costs a third of lastIndexOf and
  // Number. An id has at most 16 digits: 8 low ones, the others high.
  let low = 0;
  let high = 0;
  let scale = 1;
  let at = value.length - 1;
  for (; at >= 0; at--) {
    const digit = value.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    const place = value.length - 1 - at;
    if (place === 8) scale = 1;
    if (place < 8) low += digit * scale;
    else high += digit * scale;
    scale *= 10;
  }
  const digits = value.length - 1 - at;
  if (at < 0 || value.charCodeAt(at) !== COLON || digits > 16) return bareName(value);
  const name = value.slice(0, at);
  if (isBlank(name)) return undefined;
  if (digits === 0) return { name };
  const id = high * 1e8 + low;
  return Number.isSafeInteger(id) ? { name, id } : { name };
}

function bareName(name: string): PlayerRef | undefined {
  return isBlank(name) ? undefined : { name };
}

function isBlank(name: string): boolean {
  return name.charCodeAt(0) > 32 ? false : name.trim() === "";
}

/** Epoch seconds of a time that counts seconds or milliseconds; undefined when it is no time. */
function epochS(value: number): number | undefined {
  if (!(value > 0) || value === Number.POSITIVE_INFINITY) return undefined;
  return Math.floor(value > EPOCH_MS_FROM ? value / 1_000 : value);
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
 * would mean that the game server restarted. `memory`: of this source, whose `json` read the answer; it is brought up to
 * date.
 */
export function readLists(
  wire: unknown,
  asked: readonly ListName[],
  memory: LogMemory = new LogMemory(),
): { readonly lists: Partial<Lists>; readonly skippedRows: Partial<Record<ListName, number>> } {
  const fields = wire as Readonly<Record<string, unknown>>;
  const lists: { -readonly [L in ListName]?: Lists[L] } = {};
  const skippedRows: Partial<Record<ListName, number>> = {};
  const take = <L extends ListName>(name: L) => {
    const read = READERS[name](fields[LIST_FIELDS[name]], memory);
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

function player(row: z.output<typeof playerRow.plain>): Player | undefined {
  const who = playerRef(row.Player);
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
            ...(place.StreetName == null ? {} : { streetName: place.StreetName }),
            ...(place.BuildingNumber == null ? {} : { buildingNumber: place.BuildingNumber }),
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

function emergencyCall(row: z.output<typeof emergencyRow.plain>): EmergencyCall | undefined {
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

function vehicle(row: z.output<typeof vehicleRow.plain>): Vehicle {
  return {
    name: row.Name,
    owner: row.Owner,
    ...(row.Plate == null ? {} : { plate: row.Plate }),
    ...(row.Texture == null ? {} : { texture: row.Texture }),
    ...(row.ColorHex == null ? {} : { colorHex: row.ColorHex }),
    ...(row.ColorName == null ? {} : { colorName: row.ColorName }),
  };
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
  if (typeof item === "number") return Number.isSafeInteger(item) ? item : undefined;
  if (typeof item !== "string") return undefined;
  return /^\d+$/.test(item) ? Number(item) : playerRef(item)?.id;
}
