import assert from "node:assert/strict";
import { test } from "node:test";
import { follow } from "../../commands/run-follow.ts";
import type { Actor } from "../../src/domain/guild.ts";
import type { RunOutcome, RunStatus, SubmittedRun } from "../../src/domain/run.ts";
import { FakeWorld } from "../support/fake-services.ts";
import { runRecord } from "../support/run-record.ts";

const place = { applicationId: "app", token: "token", untilMs: 0 };

function rig(status: RunStatus = "expired") {
  const { services } = new FakeWorld();
  const kept = new Set<string>();
  Object.assign(services, {
    runAnswers: {
      remember: async ({ runId }: { runId: string }) => void kept.add(runId),
      forget: async (runId: string) => void kept.delete(runId),
    },
  });
  const record = runRecord({ status });
  const submitted: SubmittedRun = {
    id: record.id,
    async *progress() {},
    outcome: Promise.resolve<RunOutcome>({ record }),
  };
  const stopping = new AbortController();
  const lastReply = { isShown: false };
  const actor = { guildId: record.guildId } as Actor;
  const on = { actor, signal: stopping.signal, answer: place, lastReply };
  return { kept, stopping, lastReply, replies: follow(services, submitted, on) };
}

test("where a run stands is stored until its outcome was shown", async () => {
  const { kept, replies } = rig();
  assert.equal((await replies.next()).done, false);
  assert.deepEqual([...kept], ["r1"]);
  assert.equal((await replies.next()).done, true);
  assert.deepEqual([...kept], []);
});

test("where an outcome stands that a stop kept from being shown, or from being looked for, stays stored", async () => {
  for (const [status, isShown, isKept] of [
    ["expired", false, true],
    ["expired", true, false],
    // The next process looks for it in the log, and adds what that shows.
    ["unknown", true, true],
  ] as const) {
    const { kept, stopping, lastReply, replies } = rig(status);
    await replies.next();
    stopping.abort();
    lastReply.isShown = isShown;
    await replies.return(undefined);
    assert.equal(kept.size, Number(isKept), `${status} ${isShown}`);
  }
});

test("an outcome that cannot be shown is stored no longer", async () => {
  const { kept, replies } = rig();
  await replies.next();
  await replies.return(undefined);
  assert.deepEqual([...kept], []);
});
