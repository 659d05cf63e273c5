import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { seededRandom } from "../../support/clock.ts";
import { KeyCrowd } from "../../support/key-crowd.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KEYS = 50;
/** A round trip of a second. */
const SLOW = { latencyMs: 450, jitterMs: 50 };

function crowd(seed: number, more: Partial<ConstructorParameters<typeof KeyCrowd>[0]> = {}): KeyCrowd {
  return new KeyCrowd({ seed, keys: KEYS, ...SLOW, ...more });
}

function some(seed: number, count: number): readonly number[] {
  const random = seededRandom(seed);
  const all = Array.from({ length: KEYS }, (_, n) => n);
  return Array.from({ length: count }, () => all.splice(Math.floor(random.next() * all.length), 1)[0] ?? 0);
}

describe("50 linked servers, polled, with a round trip of a second and a service that bans at 10 wrong keys an hour", () => {
  for (const refused of [5, 12, 49])
    for (const how of ["running", "restarted", "after a night", "killed"] as const)
      test(`${refused} keys that are refused at once (${how}) end in no ban, whatever asked with them`, async () => {
        const town = crowd(refused);
        await town.run(MINUTE_MS);
        const bad = some(refused, refused);
        if (how === "restarted") await town.restart();
        if (how === "after a night") await town.restart(10 * HOUR_MS);
        town.regenerate(bad);
        const sinceMs = town.world.clock.nowMs();
        if (how === "killed")
          for (let n = 0; n < 5; n++) {
            await town.run(700 + 1_100 * n);
            await town.kill();
          }
        await town.run(3 * MINUTE_MS);
        // Polling what was found shows nothing more; the hour after it is what counts.
        town.release(town.answeredSince(sinceMs));
        await town.run(75 * MINUTE_MS);

        const { counts } = town.world.service;
        assert.ok(town.mostRefusedInAnHour <= 8, `${town.mostRefusedInAnHour} refused within an hour`);
        assert.equal(counts.bans, 0);
        const parked = town.parkedEvents;
        assert.equal(new Set(parked).size, parked.length, "guilds are told once each");
        for (const source of parked) assert.ok(bad.includes(town.world.sources.indexOf(source as never)));
        if (refused <= 5 && how !== "killed") {
          assert.equal(parked.length, refused, "all of them are found");
          const good = town.answeredSince(sinceMs).filter((n) => !bad.includes(n));
          assert.equal(good.length, KEYS - refused, "and none of the others is silent");
        }
        await town.close();
      });

  test("a key that was taken since the wave opened is never silent for more than a minute because of others", async () => {
    const town = crowd(3);
    await town.run(5 * MINUTE_MS);
    town.regenerate(some(3, 12));
    const sinceMs = town.world.clock.nowMs() + 10_000;
    await town.run(10 * MINUTE_MS);
    const good = town.answeredSince(sinceMs);
    assert.ok(good.length > 5, `${good.length} good keys found`);
    for (const n of good) assert.ok(town.longestSilenceMs(n, sinceMs) <= MINUTE_MS, `server ${n}`);
    await town.close();
  });
});

test("killed at any moment, as often as you like: never more than eight refusals in an hour, no ban", async () => {
  for (let seed = 1; seed <= 6; seed++) {
    const random = seededRandom(seed);
    const refused = [12, 30, 49][seed % 3] ?? 49;
    const town = crowd(seed + 100);
    await town.run(MINUTE_MS);
    town.regenerate(some(seed, refused));
    for (let kill = 0; kill < 15; kill++) {
      await town.run(random.next() * (kill % 3 === 0 ? 5_000 : 400));
      await town.kill();
    }
    await town.run(3 * MINUTE_MS);
    await town.kill();
    await town.run(MINUTE_MS);
    town.release(town.answeredSince(0));
    await town.run(62 * MINUTE_MS);
    assert.ok(town.mostRefusedInAnHour <= 8, `seed ${seed}: ${town.mostRefusedInAnHour}`);
    assert.equal(town.world.service.counts.bans, 0);
    await town.close();
  }
});

test("a service that refuses every key for a second costs no more than the budget, and what was parked comes back", async () => {
  const town = crowd(77);
  await town.run(2 * MINUTE_MS);
  town.world.service.faults.set({ refuseKey: 1 });
  await town.run(1_000);
  town.world.service.faults.clear();
  const sinceMs = town.world.clock.nowMs();
  await town.run(62 * MINUTE_MS);
  assert.ok(town.mostRefusedInAnHour <= 8);
  assert.equal(town.world.service.counts.bans, 0);
  assert.equal(town.world.client.state().parkedKeys, 0);
  assert.equal(town.answeredSince(sinceMs).length, KEYS);
  await town.close();
});
