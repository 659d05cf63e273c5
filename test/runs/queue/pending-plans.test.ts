import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { binding, RunsRig } from "../../support/runs-rig.ts";

/** A plan that waits for its confirmation. */
async function ask(rig: RunsRig, userId: string, guildId = "g1"): Promise<string> {
  const actor = rig.actor("manager", { userId, guildId });
  const there = { ...binding, guildId };
  const plan = await rig.runs.runner.plan({ actor, binding: there, text: ":ban Alice", origin: "command" });
  assert.equal(plan.confirm, "button");
  return plan.id;
}

async function confirms(rig: RunsRig, planId: string, userId: string, guildId = "g1"): Promise<boolean> {
  const actor = rig.actor("manager", { userId, guildId });
  return rig.runs.runner.confirmed(planId, actor).then(
    () => true,
    () => false,
  );
}

describe("plans that wait for their confirmation", () => {
  test("a person has twenty: one more makes their own oldest go", async () => {
    const rig = new RunsRig();
    const other = await ask(rig, "other");
    const ids: string[] = [];
    for (let count = 0; count < 21; count += 1) ids.push(await ask(rig, "busy"));
    assert.equal(await confirms(rig, ids[0] ?? "", "busy"), false);
    assert.equal(await confirms(rig, ids[1] ?? "", "busy"), true);
    assert.equal(await confirms(rig, other, "other"), true);
    await rig.runs.stop(0);
  });

  test("ten thousand of one guild evict no other guild's", async () => {
    const rig = new RunsRig();
    rig.setPolicy({}, binding.id, "quiet");
    const quiet = await ask(rig, "u", "quiet");
    for (let count = 0; count < 10_000; count += 1) await ask(rig, `u${count}`);
    const { plans } = rig.runs.state() as { readonly plans: number };
    assert.equal(plans, 501);
    assert.equal(await confirms(rig, quiet, "u", "quiet"), true);
    await rig.runs.stop(0);
  });

  test("one that was answered is told from one whose time is over, for as long as anybody looks", async () => {
    const rig = new RunsRig();
    const { runner } = rig.runs;
    const [sent, dropped, over] = [await ask(rig, "u"), await ask(rig, "u"), await ask(rig, "u")];
    const fates = () => [sent, dropped, over].map((id) => runner.fateOf(id));
    assert.deepEqual(fates(), ["awaiting", "awaiting", "awaiting"]);
    await confirms(rig, sent, "u");
    await rig.runs.queue.discard(rig.actor("manager", { userId: "u" }), dropped);
    assert.deepEqual(fates(), ["answered", "answered", "awaiting"]);
    await rig.clock.advance(61_000);
    assert.deepEqual(fates(), ["answered", "answered", "gone"]);
    await rig.clock.advance(60_000);
    await confirms(rig, await ask(rig, "u"), "u");
    assert.deepEqual(fates(), ["gone", "gone", "gone"]);
    await rig.runs.stop(0);
  });

  test("each ends after a minute of real time, however the wall clock steps", async () => {
    const rig = new RunsRig();
    const first = await ask(rig, "u");
    rig.clock.step(3_600_000);
    assert.equal(await confirms(rig, first, "u"), true);
    const second = await ask(rig, "u");
    rig.clock.step(-3_600_000);
    await rig.clock.advance(60_000);
    assert.equal(await confirms(rig, second, "u"), false);
    await rig.runs.stop(0);
  });
});
