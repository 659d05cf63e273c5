import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { playerRef } from "../../src/api/rows/player-ref.ts";
import { readCommandAnswer, readLists, readStatus } from "../../src/api/schema.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { ListName } from "../../src/domain/model.ts";

const everything: readonly ListName[] = [
  "players",
  "staff",
  "joinLogs",
  "queue",
  "killLogs",
  "commandLogs",
  "modCalls",
  "emergencyCalls",
  "vehicles",
];

/** The published example of an answer with all lists. */
const example = {
  Name: "API Test",
  OwnerId: 123,
  CoOwnerIds: [124],
  CurrentPlayers: 1,
  MaxPlayers: 40,
  JoinKey: "APIServer",
  AccVerifiedReq: "Disabled",
  TeamBalance: true,
  Players: [
    {
      Team: "Sheriff",
      Player: "PlayerName:123",
      Callsign: "5D-550",
      Location: {
        LocationX: 1084.965,
        LocationZ: 2302.28,
        PostalCode: "218",
        StreetName: "Park Street",
        BuildingNumber: "2083",
      },
      Permission: "Server Administrator",
      WantedStars: 0,
    },
  ],
  Staff: { Admins: { "54249787": "Black_Hallow" }, Mods: { "2": "JohnDoe" }, Helpers: [] },
  JoinLogs: [{ Join: true, Timestamp: 1704614400, Player: "PlayerName:123" }],
  Queue: [123],
  KillLogs: [{ Killed: "A:1", Timestamp: 1704614400, Killer: "B:2" }],
  CommandLogs: [{ Player: "Remote Server", Timestamp: 1704614400, Command: ":h hi" }],
  ModCalls: [
    { Caller: "A:1", Moderator: "M:9", Timestamp: 1704614400 },
    { Caller: "B:2", Timestamp: 1704614401 },
    { Caller: "C:3", Moderator: null, Timestamp: 1704614402 },
  ],
  EmergencyCalls: [
    {
      Team: "Police",
      Caller: 168691872,
      Players: [5, "6", "Seven:7", null],
      Position: [-654.6, 666.5],
      StartedAt: 1774216563,
      CallNumber: 400,
      Description: null,
      PositionDescriptor: "by the bank",
    },
  ],
  Vehicles: [{ Name: "Fire Engine", Owner: "Shawnyg", Plate: "ABC-123", Texture: null, ColorHex: "#ff4444" }],
};

test("reads the published example, every list of it", () => {
  const { lists, skippedRows } = readLists(example, everything);
  assert.deepEqual(skippedRows, {});
  assert.deepEqual(lists.players?.[0], {
    player: { name: "PlayerName", id: 123 },
    team: "Sheriff",
    permission: "Server Administrator",
    callsign: "5D-550",
    wantedStars: 0,
    location: {
      x: 1084.965,
      z: 2302.28,
      postalCode: "218",
      streetName: "Park Street",
      buildingNumber: "2083",
    },
  });
  assert.deepEqual([...(lists.staff?.admins ?? [])], [[54249787, "Black_Hallow"]]);
  assert.equal(lists.staff?.helpers.size, 0);
  assert.deepEqual(lists.joinLogs, [
    { kind: "join", atS: 1704614400, player: { name: "PlayerName", id: 123 }, joined: true },
  ]);
  assert.deepEqual(lists.queue, [123]);
  assert.deepEqual(lists.commandLogs?.[0]?.player, { name: "Remote Server" });
  assert.deepEqual(
    lists.modCalls?.map((call) => call.moderator),
    [{ name: "M", id: 9 }, undefined, undefined],
  );
  assert.deepEqual(lists.emergencyCalls?.[0], {
    team: "Police",
    callerId: 168691872,
    unitIds: [5, 6, 7],
    position: [-654.6, 666.5],
    startedAtS: 1774216563,
    callNumber: 400,
    positionDescriptor: "by the bank",
  });
  assert.deepEqual(lists.vehicles, [
    { name: "Fire Engine", owner: "Shawnyg", plate: "ABC-123", colorHex: "#ff4444" },
  ]);
  assert.deepEqual(readStatus(example), {
    name: "API Test",
    ownerId: 123,
    coOwnerIds: [124],
    currentPlayers: 1,
    maxPlayers: 40,
    joinKey: "APIServer",
    accVerifiedReq: "Disabled",
    teamBalance: true,
  });
});

test("an odd row is skipped and counted, the others stay", () => {
  const rows = [
    { Join: true, Timestamp: 1, Player: "A:1" },
    { Join: true, Player: "B:2" },
    { Join: "yes", Timestamp: 1, Player: "C:3" },
    null,
    { Join: false, Timestamp: 2, Player: ":4" },
    { Join: false, Timestamp: 3, Player: "D:4", Unknown: [1, { of: "x" }] },
  ];
  const { lists, skippedRows } = readLists({ JoinLogs: rows }, ["joinLogs"]);
  assert.deepEqual(
    lists.joinLogs?.map((entry) => entry.player.name),
    ["A", "D"],
  );
  assert.deepEqual(skippedRows, { joinLogs: 4 });
});

test("a field that nothing hangs on does not cost its row", () => {
  const Players = [{ Player: "A:1", Callsign: null, Location: { LocationX: "?" }, WantedStars: null }];
  const { lists } = readLists({ Players }, ["players"]);
  assert.deepEqual(lists.players, [
    { player: { name: "A", id: 1 }, team: "", permission: "", wantedStars: 0 },
  ]);
});

test("a number of players that cannot be read is the length of their list, where that is shown", () => {
  const Players = [{ Player: "A:1" }, { Player: "B:2" }];
  for (const CurrentPlayers of [undefined, null, "2"]) {
    assert.equal(readStatus({ ...example, CurrentPlayers, Players }).currentPlayers, 2);
  }
  assert.equal(readStatus({ ...example, CurrentPlayers: 3, Players }).currentPlayers, 3);
  assert.equal(readStatus({ Name: "API Test" }).currentPlayers, 0);
});

test("a list that is missing or no list is left out, not read as empty", () => {
  const { lists } = readLists({ JoinLogs: null, KillLogs: "none", ModCalls: {} }, [
    "joinLogs",
    "killLogs",
    "modCalls",
    "commandLogs",
  ]);
  assert.deepEqual(lists, { modCalls: [] });
});

test("lists that were not asked for are not read", () => {
  assert.deepEqual(Object.keys(readLists(example, ["queue"]).lists), ["queue"]);
});

test("milliseconds and digits in strings are epoch seconds too", () => {
  const at = (Timestamp: unknown) =>
    readLists({ JoinLogs: [{ Join: true, Timestamp, Player: "A:1" }] }, ["joinLogs"]).lists.joinLogs?.[0]
      ?.atS;
  assert.equal(at(1704614400), 1704614400);
  assert.equal(at(1704614400123), 1704614400);
  assert.equal(at("1704614400"), 1704614400);
  assert.equal(at(1704614400.9), 1704614400);
  assert.equal(at(-1), undefined);
  assert.equal(at(Number.NaN), undefined);
});

test("Staff as an empty array, as maps that are arrays, and with odd members", () => {
  const staff = (Staff: unknown) => readLists({ Staff }, ["staff"]);
  assert.equal(staff([]).lists.staff?.admins.size, 0);
  assert.equal(staff({ Admins: [], Mods: {}, Helpers: null }).lists.staff?.mods.size, 0);
  const odd = staff({ Admins: { "1": "A", x: "B", "2": 7 } });
  assert.deepEqual([...(odd.lists.staff?.admins ?? [])], [[1, "A"]]);
  assert.deepEqual(odd.skippedRows, { staff: 2 });
});

test("an id that a number cannot hold exactly is nobody's: it would be read as somebody else's", () => {
  const id = "9007199254740993";
  const wire = {
    Name: "x",
    CoOwnerIds: [id, "7"],
    Staff: { Mods: { [id]: "A", "7": "B" } },
    Queue: [id, "7"],
  };
  assert.deepEqual(readStatus(wire).coOwnerIds, [7]);
  const { lists, skippedRows } = readLists(wire, ["staff", "queue"]);
  assert.deepEqual([...(lists.staff?.mods ?? [])], [[7, "B"]]);
  assert.deepEqual(lists.queue, [7]);
  assert.deepEqual(skippedRows, { staff: 1, queue: 1 });
});

test("what is no server's status is a bad response, odd optional fields are not", () => {
  for (const wire of [{}, [], { Name: 7 }])
    assert.throws(
      () => readStatus(wire),
      (error) => error instanceof Failure && error.code === "bad-response",
    );
  const status = readStatus({ Name: "X", OwnerId: "12", CoOwnerIds: null, TeamBalance: "no" });
  assert.deepEqual([status.ownerId, status.coOwnerIds, status.teamBalance], [12, [], false]);
});

test("a command's answer is its message, whatever else it holds", () => {
  assert.deepEqual(readCommandAnswer({ message: "Success" }), { message: "Success" });
  assert.deepEqual(readCommandAnswer({ message: "x", commandId: "id-1", more: 1 }), {
    message: "x",
    commandId: "id-1",
  });
  assert.deepEqual(readCommandAnswer([]), { message: "" });
});

test("name:id is split at the last colon; any name and id survive", () => {
  assert.deepEqual(playerRef("a:b:12"), { name: "a:b", id: 12 });
  assert.deepEqual(playerRef("a:b"), { name: "a:b" });
  assert.deepEqual(playerRef("a:"), { name: "a" });
  assert.equal(playerRef(""), undefined);
  assert.equal(playerRef(" :5"), undefined);
  const names = fc.string({ minLength: 1 }).filter((name) => name.trim() !== "");
  fc.assert(
    fc.property(names, fc.nat(), (name, id) => {
      assert.deepEqual(playerRef(`${name}:${id}`), { name, id });
    }),
    { numRuns: 300 },
  );
});

test("any JSON is read without a throw", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const wire = Object.fromEntries(
        ["Players", "Staff", "JoinLogs", "Queue", "KillLogs", "CommandLogs", "ModCalls", "Vehicles"].map(
          (key) => [key, value],
        ),
      );
      readLists(wire, everything);
      readLists({ JoinLogs: [value, { Player: value, Timestamp: value, Join: value }] }, ["joinLogs"]);
    }),
    { numRuns: 300 },
  );
});
