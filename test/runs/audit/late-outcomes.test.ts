import assert from "node:assert/strict";
import { test } from "node:test";
import { markdownOfOurs } from "../../../src/domain/escaped.ts";
import type { LateAnswers, LateEdit } from "../../../src/domain/ports/run-answers.ts";
import type { RunRenderer } from "../../../src/domain/ports/run-renderer.ts";
import type { RunOutcome } from "../../../src/domain/run.ts";
import { LateOutcomes } from "../../../src/runs/audit/late-outcomes.ts";
import { settle } from "../../support/clock.ts";
import { textOf } from "../../support/fake-answers.ts";
import { runRecord } from "../../support/run-record.ts";

const place = { applicationId: "a", token: "t", untilMs: 1 };
const unknown = runRecord({ status: "unknown", ran: "unknown", proof: "unchecked" });

function rig(edit: LateAnswers["edit"], isStored = true) {
  const told: string[] = [];
  const forgotten: string[] = [];
  const plain = ({ record }: RunOutcome) => ({ content: markdownOfOurs(record.proof) });
  const renderer: Pick<RunRenderer, "answer" | "outcome" | "outcomeMarks"> = {
    answer: plain,
    outcome: plain,
    outcomeMarks: ({ id }) => [id],
  };
  const late = new LateOutcomes({
    answers: {
      remember: async () => {},
      forget: async (runId) => void forgotten.push(runId),
      async *all() {},
    },
    lateAnswers: {
      edit,
      replaceThinking: async () => {},
    },
    owed: {
      owe: async ({ body }) => {
        told.push(textOf(body));
        return isStored;
      },
    },
    renderer: renderer as RunRenderer,
    report: () => {},
  });
  return { late, told, forgotten };
}

test("what the log shows before Discord takes the outcome is added after it", async () => {
  const first = Promise.withResolvers<LateEdit>();
  const edits: string[] = [];
  const { late, forgotten } = rig(async (_, body) =>
    edits.push(textOf(body)) === 1 ? first.promise : "edited",
  );
  const told = late.tell({ record: unknown }, place);
  late.onProof({ ...unknown, proof: "seen" });
  await settle();
  first.resolve("edited");
  await told;
  await settle();
  assert.deepEqual(edits, ["unchecked", "seen"]);
  assert.deepEqual(forgotten, ["r1"]);
});

test("what the log shows before the outcome is told at all is added after it", async () => {
  const edits: string[] = [];
  const { late, forgotten } = rig(async (_, body) => {
    edits.push(textOf(body));
    return "edited";
  });
  late.expect(unknown, place);
  late.onProof({ ...unknown, proof: "seen" });
  await late.tell({ record: unknown }, place);
  await settle();
  assert.deepEqual([edits, forgotten], [["unchecked", "seen"], ["r1"]]);
});

test("what the log shows while Discord refuses the answer is told in its stead", async () => {
  const first = Promise.withResolvers<LateEdit>();
  const { late, told, forgotten } = rig(() => first.promise);
  const telling = late.tell({ record: unknown }, place);
  late.onProof({ ...unknown, proof: "seen" });
  first.resolve("refused");
  await telling;
  assert.deepEqual([told, forgotten], [["seen"], ["r1"]]);
});

test("what the log shows is not added to an outcome that was left as it stands", async () => {
  let edits = 0;
  const { late, forgotten } = rig(async () => {
    edits += 1;
    return "left";
  });
  await late.tell({ record: unknown }, place);
  late.onProof({ ...unknown, proof: "seen" });
  await settle();
  assert.deepEqual([edits, forgotten], [1, ["r1"]]);
});

test("an outcome that nobody could store as owed is not forgotten: the next process tells it", async () => {
  const { late, told, forgotten } = rig(async () => "refused", false);
  await late.tell({ record: unknown }, place);
  assert.deepEqual([told, forgotten], [["unchecked"], []]);
});
