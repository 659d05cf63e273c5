import assert from "node:assert/strict";
import { test } from "node:test";
import { callersLeftWords, openMatters } from "../../src/discord/render/server/open-calls.ts";
import type { JoinEntry, ModCallEntry, Snapshot, SourceId } from "../../src/domain/model.ts";
import { PackedRows } from "../../src/domain/packed-rows.ts";
import { LatestSnapshots } from "../../src/watch/latest-snapshots.ts";
import { VirtualClock } from "../support/clock.ts";
import { serverStatus } from "../support/server-status.ts";

const joinLogs: readonly JoinEntry[] = [
  { kind: "join", atS: 1_700_000_000, joined: true, player: { name: "Ann 🚓 \ud800", id: 12 } },
  { kind: "join", atS: 1_700_000_000.5, joined: false, player: { name: "" } },
];

const STAFF = {
  admins: new Map([[1, "Ann"]]),
  mods: new Map<number, string>(),
  helpers: new Map<number, string>(),
};

function answerOf(source: string, clock: VirtualClock): Snapshot {
  const players = [{ player: { name: "Ann", id: 12 }, team: "Police", permission: "Normal", wantedStars: 0 }];
  return {
    source: source as SourceId,
    askedAtMs: clock.nowMs(),
    takenAtMs: clock.nowMs(),
    status: serverStatus({ ownerId: 12, coOwnerIds: [1, 3] }),
    skippedRows: {},
    lists: { joinLogs, players, staff: STAFF },
  };
}

test("an owner whom an answer named is named also when a restart of the game server has emptied its lists, unless owners changed", () => {
  const clock = new VirtualClock();
  const snapshots = new LatestSnapshots({ client: { read: () => assert.fail("read") } as never, clock });
  const first = answerOf("a", clock);
  snapshots.record(first, clock.monotonicMs());
  const empty = { ...first, lists: { joinLogs: [], players: [] } };
  const namesOf = (snapshot: Snapshot) => snapshots.record(snapshot, clock.monotonicMs()).ownerNames;
  const names = namesOf(empty);
  assert.deepEqual(
    names,
    new Map([
      [12, "Ann"],
      [1, "Ann"],
    ]),
  );
  assert.equal(namesOf(empty), names, "thousands of servers keep one map each");
  const sold = { ...empty, status: serverStatus({ ownerId: 3, coOwnerIds: [1] }) };
  assert.deepEqual(namesOf(sold), new Map([[1, "Ann"]]));
});

test("rows of half a minute ago are packed as other answers come, and are told as they were, also after a step of the clock", async () => {
  const clock = new VirtualClock();
  const snapshots = new LatestSnapshots({ client: { read: () => assert.fail("read") } as never, clock });
  const take = (source: string) => snapshots.record(answerOf(source, clock), clock.monotonicMs());
  const logOf = (source: string) => snapshots.latest(source as SourceId)?.lists.joinLogs;
  const atMs = clock.nowMs();
  for (const source of ["a", "b", "c"]) take(source);
  await clock.advance(29_000);
  take("d");
  assert.equal(logOf("a") instanceof PackedRows, false);
  await clock.advance(2_000);
  take("b");
  assert.deepEqual(
    ["a", "b", "c", "d"].map((source) => logOf(source) instanceof PackedRows),
    [true, false, true, false],
  );
  assert.deepEqual([logOf("a")?.atMs, logOf("a")?.value], [atMs, joinLogs]);
  const { ownerNames, lists: { players, staff } = {} } = snapshots.latest("a" as SourceId) ?? {};
  const owners = [
    [12, "Ann"],
    [1, "Ann"],
  ] as const;
  assert.deepEqual(ownerNames, new Map(owners), "a panel looks for its owners without unpacking");
  assert.ok(players instanceof PackedRows);
  const made = players.value;
  assert.deepEqual(made, answerOf("a", clock).lists.players);
  assert.equal(players.value, made, "who asks twice in a moment gets the same");
  assert.deepEqual(staff?.value, answerOf("a", clock).lists.staff, "maps are not packed");

  clock.step(3_600_000);
  assert.deepEqual([logOf("a")?.atMs, logOf("a")?.value], [atMs + 3_600_000, joinLogs]);
  await clock.advance(600_000);
  assert.equal(logOf("a"), undefined, "logs are kept for ten minutes");
});

for (const hours of [-1, 1]) {
  test(`who waits for moderators, and who left, is told by the service's clock (${hours} h ahead), also after a step of ours`, async () => {
    const clock = new VirtualClock();
    const snapshots = new LatestSnapshots({ client: { read: () => assert.fail("read") } as never, clock });
    const answer = answerOf("a", clock);
    const serviceAtMs = answer.takenAtMs + hours * 3_600_000;
    const atS = serviceAtMs / 1_000 - 60;
    const modCalls: readonly ModCallEntry[] = [
      { kind: "modCall", atS, caller: { name: "Ann", id: 12 } },
      { kind: "modCall", atS, caller: { name: "Bob", id: 13 } },
    ];
    const waiting = () => {
      const state = snapshots.latest("a" as SourceId) ?? assert.fail("nothing is known");
      const open = openMatters(state);
      return [open.map(({ call }) => call.caller.name), callersLeftWords(state, open)];
    };
    snapshots.record({ ...answer, serviceAtMs, lists: { ...answer.lists, modCalls } }, clock.monotonicMs());
    assert.deepEqual(waiting(), [["Ann"], "1 more caller left the server."]);
    clock.step(hours * 3_600_000);
    assert.deepEqual(waiting(), [["Ann"], "1 more caller left the server."]);
    const { lists } = answer;
    snapshots.record(
      { ...answer, serviceAtMs: undefined, takenAtMs: clock.nowMs(), lists },
      clock.monotonicMs(),
    );
    assert.deepEqual(waiting(), [["Ann"], "1 more caller left the server."]);
  });
}

test("of more than a thousand servers only the newest answers are not packed", async () => {
  const clock = new VirtualClock();
  const snapshots = new LatestSnapshots({ client: { read: () => assert.fail("read") } as never, clock });
  const take = (source: string) => snapshots.record(answerOf(source, clock), clock.monotonicMs());
  const isPacked = (source: string) =>
    snapshots.latest(source as SourceId)?.lists.joinLogs instanceof PackedRows;
  for (let n = 0; n < 1_000; n += 1) take(`s${n}`);
  assert.equal(isPacked("s0"), false, "of a thousand they may wait");
  for (let round = 0; round < 2; round += 1) for (let n = 0; n < 1_100; n += 1) take(`s${n}`);
  const packed = Array.from({ length: 1_100 }, (_, n) => isPacked(`s${n}`));
  assert.deepEqual(
    packed.map((is, n) => (is ? -1 : n)).filter((n) => n >= 0),
    Array.from({ length: 3 }, (_, n) => 1_097 + n),
  );
});
