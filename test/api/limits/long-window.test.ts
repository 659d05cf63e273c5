import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { LongWindow } from "../../../src/api/limits/long-window.ts";
import { type TroubleOptions, underTrouble } from "../../support/limit-trouble.ts";

const WINDOW_MS = 120_000;
const LIMIT = 35;
/** The pace at which the limit would be used evenly. */
const EVEN_S = WINDOW_MS / LIMIT / 1_000;

async function inEachWorld(more: Partial<TroubleOptions>) {
  const results = [];
  for (const [n, align] of (["first-request", "clock"] as const).entries())
    for (const [m, resetRounding] of (["ceil", "floor"] as const).entries()) {
      const limits = { align, resetRounding };
      const size = { limit: LIMIT, windowMs: WINDOW_MS, windows: 6, learningWindows: 1 };
      results.push(await underTrouble({ seed: 1 + 2 * n + m, ...size, limits, ...more }));
    }
  return results;
}

describe("35 requests in two minutes", () => {
  test("are spread: nothing is silent for long, and the limit is used", async () => {
    for (const { silenceS, used, answers429 } of await inEachWorld({})) {
      assert.ok(silenceS <= 2 * EVEN_S, `${silenceS} s of silence`);
      assert.ok(used >= 0.9, `${used} used`);
      assert.equal(answers429, 0);
    }
  });

  test("people who ask for a sixth of them wait no more than a moment, and polls go on", async () => {
    for (const { personWaitS, silenceS, used } of await inEachWorld({ peoplePerMinute: 3 })) {
      assert.ok(personWaitS <= 4, `a person waited ${personWaitS} s`);
      assert.ok(silenceS <= 2 * EVEN_S, `${silenceS} s of silence`);
      assert.ok(used >= 0.9, `${used} used`);
    }
  });

  test("stay spread while the service's clock is set", async () => {
    let isSet = false;
    const results = await inEachWorld({
      atMs: (world, ms) => {
        if (ms < 300_000) isSet = false;
        else if (!isSet) {
          isSet = true;
          world.stepService(-3_600_000);
        }
      },
    });
    for (const { silenceS, answers429 } of results) {
      assert.ok(silenceS <= 10, `${silenceS} s of silence`);
      assert.equal(answers429, 0);
    }
  });
});

test("polls alone never take the reserve or the kept request before the last two seconds, and all goes by the end", () => {
  const sizes = fc.record({
    limit: fc.integer({ min: 10, max: 200 }),
    lastsMs: fc.integer({ min: 7_000, max: 120_000 }),
  });
  fc.assert(
    fc.property(sizes, ({ limit, lastsMs }) => {
      const pace = new LongWindow();
      pace.onWindow(0, lastsMs - 1_000, true);
      const end = { soonestMs: lastsMs - 1_000, statedMs: lastsMs };
      let nowMs = 0;
      for (let free = limit - 1; free > 0; free--) {
        const window = { limit, free, inFlight: 0, end, longestMs: lastsMs };
        nowMs = Math.max(nowMs, pace.readyAtMs(window, nowMs, "patient"));
        pace.onStarted(nowMs, "patient");
        const isEarly = nowMs < lastsMs - 2_000;
        assert.ok(!isEarly || free - 1 >= Math.floor(0.2 * limit) + 1, `${free - 1} left at ${nowMs}`);
      }
      assert.ok(nowMs <= lastsMs, "the last one goes when the window is stated to end");
    }),
  );
});

test("people who ask without end leave polls three tenths of what is not reserved", () => {
  const pace = new LongWindow();
  pace.onWindow(0, 119_000, true);
  const end = { soonestMs: 119_000, statedMs: 120_000 };
  let free = LIMIT - 1;
  for (; free > 0; free--) {
    if (pace.readyAtMs({ limit: LIMIT, free, inFlight: 0, end, longestMs: WINDOW_MS }, 0, "eager") > 0) break;
    pace.onStarted(0, "eager");
  }
  assert.equal(free, Math.floor(0.3 * (LIMIT - 7)) + 1);
});
