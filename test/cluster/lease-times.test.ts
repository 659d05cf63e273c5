import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LEASE_MS, LeaseValidity, MARGIN_MS } from "../../src/cluster/lease-times.ts";

const at = (monotonicMs: number, wallMs = monotonicMs) => ({ monotonicMs, wallMs });

describe("how long a lease is surely held", () => {
  test("work stops two seconds before its end, counted from before the renewal was sent", () => {
    const time = new LeaseValidity(at(1_000));
    assert.equal(time.mayWork(at(1_000 + LEASE_MS - MARGIN_MS - 1)), true);
    assert.equal(time.mayWork(at(1_000 + LEASE_MS - MARGIN_MS)), false);
    assert.equal(time.isOver(at(1_000 + LEASE_MS - 1)), false);
    assert.equal(time.isOver(at(1_000 + LEASE_MS)), true);
    time.renewed(at(4_000));
    assert.equal(time.mayWork(at(4_000 + LEASE_MS - MARGIN_MS - 1)), true);
  });

  test("a wall that ran three seconds ahead means a machine that slept: nothing until the next renewal", () => {
    const time = new LeaseValidity(at(1_000, 50_000));
    assert.equal(time.mayWork(at(1_500, 53_499)), true);
    assert.equal(time.mayWork(at(1_500, 53_500)), false);
    assert.equal(time.mayWork(at(1_500, 20_000)), true, "a wall that was set back is no sleep");
    time.renewed(at(1_600, 90_000));
    assert.equal(time.mayWork(at(2_000, 90_400)), true);
  });
});
