import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditFilter, RunRecord, RunStatus } from "../../../src/domain/run.ts";
import { parseCommand } from "../../../src/runs/catalogue/parse-command.ts";
import { SentOnce } from "../../../src/runs/queue/sent-once.ts";
import { runRecord } from "../../support/run-record.ts";
import { binding, RunsRig } from "../../support/runs-rig.ts";

/** Two members of the staff have the question of *Tell* open, and confirm it one after the other. */
function told(statusOfFirst: RunStatus) {
  const rows: RunRecord[] = [];
  const actor = new RunsRig().actor("mod");
  const text = ":pm Bob You were warned by the staff.";
  const once = new SentOnce({
    search: async (_: string, { verb, fromMs = 0 }: AuditFilter) => ({
      rows: rows.filter((row) => row.verb === verb && row.askedAtMs >= fromMs),
      stoppedAt: undefined,
    }),
  } as never);
  const confirm = (tells: number) =>
    once.run(
      {
        command: parseCommand(text),
        request: { actor, binding, text, origin: "button", tells },
        expiresAtMs: actor.askedAtMs + 60_000,
      },
      async () => {
        // The row is written a moment later: the other press is at work by then.
        await null;
        const { verb = "" } = parseCommand(text);
        rows.push(
          runRecord({
            id: `r${rows.length}`,
            text,
            verb,
            tells,
            askedAtMs: actor.askedAtMs,
            status: statusOfFirst,
          }),
        );
      },
    );
  return { rows, confirm };
}

for (const status of ["waiting", "sending", "done"] as const)
  test(`a warning that two people tell at once is sent to its player once (the first is ${status})`, async () => {
    const { rows, confirm } = told(status);
    const [first, second] = await Promise.allSettled([confirm(7), confirm(7)]);
    assert.deepEqual([first.status, second.status, rows.length], ["fulfilled", "rejected", 1]);
    assert.match(String(second.status === "rejected" && second.reason), /being told already/);
    await confirm(8);
    assert.equal(rows.length, 2, "another warning is told");
  });

for (const status of ["failed", "unknown"] as const)
  test(`a warning whose message may not have arrived can be told again (${status})`, async () => {
    const { rows, confirm } = told(status);
    await confirm(7);
    await confirm(7);
    assert.equal(rows.length, 2);
  });
