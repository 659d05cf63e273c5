import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../src/domain/failure.ts";
import { createWatch } from "../../src/watch/watch.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { GateClient, id } from "./watch-rig.ts";

test("the watch tells how many servers are due and how many reads it kept: parked ones are not due, failing ones are", async () => {
  const clock = new VirtualClock();
  const client = new GateClient(clock);
  const watch = createWatch({
    client,
    health: client,
    clock,
    random: seededRandom(3),
    metrics: { count: () => undefined, observe: () => undefined },
    onDefect: () => assert.fail("no defect"),
  });
  watch.start();
  assert.deepEqual(watch.progress(), { due: 0, kept: 0 });
  watch.demands.put(
    "feeds",
    ["a", "b"].map((name) => ({ source: id(name), lists: ["joinLogs"] as const })),
  );
  await clock.advance(10_000);
  assert.equal(watch.progress().due, 2);
  assert.ok(watch.progress().kept >= 2);
  client.parkedSources.add(id("b"));
  client.failure = () => new Failure("unreachable", "nothing answers");
  await clock.advance(1_000);
  const { kept } = watch.progress();
  await clock.advance(10 * 60_000);
  assert.deepEqual(watch.progress(), { due: 1, kept });
  await watch.stop();
});
