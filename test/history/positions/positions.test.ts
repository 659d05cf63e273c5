import assert from "node:assert/strict";
import { test } from "node:test";
import { days, guilds, setDays } from "../../../src/history/positions/position-settings.ts";
import { track } from "../../../src/history/positions/read-positions.ts";
import { eraseStep } from "../../../src/history/queries/erase-expired.ts";
import { exportPlayer } from "../../../src/history/queries/export-player.ts";
import { forget } from "../../../src/history/queries/forget-player.ts";
import { linked, setRetention } from "../../../src/history/queries/recorded-guilds.ts";
import { onBothDatabases } from "../databases.ts";
import { ann, BINDING, bob, GUILD, mod, openRig, START_S } from "../rig.ts";

import { at, DAY_S, on, rowsOf, seen, shown } from "./positions-rig.ts";

onBothDatabases("positions", (databases) => {
  test("nothing is recorded until a guild asks for it, and nothing is left when it is turned off", async () => {
    const rig = await openRig(databases);
    await rig.take(seen([[bob, { x: 1, z: 2 }]], at(10)));
    assert.deepEqual([await days(rig.context, { guildId: GUILD }), await rowsOf(rig)], [0, 0]);
    await setDays(rig.context, { guildId: GUILD, days: 2 });
    assert.deepEqual(await guilds(rig.context, {}), [GUILD]);
    await rig.take(seen([[bob, { x: 3, z: 4 }]], at(20)));
    assert.deepEqual(await shown(rig), ["Bob 20 3,4"]);
    await setDays(rig.context, { guildId: GUILD, days: 0 });
    assert.equal(await rowsOf(rig), 0);
    await rig.take(seen([[bob, { x: 5, z: 6 }]], at(30)));
    assert.equal(await rowsOf(rig), 0);
  });

  test("each look is kept as it was, over minutes, with team and street; the same look again adds nothing", async () => {
    const rig = await openRig(databases);
    await on(rig);
    const place = (x: number, z: number) => ({ x, z, streetName: "Elm <b>&\0", postalCode: "204" });
    for (const second of [10, 30, 55, 61, 119, 120]) {
      const everybody = [
        [bob, place(second * 10, -second)],
        [ann, second < 60 ? place(-3_000, 7.6) : undefined],
      ] as const;
      await rig.take(seen(everybody, at(second)));
      await rig.take(seen(everybody, at(second)));
    }
    assert.equal(await rowsOf(rig), 3);
    const kept = await shown(rig);
    assert.deepEqual(
      kept.filter((one) => one.startsWith("Bob")),
      [10, 30, 55, 61, 119, 120].map((second) => `Bob ${second} ${second * 10},${-second}`),
    );
    assert.deepEqual(
      kept.filter((one) => one.startsWith("Ann")),
      [10, 30, 55].map((second) => `Ann ${second} -3000,8`),
    );
    const found = await track(rig.context, {
      guildId: GUILD,
      bindingId: BINDING,
      fromS: at(30),
      toS: at(61),
    });
    assert.deepEqual(
      found.looksS.map((atS) => atS - START_S),
      [30, 55, 61],
    );
    const spot = { x: 300, z: -30, team: "Civilian", street: "Elm <b>&\0", postal: "204" };
    assert.deepEqual(found.players.find(({ player }) => player.id === bob.id)?.spots[0], spot);
  });

  test("what is no place is left out: missing, NaN, far beyond any map", async () => {
    const rig = await openRig(databases);
    await on(rig);
    const bad = [Number.NaN, 1e300, Number.POSITIVE_INFINITY, -1e9];
    for (const [index, x] of bad.entries()) {
      await rig.take(
        seen(
          [
            [bob, { x, z: 0 }],
            [ann, { x: 0, z: x }],
            [mod, { x: 0, z: 0 }],
          ],
          at(10 + index),
        ),
      );
    }
    assert.deepEqual(await shown(rig), ["Mona 10 0,0", "Mona 11 0,0", "Mona 12 0,0", "Mona 13 0,0"]);
  });

  test("forgetting somebody takes them out of every minute, and the answers that still show them add nothing", async () => {
    const rig = await openRig(databases);
    await on(rig);
    const both = [
      [bob, { x: 1, z: 1 }],
      [ann, { x: 2, z: 2 }],
    ] as const;
    for (const second of [10, 70, 130]) await rig.take(seen(both, at(second)));
    await forget(rig.context, { guildId: GUILD, playerId: bob.id, nowS: at(200) });
    await rig.take(seen(both, at(190)));
    assert.deepEqual(await shown(rig), ["Ann 10 2,2", "Ann 70 2,2", "Ann 130 2,2", "Ann 190 2,2"]);
    const people = await rig.context.db.selectFrom("positions").select("people").execute();
    assert.equal(new Set(people.map((row) => row.people)).size, 1);
  });

  test("a renamed player is one player under the new name", async () => {
    const rig = await openRig(databases);
    await on(rig);
    await rig.take(seen([[bob, { x: 1, z: 1 }]], at(10)));
    await rig.take(
      seen(
        [
          [
            { ...bob, name: "Bobby" },
            { x: 2, z: 2 },
          ],
        ],
        at(20),
      ),
    );
    assert.deepEqual(await shown(rig), ["Bobby 10 1,1", "Bobby 20 2,2"]);
  });

  test("another community sees nothing of a server that it has not linked, nor of before it did", async () => {
    const rig = await openRig(databases);
    await on(rig);
    await rig.take(seen([[bob, { x: 1, z: 1 }]], at(10)));
    const second = { guildId: "901", bindingId: "b2", linkedAtS: at(50) };
    rig.links = [...rig.links, second];
    await rig.take(seen([], at(51)));
    await setDays(rig.context, { guildId: "901", days: 2 });
    await rig.take(seen([[bob, { x: 2, z: 2 }]], at(40)));
    await rig.take(seen([[bob, { x: 3, z: 3 }]], at(60)));
    assert.deepEqual(await shown(rig, "901", "b2"), ["Bob 60 3,3"]);
    assert.deepEqual(await shown(rig, "901", BINDING), []);
    await linked(rig.context, { links: [], guildIds: ["901"], endedMs: at(70) * 1_000 });
    assert.deepEqual(await shown(rig, "901", "b2"), []);

    const again = { guildId: "901", bindingId: "b3", linkedAtS: at(80) };
    rig.links = [...rig.links.filter(({ guildId }) => guildId !== "901"), again];
    await rig.take(seen([], at(81)));
    await rig.take(seen([[bob, { x: 4, z: 4 }]], at(75)));
    await rig.take(seen([[bob, { x: 5, z: 5 }]], at(90)));
    assert.deepEqual(await shown(rig, "901", "b3"), ["Bob 90 5,5"], "linked anew it begins anew");
    assert.deepEqual(await shown(rig, "901", "b2"), []);
  });

  test("of two communities with one server only the one that asked for it records where people are", async () => {
    const rig = await openRig(databases);
    await on(rig);
    rig.links = [...rig.links, { guildId: "901", bindingId: "b2", linkedAtS: at(2) }];
    await rig.take(seen([[bob, { x: 1, z: 1 }]], at(10)));
    assert.deepEqual(await shown(rig), ["Bob 10 1,1"]);
    assert.deepEqual(await shown(rig, "901", "b2"), []);
    await setDays(rig.context, { guildId: "901", days: 2 });
    await setDays(rig.context, { guildId: GUILD, days: 0 });
    await rig.take(seen([[bob, { x: 2, z: 2 }]], at(20)));
    assert.deepEqual([await shown(rig), await shown(rig, "901", "b2")], [[], ["Bob 20 2,2"]]);
  });

  test("two who change places, and the order in which they are listed, are who they are", async () => {
    const rig = await openRig(databases);
    await on(rig);
    const [here, there] = [
      { x: 1, z: 1 },
      { x: 900, z: 9 },
    ];
    await rig.take(
      seen(
        [
          [bob, here],
          [ann, there],
        ],
        at(10),
      ),
    );
    await rig.take(
      seen(
        [
          [ann, here],
          [bob, there],
        ],
        at(15),
      ),
    );
    // They change names as well.
    await rig.take(
      seen(
        [
          [{ ...ann, name: "Bob" }, there],
          [{ ...bob, name: "Ann" }, here],
        ],
        at(20),
      ),
    );
    const found = await track(rig.context, { guildId: GUILD, bindingId: BINDING, fromS: 0, toS: at(60) });
    const of = (id: number) =>
      found.players.find(({ player }) => player.id === id)?.spots.map((one) => one?.x);
    assert.deepEqual(
      [of(bob.id), of(ann.id)],
      [
        [1, 900, 1],
        [900, 1, 900],
      ],
    );
  });

  test("two hundred in one server are all kept, each where they are", async () => {
    const rig = await openRig(databases);
    await on(rig);
    const crowd = Array.from({ length: 200 }, (_, n) => ({ id: 5_000 + n, name: `P${n}` }));
    for (const second of [10, 15, 20])
      await rig.take(
        seen(
          crowd.map((one, n) => [one, { x: n * 15, z: second }] as const),
          at(second),
        ),
      );
    const kept = await shown(rig);
    assert.equal(kept.length, 600);
    for (const n of [0, 99, 199]) assert.ok(kept.includes(`P${n} 15 ${n * 15},15`));
    await forget(rig.context, { guildId: GUILD, playerId: 5_099, nowS: at(30) });
    assert.equal((await shown(rig)).filter((line) => line.startsWith("P99 ")).length, 0);
    assert.equal((await shown(rig)).length, 597);
  });

  test("old positions go by their own age, and rows stay", async () => {
    const rig = await openRig(databases);
    await on(rig);
    await rig.take(seen([[bob, { x: 1, z: 1 }]], at(10)));
    await rig.take(seen([[bob, { x: 2, z: 2 }]], at(3 * DAY_S)));
    await eraseStep(rig.context, { afterScope: 0, nowS: at(3 * DAY_S + 10), nowMs: 0 });
    assert.equal((await shown(rig)).length, 1);
    assert.notEqual((await rig.context.db.selectFrom("visits").selectAll().execute()).length, 0);
    await setRetention(rig.context, { guildId: GUILD, days: "off" });
    assert.deepEqual([await rowsOf(rig), await days(rig.context, { guildId: GUILD })], [0, 0]);
  });

  test("an export has where the player was, and nobody else", async () => {
    const rig = await openRig(databases);
    await on(rig);
    await rig.take(
      seen(
        [
          [bob, { x: 1, z: 1 }],
          [ann, { x: 777, z: 777 }],
        ],
        at(10),
      ),
    );
    const file = await exportPlayer(rig.context, { guildId: GUILD, playerId: bob.id });
    const data = JSON.parse(file?.text ?? "") as { readonly positions: readonly object[] };
    const time = new Date(at(10) * 1_000).toISOString();
    assert.deepEqual(data.positions, [{ at: time, server: BINDING, x: 1, z: 1, team: "Civilian" }]);
    assert.doesNotMatch(file?.text ?? "", /777/);
  });
});
