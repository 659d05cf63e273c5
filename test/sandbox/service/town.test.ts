import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HOSTILE_NAMES } from "../../../src/sandbox/service/town/people.ts";
import { Town, type TownOptions } from "../../../src/sandbox/service/town/town.ts";

const START_MS = Date.UTC(2026, 2, 1, 18);
const HOUR_MS = 3_600_000;

function makeTown(seed = 5, options: TownOptions = {}): { town: Town; clock: { ms: number } } {
  const clock = { ms: START_MS };
  return { town: new Town(seed, () => clock.ms, options), clock };
}

function lived(seed: number, stepMs: number, options: TownOptions = {}): Town {
  const { town } = makeTown(seed, options);
  for (let ms = START_MS; ms <= START_MS + HOUR_MS; ms += stepMs) town.advanceTo(ms);
  town.advanceTo(START_MS + HOUR_MS);
  return town;
}

const entriesOf = ({ record }: Town): number =>
  record.joins.length + record.kills.length + record.commands.length + record.modCalls.length;

describe("a town by itself", () => {
  test("has the same record for the same seed, another for another", () => {
    assert.deepEqual(lived(5, 1_000).record, lived(5, 1_000).record);
    assert.notDeepEqual(lived(5, 1_000).record, lived(6, 1_000).record);
  });

  test("has the same record in whatever steps it is advanced", () => {
    const once = lived(5, HOUR_MS, { intensity: "busy" });
    for (const stepMs of [1_000, 777, 60_000])
      assert.deepEqual(lived(5, stepMs, { intensity: "busy" }).record, once.record);
  });

  test("knows joins, leaves, kills, staff's commands, mod calls answered later, and emergency calls that end", () => {
    const { record } = lived(5, 1_000, { intensity: "busy" });
    assert.ok(record.joins.some((entry) => entry.join) && record.joins.some((entry) => !entry.join));
    assert.ok(record.kills.length > 0 && record.commands.length > 0 && record.modCalls.length > 0);
    const answered = record.modCalls.filter((call) => call.answeredAtS !== undefined);
    assert.ok(answered.length > 0 && answered.every((call) => Number(call.answeredAtS) > call.atS));
    const ended = record.emergencyCalls.filter((call) => call.endedAtS !== undefined);
    assert.ok(
      ended.some((call) => call.players.length > 0),
      "units join some",
    );
    assert.ok(ended.every((call) => Number(call.endedAtS) > call.startedAtS));
  });

  test("has staff who come for duty and end it, who forget to, who only play, and who stand still", () => {
    const seen = { started: 0, ended: 0, played: 0, still: 0 };
    for (let seed = 1; seed <= 12; seed += 1) {
      const { town } = makeTown(seed, { intensity: "normal" });
      const places = new Map<number, { readonly at: string; readonly sinceMs: number }>();
      const stood = new Set<number>();
      for (let ms = START_MS; ms <= START_MS + 3 * HOUR_MS; ms += 30_000) {
        town.advanceTo(ms);
        for (const player of town.world.staffHere()) {
          const { x, z } = town.world.placeOf(player);
          const before = places.get(player.ref.id);
          if (before?.at !== `${x} ${z}`) places.set(player.ref.id, { at: `${x} ${z}`, sinceMs: ms });
          else if (ms - before.sinceMs >= 20 * 60_000) stood.add(player.ref.id);
        }
      }
      const logged = (text: string) => town.record.commands.filter(({ command }) => command === text).length;
      const came = town.record.joins.filter(
        ({ join, player }) =>
          join && [...town.world.staff.values()].some(({ name }) => player.startsWith(`${name}:`)),
      ).length;
      seen.started += logged(":log duty");
      seen.ended += logged(":log off");
      seen.played += Math.max(0, came - logged(":log duty"));
      seen.still += stood.size;
    }
    assert.ok(seen.ended > 0 && seen.started > seen.ended, JSON.stringify(seen));
    assert.ok(seen.played > 0 && seen.still > 0, JSON.stringify(seen));
  });

  test("writes its record in order of time", () => {
    const { record } = lived(5, 1_000, { intensity: "frenzy" });
    for (const list of [record.joins, record.kills, record.commands, record.modCalls]) {
      const times = list.map((entry) => entry.atS);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    }
  });

  test("joins and leaves of each player alternate, and add up to who is here", () => {
    const town = lived(9, 5_000, { intensity: "frenzy", info: { maxPlayers: 12 } });
    const here = new Set<string>();
    for (const { join, player } of town.record.joins) {
      assert.equal(here.has(player), !join, player);
      if (join) here.add(player);
      else here.delete(player);
    }
    assert.deepEqual([...here].sort(), town.players.map(({ name, id }) => `${name}:${id}`).sort());
  });

  test("is busier by word and by number: a number is log entries per minute", () => {
    const [quiet, normal, busy, frenzy] = (["quiet", "normal", "busy", "frenzy"] as const).map((intensity) =>
      entriesOf(lived(5, 60_000, { intensity, initialPlayers: 0 })),
    );
    assert.ok(
      Number(quiet) < Number(normal) && Number(normal) < Number(busy) && Number(busy) < Number(frenzy),
    );
    const counted = entriesOf(lived(5, 60_000, { intensity: 60 })) - 20;
    assert.ok(counted > 60 * 60 * 0.85 && counted < 60 * 60 * 1.1, `${counted} entries at 60 a minute`);
  });

  test("keeps its players within the range, those above the places waiting in the queue", () => {
    const { town } = makeTown(5, {
      intensity: "frenzy",
      info: { maxPlayers: 6 },
      range: { min: 5, max: 8 },
      initialPlayers: 5,
    });
    let waited = 0;
    for (let ms = START_MS; ms < START_MS + HOUR_MS; ms += 1_000) {
      town.advanceTo(ms);
      const { players, queue } = town.world;
      assert.ok(
        players.length <= 6 && players.length + queue.length <= 8 && players.length + queue.length >= 5,
      );
      waited = Math.max(waited, queue.length);
    }
    assert.equal(waited, 2);
  });

  test("players move: places change with time, not with reading", () => {
    const { town } = makeTown(5, { intensity: 0 });
    const [player] = town.world.players.filter(({ path }) => path.unitsPerSecond > 0);
    assert.ok(player);
    const first = town.world.placeOf(player);
    assert.deepEqual(town.world.placeOf(player), first);
    town.advanceTo(START_MS + 10_000);
    assert.notDeepEqual(town.world.placeOf(player), first);
  });
});

describe("a town's levers", () => {
  test("join, leave, kill and kill spree act at the present and are recorded", () => {
    const { town, clock } = makeTown(5, { intensity: 0 });
    const before = town.record.joins.length;
    clock.ms += 5_000;
    const atS = clock.ms / 1_000;
    const ann = town.join("Ann", 1);
    const bob = town.join("Bob", 2);
    town.kill(ann, bob);
    assert.equal(town.leave("Bob"), true);
    assert.equal(town.leave("Nobody"), false);
    assert.deepEqual(town.record.joins.slice(before), [
      { join: true, atS, player: "Ann:1" },
      { join: true, atS, player: "Bob:2" },
      { join: false, atS, player: "Bob:2" },
    ]);
    assert.deepEqual(town.record.kills, [{ killed: "Bob:2", atS, killer: "Ann:1" }]);
    assert.equal(town.killSpree(40), 40);
    assert.equal(town.record.kills.length, 41);
  });

  test("two equal entries in one second are two", () => {
    const { town } = makeTown(5, { intensity: 0 });
    const [ann, bob] = [town.join("Ann", 1), town.join("Bob", 2)];
    town.kill(ann, bob);
    town.kill(ann, bob);
    assert.deepEqual(town.record.kills[0], town.record.kills[1]);
  });

  test("a mod call waits for its answer; the named moderator, or someone of the staff, answers once", () => {
    const { town, clock } = makeTown(5, { intensity: 0 });
    const ann = town.join("Ann", 1);
    const call = town.modCall(ann);
    clock.ms += 600_000;
    town.advanceTo(clock.ms);
    assert.equal(call.moderator, undefined);
    assert.equal(town.answerModCall(call, { name: "Mia", id: 9 }), call);
    assert.deepEqual([call.moderator, call.answeredAtS], ["Mia:9", clock.ms / 1_000]);
    assert.equal(town.answerModCall(call), undefined, "an answer does not change");
    assert.equal(town.answerModCall(), undefined, "none is open");
  });

  test("a mod call may be left to the town to answer", () => {
    const { town, clock } = makeTown(5, { intensity: 0 });
    for (const [id, { name }] of town.world.staff) town.join(name, id);
    for (let n = 0; n < 20; n += 1) town.modCall(undefined, { answerLater: true });
    clock.ms += HOUR_MS;
    town.advanceTo(clock.ms);
    assert.ok(town.record.modCalls.filter((call) => call.moderator !== undefined).length > 10);
  });

  test("an emergency call is open until it ends by itself", () => {
    const { town, clock } = makeTown(5, { intensity: 0 });
    const ann = town.join("Ann", 1);
    town.emergencyCall(ann);
    const [call] = town.world.openCalls;
    assert.equal(call?.caller, 1);
    clock.ms += HOUR_MS;
    town.advanceTo(clock.ms);
    assert.deepEqual([town.world.openCalls.length, town.record.emergencyCalls.length], [0, 1]);
  });

  test("hostile names come in one after the other", () => {
    const { town } = makeTown(5, { intensity: 0, initialPlayers: 0 });
    const names = HOSTILE_NAMES.map(() => town.hostileName().name);
    assert.deepEqual(new Set(names), new Set(HOSTILE_NAMES));
    assert.deepEqual(new Set(town.players.map(({ name }) => name)), new Set(HOSTILE_NAMES));
  });

  test("empty: everyone leaves and nobody comes until it is opened by an intensity", () => {
    const { town, clock } = makeTown(5, { intensity: "frenzy" });
    town.empty();
    clock.ms += HOUR_MS;
    town.advanceTo(clock.ms);
    assert.equal(town.players.length, 0);
    town.setIntensity("frenzy");
    clock.ms += 60_000;
    town.advanceTo(clock.ms);
    assert.ok(town.players.length > 0);
  });

  test("restart: the logs begin anew and nobody is here, the record stays", () => {
    const { town, clock } = makeTown(5, { intensity: "busy" });
    clock.ms += HOUR_MS;
    town.advanceTo(clock.ms);
    const before = entriesOf(town);
    town.restart();
    assert.deepEqual([town.players.length, town.world.openCalls.length, entriesOf(town)], [0, 0, before]);
    assert.equal(town.world.cleared.joins, town.record.joins.length);
    clock.ms += 60_000;
    town.advanceTo(clock.ms);
    assert.ok(entriesOf(town) > before);
  });

  test("pause: nothing happens by itself until resume, and time never runs back", () => {
    const { town, clock } = makeTown(5, { intensity: "frenzy" });
    clock.ms += 60_000;
    town.pause();
    const before = entriesOf(town);
    clock.ms += HOUR_MS;
    town.advanceTo(clock.ms);
    assert.equal(entriesOf(town), before);
    town.join("Ann", 1);
    town.resume();
    clock.ms += 60_000;
    town.advanceTo(clock.ms);
    assert.ok(entriesOf(town) > before + 50);
    const times = town.record.joins.map((entry) => entry.atS);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  });

  test("pause: events that were due during it happen at the resume, not before it", () => {
    const { town, clock } = makeTown(5, { intensity: 0 });
    for (const [id, { name }] of town.world.staff) town.join(name, id);
    for (let n = 0; n < 20; n += 1) town.modCall(undefined, { answerLater: true });
    town.pause();
    clock.ms += HOUR_MS;
    town.resume();
    town.advanceTo(clock.ms);
    const answered = town.record.modCalls.flatMap((call) => call.answeredAtS ?? []);
    assert.ok(answered.length > 0);
    assert.deepEqual(new Set(answered), new Set([clock.ms / 1_000]));
  });
});
