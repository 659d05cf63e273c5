import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlayerLocation, PlayerRef, Snapshot } from "../../../src/domain/model.ts";
import { evidence, hasTrack, keepEvidence } from "../../../src/history/positions/case-evidence.ts";
import { days, guilds, setDays } from "../../../src/history/positions/position-settings.ts";
import { track } from "../../../src/history/positions/read-positions.ts";
import { add } from "../../../src/history/queries/cases.ts";
import { erasePlayer } from "../../../src/history/queries/erase-cases.ts";
import { eraseStep } from "../../../src/history/queries/erase-expired.ts";
import { exportPlayer } from "../../../src/history/queries/export-player.ts";
import { forget } from "../../../src/history/queries/forget-player.ts";
import { linked, setRetention } from "../../../src/history/queries/recorded-guilds.ts";
import { onBothDatabases } from "../databases.ts";
import { ann, BINDING, bob, GUILD, type HistoryRig, mod, openRig, START_S, snapshotOf } from "../rig.ts";

const at = (s: number) => START_S + s;
const DAY_S = 86_400;

type Places = readonly (readonly [player: PlayerRef, location: PlayerLocation | undefined])[];

/** An answer with everybody at a place. */
function seen(places: Places, atS: number): Snapshot {
  const snapshot = snapshotOf({ players: places.map(([player]) => player) }, atS);
  const players = (snapshot.lists.players ?? []).map((player, index) => {
    const location = places[index]?.[1];
    return location === undefined ? player : { ...player, location };
  });
  return { ...snapshot, lists: { ...snapshot.lists, players } };
}

async function on(rig: HistoryRig): Promise<void> {
  await rig.take(seen([], at(1)));
  await setDays(rig.context, { guildId: GUILD, days: 2 });
}

/** By name and second: where the database has them. */
async function shown({ context }: HistoryRig, guildId = GUILD, bindingId = BINDING) {
  const found = await track(context, { guildId, bindingId, fromS: 0, toS: at(10 * DAY_S) });
  return found.players.flatMap(({ player, spots }) =>
    spots.flatMap((spot, index) =>
      spot === null ? [] : [`${player.name} ${(found.looksS[index] ?? 0) - START_S} ${spot.x},${spot.z}`],
    ),
  );
}

async function rowsOf({ context }: HistoryRig): Promise<number> {
  return (await context.db.selectFrom("positions").selectAll().execute()).length;
}

function kickOf(player: Required<PlayerRef>, atS: number) {
  return {
    draft: {
      guildId: GUILD,
      kind: "kick",
      bindingId: BINDING,
      targets: [{ name: player.name, playerId: player.id }],
      mass: false,
      author: { name: "Mona" },
      atMs: atS * 1_000,
    },
    card: undefined,
    most: 100,
  } as const;
}

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

onBothDatabases("what a case keeps of the minutes around it", (databases) => {
  async function withCase(rig: HistoryRig): Promise<void> {
    await on(rig);
    for (const second of [10, 100, 220, 330, 400]) {
      const places = [
        [bob, { x: second, z: 1 }],
        [ann, { x: 2, z: 2 }],
      ] as const;
      await rig.take({ ...seen(places, at(second)) });
      if (second === 220) await add(rig.context, kickOf(bob, at(220)));
    }
  }

  const keptBy = async (rig: HistoryRig, number = 1) => {
    const kept = await evidence(rig.context, { guildId: GUILD, number });
    return kept?.track?.players.map(
      ({ player, spots }) =>
        `${player.name} ${spots.map((spot, index) => `${(kept.track?.looksS[index] ?? 0) - START_S}:${spot?.x}`).join(" ")}`,
    );
  };
  const WHOLE = ["Ann 100:2 220:2 330:2", "Bob 100:100 220:220 330:330"];

  test("two minutes on both sides stay when positions are turned off, when they are too old, and when rows go", async () => {
    const rig = await openRig(databases);
    await withCase(rig);
    assert.deepEqual(await keptBy(rig), WHOLE);
    const has = (number: number) => hasTrack(rig.context, { guildId: GUILD, number });
    assert.deepEqual([await has(1), await has(2)], [true, false]);
    await setDays(rig.context, { guildId: GUILD, days: 0 });
    assert.equal(await has(1), true);
    assert.deepEqual([await rowsOf(rig), await keptBy(rig)], [0, WHOLE]);
    await setRetention(rig.context, { guildId: GUILD, days: "off" });
    assert.deepEqual(await keptBy(rig), WHOLE);
  });

  test("nobody asked: it is gathered by the rounds, before anything is erased", async () => {
    const rig = await openRig(databases);
    await withCase(rig);
    assert.equal(await keepEvidence(rig.context, { nowS: at(230) }), true);
    const open = () => rig.context.db.selectFrom("case_evidence").select("is_open").execute();
    assert.deepEqual(
      (await open()).map((row) => row.is_open),
      [1],
    );
    assert.equal(await keepEvidence(rig.context, { nowS: at(2 * DAY_S) }), true);
    assert.deepEqual(
      (await open()).map((row) => row.is_open),
      [0],
    );
    await rig.context.db.deleteFrom("positions").execute();
    assert.deepEqual(await keptBy(rig), WHOLE);
  });

  test("who is forgotten is gone from the cases of others; their own case keeps them until it is erased", async () => {
    const rig = await openRig(databases);
    await withCase(rig);
    await forget(rig.context, { guildId: GUILD, playerId: ann.id, nowS: at(500) });
    assert.deepEqual(await keptBy(rig), WHOLE.slice(1));
    await forget(rig.context, { guildId: GUILD, playerId: bob.id, nowS: at(500) });
    assert.deepEqual(await keptBy(rig), WHOLE.slice(1));
    await erasePlayer(rig.context, { guildId: GUILD, number: 1, playerId: bob.id });
    assert.equal(await keptBy(rig), undefined);
    assert.deepEqual(await rig.context.db.selectFrom("case_evidence").selectAll().execute(), []);
  });

  test("a case of no server keeps nothing, and another guild has nothing to ask for", async () => {
    const rig = await openRig(databases);
    await withCase(rig);
    const { bindingId: _, ...draft } = kickOf(ann, at(100)).draft;
    await add(rig.context, { ...kickOf(ann, at(100)), draft });
    assert.equal(await keptBy(rig, 2), undefined);
    assert.equal(await evidence(rig.context, { guildId: "901", number: 1 }), undefined);
  });
});
