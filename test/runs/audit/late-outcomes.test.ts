import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Case } from "../../../src/domain/case.ts";
import { markdownOfOurs } from "../../../src/domain/escaped.ts";
import type { LateAnswers, LateEdit } from "../../../src/domain/ports/run-answers.ts";
import type { RunRenderer } from "../../../src/domain/ports/run-renderer.ts";
import type { RunOutcome } from "../../../src/domain/run.ts";
import type { CaseForAnswer } from "../../../src/domain/run-case.ts";
import { LateOutcomes, type LateOutcomesPorts } from "../../../src/runs/audit/late-outcomes.ts";
import { settle, VirtualClock } from "../../support/clock.ts";
import { textOf } from "../../support/fake-answers.ts";
import { runRecord } from "../../support/run-record.ts";

const place = { applicationId: "a", token: "t", untilMs: 1 };
const unknown = runRecord({ status: "unknown", ran: "unknown", proof: "unchecked" });

interface RigOptions {
  readonly isStored?: boolean;
  readonly caseOf?: LateOutcomesPorts["caseOf"];
}

function rig(edit: LateAnswers["edit"], { isStored = true, caseOf }: RigOptions = {}) {
  const clock = new VirtualClock();
  const told: string[] = [];
  const forgotten: string[] = [];
  const plain = ({ record }: RunOutcome, { caseNumber }: CaseForAnswer) => ({
    content: markdownOfOurs(caseNumber === undefined ? record.proof : `${record.proof}, case ${caseNumber}`),
  });
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
    clock,
    caseOf,
    report: () => {},
  });
  return { late, clock, told, forgotten };
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
  const { late, told, forgotten } = rig(async () => "refused", { isStored: false });
  await late.tell({ record: unknown }, place);
  assert.deepEqual([told, forgotten], [["unchecked"], []]);
});

describe("the case of a punishment", () => {
  const jail = { ...unknown, text: ":jail Alice test", verb: "jail" };
  const done = { ...jail, status: "done", ran: "yes" } as const;
  const seen = { ...jail, proof: "seen" } as const;
  const found: Case = {
    guildId: jail.guildId,
    number: 7,
    kind: "jail",
    targets: [{ name: "Alice" }],
    mass: false,
    author: { name: "Mo" },
    atMs: 0,
    edits: [],
  };

  /** Whose edits are taken, and whose database has the case as soon as `made` says so. */
  function withCases() {
    const state = { made: false, edits: [] as string[] };
    const parts = rig(
      async (_, body) => {
        state.edits.push(textOf(body));
        return "edited";
      },
      { caseOf: async () => (state.made ? found : undefined) },
    );
    return { ...parts, state };
  }

  test("is in the outcome that is told where it is stored by then", async () => {
    const { late, state, forgotten } = withCases();
    state.made = true;
    await late.tell({ record: done }, place);
    assert.deepEqual([state.edits, forgotten], [["unchecked, case 7"], ["r1"]]);
  });

  test("is added when it is stored later, before or after the log shows the run", async () => {
    for (const isProvedFirst of [true, false]) {
      const { late, state, clock, forgotten } = withCases();
      await late.tell({ record: jail }, place);
      const steps = [
        async () => late.onProof(seen),
        async () => {
          state.made = true;
          await clock.advance(5_000);
        },
      ];
      for (const step of isProvedFirst ? steps : steps.reverse()) {
        assert.deepEqual(forgotten, []);
        await step();
        await settle();
      }
      assert.equal(state.edits.at(-1), "seen, case 7");
      assert.equal(state.edits.length, 3);
      assert.deepEqual(forgotten, ["r1"]);
    }
  });

  test("is looked for as long as the answer of a run that nobody killed looks for it", async () => {
    const { late, state, clock, forgotten } = withCases();
    await late.tell({ record: done }, place);
    await clock.advance(90_000);
    state.made = true;
    await clock.advance(90_000);
    assert.deepEqual([state.edits, forgotten], [["unchecked"], ["r1"]]);
  });

  test("is looked for no more by a process that stops", async () => {
    const { late, state, clock, forgotten } = withCases();
    await late.tell({ record: done }, place);
    late.stop();
    state.made = true;
    await clock.advance(90_000);
    assert.deepEqual([state.edits, forgotten], [["unchecked"], []]);
  });

  test("of a command that punishes nobody is not looked for", async () => {
    const { late, state, forgotten } = withCases();
    state.made = true;
    await late.tell({ record: { ...done, text: ":h Welcome", verb: "h" } }, place);
    assert.deepEqual([state.edits, forgotten], [["unchecked"], ["r1"]]);
  });
});
