import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ALL_LISTS, bodyOf, KEY, makeRig, type Rig, rowsOf } from "../../support/service-rig.ts";

const PLAYER = /^[\s\S]+:\d+$/;
const EPOCH_S = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) > 1e9 && Number(value) < 1e11;
const text = (value: unknown): boolean => typeof value === "string";
const whole = (value: unknown): boolean => Number.isInteger(value);
const orNull =
  (test: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || test(value);
const player = (value: unknown): boolean => typeof value === "string" && PLAYER.test(value);

const BASE = {
  Name: text,
  OwnerId: whole,
  CoOwnerIds: (value: unknown) => Array.isArray(value) && value.every(whole),
  CurrentPlayers: whole,
  MaxPlayers: whole,
  JoinKey: text,
  AccVerifiedReq: (value: unknown) => ["Disabled", "Email", "Phone/ID"].includes(String(value)),
  TeamBalance: (value: unknown) => typeof value === "boolean",
};

const ROWS: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  Players: {
    Team: text,
    Player: player,
    Callsign: text,
    Location: (value) => fits(value, LOCATION),
    Permission: (value) =>
      ["Normal", "Server Administrator", "Server Owner", "Server Moderator"].includes(String(value)),
    WantedStars: whole,
  },
  JoinLogs: { Join: (value) => typeof value === "boolean", Timestamp: EPOCH_S, Player: player },
  KillLogs: { Killed: player, Timestamp: EPOCH_S, Killer: player },
  CommandLogs: { Player: player, Timestamp: EPOCH_S, Command: text },
  ModCalls: { Caller: player, Moderator: player, Timestamp: EPOCH_S },
  EmergencyCalls: {
    Team: text,
    Caller: whole,
    Players: (value) => Array.isArray(value) && value.every(whole),
    Position: (value) => Array.isArray(value) && value.length === 2 && value.every(Number.isFinite),
    StartedAt: EPOCH_S,
    CallNumber: whole,
    Description: text,
    PositionDescriptor: text,
  },
  Vehicles: {
    Name: text,
    Owner: text,
    Plate: text,
    Texture: text,
    ColorHex: (value) => /^#[0-9a-f]+$/i.test(String(value)),
    ColorName: text,
  },
};

const LOCATION = {
  LocationX: Number.isFinite,
  LocationZ: Number.isFinite,
  PostalCode: text,
  StreetName: text,
  BuildingNumber: text,
};

function fits(value: unknown, shape: Readonly<Record<string, (value: unknown) => boolean>>): boolean {
  if (typeof value !== "object" || value === null) return false;
  const members = Object.entries(value);
  return (
    members.length === Object.keys(shape).length && members.every(([name, member]) => shape[name]?.(member))
  );
}

/** A town an hour into a busy evening, so that every list has rows. */
function livedIn(strictSpec: boolean): Rig {
  const rig = makeRig({ strictSpec, town: { intensity: "frenzy" } });
  rig.clock.ms += 3_600_000;
  const town = rig.service.town(KEY);
  town.emergencyCall();
  rig.command(":h hello");
  return rig;
}

describe("spec, Resources and their fields (strict)", () => {
  const body = bodyOf(livedIn(true).get(ALL_LISTS));

  test("Server status: exactly the eight base fields, of their types", () => {
    assert.ok(fits(bodyOf(makeRig({ strictSpec: true }).get("/v2/server")), BASE));
  });

  test("CurrentPlayers is the number of players in the server now", () => {
    assert.equal(body.CurrentPlayers, rowsOf(body, "Players").length);
  });

  for (const [name, shape] of Object.entries(ROWS))
    test(`${name}: every row has exactly the fields of its table, of their types`, () => {
      const rows = rowsOf(body, name);
      assert.ok(rows.length > 0, "there are rows to look at");
      for (const row of rows) assert.ok(fits(row, shape), JSON.stringify(row));
    });

  test("Staff: three objects that map a user id to a name", () => {
    const staff = body.Staff;
    assert.ok(fits(staff, { Admins: isMap, Mods: isMap, Helpers: isMap }));
  });

  test("an empty map of Staff is an object", () => {
    const rig = makeRig({ strictSpec: true });
    for (const id of [...rig.service.town(KEY).world.staff.keys()])
      rig.service.town(KEY).world.staff.delete(id);
    assert.deepEqual(bodyOf(rig.get("/v2/server?Staff=true")).Staff, {
      Admins: {},
      Mods: {},
      Helpers: {},
    });
  });

  test("Queue: integers, the ids of those who wait", () => {
    const rig = makeRig({
      strictSpec: true,
      town: { info: { maxPlayers: 2 }, initialPlayers: 2, intensity: 0 },
    });
    const waiting = rig.service.town(KEY).join("Late", 4242);
    assert.deepEqual(bodyOf(rig.get("/v2/server?Queue=true")).Queue, [waiting.id]);
  });

  test("the virtual server management's own commands are in `name:id` form", () => {
    const rig = makeRig({ strictSpec: true });
    rig.command(":h hello");
    assert.equal(
      rowsOf(bodyOf(rig.get("/v2/server?CommandLogs=true")), "CommandLogs")[0]?.Player,
      "Remote Server:0",
    );
  });

  test("a mod call is listed once every field is known: from its answer on", () => {
    const rig = makeRig({ strictSpec: true, town: { intensity: 0 } });
    const town = rig.service.town(KEY);
    town.modCall();
    assert.deepEqual(bodyOf(rig.get("/v2/server?ModCalls=true")).ModCalls, []);
    town.answerModCall();
    assert.equal(rowsOf(bodyOf(rig.get("/v2/server?ModCalls=true")), "ModCalls").length, 1);
  });
});

describe("the facts observed at the public service (default)", () => {
  const rig = livedIn(false);
  const body = bodyOf(rig.get(ALL_LISTS));

  test("a command through the service is logged as `Remote Server`, without an id", () => {
    const mine = rowsOf(body, "CommandLogs").filter((row) => row.Command === ":h hello");
    assert.deepEqual(
      mine.map((row) => row.Player),
      ["Remote Server"],
    );
  });

  test("Moderator is absent until a moderator answers; then the same call has it", () => {
    const quiet = makeRig({ town: { intensity: 0 } });
    const town = quiet.service.town(KEY);
    const call = town.modCall();
    const read = () => rowsOf(bodyOf(quiet.get("/v2/server?ModCalls=true")), "ModCalls");
    const before = read();
    assert.deepEqual(before, [{ Caller: call.caller, Timestamp: call.atS }]);
    quiet.clock.ms += 40_000;
    town.answerModCall(call);
    assert.deepEqual(read(), [{ Caller: call.caller, Moderator: call.moderator, Timestamp: call.atS }]);
    assert.match(String(call.moderator), PLAYER);
  });

  test("an empty map of Staff arrives as []", () => {
    const { service, get } = makeRig();
    for (const id of [...service.town(KEY).world.staff.keys()]) service.town(KEY).world.staff.delete(id);
    assert.deepEqual(bodyOf(get("/v2/server?Staff=true")).Staff, { Admins: [], Mods: [], Helpers: [] });
  });

  test("civilians have the callsign null, everyone else one of their team", () => {
    for (const row of rowsOf(body, "Players")) {
      const civil = row.Team === "Civilian" || row.Team === "Jail";
      assert.equal(row.Callsign === null, civil, JSON.stringify(row));
    }
  });

  test("textures and colours may be null, owners are bare names", () => {
    const rows = rowsOf(body, "Vehicles");
    const names = rowsOf(body, "Players").map((row) => String(row.Player).replace(/:\d+$/, ""));
    for (const row of rows) {
      assert.ok(names.includes(String(row.Owner)));
      assert.ok(orNull(text)(row.Texture) && orNull(text)(row.ColorHex) && orNull(text)(row.ColorName));
    }
  });

  test("locations lie on the map of 3121 units a side and have a postal code and a street", () => {
    for (const row of rowsOf(body, "Players")) {
      assert.ok(fits(row.Location, LOCATION));
      const { LocationX: x, LocationZ: z } = Object(row.Location);
      assert.ok(x >= 0 && x <= 3_121 && z >= 0 && z <= 3_121);
    }
  });

  test("permissions also know co-owners and helpers", () => {
    const { service, get } = makeRig({ town: { initialPlayers: 0, intensity: 0 } });
    const town = service.town(KEY);
    for (const [id, { name }] of town.world.staff) town.join(name, id);
    const seen = rowsOf(bodyOf(get("/v2/server?Players=true")), "Players").map((row) => row.Permission);
    assert.deepEqual(
      new Set(seen),
      new Set([
        "Server Owner",
        "Server Co-Owner",
        "Server Administrator",
        "Server Moderator",
        "Server Helper",
      ]),
    );
  });

  test("an ETag is sent, and a 304 never", () => {
    const { get, service } = makeRig({ town: { intensity: 0 } });
    const first = get("/v1/server");
    const etag = first.headers.etag ?? "";
    assert.match(etag, /^W\/".+"$/);
    const again = service.handle({
      method: "GET",
      path: "/v1/server",
      headers: { "server-key": KEY, "if-none-match": etag },
    });
    assert.equal(again.status, 200);
  });
});

function isMap(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([id, name]) => /^\d+$/.test(id) && typeof name === "string");
}
