import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { worlds } from "../../support/worlds.ts";
import * as cases from "./crowd-cases.ts";

const MINUTE_MS = 60_000;
/** What an hour may cost where the service bans at ten. */
const MOST_REFUSED = 9;
const KEYS = 50;

describe("50 linked servers, polled, with a round trip of a second and a service that bans at 10 wrong keys an hour", () => {
  for (const refused of worlds([5, 49], [12]))
    for (const how of ["running", "restarted", "after a night", "killed"] as const)
      test(`${refused} keys that are refused at once (${how}) end in no ban, whatever asked with them`, async () => {
        const seen = await cases.refuseAtOnce(refused, how);
        const { bad, parked, good, mostRefusedInAnHour, bans } = seen;
        assert.ok(mostRefusedInAnHour <= MOST_REFUSED, `${mostRefusedInAnHour} refused within an hour`);
        assert.equal(bans, 0);
        assert.equal(new Set(parked).size, parked.length, "guilds are told once each");
        for (const n of parked) assert.ok(bad.includes(n));
        if (refused <= 5 && how !== "killed") {
          assert.equal(parked.length, refused, "all of them are found");
          assert.equal(good.length, KEYS - refused, "and none of the others is silent");
        }
      });

  test("a key that was taken since the wave opened is never silent for more than a minute because of others", async () => {
    const silences = await cases.silencesInWave();
    assert.ok(silences.size > 5, `${silences.size} good keys found`);
    for (const [n, silenceMs] of silences) assert.ok(silenceMs <= MINUTE_MS, `server ${n}`);
  });
});

test("killed at any moment, as often as you like: never more than nine refusals in an hour, no ban", async () => {
  for (const seed of worlds([1, 2, 3], [4, 5, 6])) {
    const seen = await cases.killAtAnyMoment(seed);
    assert.ok(seen.mostRefusedInAnHour <= MOST_REFUSED, `seed ${seed}: ${seen.mostRefusedInAnHour}`);
    assert.equal(seen.bans, 0);
  }
});

test("a service that refuses every key for a second costs no more than the budget, and what was parked comes back", async () => {
  const seen = await cases.refuseAllForASecond();
  assert.ok(seen.mostRefusedInAnHour <= MOST_REFUSED);
  assert.deepEqual([seen.bans, seen.parkedKeys, seen.answered], [0, 0, KEYS]);
});

test("keys that wait to be checked do not wake a process whose probe is on its way", async () => {
  const { waiting, timers } = await cases.timersBesideProbe();
  assert.ok(waiting > 0, "some keys wait");
  assert.ok(timers < 1_000, `${timers} timers in five seconds`);
});
