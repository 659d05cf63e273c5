import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { caseCard } from "../../src/discord/render/players/case-card.ts";
import { caseForAnswer } from "../../src/domain/run-case.ts";
import { readLogged } from "../../src/runs/catalogue/read-logged.ts";
import { kick } from "../history/cases/case-samples.ts";
import { runRecord } from "../support/run-record.ts";

const of = { read: readLogged, isKept: true };

describe("The reason of a case", () => {
  test("can be given on the answer and on the case alike, of an unban too", () => {
    for (const kind of ["kick", "ban", "jail", "unban"] as const) {
      const run = runRecord({ text: `:${kind} Ann`, verb: kind, status: "done" });
      const { reason: _, ...one } = kick({ kind });
      assert.equal(caseForAnswer(run, undefined, of).wantsReason, true, kind);
      assert.equal(caseForAnswer(run, one, of).wantsReason, true, kind);
      const labels = (caseCard(one).rows ?? []).flat().map((part) => ("label" in part ? part.label : ""));
      assert.ok(labels.includes("Give the reason"), kind);
    }
  });

  test("is not asked for where it was typed, nor at the end of a ban, which gives it itself", () => {
    const typed = runRecord({ text: ":unban Ann appeal", verb: "unban", status: "done" });
    assert.equal(caseForAnswer(typed, undefined, of).wantsReason, false);
    const ended = runRecord({ text: ":unban 12", verb: "unban", status: "done", origin: "ban-end" });
    assert.equal(caseForAnswer(ended, undefined, of).wantsReason, false);
  });
});
