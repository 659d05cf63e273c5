import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { divide } from "../../../src/cluster/limits/divide.ts";
import { type Grants, grantShare } from "../../../src/cluster/limits/grants.ts";
import { SHARE_MS } from "../../../src/domain/ports/shared-limits.ts";

const sum = (parts: readonly number[]) => parts.reduce((total, part) => total + part, 0);
const demand = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true }));

describe("a limit divided by demand", () => {
  test("by hand", () => {
    assert.deepEqual(divide(35, [1, 1, 1, 1]), [9, 9, 9, 8]);
    assert.deepEqual(divide(10, [3, 1]), [8, 2]);
    assert.deepEqual(divide(10, [0, 5]), [1, 9]);
    assert.deepEqual(divide(10, [0, 0]), [5, 5]);
    assert.deepEqual(divide(2, [1, 1, 1]), [1, 1, 0]);
    assert.deepEqual(divide(7, []), []);
  });

  test("all of it is given out, in whole requests, at least one to each", () => {
    fc.assert(
      fc.property(fc.nat(200), fc.array(demand, { minLength: 1, maxLength: 12 }), (limit, demands) => {
        const parts = divide(limit, demands);
        assert.equal(sum(parts), limit);
        assert.ok(parts.every((part) => Number.isInteger(part) && part >= (limit >= demands.length ? 1 : 0)));
      }),
    );
  });

  test("who wants more never gets less, and nobody is a whole request from what is fair", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 12, max: 200 }),
        fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 12 }),
        (limit, demands) => {
          const parts = divide(limit, demands);
          for (const [one, wants] of demands.entries())
            for (const [other, wantsToo] of demands.entries())
              if (wants > wantsToo) assert.ok((parts[one] ?? 0) >= (parts[other] ?? 0));
          const fair = demands.map((wants) => (limit * wants) / sum(demands));
          if (fair.every((part) => part >= 1))
            for (const [index, part] of parts.entries()) assert.ok(Math.abs(part - (fair[index] ?? 0)) < 1);
        },
      ),
    );
  });
});

describe("shares that are granted one after the other", () => {
  const step = fc.record({
    token: fc.constantFrom("a", "b", "c", "d", "e"),
    afterMs: fc.nat(2_000),
    demand,
    limit: fc.constantFrom(35, 35, 35, 12, 4),
  });

  test("whatever order processes ask in, all unexpired shares together never exceed the limit", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(35, 12, 4, 2), (steps, limit) => {
        let grants: Grants = {};
        let nowMs = 0;
        for (const { token, afterMs, demand: wants } of steps) {
          nowMs += afterMs;
          const granted = grantShare(grants, { token, limit, demand: wants }, nowMs);
          grants = granted.grants;
          const live = Object.values(grants).filter(({ untilMs }) => untilMs > nowMs);
          assert.ok(sum(live.map(({ share }) => share)) <= limit);
          assert.ok(granted.share >= 0 && Number.isInteger(granted.share));
        }
      }),
    );
  });

  test("a limit that became smaller is not exceeded by anything that is granted from then on", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let grants: Grants = {};
        let nowMs = 0;
        for (const { token, afterMs, demand: wants, limit } of steps) {
          nowMs += afterMs;
          const others = Object.entries(grants).filter(
            ([of, { untilMs }]) => of !== token && untilMs > nowMs,
          );
          const held = sum(others.map(([, { share }]) => share));
          const granted = grantShare(grants, { token, limit, demand: wants }, nowMs);
          assert.ok(granted.share === 0 || granted.share + held <= limit);
          grants = granted.grants;
        }
      }),
    );
  });

  test("after each has asked twice everybody has what is fair", () => {
    let grants: Grants = {};
    const ask = (token: string, nowMs: number) => {
      const granted = grantShare(grants, { token, limit: 35, demand: 1 }, nowMs);
      grants = granted.grants;
      return granted.share;
    };
    assert.equal(ask("a", 0), 35);
    assert.equal(ask("b", 100), 0, "the first one holds all of it");
    assert.equal(ask("a", 1_000), 18);
    assert.equal(ask("b", 1_100), 17);
    assert.deepEqual([ask("a", 2_000), ask("b", 2_100)], [18, 17]);
  });

  test("who stopped asking is left out once its share has expired", () => {
    const first = grantShare({}, { token: "a", limit: 10, demand: 9 }, 0);
    const second = grantShare(first.grants, { token: "b", limit: 10, demand: 1 }, SHARE_MS - 1);
    assert.equal(second.share, 0);
    const third = grantShare(second.grants, { token: "b", limit: 10, demand: 1 }, SHARE_MS);
    assert.equal(third.share, 10);
    assert.deepEqual(Object.keys(third.grants), ["b"]);
  });
});
