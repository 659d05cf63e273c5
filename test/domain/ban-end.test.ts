import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { banTermOf, endOf } from "../../src/domain/ban-end.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// A Thursday.
const now = { nowMs: Date.UTC(2026, 0, 1, 12), zone: "UTC" };

describe("when a ban ends", () => {
  test("after a time counts from its sending, a moment stands", () => {
    assert.deepEqual(banTermOf("7 days", now), { lastsMs: 7 * DAY_MS });
    assert.deepEqual(banTermOf(" 1 H 30 min ", now), { lastsMs: 1.5 * HOUR_MS });
    assert.deepEqual(banTermOf("20:00", now), { untilMs: Date.UTC(2026, 0, 1, 20) });
    assert.deepEqual(banTermOf("fri 20:00", now), { untilMs: Date.UTC(2026, 0, 2, 20) });
    assert.deepEqual(banTermOf("2026-01-05", now), { untilMs: Date.UTC(2026, 0, 5, 23, 59, 59) });
    assert.equal(endOf({ lastsMs: HOUR_MS }, 5_000), HOUR_MS + 5_000);
    assert.equal(endOf({ untilMs: 9_000 }, 5_000), 9_000);
  });

  test("is a minute ahead at least and a year at most, and can be read", () => {
    for (const typed of ["10 s", "0 min", "400 days", "2028-01-01", "2025-12-31 10:00", "soon", ""])
      assert.throws(() => banTermOf(typed, now), { code: "bad-command" }, typed);
  });
});
