import assert from "node:assert/strict";
import { test } from "node:test";
import { whoToPing } from "../../src/build-duty.ts";
import { DutyRoster } from "../../src/domain/duty-roster.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/guild.ts";
import { VirtualClock } from "../support/clock.ts";

test("pings are for five on duty who allowed it and are on no break, where the community wants that; else for nobody by name", async () => {
  const clock = new VirtualClock();
  const roster = new DutyRoster(clock);
  let pingsOnDuty: boolean | undefined;
  const asked: (readonly string[])[] = [];
  const who = whoToPing({
    roster,
    settings: {
      of: async () => ({ ...DEFAULT_SETTINGS, ...(pingsOnDuty === undefined ? {} : { pingsOnDuty }) }),
    },
    mentions: {
      async whoAllowed(_, userIds, most) {
        asked.push(userIds);
        return userIds.filter((id) => id !== "2").slice(0, most);
      },
    },
  });
  const people = Array.from({ length: 8 }, (_, nth) => ({ userId: String(nth + 1), isOnBreak: nth === 0 }));
  roster.set("g", people);
  assert.deepEqual(await who("g"), []);
  pingsOnDuty = true;
  assert.deepEqual(await who("g"), ["3", "4", "5", "6", "7"]);
  assert.deepEqual(await who("other"), []);
  // Nothing was looked at for long: who was on duty then is not pinged now.
  await clock.advance(16 * 60_000);
  assert.deepEqual(await who("g"), []);
  assert.equal(asked.length, 1);
});
