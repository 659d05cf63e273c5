import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Eraser } from "../../src/history/eraser.ts";
import { VirtualClock } from "../support/clock.ts";

describe("the hourly round of erasing", () => {
  test("takes servers that ended long ago by our clock, also while no server has stated the time", async () => {
    const clock = new VirtualClock();
    let departed = ["g1", "g2"];
    const erased: string[] = [];
    const steps: (number | undefined)[] = [];
    const eraser = new Eraser({
      clock,
      presentS: () => undefined,
      erase: async ({ afterScope, nowS, nowMs }) => {
        assert.equal(nowMs, clock.nowMs());
        steps.push(nowS);
        return afterScope < 2 ? { scope: afterScope + 1, isDone: true } : undefined;
      },
      keepEvidence: () => Promise.resolve(true),
      erasePersons: async ({ nowS }) => {
        steps.push(nowS);
        return true;
      },
      departed: async ({ nowMs }) => {
        assert.equal(nowMs, clock.nowMs());
        return departed;
      },
      eraseDeparted: async (guildId) => {
        departed = departed.filter((other) => other !== guildId);
        // One of them has linked a server meanwhile.
        return guildId !== "g3";
      },
      onErased: (guildId) => erased.push(guildId),
      onFailed: (error) => assert.fail(String(error)),
    });
    eraser.start();
    await clock.advance(9 * 60_000);
    assert.deepEqual(erased, []);
    await clock.advance(2 * 60_000);
    assert.deepEqual(erased, ["g1", "g2"]);
    assert.deepEqual(steps, [undefined, undefined, undefined, undefined]);
    departed.push("g3", "g4");
    await clock.advance(61 * 60_000);
    assert.deepEqual(erased, ["g1", "g2", "g4"]);
    eraser.stop();
  });
});
