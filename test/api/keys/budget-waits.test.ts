import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { World } from "../../support/limit-run.ts";

const MINUTE_MS = 60_000;
const POLLS_AT_ONCE = 20;

interface Polled {
  readonly badKeyBudget: number;
  /** Requests a second that the service allows. */
  readonly limit: number;
  readonly isSilent?: boolean;
}

/** Four minutes of polls as many as the gate lets go, at answers of a second. */
async function poll({ badKeyBudget, limit, isSilent = false }: Polled) {
  const limits = { global: { limit, windowMs: 1_000 } };
  const world = new World({ seed: 3, keys: 60, latencyMs: 500, badKeyBudget, service: { limits } });
  let isOver = false;
  let asked = 0;
  const pollOnAndOn = async () => {
    while (!isOver) {
      asked += 1;
      const isAnswered = await world.client
        .read(world.source(asked % 60), [], { priority: "poll" })
        .then(() => true)
        .catch(() => false);
      if (!isAnswered) await world.clock.sleep(1_000);
    }
  };
  for (let n = 0; n < POLLS_AT_ONCE; n++) void pollOnAndOn();
  if (isSilent) world.service.faults.set({ silent: 1 });
  await world.clock.advance(4 * MINUTE_MS);
  const { waitShare } = world.client.badKeys();
  const shown = (world.client.state().badKeys as { readonly waitShare: number }).waitShare;
  const told = world.events.filter(({ kind }) => kind === "budget-holds").length;
  isOver = true;
  await world.close();
  assert.equal(shown, waitShare);
  return { waitShare, told };
}

describe("that the budget of bad keys is what requests wait for", () => {
  test("shows where the limit would let them go, and is told once", async () => {
    const { waitShare, told } = await poll({ badKeyBudget: 9, limit: 35 });
    assert.ok(waitShare > 0.9, `${waitShare} of the time`);
    assert.equal(told, 1);
  });

  test("does not show where the limit is what they wait for", async () => {
    for (const world of [
      { badKeyBudget: 60, limit: 35 },
      { badKeyBudget: 9, limit: 3 },
    ]) {
      const { waitShare, told } = await poll(world);
      assert.ok(waitShare < 0.1, `${waitShare} of the time, budget ${world.badKeyBudget}`);
      assert.equal(told, 0);
    }
  });

  test("does not show in an outage: a larger budget would help nobody", async () => {
    const { waitShare, told } = await poll({ badKeyBudget: 9, limit: 35, isSilent: true });
    assert.equal(waitShare, 0);
    assert.equal(told, 0);
  });
});
