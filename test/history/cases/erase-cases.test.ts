import assert from "node:assert/strict";
import { test } from "node:test";
import type { CaseDraft } from "../../../src/domain/case.ts";
import { storedCases, storedWatches } from "../../../src/history/cases/stored-cases.ts";
import { openContext } from "../../../src/history/queries/context.ts";
import { departed, eraseDeparted } from "../../../src/history/queries/erase-cases.ts";
import { namedQueries, type QueryName } from "../../../src/history/queries/named-queries.ts";
import { kept, linked } from "../../../src/history/queries/recorded-guilds.ts";
import { onBothDatabases } from "../databases.ts";
import type { Databases } from "../tracked-databases.ts";
import { kick } from "./case-samples.ts";

const DAY_MS = 24 * 60 * 60_000;
const START_MS = 1_700_000_000_000;
const ann = { name: "Ann_Lee", playerId: 11 };
const bob = { name: "Bob", playerId: 12 };

async function open(databases: Databases) {
  const context = await openContext(await databases.open(), new Uint8Array(32));
  const call = async (name: QueryName, args: never) => {
    const query: (context: never, args: never) => Promise<unknown> = namedQueries[name];
    return structuredClone(await query(context as never, structuredClone(args) as never));
  };
  return {
    context,
    cases: storedCases(call as never, ({ atMs }) => Math.floor(atMs / 1_000)),
    watches: storedWatches(call as never),
  };
}

function draft(with_: Partial<CaseDraft> = {}): CaseDraft {
  const { number: _, edits: __, card: ___, revoked: ____, ...rest } = kick(with_);
  return rest;
}

onBothDatabases("cases that are erased", (databases) => {
  test("go with all that names the player, keep their number used, and do not come back from the log", async () => {
    const { context, cases } = await open(databases);
    const typed = draft({ origin: "row b1 5 14 0 :kick Ann_Lee", command: ":kick Ann_Lee" });
    await cases.add(typed, undefined);
    assert.equal(await cases.erasePlayer("g1", 1, 12), undefined);
    assert.equal(await cases.erasePlayer("g2", 1, 11), undefined);
    assert.equal(await cases.erasePlayer("g1", 1, 11), "erased");
    assert.equal(await cases.erasePlayer("g1", 1, 11), undefined);
    assert.equal(await cases.get("g1", 1), undefined);
    // The window of the game's log shows the row still.
    const again = await cases.add(typed, undefined);
    assert.deepEqual([again.isNew, again.one.number], [false, 0]);
    assert.equal((await cases.add({ ...typed, guildId: "g2" }, undefined)).isNew, true);
    assert.equal((await cases.add(draft({ origin: "run next" }), undefined)).one.number, 2);
    const left = JSON.stringify([
      await context.db.selectFrom("cases").selectAll().where("guild_id", "=", "g1").execute(),
      await context.db.selectFrom("case_targets").selectAll().where("number", "=", 1).execute(),
      await context.db.selectFrom("erased_cases").selectAll().execute(),
    ]);
    assert.doesNotMatch(left, /row b1 5/);
  });

  test("stay without the player where they name others too", async () => {
    const { context, cases } = await open(databases);
    const both = {
      targets: [ann, bob],
      command: ":kick Ann_Lee,Bob",
      origin: "row b1 5 14 0 :kick Ann_Lee,Bob",
    };
    const receipt = {
      log: "row",
      left: [
        { playerId: 11, atS: 6 },
        { playerId: 12, atS: 7 },
      ],
    } as const;
    await cases.add(draft({ ...both, receipt }), undefined);
    const all = draft({ targets: [ann, bob], command: ":kick all", origin: "run all", mass: true });
    await cases.add(all, undefined);
    for (const number of [1, 2]) assert.equal(await cases.erasePlayer("g1", number, 11), "changed");
    const [first, second] = [await cases.get("g1", 1), await cases.get("g1", 2)];
    assert.deepEqual(
      [first?.targets, first?.command, first?.receipt?.left],
      [[bob], ":kick [forgotten]", [{ playerId: 12, atS: 7 }]],
    );
    assert.deepEqual([second?.targets, second?.command], [[bob], ":kick all"]);
    assert.deepEqual(await cases.byOrigin("g1", "run all"), second);
    assert.equal((await cases.add(draft({ ...both, receipt }), undefined)).isNew, false);
    assert.deepEqual(await cases.search("g1", { playerId: 11, limit: 9 }), []);
    assert.equal((await cases.search("g1", { playerId: 12, limit: 9 })).length, 2);
    assert.doesNotMatch(
      JSON.stringify(await context.db.selectFrom("cases").selectAll().execute()),
      /Ann_Lee/,
    );
  });

  test("of a guild without a server go with its watches after 30 days, not before, and not if it links again", async () => {
    const { context, cases, watches } = await open(databases);
    const links = ["g1", "g2", "g3"].map((guildId) => ({ guildId, bindingId: `b ${guildId}` }));
    for (const { guildId } of links) {
      await cases.add(draft({ guildId, origin: "run 1" }), undefined);
      const watch = { guildId, playerId: 11, name: "Ann_Lee", byId: "u1", atMs: START_MS };
      await watches.put({ watch, toldS: {} });
    }
    const guildIds = ["g1", "g2", "g3"];
    const gone = (nowMs: number, of: readonly string[]) => departed(context, { nowMs, linked: of });
    await linked(context, { links, guildIds, endedMs: START_MS });
    // One leaves; of two servers that are told later, the first end counts.
    await linked(context, { links: [], guildIds: ["g1"], endedMs: START_MS });
    await linked(context, { links: links.slice(1), guildIds, endedMs: START_MS + 20 * DAY_MS });
    await linked(context, { links: [], guildIds: ["g2"], endedMs: START_MS });
    await linked(context, { links: links.slice(1, 2), guildIds: ["g2"], endedMs: START_MS + DAY_MS });
    assert.deepEqual(await gone(START_MS + 29 * DAY_MS, ["g2", "g3"]), []);
    assert.deepEqual(await gone(START_MS + 31 * DAY_MS, ["g2", "g3"]), ["g1"]);
    await eraseDeparted(context, { guildId: "g1" });
    assert.deepEqual(await gone(START_MS + 99 * DAY_MS, ["g2", "g3"]), []);
    const guildsOf = async (table: "cases" | "case_targets" | "watches") =>
      (await context.db.selectFrom(table).select("guild_id").distinct().orderBy("guild_id").execute()).map(
        ({ guild_id }) => guild_id,
      );
    for (const table of ["cases", "case_targets", "watches"] as const) {
      assert.deepEqual(await guildsOf(table), ["g2", "g3"]);
    }
    // Cards with the numbers of before stand in channels.
    assert.equal((await cases.add(draft({ origin: "run 2" }), undefined)).one.number, 2);
  });

  test("stay where the database was away while the guild linked again", async () => {
    const { context, cases } = await open(databases);
    await cases.add(draft({ origin: "run 1" }), undefined);
    await linked(context, { links: [], guildIds: ["g1"], endedMs: START_MS });
    const nowMs = START_MS + 31 * DAY_MS;
    assert.deepEqual(await departed(context, { nowMs, linked: ["g1"] }), []);
    assert.deepEqual(await departed(context, { nowMs, linked: [] }), []);
    assert.equal((await cases.search("g1", { limit: 9 })).length, 1);
  });

  test("stay where the guild linked again while others were erased", async () => {
    const { context, cases, watches } = await open(databases);
    await cases.add(draft({ origin: "run 1" }), undefined);
    const watch = { guildId: "g1", playerId: 11, name: "Ann_Lee", byId: "u1", atMs: START_MS };
    await watches.put({ watch, toldS: {} });
    await linked(context, { links: [], guildIds: ["g1"], endedMs: START_MS });
    const nowMs = START_MS + 31 * DAY_MS;
    assert.deepEqual(await departed(context, { nowMs, linked: [] }), ["g1"]);
    const links = [{ guildId: "g1", bindingId: "b2" }];
    await linked(context, { links, guildIds: ["g1"], endedMs: nowMs });
    assert.equal(await eraseDeparted(context, { guildId: "g1" }), false);
    assert.equal((await cases.search("g1", { limit: 9 })).length, 1);
    assert.equal((await watches.all()).rows.length, 1);
  });

  test("of guilds whose servers another process reads depart only when that process says so", async () => {
    const { context, cases } = await open(databases);
    for (const guildId of ["g1", "g2"]) await cases.add(draft({ guildId, origin: "run 1" }), undefined);
    assert.deepEqual([...(await kept(context, {}))].sort(), ["g1", "g2"]);
    await linked(context, { links: [], guildIds: ["g1"], endedMs: START_MS });
    assert.deepEqual(await departed(context, { nowMs: START_MS + 31 * DAY_MS, linked: [] }), ["g1"]);
  });
});
