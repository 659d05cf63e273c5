import assert from "node:assert/strict";
import { test } from "node:test";
import { follow } from "../../commands/run-flow.ts";
import type { RunOutcome, SubmittedRun } from "../../src/domain/run.ts";
import { FakeWorld } from "../support/fake-services.ts";
import { runRecord } from "../support/run-record.ts";

const place = { applicationId: "app", token: "token", untilMs: 0 };

function rig() {
  const { services } = new FakeWorld();
  const kept = new Set<string>();
  Object.assign(services, {
    runAnswers: {
      remember: async ({ runId }: { runId: string }) => void kept.add(runId),
      forget: async (runId: string) => void kept.delete(runId),
    },
  });
  const record = runRecord({ status: "expired", ran: "no" });
  const submitted: SubmittedRun = {
    id: record.id,
    async *progress() {},
    outcome: Promise.resolve<RunOutcome>({ record }),
  };
  const stopping = new AbortController();
  const on = { guildId: record.guildId, signal: stopping.signal, answer: place };
  return { kept, stopping, replies: follow(services, submitted, on) };
}

test("where a run stands is stored until its outcome was shown", async () => {
  const { kept, replies } = rig();
  assert.equal((await replies.next()).done, false);
  assert.deepEqual([...kept], ["r1"]);
  assert.equal((await replies.next()).done, true);
  assert.deepEqual([...kept], []);
});

test("what is shown while the bot stops may not arrive: where it stands stays stored for the next process", async () => {
  const { kept, stopping, replies } = rig();
  await replies.next();
  stopping.abort();
  await replies.next();
  assert.deepEqual([...kept], ["r1"]);
});

test("an outcome that cannot be shown is stored no longer", async () => {
  const { kept, replies } = rig();
  await replies.next();
  await replies.return(undefined);
  assert.deepEqual([...kept], []);
});
