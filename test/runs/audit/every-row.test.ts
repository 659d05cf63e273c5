import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCommand } from "../../../src/runs/catalogue/parse-command.ts";
import { SentOnce } from "../../../src/runs/queue/sent-once.ts";
import { wasDeferred } from "../../../src/runs/queue/why-not-deferred.ts";
import { createAuditLog } from "../../../src/store/audit/audit-log.ts";
import {
  parseDayList,
  parseEvent,
  parseListPage,
  parseOpenMark,
  parseRun,
} from "../../../src/store/document-schemas.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";
import { runRecord } from "../../support/run-record.ts";
import { binding, RunsRig } from "../../support/runs-rig.ts";

/** More rows than one search of the audit reads. */
const MANY = 2_100;

const stored = () =>
  createAuditLog({
    runs: new MemoryDocuments(parseRun),
    events: new MemoryDocuments(parseEvent),
    lists: new MemoryDocuments(parseDayList),
    pages: new MemoryDocuments(parseListPage),
    open: new MemoryDocuments(parseOpenMark),
    pause: () => Promise.resolve(),
  });

for (const later of [":h hello", ":unjail Bobby"])
  test(`what was undone before is found behind thousands of later commands, each ${later}`, async () => {
    const audit = stored();
    const actor = new RunsRig().actor("mod");
    const request = { actor, binding, text: ":unjail Bob", origin: "undo" } as const;
    const command = parseCommand(request.text);
    const atMs = actor.askedAtMs;
    const row = (id: string, text: string, askedAtMs: number) =>
      runRecord({
        id,
        guildId: "g1",
        bindingId: binding.id,
        text,
        verb: parseCommand(text).verb ?? "",
        askedAtMs,
      });
    const jailed = row("jail", ":jail Bob", atMs);
    await audit.put(jailed);
    await audit.put({ ...row("undo", request.text, atMs + 1_000), origin: "undo", undoes: jailed.id });
    for (let n = 0; n < MANY; n += 1) await audit.put(row(`later${n}`, later, atMs + 2_000 + n));
    const accepted = new SentOnce(audit).run(
      { command, request: { ...request, undoes: jailed }, expiresAtMs: atMs + 60_000 },
      async () => "sent",
    );
    await assert.rejects(accepted, { message: "It was undone already." });
  });

test("what was sent when somebody joined is found behind many of the same text", async () => {
  const audit = stored();
  const refused = runRecord({ id: "refused", text: ":h hi", askedAtMs: 1_000, status: "failed", ran: "no" });
  await audit.put(refused);
  assert.equal(await wasDeferred(audit, refused), false);
  await audit.put(runRecord({ id: "joined", text: ":h hi", askedAtMs: 2_000, origin: "on-join" }));
  for (let n = 0; n < 60; n += 1)
    await audit.put(runRecord({ id: `later${n}`, text: ":h hi", askedAtMs: 3_000 + n }));
  assert.equal(await wasDeferred(audit, refused), true);
});
