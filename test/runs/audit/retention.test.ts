import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runRecord } from "../../support/run-record.ts";
import { RunsRig } from "../../support/runs-rig.ts";

const DAY_MS = 24 * 60 * 60_000;

describe("rows of the audit", () => {
  for (const isKnown of [true, false]) {
    test(`go when they are too old, ${isKnown ? "and not because the clock of the machine was set forward by years" : "by our clock where no server says what time it is"}`, async () => {
      const rig = new RunsRig();
      await rig.runs.start();
      const nowMs = rig.clock.nowMs();
      await rig.settings.change("g1", (now) => ({ ...now, auditRetentionDays: 90 }));
      const put = (id: string, askedAtMs: number) =>
        rig.audit.rows.set(id, runRecord({ id, guildId: "g1", askedAtMs }));
      put("young", nowMs - 80 * DAY_MS);
      put("old", nowMs - 100 * DAY_MS);
      if (isKnown) await rig.journal.take({ ...rig.snapshot([]), serviceAtMs: nowMs });
      rig.clock.step(isKnown ? 3 * 365 * DAY_MS : 0);
      await rig.clock.advance(11 * 60_000);
      assert.deepEqual([...rig.audit.rows.keys()], ["young"]);
    });
  }
});
