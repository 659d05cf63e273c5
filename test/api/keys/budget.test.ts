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

const G = { guildId: "g", isKnown: false };

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
          if (budget.decide({ risk, typedBy: G, inWave }, nowMs).kind !== "go") continue;
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
            if (budget.decide({ risk: held, typedBy: G, inWave: false }, nowMs).kind !== "go") continue;
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

  test("typing takes nothing from what linked keys may have on their way, and the last unit is asked with alone", () => {
    const budget = new KeyBudget(9);
    const go = (risk: Risk) => budget.decide({ risk, inWave: false }, 0).kind;
    const take = (n: number, risk: Risk) => budget.take(unitOf(n, risk), 0);
    const fresh = Array.from({ length: 6 }, (_, n) => {
      assert.equal(go("fresh"), "go");
      return take(n, "fresh");
    });
    assert.equal(go("fresh"), "when-one-ends", "three units are for typed keys");
    for (const unit of fresh) budget.release(unit, "taken", 0);

    for (let n = 0; n < 3; n++)
      budget.release(budget.take({ source: source(n), risk: "typed", guildId: "g" }, 0), "refused", 0);
    for (let n = 0; n < 5; n++) {
      assert.equal(go("fresh"), "go");
      take(n, "fresh");
    }
    assert.equal(go("fresh"), "when-one-ends", "after a kill one must be left to ask with");
  });

  test("each refused linked key leaves one less to be on their way; the last unit is for good keys, one at a time", () => {
    const budget = new KeyBudget(9);
    const go = (risk: Risk) => budget.decide({ risk, inWave: true }, 0).kind;
    for (let refused = 1; refused <= 8; refused++) {
      budget.release(budget.take(unitOf(refused, "unknown"), 0), "refused", 0);
      const most = Math.max(1, 6 - refused);
      const started = Array.from({ length: most }, (_, n) => {
        assert.equal(go("fresh"), "go", `${refused} refused, ${n} on their way`);
        return budget.take(unitOf(20 + n, "fresh"), 0);
      });
      assert.notEqual(go("fresh"), "go");
      for (const unit of started) budget.release(unit, "taken", 0);
    }
    assert.equal(go("unknown"), "later");
    assert.equal(go("fresh"), "go");
  });

  test("with all of it spent everybody waits, until the oldest refusal is an hour old", () => {
    const budget = new KeyBudget(9);
    for (let n = 0; n < 9; n++) budget.release(budget.take(unitOf(n, "fresh"), n), "refused", n);
    assert.equal(budget.spentUntilMs(100), HOUR_MS);
    assert.deepEqual(budget.decide({ risk: "fresh", inWave: false }, 100), { kind: "later", atMs: HOUR_MS });
    assert.deepEqual(budget.decide({ risk: "unknown", inWave: false }, 100), {
      kind: "later",
      atMs: HOUR_MS + 1,
    });
    assert.equal(budget.decide({ risk: "fresh", inWave: false }, HOUR_MS).kind, "go");
  });

  test("an unanswered request holds its unit until its key answers, an hour at most, and was a refusal if that is bad", () => {
    for (const evidence of ["taken", "refused"] as const satisfies readonly KeyEvidence[]) {
      const budget = new KeyBudget(8);
      budget.release(budget.take(unitOf(1, "unknown"), 0), "silent", 10_000);
      assert.equal(budget.bound(10_000 + HOUR_MS - 1), 1);
      assert.equal(budget.bound(10_000 + HOUR_MS), 0);
      budget.release(budget.take(unitOf(1, "unknown"), 20_000), evidence, 21_000);
      assert.equal(budget.bound(21_000), evidence === "taken" ? 0 : 2);
    }
  });

  test("typed keys hold a third at most, of one guild two; strangers leave one to guilds that are known", () => {
    const budget = new KeyBudget(9);
    const type = (n: number, guildId: string, isKnown = false) => {
      const decision = budget.decide({ risk: "typed", typedBy: { guildId, isKnown }, inWave: false }, 0);
      if (decision.kind === "go")
        budget.release(budget.take({ source: source(n), risk: "typed", guildId }, 0), "refused", 0);
      return decision.kind;
    };
    assert.deepEqual(
      [1, 2, 3].map((n) => type(n, "a")),
      ["go", "go", "later"],
    );
    assert.equal(type(4, "b"), "later");
    assert.deepEqual([type(5, "c", true), type(6, "c", true)], ["go", "later"]);
  });

  test("one guild types two wrong keys in an hour and four in a day", () => {
    const budget = new KeyBudget(40);
    const by = { guildId: "a", isKnown: true };
    let typed = 0;
    for (let minute = 0; minute < 24 * 60; minute++) {
      const nowMs = minute * MINUTE_MS;
      while (budget.decide({ risk: "typed", typedBy: by, inWave: false }, nowMs).kind === "go") {
        typed += 1;
        const unit = budget.take({ source: source(typed), risk: "typed", guildId: by.guildId }, nowMs);
        budget.release(unit, "refused", nowMs);
      }
      assert.equal(typed, minute < 60 ? 2 : 4);
    }
    assert.equal(budget.typedFromMs(by, 24 * HOUR_MS - 1), 24 * HOUR_MS, "told when");
  });

  test("who was told to wait comes before those who typed more wrong keys, and when it was told", () => {
    const budget = new KeyBudget(9);
    const by = (guildId: string) => ({ guildId, isKnown: false });
    for (const guildId of ["a", "b"])
      budget.release(budget.take({ source: source(1), risk: "typed", guildId }, 0), "refused", 0);
    const isLet = (guildId: string, nowMs: number) => {
      const fromMs = budget.typedFromMs(by(guildId), nowMs);
      if (fromMs !== undefined) budget.typed.onTold(by(guildId), fromMs, nowMs);
      return fromMs === undefined;
    };
    assert.deepEqual(
      ["a", "b", "c", "d"].map((guildId) => isLet(guildId, MINUTE_MS)),
      [false, false, false, false],
    );
    assert.equal(budget.typedFromMs(by("c"), MINUTE_MS), HOUR_MS);
    assert.equal(isLet("a", HOUR_MS), false, "its place is behind");
    assert.equal(isLet("c", HOUR_MS), true);
    assert.equal(isLet("a", 2 * HOUR_MS), true, "places are kept for minutes");
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
