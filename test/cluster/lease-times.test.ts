import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HeldLease } from "../../src/cluster/held-lease.ts";
import { LEASE_MS, LeaseValidity, MARGIN_MS } from "../../src/cluster/lease-times.ts";
import type { Leases } from "../../src/cluster/leases.ts";
import type { ShardBlock } from "../../src/cluster/shard-block.ts";
import { createLog } from "../../src/log.ts";
import { VirtualClock } from "../support/clock.ts";

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

test("a process whose lease may be over leaves a successor the first half of the 3 s that Discord waits", async () => {
  const clock = new VirtualClock(0);
  const held = new HeldLease({
    leases: {} as Leases,
    lease: { block: {} as ShardBlock, token: "token", generation: 1 },
    sent: { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() },
    isStoreInDoubt: false,
    isOlderCopy: false,
    clock,
    log: createLog({ level: "error" }),
  });
  let isOurTurn = false;
  void held.othersFirst().then(() => {
    isOurTurn = true;
  });
  await clock.advance(1_499);
  assert.equal(isOurTurn, false);
  await clock.advance(1);
  assert.equal(isOurTurn, true);
});
