import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RunRecord } from "../../../src/domain/run.ts";
import { RefusalCount } from "../../../src/runs/audit/refusal-count.ts";
import { VirtualClock } from "../../support/clock.ts";
import { runRecord } from "../../support/run-record.ts";
import { MemoryAudit } from "../../support/runs-rig.ts";

const refused = (n: number, over: Partial<RunRecord> = {}): RunRecord =>
  runRecord({
    id: `r${n}-${over.actorId ?? ""}`,
    text: `:ban Bob ${n}`,
    verb: "ban",
    status: "denied",
    ran: "no",
    ...over,
  });

function rig() {
  const clock = new VirtualClock();
  const audit = new MemoryAudit();
  const reported: string[] = [];
  let made = 0;
  const refusals = new RefusalCount({
    audit,
    clock,
    report: (what) => void reported.push(what),
    random: { next: () => 0, id: () => `id${made++}` },
  });
  const counted = () => audit.eventRows.map(({ actorId, action, text }) => [actorId, action, text]);
  return { clock, audit, refusals, reported, counted };
}

describe("refused commands in the audit", () => {
  test("have a row each up to five a person and minute; the rest are counted in one row", async () => {
    const { clock, audit, refusals, counted } = rig();
    for (let n = 0; n < 200; n += 1) await refusals.note(refused(n));
    assert.equal(audit.rows.size, 5);
    assert.deepEqual(counted(), []);
    await clock.advance(60_000);
    assert.deepEqual(counted(), [["u1", "refusals", "195 more times within a minute. Last: :ban Bob 199"]]);
    await refusals.note(refused(200));
    assert.equal(audit.rows.size, 6);
  });

  test("few of them are not counted besides", async () => {
    const { clock, audit, refusals, counted } = rig();
    for (let n = 0; n < 5; n += 1) await refusals.note(refused(n));
    await clock.advance(120_000);
    assert.equal(audit.rows.size, 5);
    assert.deepEqual(counted(), []);
  });

  test("count each person by themselves, and each community", async () => {
    const { clock, audit, refusals, counted } = rig();
    for (let n = 0; n < 6; n += 1) {
      await refusals.note(refused(n));
      await refusals.note(refused(n, { actorId: "u2" }));
      await refusals.note(refused(n, { actorId: "u3", guildId: "g2" }));
    }
    assert.equal(audit.rows.size, 15);
    await clock.advance(60_000);
    assert.deepEqual(
      counted().map(([actorId, , text]) => [actorId, text]),
      ["u1", "u2", "u3"].map((actorId) => [actorId, "1 more time within a minute. Last: :ban Bob 5"]),
    );
  });

  test("what was counted is written before the process ends", async () => {
    const { clock, audit, refusals, counted } = rig();
    for (let n = 0; n < 8; n += 1) await refusals.note(refused(n));
    await refusals.flush();
    assert.equal(counted().length, 1);
    await clock.advance(60_000);
    assert.equal(audit.eventRows.length, 1);
  });

  test("a count that cannot be written is reported", async () => {
    const { clock, audit, refusals, reported } = rig();
    for (let n = 0; n < 6; n += 1) await refusals.note(refused(n));
    audit.event = () => Promise.reject(new Error("disk full"));
    await clock.advance(60_000);
    assert.equal(reported.length, 1);
  });
});
