import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Eraser } from "../../src/history/eraser.ts";
import { VirtualClock } from "../support/clock.ts";

describe("the hourly round of erasing", () => {
  test("takes guilds that went long ago one by one, also while no server has told the time", async () => {
    const clock = new VirtualClock();
    const departed = ["g1", "g2"];
    const erased: string[] = [];
    const eraser = new Eraser({
      clock,
      presentS: () => undefined,
      erase: async () => assert.fail("rows need the service's time"),
      erasePersons: async () => assert.fail("people need the service's time"),
      eraseDeparted: async ({ nowMs }) => {
        assert.equal(nowMs, clock.nowMs());
        return departed.shift();
      },
      onErased: (guildId) => erased.push(guildId),
      onFailed: (error) => assert.fail(String(error)),
    });
    eraser.start();
    await clock.advance(9 * 60_000);
    assert.deepEqual(erased, []);
    await clock.advance(2 * 60_000);
    assert.deepEqual(erased, ["g1", "g2"]);
    departed.push("g3");
    await clock.advance(61 * 60_000);
    assert.deepEqual(erased, ["g1", "g2", "g3"]);
    eraser.stop();
  });
});
