import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import type { RunOutcome } from "../../../src/domain/run.ts";
import { settle } from "../../support/clock.ts";
import { World } from "../../support/limit-run.ts";
import { binding, RunsRig } from "../../support/runs-rig.ts";

/** The runs wing on the real client and its gate, against the emulated service in virtual time. */

async function rigs(seed: number): Promise<{ readonly world: World; readonly rig: RunsRig }> {
  const world = new World({ seed, keys: 1, jitterMs: 60 });
  world.service.town(world.key(0)).join("Ann", 1);
  await world.clock.advance(5_000);
  const rig = new RunsRig({ clock: world.clock, client: world.client, health: world.client });
  rig.linked = [{ ...binding, source: world.source(0) }];
  return { world, rig };
}

async function submit(rig: RunsRig, text: string) {
  const [linked] = rig.linked;
  assert.ok(linked !== undefined);
  const request = { actor: rig.actor("manager"), binding: linked, text, origin: "command" } as const;
  return rig.runs.runner.submit(await rig.runs.runner.plan(request));
}

async function all(world: World, outcomes: Promise<RunOutcome>[]): Promise<RunOutcome[]> {
  let done = false;
  const both = Promise.all(outcomes).finally(() => {
    done = true;
  });
  await world.clock.until(() => done, 1_200_000);
  return both;
}

test("a full queue drains in order at the pace that the limit allows, without one 429", async () => {
  const { world, rig } = await rigs(1);
  const tickets = [];
  for (let n = 0; n < 30; n++) tickets.push(await submit(rig, `:h ${n}`));
  const outcomes = await all(
    world,
    tickets.map(({ outcome }) => outcome),
  );
  assert.deepEqual([...new Set(outcomes.map(({ record }) => record.status))], ["done"]);
  assert.equal(world.service.counts.answers429, 0);
  assert.deepEqual(
    world.service.counts.executions.map(({ text }) => text),
    tickets.map((_, n) => `:h ${n}`),
  );
  const first = outcomes[0]?.record.sentAtMs ?? 0;
  const last = outcomes.at(-1)?.record.endedAtMs ?? 0;
  // 30 round trips of 80 to 200 ms and 29 windows: at least 0.97 of what the limit allows.
  const boundMs = 29 * 5_000 + 30 * 200;
  assert.ok((last - first) * 0.97 <= boundMs, `${last - first} ms against ${boundMs}`);
  await rig.runs.stop(0);
  await world.client.close();
});

test("each fault of the service leaves at most one execution of each command", async () => {
  const { world, rig } = await rigs(2);
  const faults = [
    { resetAfter: 1 },
    { silent: 1 },
    { truncate: 1 },
    { command500: 1, command500Executed: 1 },
    { html: 1, htmlStatus: 502 },
    { resetBefore: 1 },
  ];
  for (const [n, fault] of faults.entries()) {
    world.service.faults.next({ ...fault, only: "commands" });
    const submitted = await submit(rig, `:h ${n}`);
    const [outcome] = await all(world, [submitted.outcome]);
    assert.equal(outcome?.record.status, "unknown", JSON.stringify(fault));
    await world.clock.advance(30_000);
  }
  for (const times of world.service.counts.executionsByText.values()) assert.equal(times, 1);
  assert.equal(
    world.service.counts.executionsByText.size,
    3,
    "silence, a block page and a lost request reached no game",
  );
  await rig.runs.stop(0);
  await world.client.close();
});

test("a role that goes while the gate holds a command stops it at the last moment", async () => {
  const { world, rig } = await rigs(3);
  const warm = await submit(rig, ":h warm");
  await all(world, [warm.outcome]);
  // Straight to the gate, behind a window that has not passed: what a crowded bucket would do.
  let may = true;
  const held = world.client.command(world.source(0), ":h held", { mayStart: () => may });
  held.catch(() => undefined);
  await settle();
  may = false;
  await world.clock.advance(20_000);
  await assert.rejects(
    held,
    (error) => error instanceof Failure && error.code === "expired" && error.ran === "no",
  );
  assert.equal(world.service.counts.executionsByText.get(":h held"), undefined);
  await rig.runs.stop(0);
  await world.client.close();
});
