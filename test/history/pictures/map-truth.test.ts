import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { mapPicture } from "../../../src/discord/render/map/map-message.ts";
import { replayMessage } from "../../../src/discord/render/map/replay-message.ts";
import {
  focusOf,
  REPLAY_AFTER_S,
  REPLAY_BEFORE_S,
  replayPicture,
} from "../../../src/discord/render/map/replay-picture.ts";
import { isJump, type ReplayPicture } from "../../../src/domain/map.ts";
import type { Player, PlayerRef, ServerState, SourceId } from "../../../src/domain/model.ts";
import { mapSvg } from "../../../src/history/pictures/map/map-svg.ts";
import type { Placed } from "../../../src/history/pictures/map/map-view.ts";
import { replaySvgs } from "../../../src/history/pictures/map/replay-svg.ts";
import { setDays } from "../../../src/history/positions/position-settings.ts";
import { track } from "../../../src/history/positions/read-positions.ts";
import type { QueryContext } from "../../../src/history/queries/context.ts";
import { forget } from "../../../src/history/queries/forget-player.ts";
import { at as rewind } from "../../../src/history/queries/rewind.ts";
import { Town } from "../../../src/sandbox/service/town/town.ts";
import { serverStatus } from "../../support/server-status.ts";
import { onBothDatabases } from "../databases.ts";
import { BINDING, GUILD, openRig, START_S, snapshotOf } from "../rig.ts";
import { marksIn, scaleOf } from "./map-marks.ts";

/** By player and second, where the town had them: `x,z` in whole units. */
type Truth = Map<number, Map<number, string>>;

/** A living town, and its own record of where everybody is. */
function openTown(seed: number) {
  let nowS = START_S;
  const town = new Town(seed, () => nowS * 1_000, {
    info: { maxPlayers: 30 },
    initialPlayers: 24,
    intensity: "frenzy",
  });
  const names = new Map<number, string>();
  const refOf = ({ id, name }: PlayerRef & { readonly id: number }) => ({ id, name: names.get(id) ?? name });
  return {
    town,
    names,
    /** What the service would answer now. */
    look(atS: number): readonly Player[] {
      nowS = atS;
      town.advanceTo(atS * 1_000);
      return town.world.players.map((player): Player => {
        const { x, z, streetName, postalCode } = town.world.placeOf(player);
        const location = { x, z, streetName, postalCode };
        return {
          player: refOf(player.ref),
          team: player.team,
          permission: "Normal",
          wantedStars: 0,
          location,
        };
      });
    },
  };
}

function answer(
  players: readonly Player[],
  kills: readonly (readonly [PlayerRef, PlayerRef, number])[],
  atS: number,
) {
  const snapshot = snapshotOf({ kills, players: players.map(({ player }) => player) }, atS);
  return { ...snapshot, lists: { ...snapshot.lists, players } };
}

/**
 * Two minutes around a kill, drawn: about those two, and about everybody. Each mark is held against the town's record.
 * Returns for how many of both it could be told where the drawing lies on the map.
 */
async function everyMarkIsTrue(
  context: QueryContext,
  { truth, atS }: { readonly truth: Truth; readonly atS: number },
): Promise<number> {
  const span = { fromS: atS - REPLAY_BEFORE_S, toS: atS + REPLAY_AFTER_S };
  const found = await track(context, { guildId: GUILD, bindingId: BINDING, ...span });
  const { rows } = await rewind(context, { guildId: GUILD, bindingId: BINDING, atS, ...span });
  const inTruth = (id: number | undefined, look: number): Placed | undefined => {
    const [x, z] = (truth.get(id ?? 0)?.get(found.looksS[look] ?? 0) ?? "").split(",").map(Number);
    return x === undefined || z === undefined ? undefined : { x, z };
  };
  let checked = 0;
  for (const shown of [rows, []]) {
    const scene = { track: found, rows: shown, atS, playerIds: [], zone: "UTC", look: "dark" as const };
    const focus = new Set(focusOf(scene));
    assert.equal(focus.size, shown.length === 0 ? 0 : 2);
    // All of one team, so that each mark is a circle.
    const ofOneTeam = replayPicture(scene);
    const people = ofOneTeam.people.map((person) => ({
      ...person,
      isStaff: false,
      spots: person.spots.map((spot) => (spot === null ? null : { ...spot, team: "Civilian" })),
    }));
    const picture = { ...ofOneTeam, people };
    const meant = found.players.filter(({ player }) => focus.size === 0 || focus.has(player.id ?? 0));
    const [, ...frames] = replaySvgs(picture, undefined);
    assert.equal(frames.length, found.looksS.length, "it moves");

    const drawn = frames.map(marksIn);
    const largest = Math.max(...drawn.flat().map(({ r }) => r));
    const seen = frames.map((_, look) => {
      const marks = drawn[look]?.filter(({ r }) => r === largest) ?? [];
      const places = meant.flatMap(({ player }) => inTruth(player.id, look) ?? []);
      return { marks, places };
    });
    // In looks that show all of whom it is about, their order tells which mark is whose.
    const known = seen.filter((look) => look.marks.length === look.places.length);
    const scale = scaleOf(
      known.flatMap((look) => look.marks),
      known.flatMap(({ places }) => places),
    );
    if (scale === undefined) continue;
    const { placeOf, offUnits } = scale;
    checked += 1;
    for (const [look, its] of drawn.entries()) {
      const there = found.players.flatMap(({ player }) => inTruth(player.id, look) ?? []);
      for (const mark of its) {
        const place = placeOf(mark);
        const nearest = Math.min(...there.map((one) => distance(one, place)));
        assert.ok(nearest <= offUnits, `look ${look}: ${nearest} units from anybody`);
      }
      // Around everybody, everybody is there.
      if (focus.size === 0) assert.equal(its.length, there.length, `look ${look}`);
    }
  }
  return checked;
}

function distance(a: Placed | undefined, b: Placed | undefined): number {
  return a === undefined || b === undefined ? 0 : Math.hypot(a.x - b.x, a.z - b.z);
}

onBothDatabases("every point is where the town's own record has that player at that look", (databases) => {
  test("through kills, renames and somebody who is forgotten", async () => {
    const rig = await openRig(databases);
    const { town, names, look } = openTown(3);
    const truth: Truth = new Map();
    const kills: (readonly [PlayerRef, PlayerRef, number])[] = [];
    let forgotten = -1;
    let renamedS = Number.POSITIVE_INFINITY;
    await rig.take(answer([], [], START_S));
    await setDays(rig.context, { guildId: GUILD, days: 2 });
    for (let second = 3; second <= 400; second += second % 3 === 0 ? 7 : 4) {
      const atS = START_S + second;
      if (second > 150 && names.size === 0) {
        renamedS = atS;
        for (const { ref } of town.world.players.slice(0, 6)) names.set(ref.id, `${ref.name}_new`);
      }
      const players = look(atS);
      // A row keeps the name that its player had then.
      const nameOf = (text: string, killedS: number) => {
        const id = Number(text.split(":").at(-1));
        return { id, name: (killedS >= renamedS ? names.get(id) : undefined) ?? text.split(":")[0] ?? "" };
      };
      const logged = town.record.kills
        .slice(-60)
        .map(
          ({ killer, killed, atS: killS }) => [nameOf(killer, killS), nameOf(killed, killS), killS] as const,
        );
      kills.push(...logged);
      await rig.take(answer(players, logged, atS));
      for (const { player, location } of players) {
        const own = truth.get(player.id ?? 0) ?? new Map<number, string>();
        truth.set(player.id ?? 0, own);
        own.set(atS, `${Math.round(location?.x ?? 0)},${Math.round(location?.z ?? 0)}`);
      }
      if (second > 250 && forgotten < 0) {
        forgotten = players[0]?.player.id ?? 0;
        await forget(rig.context, { guildId: GUILD, playerId: forgotten, nowS: atS });
        for (const before of [...(truth.get(forgotten)?.keys() ?? [])]) truth.get(forgotten)?.delete(before);
      }
    }
    assert.ok(kills.length > 10, "the town kills");

    const span = { fromS: START_S, toS: START_S + 500 };
    const found = await track(rig.context, { guildId: GUILD, bindingId: BINDING, ...span });
    const shown = new Map(
      found.players.map(({ player, spots }) => [
        player.id ?? 0,
        new Map(
          spots.flatMap((spot, index) =>
            spot === null ? [] : [[found.looksS[index] ?? 0, `${spot.x},${spot.z}`] as const],
          ),
        ),
      ]),
    );
    for (const [id, places] of truth) assert.deepEqual(shown.get(id) ?? new Map(), places, String(id));
    assert.equal(
      [...shown.values()].reduce((sum, { size }) => sum + size, 0),
      [...truth.values()].reduce((sum, { size }) => sum + size, 0),
    );
    for (const [id, name] of names) {
      const one = found.players.find(({ player }) => player.id === id);
      if (one !== undefined && id !== forgotten) assert.equal(one.player.name, name);
    }

    const kill = town.record.kills.at(-1);
    const atS = kill?.atS ?? 0;
    const view = await rewind(rig.context, {
      guildId: GUILD,
      bindingId: BINDING,
      atS,
      fromS: atS - 90,
      toS: atS + 30,
    });
    const scene = { track: found, rows: view.rows, atS, playerIds: [], zone: "UTC", look: "dark" as const };
    const picture = replayPicture(scene);
    for (const [index, person] of picture.people.entries())
      assert.deepEqual(
        person.spots,
        found.players[index]?.spots,
        "a picture draws what was recorded and nothing else",
      );
    const idOf = (text: string) => Number(text.split(":").at(-1));
    const isSeen = (id: number, killS: number) =>
      [...(truth.get(id)?.keys() ?? [])].filter((second) => killS - 30 < second && second < killS).length > 3;
    const both = town.record.kills.filter(
      (one) => isSeen(idOf(one.killer), one.atS) && isSeen(idOf(one.killed), one.atS),
    );
    assert.ok(both.length > 5, `${both.length} kills of which both were seen before`);
    let checked = 0;
    for (const one of both.slice(-8)) checked += await everyMarkIsTrue(rig.context, { truth, atS: one.atS });
    assert.ok(checked > 8 + 3, `${checked} replays were checked`);
    assert.equal(focusOf(scene).length, 2);
    const { cards } = replayMessage({ scene, serverName: "Town", nowS: 2_000 }, { image: undefined });
    assert.match(cards?.[0]?.description ?? "", /💀/);
    assert.match(cards?.[0]?.description ?? "", /\(respawned\)/, "where the killed starts again is no jump");
  });
});

describe("the map of now", () => {
  test("each point is where the answer has the player; what is no place is counted, not drawn", () => {
    const { look } = openTown(8);
    const players = [...look(START_S + 30)];
    const odd = [Number.NaN, 1e300, Number.NEGATIVE_INFINITY].map(
      (x, n): Player => ({
        player: { name: `Odd${n}`, id: n + 1 },
        team: "Civilian",
        permission: "Normal",
        wantedStars: 0,
        location: { x, z: 5 },
      }),
    );
    const { location: _, ...without } = players[0] ??
      odd[0] ?? { player: { name: "" }, team: "", permission: "", wantedStars: 0 };
    const state: ServerState = {
      source: "s" as SourceId,
      status: serverStatus({ name: "Town" }),
      statusAtMs: 0,
      lists: {
        players: { atMs: 0, value: [...players, ...odd, { ...without, player: { name: "Nowhere", id: 9 } }] },
      },
    };
    const picture = mapPicture({ bindingId: "b", state, seen: { atMs: 0 }, filter: {}, look: "dark" });
    const ofOneTeam = picture.points.map((point) => ({
      ...point,
      team: "Civilian",
      isStaff: false,
      wantedStars: 0,
    }));
    const svg = mapSvg({ ...picture, points: ofOneTeam, calls: [] }, undefined);
    const marks = marksIn(svg).slice(0, players.length);
    const places = players.map(({ location }) => ({ x: location?.x ?? 0, z: location?.z ?? 0 }));
    const scale = scaleOf(marks, places);
    assert.ok(scale !== undefined);
    const { placeOf, offUnits } = scale;
    for (const [index, mark] of marks.entries())
      assert.ok(distance(placeOf(mark), places[index]) <= offUnits + 1, `mark ${index}`);
    assert.deepEqual(
      picture.points.map(({ name, x, z }) => `${name} ${x},${z}`),
      players.map(
        ({ player, location }) =>
          `${player.name} ${Math.round(location?.x ?? 0)},${Math.round(location?.z ?? 0)}`,
      ),
    );
  });

  test("two who change places within one look are drawn as two jumps where that is too far to go", () => {
    const swapped = (from: number, to: number): ReplayPicture["people"][number]["spots"] =>
      [from, to].map((x) => ({ x, z: 0, team: "Police" }));
    const [a, b] = [swapped(0, 2_000), swapped(2_000, 0)];
    for (const [before, now] of [a, b]) assert.ok(before != null && now != null && isJump(before, now, 5));
  });
});
