import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EmergencyCall, PlayerRef, Snapshot } from "../../src/domain/model.ts";
import { openDatabase } from "../../src/history/database/open-database.ts";
import { add } from "../../src/history/queries/add-cases.ts";
import { search } from "../../src/history/queries/cases.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import { onBothDatabases } from "./databases.ts";
import { ann, BINDING, bob, GUILD, type HistoryRig, openRig, START_S, snapshotOf, type Town } from "./rig.ts";

const at = (s: number) => START_S + s;

const call = (callNumber: number): EmergencyCall => ({
  team: "Police",
  unitIds: [],
  startedAtS: at(5),
  callNumber,
});

/** Random letters, so that no database makes them smaller. */
function letters(length: number): string {
  let seed = 7;
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return String.fromCodePoint(0x4e00 + (seed % 20_000));
  };
  return Array.from({ length }, next).join("");
}

async function tableOf(rig: HistoryRig, table: "kills" | "visits" | "emergency_calls" | "counts") {
  return await rig.context.db.selectFrom(table).selectAll().execute();
}

function withCalls(town: Town, numbers: readonly number[], atS: number): Snapshot {
  const snapshot = snapshotOf(town, atS);
  return { ...snapshot, lists: { ...snapshot.lists, emergencyCalls: numbers.map(call) } };
}

describe("an answer that comes while the disk is full", () => {
  test("waits with all its rows, and none is called refused", async (t) => {
    const disk = smallDisk(t, 4_096);
    if (disk === undefined) return t.skip("no disk can be mounted here");
    const database = await openDatabase(`sqlite:${disk}/history.sqlite`);
    t.after(() => database.close());
    const rig = await openRig({ open: async () => database });
    const kills = [[bob, ann, at(2)] as const];
    await rig.see({ kills }, at(5));
    const empty = fillDisk(disk);
    const more = [...kills, [ann, bob, at(7)] as const];
    await assert.rejects(rig.see({ kills: more }, at(10)), /disk is full/);
    assert.equal(rig.refused, 0);

    empty();
    await rig.clock.advance(60_000);
    await rig.see({ kills: more }, at(20));
    assert.equal((await tableOf(rig, "kills")).length, 2);
    assert.equal(rig.refused, 0);
  });
});

onBothDatabases("an answer of which the database does not take everything", (databases) => {
  const town: Town = { joins: [[bob, at(1), true]], kills: [[bob, ann, at(2)]], players: [bob, ann] };

  test("with odd numbers of emergency calls is stored without those, which are counted", async () => {
    const rig = await openRig(databases);
    await rig.take(withCalls(town, [7, 1.5, 1e300, 8], at(10)));
    assert.deepEqual(
      (await tableOf(rig, "emergency_calls")).map((row) => "number" in row && row.number),
      [7, 8],
    );
    assert.equal((await tableOf(rig, "kills")).length, 1);
    assert.equal((await tableOf(rig, "counts")).length, 1, "who is there is stored too");
    assert.equal(rig.refused, 2);
  });

  test("with an absurd number of players is stored", async () => {
    const rig = await openRig(databases);
    const snapshot = snapshotOf(town, at(10));
    await rig.take({ ...snapshot, status: { ...snapshot.status, currentPlayers: 1e300 } });
    assert.equal((await tableOf(rig, "kills")).length, 1);
    assert.equal((await tableOf(rig, "counts")).length, 1);
    assert.equal(rig.refused, 0);
  });

  test("with 40,000 killers is stored as a whole", async () => {
    const rig = await openRig(databases);
    const killers = Array.from(
      { length: 40_000 },
      (_, nth): PlayerRef => ({ name: `k${nth}`, id: 1_000 + nth }),
    );
    await rig.take(snapshotOf({ kills: killers.map((killer) => [killer, ann, at(2)] as const) }, at(10)));
    assert.equal((await tableOf(rig, "kills")).length, 40_000);
    assert.equal(rig.refused, 0);
  });

  test("with names of 3,000 random characters is stored, and the others are found", async () => {
    const rig = await openRig(databases);
    const long = { name: letters(3_000), id: 99 };
    const bare = { name: letters(3_001) };
    await rig.see(
      {
        kills: [
          [long, ann, at(2)],
          [bare, bob, at(3)],
        ],
        players: [long, bob],
      },
      at(10),
    );
    assert.equal((await tableOf(rig, "kills")).length, 2);
    assert.equal(rig.refused, 0);
  });

  test("with a row that it refuses for a reason of its own is stored without this row alone", async () => {
    const rig = await openRig(databases);
    const odd: PlayerRef = { name: "Odd", id: 2 ** 70 };
    const kills: Town["kills"] = [
      [bob, ann, at(2)],
      [odd, ann, at(2)],
      [ann, bob, at(2)],
      [ann, bob, at(2)],
    ];
    await rig.see({ kills, joins: [[bob, at(1), true]], players: [bob] }, at(10));
    assert.equal((await tableOf(rig, "kills")).length, databases.kind === "postgres" ? 3 : 4);
    assert.equal((await tableOf(rig, "visits")).length, 1);
    assert.equal(rig.refused, databases.kind === "postgres" ? 1 : 0);
  });

  test("a case of a target of 950 characters is stored and found", async () => {
    const rig = await openRig(databases);
    const name = letters(950);
    const draft = {
      guildId: GUILD,
      kind: "ban",
      bindingId: BINDING,
      serverName: "Town",
      targets: [{ name }],
      mass: false,
      author: { name: "mod", userId: "u1" },
      atMs: at(1) * 1_000,
      origin: `row \0 ${letters(20)}`,
    } as const;
    const { isNew } = await add(rig.context, { draft, card: undefined, most: 10 });
    assert.ok(isNew);
    assert.equal((await add(rig.context, { draft, card: undefined, most: 10 })).isNew, false);
    const found = await search(rig.context, { guildId: GUILD, filter: { playerName: name, limit: 5 } });
    assert.equal(found[0]?.targets[0]?.name, name);
  });
});
