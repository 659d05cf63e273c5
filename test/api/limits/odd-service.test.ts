import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import { World, within } from "../../support/limit-run.ts";
import { type TroubleOptions, type TroubleResult, underTrouble } from "../../support/limit-trouble.ts";

const MINUTE_MS = 60_000;

/** Three minutes at a limit of ten a second, windows of both kinds. */
async function inEachWorld(trouble: (seed: number) => Partial<TroubleOptions>): Promise<TroubleResult[]> {
  const results: TroubleResult[] = [];
  for (const [seed, align, resetRounding] of [
    [1, "first-request", "ceil"],
    [4, "clock", "floor"],
  ] as const) {
    const { limits, ...more } = trouble(seed);
    const world = { seed, limit: 10, windowMs: 1_000, windows: 180, ...more };
    results.push(await underTrouble({ ...world, limits: { align, resetRounding, ...limits } }));
  }
  return results;
}

/** At a minute from the beginning, once. */
function afterAMinute(work: (world: World) => void): TroubleOptions["atMs"] {
  let isDone = false;
  return (world, ms) => {
    if (isDone || ms < MINUTE_MS) return;
    isDone = true;
    work(world);
  };
}

describe("the service's clock is set", () => {
  for (const stepS of [-3_600, -20.4, -3, 20, 3_600])
    test(`by ${stepS} s: no silence, and hardly a refusal`, async () => {
      const results = await inEachWorld(() => ({
        atMs: afterAMinute((world) => world.stepService(1_000 * stepS)),
      }));
      for (const { silenceS, used, answers429, requests } of results) {
        assert.ok(silenceS <= 10, `${silenceS} s of silence`);
        assert.ok(used >= 0.9, `${used} used`);
        assert.ok(answers429 <= 0.005 * requests, `${answers429} of 429`);
      }
    });
});

describe("one answer names a reset far ahead", () => {
  test("two such answers, half a minute apart, with hundreds of good ones between, stop nothing", async () => {
    const results = await inEachWorld(() => {
      const meantS = [60, 90];
      let startMs: number | undefined;
      let nowMs = 0;
      return {
        atMs: (world) => {
          nowMs = world.clock.monotonicMs();
          startMs ??= nowMs;
        },
        alter: (headers) => {
          const reset = headers["x-ratelimit-reset"];
          if (reset === undefined || (nowMs - (startMs ?? nowMs)) / 1_000 < (meantS[0] ?? Infinity))
            return headers;
          meantS.shift();
          return { ...headers, "x-ratelimit-reset": String(Number(reset) + 3_600) };
        },
      };
    });
    for (const { silenceS, used } of results) {
      assert.ok(silenceS <= 10, `${silenceS} s of silence`);
      assert.ok(used >= 0.9, `${used} used`);
    }
  });

  for (const farResetS of [30, 90, 3_600])
    test(`one in 300 is ${farResetS} s off: hardly a refusal, and most of the limit is used`, async () => {
      const results = await inEachWorld(() => ({
        limits: { farReset: 1 / 300, farResetMs: 1_000 * farResetS },
      }));
      assertHardlyRefused(results);
      for (const { used, silenceS } of results) {
        assert.ok(used >= 0.9, `${used} used`);
        assert.ok(silenceS <= 60, `${silenceS} s of silence`);
      }
    });
});

test("where one answer in twenty has no limit headers, hardly one is refused and most of the limit is used", async () => {
  const results = await inEachWorld(() => ({ service: { faults: { noRateLimitHeaders: 0.05 } } }));
  assertHardlyRefused(results);
  const used = results.reduce((sum, result) => sum + result.used / results.length, 0);
  assert.ok(used >= 0.9, `${used} used`);
});

test("where answers have no Date and our clock is seconds ahead, a few refusals show it", async () => {
  const withoutDate: TroubleOptions["alter"] = ({ date: _date, ...headers }) => headers;
  const results = await inEachWorld(() => ({ alter: withoutDate, skewMs: -3_000 }));
  for (const { answers429, used } of results) {
    assert.ok(answers429 <= 4, `${answers429} of 429`);
    assert.ok(used >= 0.3, `${used} used`);
  }
});

test("a command that its person cannot be told of any more is not sent", async () => {
  const world = new World({ seed: 1, keys: 1 });
  const [source, key] = [world.source(0), world.key(0)];
  world.service.town(key).join("Ann", 1);
  await within(world, world.client.read(source, [], { priority: "person" }));
  world.service.faults.set({ delayMs: 9_800 });
  const ignore = () => {};
  for (let n = 0; n < 199; n++)
    world.client.read(source, [], { priority: "person", guildId: "a" }).then(ignore, ignore);
  const asked = world.client.command(source, ":h hello", { guildId: "a" });
  asked.catch(ignore);
  await world.clock.advance(15 * MINUTE_MS);
  world.service.faults.clear();
  await assert.rejects(within(world, asked, 10 * MINUTE_MS), (error) => {
    assert.ok(error instanceof Failure);
    assert.deepEqual([error.code, error.ran], ["expired", "no"]);
    return true;
  });
  assert.equal(world.service.counts.executionsByText.size, 0);
  await world.close();
});

function assertHardlyRefused(results: readonly TroubleResult[]): void {
  const sum = (of: (result: TroubleResult) => number) => results.reduce((all, one) => all + of(one), 0);
  const [refused, requests] = [sum(({ answers429 }) => answers429), sum((one) => one.requests)];
  assert.ok(1_000 * refused <= requests, `${refused} of ${requests} answers were 429`);
}
