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

  test("erases by the clock that is behind where ours and the service's are apart", async () => {
    const dayMs = 86_400_000;
    for (const [serviceMs, ourMs] of [
      [40 * dayMs, 0],
      [0, 40 * dayMs],
    ] as const) {
      const clock = new VirtualClock();
      const rightMs = clock.nowMs();
      clock.step(ourMs);
      const presents = new Set<number | undefined>();
      const eraser = new Eraser({
        clock,
        presentS: () => (rightMs + serviceMs) / 1_000,
        erase: async ({ nowS }) => void presents.add(nowS),
        keepEvidence: async ({ nowS }) => presents.add(nowS).size > 0,
        erasePersons: async ({ nowS }) => presents.add(nowS).size > 0,
        departed: () => Promise.resolve([]),
        eraseDeparted: () => Promise.resolve(false),
        onErased: () => undefined,
        onFailed: (error) => assert.fail(String(error)),
      });
      await eraser.round();
      assert.deepEqual([...presents], [rightMs / 1_000]);
    }
  });
});
