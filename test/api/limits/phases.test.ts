import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type PhaseOptions, usedInPhase } from "../../support/limit-phases.ts";

const PHASES = [0, 3, 6];

describe("the share of the limit that is used does not depend on where its windows lie between whole seconds", () => {
  test("on a machine that stalls for up to a fifth of a second", async () => {
    await isUsedInEachPhase({ windowMs: 1_000, align: "first-request", stallMs: 200 }, 0.85);
  });

  test("where windows are long, and people use what polls keep for finding their end", async () => {
    await isUsedInEachPhase({ windowMs: 5_000, align: "first-request", stallMs: 0 }, 0.85);
  });

  test("where windows follow the clock", async () => {
    await isUsedInEachPhase({ windowMs: 1_000, align: "clock", stallMs: 100 }, 0.85);
  });
});

async function isUsedInEachPhase(world: Omit<PhaseOptions, "phase">, least: number): Promise<void> {
  for (const phase of PHASES) {
    const { used, answers429 } = await usedInPhase({ ...world, phase });
    assert.equal(answers429, 0, `phase ${phase}`);
    assert.ok(used >= least, `phase ${phase}: ${used}`);
  }
}
