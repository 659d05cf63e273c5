import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { KeyBudget } from "../../../src/api/keys/budget.ts";
import type { KeyEvidence, Risk, Unit } from "../../../src/api/keys/unit.ts";
import { Wave } from "../../../src/api/keys/wave.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import { mostWithin } from "../../support/key-crowd.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const step = fc.record({
  afterMs: fc.integer({ min: 0, max: 4 * MINUTE_MS }),
  key: fc.integer({ min: 0, max: 20 }),
  risk: fc.constantFrom<Risk>("fresh", "unknown", "typed", "again", "probe"),
  /** Whether the service refuses the key of this request; what we hear of it is another matter. */
  isBad: fc.boolean(),
  landsAfterMs: fc.integer({ min: 0, max: 3 * MINUTE_MS }),
  inWave: fc.boolean(),
  isKilled: fc.integer({ min: 0, max: 30 }).map((dice) => dice === 0),
});

interface Pending {
  readonly unit: Unit;
  readonly isBad: boolean;
  readonly landsMs: number;
}

function source(n: number): SourceId {
  return `source-${n}` as SourceId;
}

function unitOf(n: number, risk: Risk) {
  return { source: source(n), risk, guildId: undefined };
}

describe("the budget of bad keys", () => {
  test("whatever asks, refusals and units are never more than the budget when something starts", () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 40 }), fc.array(step, { maxLength: 200 }), (most, steps) => {
        const budget = new KeyBudget(most);
        let nowMs = 0;
        let pending: Pending[] = [];
        for (const { afterMs, key, risk, isBad, landsAfterMs, inWave } of steps) {
          nowMs += afterMs;
          for (const { unit, isBad: wasBad, landsMs } of pending)
            if (landsMs <= nowMs) budget.release(unit, wasBad ? "refused" : "taken", landsMs);
          pending = pending.filter(({ landsMs }) => landsMs > nowMs);
          if (budget.decide({ risk, guildId: "g", inWave }, nowMs).kind !== "go") continue;
          const unit = budget.take(
            { source: source(key), risk, guildId: risk === "typed" ? "g" : undefined },
            nowMs,
          );
          pending.push({ unit, isBad, landsMs: nowMs + landsAfterMs });
          assert.ok(budget.refusals(nowMs) + pending.length <= most);
        }
      }),
    );
  });

  test("keys that are bad stay bad: no more refusals in an hour than the budget, over any number of kills", () => {
    const steady = step.map((one) => ({ ...one, isBad: one.key % 2 === 0 }));
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 12 }),
        fc.array(steady, { minLength: 50, maxLength: 300 }),
        (most, steps) => {
          let budget = new KeyBudget(most);
          let nowMs = 0;
          let pending: Pending[] = [];
          const refusedAtMs: number[] = [];
          for (const { afterMs, key, risk, isBad, landsAfterMs, isKilled } of steps) {
            nowMs += afterMs / 10;
            for (const { unit, isBad: wasBad, landsMs } of pending)
              if (landsMs <= nowMs) budget.release(unit, wasBad ? "refused" : "taken", landsMs);
            pending = pending.filter(({ landsMs }) => landsMs > nowMs);
            if (isKilled) {
              const stored = [budget.stored(nowMs), budget.storedFresh(nowMs)];
              pending = [];
              budget = new KeyBudget(most);
              for (const part of stored) budget.restore(part, nowMs);
            }
            const held = budget.isHeld(source(key), nowMs) ? "settling" : risk;
            if (budget.decide({ risk: held, guildId: "g", inWave: false }, nowMs).kind !== "go") continue;
            const unit = budget.take({ source: source(key), risk: held, guildId: undefined }, nowMs);
            pending.push({ unit, isBad, landsMs: nowMs + landsAfterMs / 10 });
            if (isBad) refusedAtMs.push(nowMs);
          }
          assert.ok(
            mostWithin(refusedAtMs, HOUR_MS) <= most,
            `${mostWithin(refusedAtMs, HOUR_MS)} of ${most}`,
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test("the last two units are for keys that are known to be good, one at a time", () => {
    const budget = new KeyBudget(8);
    const go = (risk: Risk) => budget.decide({ risk, inWave: false }, 0).kind;
    const take = (n: number, risk: Risk) => budget.take(unitOf(n, risk), 0);
    for (let n = 0; n < 6; n++) {
      assert.equal(go("unknown"), "go");
      take(n, "unknown");
    }
    assert.equal(go("unknown"), "when-one-ends");
    assert.equal(go("fresh"), "go");
    const reserved = take(6, "fresh");
    assert.equal(go("fresh"), "when-one-ends");
    budget.release(reserved, "taken", 0);
    assert.equal(go("fresh"), "go");
  });

  test("with all of it spent everybody waits, until the oldest refusal is an hour old", () => {
    const budget = new KeyBudget(8);
    for (let n = 0; n < 8; n++) budget.release(budget.take(unitOf(n, "fresh"), n), "refused", n);
    assert.equal(budget.spentUntilMs(100), HOUR_MS);
    assert.deepEqual(budget.decide({ risk: "fresh", inWave: false }, 100), { kind: "later", atMs: HOUR_MS });
    assert.deepEqual(budget.decide({ risk: "unknown", inWave: false }, 100), {
      kind: "later",
      atMs: HOUR_MS + 2,
    });
    assert.equal(budget.decide({ risk: "fresh", inWave: false }, HOUR_MS).kind, "go");
  });

  test("an unanswered request holds its unit for ten minutes at most, and turns out a refusal if its key is bad", () => {
    for (const evidence of ["taken", "refused"] as const satisfies readonly KeyEvidence[]) {
      const budget = new KeyBudget(8);
      budget.release(budget.take(unitOf(1, "unknown"), 0), "silent", 10_000);
      assert.equal(budget.bound(10_000), 1);
      assert.equal(budget.bound(10_000 + 10 * MINUTE_MS), 0);
      budget.release(budget.take(unitOf(1, "unknown"), 20_000), evidence, 21_000);
      assert.equal(budget.bound(21_000), evidence === "taken" ? 0 : 2);
    }
  });

  test("typed keys hold a half at most, of one guild a quarter", () => {
    const budget = new KeyBudget(8);
    const type = (n: number, guildId: string) => {
      const decision = budget.decide({ risk: "typed", guildId, inWave: false }, 0);
      if (decision.kind === "go")
        budget.release(budget.take({ source: source(n), risk: "typed", guildId }, 0), "refused", 0);
      return decision.kind;
    };
    assert.deepEqual(
      [1, 2, 3].map((n) => type(n, "a")),
      ["go", "go", "later"],
    );
    assert.deepEqual(
      [4, 5, 6].map((n) => type(n, `b${n}`)),
      ["go", "go", "later"],
    );
  });
});

describe("a wave", () => {
  test("opens at enough first refusals within ten minutes, keeps its opening, and ends an hour after the last", () => {
    const wave = new Wave(2);
    assert.equal(wave.note(0, "a"), false);
    assert.equal(wave.note(11 * MINUTE_MS, "b"), false);
    assert.equal(wave.note(12 * MINUTE_MS, "c"), true);
    assert.equal(wave.note(40 * MINUTE_MS, "d"), false);
    assert.deepEqual(
      [wave.current(41 * MINUTE_MS)?.id, wave.current(41 * MINUTE_MS)?.openedMs],
      ["c", 12 * MINUTE_MS],
    );
    assert.equal(wave.endsAtMs(41 * MINUTE_MS), 100 * MINUTE_MS);
    assert.equal(wave.current(100 * MINUTE_MS), undefined);
  });

  test("goes on after a restart where it stood when it was last written", () => {
    const wave = new Wave(2);
    wave.note(0, "a");
    wave.note(1_000, "b");
    const stored = wave.stored(31_000);
    assert.deepEqual(stored, { id: "b", openedAgeMs: 30_000, lastAgeMs: 30_000 });
    const next = new Wave(2);
    if (stored !== undefined) next.restore(stored, 5_000_000);
    assert.equal(next.endsAtMs(5_000_000), 5_000_000 - 30_000 + HOUR_MS);
  });
});
