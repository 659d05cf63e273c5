import assert from "node:assert/strict";
import { test } from "node:test";
import { createWatch } from "../../src/watch/watch.ts";
import { seededRandom } from "../support/clock.ts";
import { World } from "../support/limit-run.ts";

test("rows from the far future starve no server: it is polled as often as its neighbours", async () => {
  const keys = 12;
  const limits = { global: { limit: 2, windowMs: 1_000 } };
  const world = new World({ seed: 8, keys, service: { limits, town: { intensity: "busy" } } });
  world.service.faults.set({ farFuture: 0.2, onlyKeys: [world.key(0)] });
  const watch = createWatch({
    client: world.client,
    health: world.client,
    listeners: [],
    clock: world.clock,
    random: seededRandom(4),
    metrics: world.metrics,
    onDefect: (error) => assert.fail(String(error)),
  });
  watch.demands.put(
    "feeds",
    world.sources.map((source) => ({ source, lists: ["joinLogs", "killLogs", "commandLogs"] as const })),
  );
  watch.start();
  await world.clock.advance(600_000);
  const before = world.keyTexts.map((key) => world.service.counts.byKey.get(key) ?? 0);
  await world.clock.advance(1_800_000);
  const polls = world.keyTexts.map((key, n) => (world.service.counts.byKey.get(key) ?? 0) - (before[n] ?? 0));
  const odd = polls[0] ?? 0;
  const others = polls.slice(1).reduce((sum, count) => sum + count, 0) / (keys - 1);
  assert.ok(odd > others * 0.75, `${odd} polls, the others ${others}`);
  await Promise.all([watch.stop(), world.close()]);
});
