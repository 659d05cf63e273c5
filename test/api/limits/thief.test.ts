import assert from "node:assert/strict";
import { test } from "node:test";
import { runLoad, World } from "../../support/limit-run.ts";

const MINUTES = 20;

test("another program that takes nearly all of the limit: ours asks ever more rarely, and is rarely refused", async () => {
  const world = new World({ seed: 21, keys: 3 });
  const { clock, service } = world;
  const endMs = clock.monotonicMs() + MINUTES * 60_000;
  let theirs = 0;
  const steal = () => {
    if (clock.monotonicMs() >= endMs) return;
    clock.after(1_000 / 9.5, steal);
    const asked = { method: "GET", path: "/v1/server", headers: { "server-key": world.key(0) } };
    // From our address, and counted as if it had asked before any wait was told: a block would be ours as well.
    if (service.handle({ ...asked, address: "127.0.0.1", sentAtMs: 0 }).status === 429) theirs += 1;
  };
  steal();
  await runLoad(clock, { perSecond: 20, forMs: MINUTES * 60_000, mostWaiting: 20 }, (n) =>
    world.client.read(world.source(n % 3), ["players"], { priority: "poll" }),
  );
  const ours = service.counts.answers429 - theirs;
  assert.ok(ours <= 45, `${ours} of ours were refused in ${MINUTES} minutes`);
  await world.close();
});
