import type { Fate } from "./faults.ts";
import type { Player, Role } from "./town/player.ts";
import { REMOTE_SERVER, refText } from "./town/record.ts";
import type { World } from "./town/world.ts";

/** The optional lists of v2, by their query parameter (spec: GET /v2/server). */
export const OPTIONAL_LISTS = [
  "Players",
  "Staff",
  "JoinLogs",
  "Queue",
  "KillLogs",
  "CommandLogs",
  "ModCalls",
  "EmergencyCalls",
  "Vehicles",
] as const;
type ListName = (typeof OPTIONAL_LISTS)[number];

type Row = Record<string, unknown>;

/** How a town is shown: the bare specification or the facts, and what is wrong with the showing. */
export interface View {
  readonly strictSpec: boolean;
  readonly fate: Fate;
}

/** The base fields (spec: Server status). */
export function baseFields(world: World, view: View): Row {
  const { info } = world;
  const { unknownFields, unknownValues } = view.fate.settings;
  return {
    Name: info.name,
    OwnerId: info.ownerId,
    CoOwnerIds: info.coOwnerIds,
    CurrentPlayers: world.players.length,
    MaxPlayers: info.maxPlayers,
    JoinKey: info.joinKey,
    AccVerifiedReq: unknownValues ? "Passkey" : info.accVerifiedReq,
    TeamBalance: info.teamBalance,
    ...(unknownFields ? { Region: { Continent: "EU", Zone: 3 } } : {}),
  };
}

/** The base fields and the lists that were asked for, each only when its parameter is `true` (spec: GET /v2/server). */
export function statusV2(world: World, view: View, query: URLSearchParams): Row {
  const body = baseFields(world, view);
  for (const name of OPTIONAL_LISTS) if (query.get(name) === "true") body[name] = LISTS[name](world, view);
  return body;
}

const LISTS: Readonly<Record<ListName, (world: World, view: View) => unknown>> = {
  Players: (world, view) =>
    rows(
      view,
      world.players.map((player) => playerRow(world, view, player)),
    ),
  Staff: staffMaps,
  JoinLogs: (world, view) =>
    log(view, served(world, "joins"), (entry) => ({
      Join: entry.join,
      Timestamp: stamp(view, entry.atS),
      Player: entry.player,
    })),
  Queue: (world) => world.queue.map((ref) => ref.id),
  KillLogs: (world, view) =>
    log(view, served(world, "kills"), (entry) => ({
      Killed: entry.killed,
      Timestamp: stamp(view, entry.atS),
      Killer: entry.killer,
    })),
  CommandLogs: (world, view) =>
    log(view, served(world, "commands"), (entry) => ({
      // The specification knows only `name:id`; the service shows its own commands without an id.
      Player: entry.remote && !view.strictSpec ? REMOTE_SERVER.name : entry.player,
      Timestamp: stamp(view, entry.atS),
      Command: entry.command,
    })),
  ModCalls: modCallRows,
  EmergencyCalls: emergencyRows,
  Vehicles: vehicleRows,
};

const FAR_FUTURE_S = 4_000_000_000;

const PERMISSIONS: Readonly<Record<Role, string>> = {
  owner: "Server Owner",
  "co-owner": "Server Co-Owner",
  admin: "Server Administrator",
  mod: "Server Moderator",
  helper: "Server Helper",
};

// The specification's four values only: a co-owner may what an administrator may, a helper is no moderator.
const STRICT_PERMISSIONS: Readonly<Record<Role, string>> = {
  ...PERMISSIONS,
  "co-owner": "Server Administrator",
  helper: "Normal",
};

function playerRow(world: World, view: View, player: Player): Row {
  const { unknownValues } = view.fate.settings;
  const role = world.staff.get(player.ref.id)?.role;
  const permission = role ? (view.strictSpec ? STRICT_PERMISSIONS : PERMISSIONS)[role] : "Normal";
  const place = world.placeOf(player);
  return {
    Team: unknownValues ? "Ranger" : player.team,
    Player: refText(player.ref),
    Callsign: player.callsign ?? (view.strictSpec ? "" : null),
    Location: {
      LocationX: place.x,
      LocationZ: place.z,
      PostalCode: place.postalCode,
      StreetName: place.streetName,
      BuildingNumber: place.buildingNumber,
    },
    Permission: unknownValues ? "Server Overseer" : permission,
    WantedStars: player.wantedStars,
  };
}

function staffMaps(world: World, view: View): Row {
  const map = (role: Role): unknown => {
    const members = [...world.staff].filter(([, member]) => member.role === role);
    if (members.length === 0 && view.fate.settings.emptyMapAsArray) return [];
    return Object.fromEntries(members.map(([id, member]) => [String(id), member.name]));
  };
  return { Admins: map("admin"), Mods: map("mod"), Helpers: map("helper") };
}

function modCallRows(world: World, view: View): Row[] {
  const style = view.fate.settings.moderator;
  const calls = served(world, "modCalls");
  // Where every field must be there, a call is listed from its answer on.
  const listed = style === "hidden" ? calls.filter((call) => call.moderator !== undefined) : calls;
  return log(view, listed, (call) => ({
    Caller: call.caller,
    ...(call.moderator !== undefined
      ? { Moderator: call.moderator }
      : style === "null"
        ? { Moderator: null }
        : {}),
    Timestamp: stamp(view, call.atS),
  }));
}

function emergencyRows(world: World, view: View): Row[] {
  const { settings, random } = view.fate;
  const units = (players: readonly number[]) =>
    settings.logOrder === "shuffled" ? random.shuffled(players) : players;
  const calls = world.openCalls.map((call) => ({
    Team: view.fate.settings.unknownValues ? "Ranger" : call.team,
    Caller: call.caller,
    Players: units(call.players),
    Position: call.position,
    StartedAt: stamp(view, call.startedAtS),
    CallNumber: call.callNumber,
    Description: call.description ?? (view.strictSpec ? "" : null),
    PositionDescriptor: call.positionDescriptor ?? (view.strictSpec ? "" : null),
  }));
  return rows(view, calls);
}

function vehicleRows(world: World, view: View): Row[] {
  const vehicles = world.players.flatMap((player) => (player.vehicle ? [player.vehicle] : []));
  const shown = vehicles.map((vehicle) => ({
    Name: view.fate.settings.unknownValues ? "2099 Unheard Hovercar" : vehicle.name,
    Owner: vehicle.owner,
    Plate: vehicle.plate,
    Texture: vehicle.texture ?? (view.strictSpec ? "Standard" : null),
    ColorHex: vehicle.colour?.hex ?? (view.strictSpec ? "#ffffff" : null),
    ColorName: vehicle.colour?.name ?? (view.strictSpec ? "White" : null),
  }));
  return rows(view, shown);
}

/** The rows of a log that the game server still holds, oldest first. */
function served<K extends keyof World["windows"]>(world: World, kind: K): World["record"][K] {
  const entries = world.record[kind];
  const from = Math.max(world.cleared[kind], entries.length - world.windows[kind]);
  return entries.slice(from) as World["record"][K];
}

/** A log in the order that is served; the entries come oldest first. */
function log<T>(view: View, entries: readonly T[], show: (entry: T) => Row): Row[] {
  const { logOrder } = view.fate.settings;
  const shown = entries.map(show);
  if (logOrder === "newest") shown.reverse();
  return rows(view, logOrder === "shuffled" ? view.fate.random.shuffled(shown) : shown);
}

/** Odd rows: with an unknown field, or without one that should be there. */
function rows(view: View, list: Row[]): Row[] {
  const { unknownFields, missingField } = view.fate.settings;
  if (!unknownFields && missingField <= 0) return list;
  return list.map((row) => {
    const shown: Row = unknownFields ? { ...row, Extra: [1, { of: "something" }] } : { ...row };
    if (view.fate.random.chance(missingField)) delete shown[view.fate.random.pick(Object.keys(row))];
    return shown;
  });
}

/** As the service shows a second; some lie in the far future, chosen by the second itself so that a row stays odd. */
function stamp(view: View, seconds: number): number {
  const { farFuture, milliseconds } = view.fate.settings;
  const drawn = (Math.imul(seconds, 2_654_435_761) >>> 0) / 4_294_967_296;
  const shown = drawn < farFuture ? FAR_FUTURE_S : seconds;
  return milliseconds ? shown * 1_000 : shown;
}
