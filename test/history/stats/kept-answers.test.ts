import assert from "node:assert/strict";
import { test } from "node:test";
import { createStats } from "../../../src/history/stats/create-stats.ts";
import { VirtualClock } from "../../support/clock.ts";

test("figures are kept for who asks again at once; later the rows that came since count, also of a time long over", async () => {
  const clock = new VirtualClock();
  let asked = 0;
  const stats = createStats({
    clock,
    ask: async () => ({ asked: ++asked }) as never,
    draw: async () => [],
  });
  const week = { bindingId: "b1", fromS: 0, toS: 604_800, zone: "UTC" };
  await stats.server("g1", week);
  await clock.advance(5_000);
  await stats.server("g1", week);
  assert.equal(asked, 1);
  await clock.advance(3_600_000);
  await stats.server("g1", week);
  assert.equal(asked, 2);
});
