import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BucketNames } from "../../../src/api/limits/bucket-names.ts";
import { ServerClock } from "../../../src/api/limits/server-clock.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import { underTrouble } from "../../support/limit-trouble.ts";
import { pollOwnCounters } from "../../support/own-counters.ts";
import { worlds } from "../../support/worlds.ts";

const WORLDS = worlds(
  [{ seed: 1, align: "first-request", resetRounding: "ceil" }],
  [{ seed: 2, align: "clock", resetRounding: "floor" }],
);
const ALIGNED = ["first-request", "clock"] as const;

/** A window begins with the first request or by the clock, and its end is rounded up or down. */
const WINDOWS = ALIGNED.flatMap((align) =>
  worlds(
    [{ align, resetRounding: align === "clock" ? "floor" : "ceil" }],
    [{ align, resetRounding: align === "clock" ? "ceil" : "floor" }],
  ),
);

for (const windowMs of worlds([1_000, 5_000], [60_000]))
  test(`a bucket of ${windowMs} ms that is renamed stays one counter for all keys`, async () => {
    for (const { seed, ...limits } of WORLDS) {
      let isRenamed = false;
      const { answers429, used } = await underTrouble({
        seed,
        limits,
        ...{ limit: 12, windowMs, windows: 150 },
        atMs: ({ service }, ms) => {
          if (isRenamed || ms < 30.4 * windowMs) return;
          isRenamed = true;
          service.limits.nameSuffix = "-new";
        },
      });
      assert.ok(answers429 <= 2, `${answers429} answers of 429`);
      assert.ok(used >= 0.9, `${used} used`);
    }
  });

test("a limit that is cut from ten to two and raised again every five minutes costs hardly a refusal", async () => {
  for (const { seed, ...limits } of WORLDS) {
    const rates = [
      { limit: 10, windowMs: 1_000 },
      { limit: 2, windowMs: 1_000 },
    ] as const;
    const { requests, answers429, used } = await underTrouble({
      seed,
      limits: { ...limits, global: rates[0] },
      // The mean of both.
      ...{ limit: 6, windowMs: 1_000, windows: 660 },
      atMs: ({ service }, ms) => {
        service.limits.global = rates[Math.floor((ms + 260) / 300_000) % 2] ?? rates[0];
      },
    });
    assert.ok(1_000 * answers429 <= 4 * requests, `${answers429} of ${requests} answers were 429`);
    assert.ok(used >= 0.85, `${used} used`);
  }
});

test("a bucket that is renamed while its limit is halved costs what the cut alone does", async () => {
  for (const { seed, ...limits } of WORLDS) {
    let isChanged = false;
    const { answers429 } = await underTrouble({
      seed: 500 + seed,
      limits,
      ...{ limit: 10, windowMs: 1_000, windows: 60 },
      atMs: ({ service }, ms) => {
        if (isChanged || ms < 30_260) return;
        isChanged = true;
        Object.assign(service.limits, { nameSuffix: "-new", global: { limit: 5, windowMs: 1_000 } });
      },
    });
    assert.ok(answers429 <= 5, `${answers429} answers of 429`);
  }
});

test("a counter that some nodes of the service rename before others draws hardly a refusal", async () => {
  let n = 0;
  const { answers429, requests, used } = await underTrouble({
    seed: 3,
    limit: 10,
    windowMs: 1_000,
    windows: 120,
    atMs: ({ service }) => {
      n += 1;
      service.limits.nameSuffix = n > 300 && n % 7 === 0 ? "-other" : "";
    },
  });
  assert.ok(answers429 <= 0.01 * requests, `${answers429} of ${requests} answers were 429`);
  assert.ok(used >= 0.8, `${used} used`);
});

describe("a limit of one to three requests in a window", () => {
  for (const [limit, windowMs] of [
    [1, 1_000],
    [2, 1_000],
    [3, 1_000],
    [1, 2_000],
  ] as const)
    test(`${limit} in ${windowMs / 1_000} s are used, and at most one is refused to find out where windows end`, async () => {
      for (const limits of WINDOWS) {
        const size = { seed: limit, limit, windowMs, windows: 120 };
        const { answers429, used } = await underTrouble({ ...size, limits });
        const { align, resetRounding } = limits;
        assert.ok(answers429 <= 1, `${align}, ${resetRounding}: ${answers429} answers of 429`);
        assert.ok(used >= 0.8, `${align}, ${resetRounding}: ${used} used`);
      }
    });
});

describe("servers with counters of their own, of three requests in a window", () => {
  for (const { keys, windowMs, forMs, least } of worlds(
    [{ keys: 20, windowMs: 1_500, forMs: 60_000, least: 0.6 }],
    [
      { keys: 20, windowMs: 2_000, forMs: 60_000, least: 0.6 },
      { keys: 200, windowMs: 2_000, forMs: 24_000, least: 0.4 },
    ],
  ))
    test(`${keys} with windows of ${windowMs / 1_000} s: one or two are refused for all of them to find out where windows end`, async () => {
      for (const limits of WINDOWS) {
        const { answers429, used } = await pollOwnCounters({ keys, limit: 3, windowMs, forMs, limits });
        const { align, resetRounding } = limits;
        assert.ok(answers429 <= 2, `${align}, ${resetRounding}: ${answers429} answers of 429`);
        assert.ok(used >= least, `${align}, ${resetRounding}: ${used} used`);
      }
    });

  for (const { align, seed } of worlds(
    [
      { align: "clock", seed: 10 },
      { align: "first-request", seed: 10 },
    ],
    [4, 5, 9, 13, 14, 16].map((seed) => ({ align: "clock", seed }) as const),
  ))
    test(`many tries at one end of a window are no proof that all resets are rounded up: ${align}, seed ${seed}`, async () => {
      const size = { keys: 20, limit: 3, windowMs: 1_500, forMs: 60_000, seed };
      const { answers429, used } = await pollOwnCounters({
        ...size,
        limits: { align, resetRounding: "floor" },
      });
      assert.ok(answers429 <= 2, `${answers429} answers of 429`);
      assert.ok(used >= 0.6, `${used} used`);
    });
});

test("two names are one counter until they show limits that one cannot have", () => {
  const names = new BucketNames(new ServerClock(0), "salt");
  const [source, nowMs] = ["a" as SourceId, 1_000_000];
  const told = (bucket: string, limit: number, seconds: number) => {
    const atMs = nowMs + 1_000 * seconds;
    const quota = { bucket, limit, remaining: limit - 1, resetMs: atMs + 1_000 };
    return { source, quota, sentMs: atMs - 50, readMs: atMs };
  };
  const first = told("old", 10, 0);
  const old = names.find(first, undefined);
  const before = old.largest;
  before.bucket.learn(first.quota, first, { counted: false, refused: false });

  assert.equal(names.find(told("new", 10, 1), before), old);
  assert.equal(names.groups.length, 1);
  assert.equal(names.find(told("old", 10, 2), before), old);
  const apart = names.find(told("new", 35, 3), before);
  assert.notEqual(apart, old);
  assert.equal(names.find(told("old", 10, 4), before), old);
  assert.equal(names.find(told("new", 35, 5), before), apart);
  assert.notEqual(apart.hash, old.hash);
});
