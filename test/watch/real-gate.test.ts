import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createWatch, type Watch } from "../../src/watch/watch.ts";
import { seededRandom } from "../support/clock.ts";
import { World } from "../support/limit-run.ts";

function watchOf(world: World): Watch {
  const watch = createWatch({
    client: world.client,
    health: world.client,
    clock: world.clock,
    random: seededRandom(4),
    metrics: world.metrics,
    onDefect: (error) => assert.fail(String(error)),
  });
  const lists = ["joinLogs", "killLogs", "commandLogs"] as const;
  watch.demands.put(
    "feeds",
    world.sources.map((source) => ({ source, lists })),
  );
  watch.start();
  return watch;
}

/** A world whose service has a clock of its own, which nobody sets. */
function worldOf(seed: number): World {
  const startMs = Date.UTC(2026, 0, 1);
  let sinceStartMs = () => 0;
  const world = new World({ seed, keys: 3, service: { nowMs: () => startMs + sinceStartMs() } });
  const firstMs = world.clock.monotonicMs();
  sinceStartMs = () => world.clock.monotonicMs() - firstMs;
  return world;
}

/** Through the client and its gate, against the emulated service. */
describe("watch: with the real gate", () => {
  test("rows from the far future starve no server: it is polled as often as its neighbours", async () => {
    const keys = 12;
    const limits = { global: { limit: 2, windowMs: 1_000 } };
    const world = new World({ seed: 8, keys, service: { limits, town: { intensity: "busy" } } });
    world.service.faults.set({ farFuture: 0.2, onlyKeys: [world.key(0)] });
    const watch = watchOf(world);
    await world.clock.advance(600_000);
    const counted = () => world.keyTexts.map((key) => world.service.counts.byKey.get(key) ?? 0);
    const before = counted();
    await world.clock.advance(1_800_000);
    const [odd = 0, ...others] = counted().map((count, n) => count - (before[n] ?? 0));
    const mean = others.reduce((sum, count) => sum + count, 0) / others.length;
    assert.ok(odd > mean * 0.75, `${odd} polls, the others ${mean}`);
    await Promise.all([watch.stop(), world.close()]);
  });

  for (const stepMs of [3_600_000, -3_600_000]) {
    const words = stepMs > 0 ? "forward" : "back";

    test(`a wall clock that is set an hour ${words} stops no polls, and sends nothing into a halt`, async () => {
      const world = worldOf(9);
      const watch = watchOf(world);
      await world.clock.advance(60_000);
      world.clock.step(stepMs);
      const before = world.service.counts.requests;
      await world.clock.advance(10_000);
      assert.ok(
        world.service.counts.requests - before >= 20,
        `${world.service.counts.requests - before} polls`,
      );

      world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 60_000 });
      await world.clock.advance(5_000);
      const halted = world.service.counts.requests;
      world.clock.step(stepMs);
      await world.clock.advance(50_000);
      assert.equal(world.service.counts.requests, halted);
      await world.clock.advance(20_000);
      assert.ok(world.service.counts.requests - halted >= 10);
      await Promise.all([watch.stop(), world.close()]);
    });

    test(`a restart after the wall clock was set an hour ${words} polls again within 10 s`, async () => {
      const world = worldOf(10);
      const first = watchOf(world);
      await world.clock.advance(60_000);
      await Promise.all([first.stop(), world.clock.advance(5_000)]);
      world.clock.step(stepMs);
      await world.restart();
      const before = world.service.counts.requests;
      const second = watchOf(world);
      await world.clock.advance(10_000);
      assert.ok(world.service.counts.requests - before >= 20);
      await Promise.all([second.stop(), world.close()]);
    });
  }
});
