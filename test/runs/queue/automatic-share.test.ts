import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RunOrigin } from "../../../src/domain/run.ts";
import { binding, RunsRig } from "../../support/runs-rig.ts";

const WINDOW_MS = 5_000;

async function ask(rig: RunsRig, text: string, origin: RunOrigin): Promise<void> {
  const actor = rig.actor(origin === "schedule" ? "manager" : "mod");
  await rig.runs.runner.submit(await rig.runs.runner.plan({ actor, binding, text, origin }));
}

/** The first byte leaves where the run says that it may. */
function leaving(): RunsRig {
  const rig = new RunsRig();
  rig.answering = async (_text, _signal, mayStart) => {
    assert.ok(mayStart());
    return "Success";
  };
  return rig;
}

const sentOf = (rig: RunsRig) =>
  rig.sent.map(({ text, atMs }) => [text, (atMs - Date.UTC(2026, 0, 1)) / 1_000] as const);

describe("the share of automatic commands", () => {
  test("is one of four turns of a server, also while nobody else sends anything", async () => {
    const rig = leaving();
    for (const name of ["a", "b", "c"]) await ask(rig, `:h ${name}`, "schedule");
    await rig.clock.advance(15 * WINDOW_MS);
    assert.deepEqual(sentOf(rig), [
      [":h a", 0],
      [":h b", 20],
      [":h c", 40],
    ]);
  });

  test("is none while a person waits, and a person never waits for it", async () => {
    const rig = leaving();
    await ask(rig, ":h first", "schedule");
    await ask(rig, ":h second", "schedule");
    await rig.clock.advance(7_000);
    // The second is held for its share: whoever comes now goes at once.
    await ask(rig, ":m person", "command");
    await rig.clock.advance(0);
    for (let one = 1; one <= 4; one += 1) await ask(rig, `:m more ${one}`, "command");
    await rig.clock.advance(60_000);
    assert.deepEqual(sentOf(rig), [
      [":h first", 0],
      [":m person", 7],
      [":m more 1", 12],
      [":m more 2", 17],
      [":m more 3", 22],
      [":m more 4", 27],
      [":h second", 32],
    ]);
  });

  test("counts people of every community that has linked the server", async () => {
    const rig = leaving();
    const other = { ...binding, id: "b2", guildId: "g2" };
    rig.linked = [binding, other];
    rig.setPolicy({}, "b2", "g2");
    rig.readyAtMs = rig.clock.nowMs() + 10_000;
    await ask(rig, ":h automatic", "schedule");
    const actor = rig.actor("mod", { userId: "u2", guildId: "g2" });
    const request = { actor, binding: other, text: ":m person", origin: "command" } as const;
    await rig.runs.runner.submit(await rig.runs.runner.plan(request));
    await rig.clock.advance(60_000);
    assert.deepEqual(
      rig.sent.map(({ text }) => text),
      [":m person", ":h automatic"],
    );
  });
});
