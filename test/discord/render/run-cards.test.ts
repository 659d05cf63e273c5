import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  auditCsv,
  auditJson,
  csvCell,
  eventLine,
  fitLines,
  runLine,
} from "../../../src/discord/render/audit-rows.ts";
import { confirmCard, dryCard, outcomeCard } from "../../../src/discord/render/run-cards.ts";
import { runRenderer } from "../../../src/discord/render/run-renderer.ts";
import type { MessageBody } from "../../../src/domain/message.ts";
import type { RunPlan, RunRecord, RunStatus } from "../../../src/domain/run.ts";
import { textOf } from "../../support/fake-answers.ts";
import { binding, sourceId } from "../../support/runs-rig.ts";

const record: RunRecord = {
  id: "run-1",
  guildId: "g1",
  bindingId: "b1",
  source: sourceId,
  serverName: "Liberty",
  actorId: "100",
  actorName: "mo",
  actorRoleIds: ["1", "2"],
  origin: "command",
  text: ":h hi",
  verb: "hint",
  askedAtMs: Date.UTC(2026, 0, 1),
  channelId: "600",
  status: "done",
  ran: "yes",
  proof: "unchecked",
};

const plan: RunPlan = {
  id: "plan-1",
  request: {
    actor: {
      ...{ userId: "100", userName: "mo", guildId: "g1", channelId: "600", roleIds: [], manageGuild: false },
      askedAtMs: 0,
    },
    binding,
    text: ":ban Alice",
    origin: "command",
  },
  command: {
    ...{ text: ":ban Alice", verb: "ban", known: true, tier: "administrator", danger: "severe" },
    ...{ targetTexts: ["Alice"], mass: false },
  },
  decision: { allowed: true, why: "It needs the tier Administrator; the tier held is Manager." },
  targets: [{ text: "Alice", players: [{ name: "Alice", id: 11 }], staff: false }],
  playersAgeMs: 3_000,
  confirm: "button",
  confirmReasons: [":ban cannot be taken back easily."],
  warnings: [],
  expectedWaitMs: 0,
  inverse: ":unban Alice",
  expiresAtMs: 60_000,
};

/** Discord's limits (design 7). */
function mustFit({ content, cards, rows }: MessageBody): void {
  assert.ok((content ?? "").length <= 2_000);
  for (const { title, description, fields } of cards ?? []) {
    assert.ok((title ?? "").length <= 256 && (description ?? "").length <= 4_096);
    for (const { name, value } of fields ?? []) {
      assert.ok(name.length <= 256 && value.length > 0 && value.length <= 1_024, `${name}: ${value.length}`);
    }
    assert.ok((fields ?? []).length <= 25);
  }
  for (const row of rows ?? []) for (const part of row) assert.ok(part.id.length <= 100);
  assert.ok(textOf({ cards: cards ?? [] }).length <= 6_000);
}

const nasty = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 1_000 }),
  fc.constantFrom(
    "@everyone",
    "<@1>",
    "<@&1>",
    "[x](https://e.vil)",
    "`\n# big\n> q",
    "=1+1",
    "*".repeat(1_000),
  ),
);
const status = fc.constantFrom<RunStatus>(
  ...(["waiting", "sending", "done", "failed", "unknown", "cancelled", "expired", "denied"] as const),
);

describe("cards of runs", () => {
  it("fit Discord's limits and let nothing of outside through, whatever names and texts are", () => {
    fc.assert(
      fc.property(nasty, nasty, nasty, status, (text, name, message, of) => {
        const row = { ...record, text, serverName: name, message, status: of, failureCode: "server-empty" };
        const target = {
          text: name,
          players: Array.from({ length: 40 }, () => ({ name, id: 1 })),
          staff: true,
        };
        const made = {
          ...plan,
          request: { ...plan.request, text, binding: { ...binding, name } },
          confirmReasons: [`Nobody knows whom "${name}" hits.`],
          warnings: [`Nobody in the server matches "${text}".`],
          targets: [target],
          inverse: text,
        };
        const bodies = [
          outcomeCard(row, { mayDefer: true, retryAtMs: 5 }),
          dryCard(made),
          confirmCard(made),
          runRenderer.auditRow(row),
          runRenderer.auditEvent({
            ...{ id: "e", guildId: "g", atMs: 0, actorId: "", actorName: name },
            ...{ action: "outside-run", text },
          }),
        ];
        for (const body of bodies) {
          mustFit(body);
          const shown = textOf(body);
          assert.doesNotMatch(shown, /@(everyone|here)/);
          // Within a code span nothing is a link.
          assert.doesNotMatch(shown.replace(/\\.|`[^`\n]*`/g, ""), /\]\(https?:/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("show who is hit, why it asks, and that nothing is sent yet", () => {
    const text = textOf(confirmCard(plan));
    for (const part of [
      "`:ban Alice`",
      "Liberty County",
      "**Alice** `11`",
      "cannot be taken back",
      "Nothing is sent yet",
    ]) {
      assert.ok(text.includes(part), part);
    }
  });

  it("offer Undo only where something undoes it, and again not after a refusal", () => {
    const ids = (row: RunRecord) =>
      (outcomeCard(row).rows ?? []).flatMap((parts) => parts.map(({ id }) => id));
    assert.deepEqual(ids(record), ["run-again:run-1", "run-check:run-1"]);
    assert.deepEqual(ids({ ...record, inverse: ":x" }), [
      "run-undo:run-1",
      "run-again:run-1",
      "run-check:run-1",
    ]);
    assert.deepEqual(ids({ ...record, status: "denied", ran: "no" }), []);
    assert.deepEqual(ids({ ...record, status: "cancelled", ran: "no" }), []);
  });
});

describe("audit rows", () => {
  it("are one line, with the reason below where it did not simply run", () => {
    assert.equal(runLine(record).split("\n").length, 1);
    const denied = runLine({ ...record, status: "denied", ran: "no", message: "no tier\nat all" });
    assert.equal(denied.split("\n").length, 2);
    assert.match(denied, /denied/);
  });

  it("name what was run outside this bot", () => {
    const event = { id: "e", guildId: "g", atMs: 0, actorId: "", actorName: "Remote Server" };
    const line = eventLine({ ...event, action: "outside-run", text: "Liberty: :ban Bob" });
    assert.match(line, /run outside this bot.*Remote Server.*:ban Bob/);
  });

  it("say how many did not fit", () => {
    const text = fitLines(Array.from({ length: 100 }, () => "x".repeat(99)));
    assert.ok(text.length <= 4_096);
    assert.match(text, /and 62 more/);
  });

  it("are no formulas in a spreadsheet, and lose nothing", () => {
    const lead = fc.constantFrom("", "=", "+", "-", "@", "\t=", " =", "\r=", "|", "%");
    fc.assert(
      fc.property(lead, fc.string(), (start, rest) => {
        const text = `${start}${rest}`;
        const cell = csvCell(text);
        assert.ok(cell.startsWith('"') && cell.endsWith('"'));
        const inner = cell.slice(1, -1).replaceAll('""', '"');
        assert.doesNotMatch(inner, /^\s*[=+\-@]/);
        assert.ok(inner === text || inner === `'${text}`);
      }),
      { numRuns: 500 },
    );
    assert.equal(csvCell("123456789012345678"), `"'123456789012345678"`);
    const { data } = auditCsv([{ ...record, text: ':h "a",\r\nb' }]);
    assert.ok(typeof data === "string" && data.includes('":h ""a"",\r\nb"'));
    assert.ok(String(auditJson([record], []).data).includes('"askedAt": "2026-01-01T00:00:00.000Z"'));
  });
});
