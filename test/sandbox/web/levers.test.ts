import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openStage } from "../../../src/sandbox/stage.ts";
import { Levers } from "../../../src/sandbox/web/levers.ts";

describe("Clear all faults", () => {
  const cases = [
    { began: "allowed", pulls: [], isAllowed: true },
    { began: "allowed", pulls: ["commands"], isAllowed: true },
    { began: "allowed", pulls: ["commands", "new-key"], isAllowed: true },
    // So the world began: what its owner has not allowed yet is no fault.
    { began: "refused", pulls: [], isAllowed: false },
    { began: "refused", pulls: ["commands"], isAllowed: true },
    { began: "refused", pulls: ["commands", "commands"], isAllowed: true },
  ] as const;
  for (const { began, pulls, isAllowed } of cases) {
    const name = `commands that began ${began}, after ${pulls.join(" and ") || "nothing"}, are ${isAllowed ? "allowed" : "refused"}`;
    test(name, async () => {
      const stage = await openStage({
        seed: 9,
        serverKey: "levers-river",
        traffic: "quiet",
        live: false,
        commands: began,
      });
      try {
        const levers = new Levers(stage);
        for (const id of pulls) await levers.pull(id);
        await levers.pull("clear");
        assert.equal(stage.service.keyBook.commandsAllowed(levers.key), isAllowed);
      } finally {
        await stage.close();
      }
    });
  }
});
