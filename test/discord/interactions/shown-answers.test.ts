import assert from "node:assert/strict";
import { test } from "node:test";
import { createShownAnswers } from "../../../src/discord/interactions/shown-answers.ts";
import { md } from "../../../src/domain/escaped.ts";
import { Failure } from "../../../src/domain/failure.ts";
import type { AnswerPlace } from "../../../src/domain/ports/run-answers.ts";

const body = { content: md`undone` };
const placeOf = (runId: string, untilMs = 900_000): AnswerPlace => ({
  applicationId: "1",
  token: `token of ${runId}`,
  untilMs,
});

function rig(failure?: Error) {
  const edited: string[] = [];
  const warned: string[] = [];
  const now = { ms: 0 };
  const answers = createShownAnswers({
    lateAnswers: {
      edit: async ({ token }) => {
        edited.push(token);
        if (failure !== undefined) throw failure;
        return "edited";
      },
    },
    clock: { nowMs: () => now.ms },
    log: { warn: (_: unknown, message?: string) => void warned.push(String(message)) } as never,
  });
  return { answers, edited, warned, now };
}

test("an answer is changed where it stands, once, and not when its time is over", () => {
  const { answers, edited, now } = rig();
  answers.keep("a", placeOf("a"));
  answers.keep("b", placeOf("b"));
  assert.equal(answers.isEdited("a"), false);
  answers.edit("a", body);
  answers.edit("a", body);
  assert.ok(answers.isEdited("a") && !answers.isEdited("b"));
  answers.edit("never", body);
  answers.keep("c", placeOf("c"));
  answers.forget("c");
  answers.edit("c", body);
  now.ms = 900_000;
  answers.edit("b", body);
  assert.deepEqual(edited, ["token of a"]);
});

test("of very many answers the oldest are given up, and first those whose time is over", () => {
  const { answers, edited, now } = rig();
  for (let n = 0; n < 1_005; n++) answers.keep(`r${n}`, placeOf(`r${n}`, n < 3 ? 1 : 900_000));
  now.ms = 2;
  for (const id of ["r0", "r4", "r5", "r1004"]) answers.edit(id, body);
  assert.deepEqual(edited, ["token of r5", "token of r1004"]);
});

test("a stop before it is nothing to report, a defect is", async () => {
  for (const [failure, reports] of [
    [new Failure("expired", "stopped"), 0],
    [new Error("a defect"), 1],
  ] as const) {
    const { answers, warned } = rig(failure);
    answers.keep("a", placeOf("a"));
    answers.edit("a", body);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(warned.length, reports);
  }
});
