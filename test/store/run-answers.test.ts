import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSealedAnswer } from "../../src/store/document-schemas.ts";
import { createRunAnswers } from "../../src/store/run-answers.ts";
import { createVault } from "../../src/store/vault.ts";
import { VirtualClock } from "../support/clock.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";

function rig({ clock = new VirtualClock(), texts = new Map<string, string>() } = {}) {
  const answers = createRunAnswers({
    documents: new MemoryDocuments(parseSealedAnswer, texts),
    vault: createVault({ secret: new Uint8Array(32).fill(5) }),
    clock,
  });
  const place = { applicationId: "app", token: "token", untilMs: clock.nowMs() + 60_000 };
  return { clock, texts, answers, place };
}

test("an answer that is forgotten leaves no timer behind; thousands an hour would", async () => {
  const { clock, texts, answers, place } = rig();
  for (const runId of ["r1", "r2", "r2"]) await answers.remember({ guildId: "g1", runId }, place);
  assert.equal(clock.pending, 2);
  await answers.forget("r1");
  await answers.forget("r2");
  assert.deepEqual([clock.pending, texts.size], [0, 0]);
});

test("an answer that nobody forgets is deleted when its token ends, also after a restart", async () => {
  const first = rig();
  await first.answers.remember({ guildId: "g1", runId: "r1" }, first.place);
  await first.clock.advance(59_999);
  assert.equal(first.texts.size, 1);
  await first.clock.advance(1);
  assert.equal(first.texts.size, 0);

  const killed = rig();
  await killed.answers.remember({ guildId: "g1", runId: "r1" }, killed.place);
  const clock = new VirtualClock();
  const next = rig({ clock, texts: killed.texts });
  const found = [];
  for await (const { runId, place } of next.answers.all()) found.push([runId, place?.token]);
  assert.deepEqual(found, [["r1", "token"]]);
  await clock.advance(60_000);
  assert.deepEqual([next.texts.size, clock.pending], [0, 0]);
});
