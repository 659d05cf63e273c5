import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Restraint } from "../../../src/api/limits/restraint.ts";
import { runLoad, World } from "../../support/limit-run.ts";
import type { HeaderChange } from "../../support/network.ts";

const RESET = "x-ratelimit-reset";
const SECONDS = 60;

/** A minute of twice as many reads as the limit of ten a second allows, with changed headers. */
async function aMinute(alter: HeaderChange, keys = 3) {
  const world = new World({ seed: 7, keys, alter });
  const load = { perSecond: 20, forMs: SECONDS * 1_000, mostWaiting: 40 };
  await runLoad(world.clock, load, (n) =>
    world.client.read(world.source(n % keys), [], { priority: "poll" }),
  );
  const { answers429, byStatus, avoidable } = world.service.counts;
  await world.close();
  assert.equal(avoidable, 0);
  return { taken: byStatus.get(200) ?? 0, answers429 };
}

/** Moves the stated reset by so many seconds, where `isMeant(n)`. */
function resetMoved(byS: number, isMeant: (n: number) => boolean): HeaderChange {
  return (headers, n) =>
    headers[RESET] === undefined || !isMeant(n)
      ? headers
      : { ...headers, [RESET]: String(Number(headers[RESET]) + byS) };
}

function dateMoved(byMs: number): HeaderChange {
  return (headers) => ({ ...headers, date: new Date(Date.parse(headers.date ?? "") + byMs).toUTCString() });
}

describe("headers that cannot be right", () => {
  for (const keys of [1, 3])
    for (const byS of [600, 20 * 3_600])
      test(`a reset ${byS} s away in one answer alone stops nobody (${keys} linked)`, async () => {
        const { taken, answers429 } = await aMinute(
          resetMoved(byS, (n) => n === 60),
          keys,
        );
        assert.ok(taken > 0.8 * 10 * SECONDS, `${taken}`);
        assert.ok(answers429 <= 1, `${answers429}`);
      });

  test("with nothing left until that reset, one answer alone stops nobody either", async () => {
    const far = resetMoved(3_600, (n) => n === 60);
    const { taken } = await aMinute((headers, n) => ({
      ...far(headers, n),
      ...(n === 60 ? { "x-ratelimit-remaining": "0" } : {}),
    }));
    assert.ok(taken > 0.8 * 10 * SECONDS, `${taken}`);
  });

  test("what every answer says from now on is believed", async () => {
    const far = resetMoved(3_600, (n) => n >= 60);
    const { taken } = await aMinute((headers, n) => ({
      ...far(headers, n),
      ...(n >= 60 ? { "x-ratelimit-remaining": "0" } : {}),
    }));
    assert.ok(taken < 80, `${taken}`);
  });

  test("seconds that are left, a reset that was over long ago, or one of another day, are taken for no limits: one request a second", async () => {
    const left: HeaderChange = (headers) =>
      headers[RESET] === undefined ? headers : { ...headers, [RESET]: "5" };
    const undated: HeaderChange = ({ date: _, ...headers }, n) => left(headers, n);
    const micros: HeaderChange = (headers) =>
      headers[RESET] === undefined ? headers : { ...headers, [RESET]: `${headers[RESET]}000000` };
    const days = [-3_600, 2 * 86_400, 365 * 86_400].map((byS) => resetMoved(byS, () => true));
    for (const alter of [left, undated, ...days, micros, dateMoved(60_000)]) {
      const { taken, answers429 } = await aMinute(alter);
      assert.equal(answers429, 0);
      assert.ok(taken >= SECONDS - 2 && taken <= SECONDS + 1, `${taken}`);
    }
  });

  test("where refusals go on although headers allow the requests, it becomes one request a second", async () => {
    const boundless: HeaderChange = (headers) => ({ ...headers, "x-ratelimit-remaining": "999" });
    for (const alter of [boundless, dateMoved(5_000)]) {
      const { taken, answers429 } = await aMinute(alter, 1);
      assert.ok(answers429 <= 6 * 3, `${answers429}`);
      assert.ok(taken >= SECONDS - 10 && taken <= 2 * SECONDS, `${taken}`);
    }
  });
});

describe("restraint after refusals", () => {
  test("begins with the sixth within ten minutes and ends when one of them is older", () => {
    const restraint = new Restraint();
    for (let n = 0; n < 5; n++) restraint.onRefused(n * 60_000);
    assert.equal(restraint.readyAtMs(300_000), 300_000);
    restraint.onRefused(300_000);
    restraint.onStarted(300_000);
    assert.equal(restraint.readyAtMs(300_100), Number.POSITIVE_INFINITY, "one at a time");
    restraint.onEnded();
    assert.equal(restraint.readyAtMs(300_100), 301_000, "one a second");
    assert.equal(restraint.readyAtMs(599_999), 301_000);
    assert.equal(restraint.readyAtMs(600_000), 600_000);
  });

  test("waits twice as long after each further refusal, up to a minute, and comes back as none follow", () => {
    const restraint = new Restraint();
    let nowMs = 0;
    const refuse = () => {
      nowMs += 2_000;
      restraint.onRefused(nowMs);
    };
    for (let n = 0; n < 6; n++) refuse();
    const paceMs = () => {
      restraint.onStarted(nowMs);
      restraint.onEnded();
      return restraint.readyAtMs(nowMs) - nowMs;
    };
    const paces = Array.from({ length: 8 }, () => {
      refuse();
      return paceMs();
    });
    assert.deepEqual(paces, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    const after = Array.from({ length: 16 * 6 }, paceMs);
    assert.ok(after.every((ms, n) => n === 0 || ms <= (after[n - 1] ?? ms)));
    assert.equal(after.at(-1), 1_000);
  });

  test("does not begin where refusals are few among many requests", () => {
    const restraint = new Restraint();
    for (let n = 0; n < 12; n++) {
      for (let request = 0; request < 80; request++) {
        restraint.onStarted(n * 4_000);
        restraint.onEnded();
      }
      restraint.onRefused(n * 4_000);
      assert.equal(restraint.readyAtMs(n * 4_000), n * 4_000);
    }
  });

  test("the refusals of one burst are one", () => {
    const restraint = new Restraint();
    for (let n = 0; n < 20; n++) restraint.onRefused(n * 40);
    assert.equal(restraint.readyAtMs(1_000), 1_000);
  });
});
