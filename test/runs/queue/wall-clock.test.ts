import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import type { RunOutcome, RunRecord, SubmittedRun } from "../../../src/domain/run.ts";
import { settle } from "../../support/clock.ts";
import { binding, RunsRig, roles } from "../../support/runs-rig.ts";

const HOUR_MS = 3_600_000;

async function ask(rig: RunsRig, text: string): Promise<SubmittedRun> {
  const { runner } = rig.runs;
  return runner.submit(await runner.plan({ actor: rig.actor("mod"), binding, text, origin: "command" }));
}

async function outcomeOf(rig: RunsRig, submitted: SubmittedRun): Promise<RunOutcome> {
  let outcome: RunOutcome | undefined;
  void submitted.outcome.then((known) => {
    outcome = known;
  });
  await rig.clock.until(() => outcome !== undefined);
  return submitted.outcome;
}

for (const stepMs of [HOUR_MS, -HOUR_MS]) {
  describe(`the wall clock steps by ${stepMs / HOUR_MS} h`, () => {
    test("a waiting run expires ten minutes after it was asked for, neither earlier nor later", async () => {
      const rig = new RunsRig();
      rig.haltUntilMs = Number.MAX_SAFE_INTEGER;
      const submitted = await ask(rig, ":h hi");
      const startMs = rig.clock.monotonicMs();
      await rig.clock.advance(60_000);
      rig.clock.step(stepMs);
      const { record } = await outcomeOf(rig, submitted);
      assert.equal(record.status, "expired");
      assert.equal(rig.clock.monotonicMs() - startMs, 600_000);
    });

    test("a role that is taken away while it waits stops it: old roles do not become young", async () => {
      const rig = new RunsRig();
      rig.answering = async (_text, _signal, mayStart) => {
        if (!mayStart()) throw new Failure("expired", "held back");
        return "Success";
      };
      rig.haltUntilMs = rig.clock.nowMs() + 30_000;
      const submitted = await ask(rig, ":h hi");
      await rig.clock.advance(15_000);
      rig.memberRoles.set("u-mod", [roles.none]);
      rig.clock.step(stepMs);
      rig.haltUntilMs = undefined;
      await rig.clock.advance(20_000);
      assert.equal((await outcomeOf(rig, submitted)).record.status, "denied");
      assert.equal(rig.membersRead, 1);
    });

    test("a run that was just asked for goes out at once, on the roles that came with it", async () => {
      const rig = new RunsRig();
      rig.answering = async (_text, _signal, mayStart) => {
        assert.equal(mayStart(), true);
        return "Success";
      };
      const plan = await rig.runs.runner.plan({
        actor: rig.actor("mod"),
        binding,
        text: ":h hi",
        origin: "command",
      });
      const submitted = await rig.runs.runner.submit(plan);
      rig.clock.step(stepMs);
      assert.equal((await outcomeOf(rig, submitted)).record.status, "done");
    });

    test("what undid a run before is found: it is undone once", async () => {
      const rig = new RunsRig();
      const { record } = await outcomeOf(rig, await ask(rig, ":jail Alice"));
      rig.clock.step(stepMs);
      rig.readyAtMs = 0;
      const undo = async (undoes: RunRecord) => {
        const request = {
          actor: rig.actor("mod"),
          binding,
          text: ":unjail Alice",
          origin: "undo",
          undoes,
        } as const;
        return outcomeOf(rig, await rig.runs.runner.submit(await rig.runs.runner.plan(request)));
      };
      assert.equal((await undo(record)).record.status, "done");
      await assert.rejects(undo(record), { code: "bad-command", message: "It was undone already." });
      // A later one of the same text is another run.
      await rig.clock.advance(10_000);
      const { record: next } = await outcomeOf(rig, await ask(rig, ":jail Alice"));
      assert.equal((await undo(next)).record.status, "done");
      assert.equal(rig.sent.length, 4);
    });

    test("a deferred run is sent when someone joins, and proof is sought for its time", async () => {
      const rig = new RunsRig();
      rig.answering = async () => {
        throw new Failure("server-empty", "offline");
      };
      const empty = await ask(rig, ":h Welcome");
      await outcomeOf(rig, empty);
      await settle();
      rig.answering = async () => "Success";
      assert.equal((await rig.runs.queue.defer(rig.actor("mod"), empty.id)).ok, true);
      rig.clock.step(stepMs);
      rig.readyAtMs = 0;
      await rig.journal.take(rig.snapshot());
      await rig.clock.advance(10_000);
      assert.equal(rig.sent.length, 2);
      const sought = () => rig.demandsPut.has(`runs-proof:${binding.source}`);
      await rig.journal.take(rig.snapshot([]));
      assert.equal(sought(), true);
      rig.clock.step(-stepMs);
      await rig.clock.advance(90_000);
      await rig.journal.take(rig.snapshot([]));
      assert.equal(sought(), false);
      await rig.runs.stop(0);
    });
  });
}
