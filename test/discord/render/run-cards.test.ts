import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { askedBanCard, askedBanEnded, askedBanUnsure } from "../../../src/discord/render/asked-ban-cards.ts";
import { csvCell, csvForm, jsonForm } from "../../../src/discord/render/audit-files.ts";
import { deferredLine, eventLine, runLine, waitingLine } from "../../../src/discord/render/audit-rows.ts";
import { banCard } from "../../../src/discord/render/ban-cards.ts";
import { fitLines } from "../../../src/discord/render/fit-lines.ts";
import { commandWithHits, hitOf } from "../../../src/discord/render/hit-words.ts";
import { confirmCard, dryCard } from "../../../src/discord/render/plan-cards.ts";
import { expiredCard } from "../../../src/discord/render/plan-over-cards.ts";
import { deferredExpiredCard, outcomeCard, progressCard } from "../../../src/discord/render/run-cards.ts";
import { runRenderer } from "../../../src/discord/render/run-renderer.ts";
import { undoCard } from "../../../src/discord/render/undo-card.ts";
import type { BanEnd } from "../../../src/domain/ban-end.ts";
import { markdownOfOurs } from "../../../src/domain/escaped.ts";
import type { MessageBody } from "../../../src/domain/message.ts";
import { knownRefusal } from "../../../src/domain/ports/command-permission.ts";
import type { RunPlan, RunRecord, RunStatus } from "../../../src/domain/run.ts";
import { failedOutcome } from "../../../src/runs/audit/run-record.ts";
import { parseRun } from "../../../src/store/document-schemas.ts";
import { textOf } from "../../support/fake-answers.ts";
import { runRecord } from "../../support/run-record.ts";
import { binding, sourceId } from "../../support/runs-rig.ts";

const record = runRecord({
  id: "run-1",
  source: sourceId,
  serverName: "Liberty",
  actorId: "100",
  actorName: "mo",
  text: ":h hi",
  verb: "hint",
  askedAtMs: Date.UTC(2026, 0, 1),
  channelId: "600",
});

const plan: RunPlan = {
  id: "plan-1",
  request: {
    actor: {
      userId: "100",
      userName: "mo",
      guildId: "g1",
      channelId: "600",
      roleIds: [],
      manageGuild: false,
      askedAtMs: 0,
    },
    binding,
    text: ":ban Alice",
    origin: "command",
  },
  command: {
    text: ":ban Alice",
    verb: "ban",
    known: true,
    tier: "administrator",
    danger: "severe",
    targetTexts: ["Alice"],
    finds: "anyone",
    takesOne: false,
    authorIfNone: false,
    mass: false,
  },
  decision: { allowed: true, why: "Administrators can run :ban. Current tier: Manager." },
  targets: [{ text: "Alice", players: [{ name: "Alice", id: 11 }], staff: [] }],
  playersSeen: { atMs: 47_000, ageMs: 13_000 },
  confirm: "button",
  near: [],
  confirmReasons: [":ban lasts until :unban lifts it."],
  warnings: [],
  expectedWaitMs: 0,
  inverse: [":unban Alice"],
  expiresAtMs: 60_000,
};

/** Discord's limits. */
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
  test("fit Discord's limits and let nothing of outside through, whatever names and texts are", () => {
    fc.assert(
      fc.property(nasty, nasty, nasty, status, (text, name, message, of) => {
        const row = { ...record, text, serverName: name, message, status: of, failureCode: "server-empty" };
        const target = {
          text: name,
          players: Array.from({ length: 40 }, () => ({ name, id: 1 })),
          staff: [{ name, id: 1 }],
        };
        const made = {
          ...plan,
          request: { ...plan.request, text, binding: { ...binding, name } },
          confirmReasons: [`Nobody in the server matches "${name}".`],
          meant: text,
          warnings: [`Nobody in the server matches "${text}".`],
          targets: [target],
          inverse: [text],
        };
        const bodies = [
          outcomeCard(row, { mayDefer: true, retryAtMs: 5 }),
          dryCard(made),
          confirmCard(made),
          confirmCard(made, { typed: made, isWrongName: true }),
          { content: runRenderer.auditRow(row) },
          {
            content: runRenderer.auditEvent({
              id: "e",
              guildId: "g",
              atMs: 0,
              actorId: "",
              actorName: name,
              action: "outside-run",
              text,
            }),
          },
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

  test("tell a time with what may be done then, and with no cause that nobody gave", () => {
    const of = (over: Partial<RunRecord>, retryAtMs?: number) =>
      textOf(outcomeCard({ ...record, ran: "no", message: "", ...over }, { retryAtMs }));
    const failed = { status: "failed", failureCode: "blocked" } as const;
    assert.match(
      of(failed, 61_000),
      /\*\*Next:\*\* Run it again after <t:61:T> \(<t:61:R>\)\. Marshal's host knows\./,
    );
    assert.match(of(failed), /\*\*Next:\*\* Run it again later\. Marshal's host knows\./);
    assert.match(
      of({ ...failed, failureCode: "platform" }, 61_000),
      /\*\*Next:\*\* Run it again after <t:61:T> \(<t:61:R>\)\./,
    );
    const unknown = of({ status: "unknown", ran: "unknown", failureCode: "platform" }, 61_000);
    assert.match(unknown, /No command can be sent before <t:61:T> \(<t:61:R>\)\./);
    assert.doesNotMatch(
      unknown,
      /Run it again after|asked Marshal to wait/,
      "an error page asks for nothing",
    );
    const refused = of({ ...failed, failureCode: "bad-command" }, 61_000);
    assert.match(refused, /Correct it[\s\S]*No command can be sent before <t:61:T> \(<t:61:R>\)\./);
  });

  test("say why the game's log can't be read, where Marshal looked for what became of it", () => {
    const lost = { ...record, status: "unknown", ran: "unknown", failureCode: "unreachable" } as const;
    const cases = [
      ["rate-limited", /can't be read: the game service asked Marshal to wait\./],
      ["blocked", /can't be read: the game service is blocking Marshal\./],
      ["key-rejected", /can't be read: the server key is wrong or expired\./],
      ["read-refused", /can't be read: the game service does not let Marshal read this server\./],
      ["expired", /can't be read: no answer came in time\./],
    ] as const;
    for (const [logTrouble, words] of cases) assert.match(textOf(outcomeCard(lost, { logTrouble })), words);
  });

  test("show who is hit, why it asks, and that nothing is sent yet", () => {
    const text = textOf(confirmCard(plan));
    for (const part of [
      "`:ban Alice`",
      "Liberty County",
      "**Alice**",
      "lasts until \\:unban lifts it",
      "Not sent yet",
    ]) {
      assert.ok(text.includes(part), part);
    }
  });

  test("name whom they hit where an id is sent", () => {
    const request = { ...plan.request, text: ":ban 11,77 for 11 kills", only: { name: "Alice", id: 11 } };
    const targets = [
      { text: "11", players: [{ name: "Alice", id: 11 }], staff: [] },
      { text: "77", players: [], staff: [] },
    ];
    const byId = { ...plan, request, targets };
    for (const card of [confirmCard(byId), dryCard(byId), expiredCard(byId)]) {
      assert.match(textOf(card), /`:ban Alice,77 for 11 kills`\non .*\n-# Sent with the player's id/);
    }
    assert.doesNotMatch(textOf(confirmCard(plan)), /player's id/);
  });

  test("name a player in the place of the id, waiting and in the end, and nowhere twice", () => {
    const byId = [{ name: "LunarBoi1720", id: 4971003941 }];
    const row = { ...record, text: ":ban 4971003941 Hacking", verb: "ban", byId };
    const sent = { ...row, hit: ["LunarBoi1720"] };
    const waiting = { record: row, place: 1, expectedAtMs: 0 };
    const request = { ...plan.request, text: row.text };
    const deferred = { id: "d1", request, byId, expiresAtMs: 0 };
    const { byId: _, ...ofEarlierVersion } = sent;
    for (const shown of [
      textOf(progressCard(waiting)),
      waitingLine(waiting),
      deferredLine(deferred),
      textOf(deferredExpiredCard(deferred)),
      textOf(outcomeCard(sent, { wantsReason: true })),
      runLine(sent),
      runLine(ofEarlierVersion),
    ]) {
      assert.match(shown, /`:ban LunarBoi1720 Hacking`(?! \()/);
      assert.doesNotMatch(shown, /4971003941/);
    }
    assert.equal(runLine({ ...sent, text: ":ban 77 x", byId: [], hit: [] }).includes("`:ban 77 x`"), true);
  });

  test("name each of several in their own place, and no number of the words behind them", () => {
    const text = ":ban 4971003941, 77,Tur alt of 4971003941";
    const byId = [{ name: "LunarBoi1720", id: 4971003941 }];
    const shown = commandWithHits(text, 200, hitOf({ byId, hit: ["LunarBoi1720", "Turbo_1803"] }));
    assert.equal(shown, "`:ban LunarBoi1720, 77,Tur alt of 4971003941` (Turbo\\_1803)");
  });

  test("keep an id whose player's name would read as something else", () => {
    for (const name of ["12345", "all", "me", "Ann, Bob", "\u200b", "x".repeat(41)]) {
      const shown = commandWithHits(":ban 4971003941 x", 200, [{ name, id: 4971003941 }]);
      assert.match(shown, /^`:ban 4971003941 x` \(.*\)$/, name);
    }
    assert.equal(commandWithHits(":ban 4971003941", 200, [{ name: "a`$&", id: 4971003941 }]), "`:ban aˋ$&`");
    // A verb that takes no ids hit somebody whose name begins so.
    assert.equal(commandWithHits(":jail 12", 200, [{ name: "12abc" }]), "`:jail 12` (12abc)");
  });

  test("name the player in a ban request, a ban that ends and a dry run's Undo", () => {
    const player = { name: "LunarBoi1720", id: 4971003941 };
    const asked = {
      ...{ id: "a1", guildId: "g1", bindingId: "b1", serverName: "Town", player },
      ...{ reason: "Hacking", askerId: "5", askerName: "Mo", askedAtMs: 0 },
    };
    assert.match(textOf(askedBanCard(asked, [])), /Sends `:ban LunarBoi1720 Hacking`/);
    const approved = { ...asked, approval: { byId: "6", byName: "Olivia", channelId: "c1", atMs: 0 } };
    const ended = askedBanEnded(approved, "LunarBoi1720 is protected.");
    assert.match(textOf(ended), /Approved by <@6>\.\n⛔ It won't be sent\. LunarBoi1720 is protected\./);
    assert.deepEqual(ended.rows, []);
    assert.match(textOf(askedBanEnded(approved, { ...record, status: "done" })), /<@6>\.\n✅ It ran/);
    const end: BanEnd = {
      ...{ id: "r1", guildId: "g1", bindingId: "b1", serverName: "Town", playerId: player.id },
      ...{
        playerName: player.name,
        byId: "5",
        byName: "Mo",
        channelId: "c1",
        text: ":ban 4971003941 Hacking",
      },
      ...{ sentAtMs: 0, endsAtMs: 60_000, state: "armed", tries: 0 },
    };
    const shown = textOf(banCard({ end, waits: undefined }));
    assert.match(shown, /`:ban LunarBoi1720 Hacking`/);
    assert.match(shown, /sends `:unban LunarBoi1720` once/);
    const targets = [{ text: "4971003941", players: [player], staff: [] }];
    const text = ":ban 4971003941";
    const dry = dryCard({
      ...plan,
      request: { ...plan.request, text },
      targets,
      inverse: [":unban 4971003941"],
    });
    assert.doesNotMatch(textOf(dry), /4971003941/);
    assert.match(textOf(undoCard([{ text, players: [player] }], "Town")), /`:ban LunarBoi1720`/);
  });

  test("offer Undo only where something undoes it, and again not after a refusal", () => {
    const ids = (row: RunRecord) =>
      (outcomeCard(row).rows ?? []).flatMap((parts) => parts.map(({ id }) => id));
    assert.deepEqual(ids(record), ["run-again:run-1"]);
    assert.deepEqual(ids({ ...record, inverse: [":x"] }), ["run-undo:run-1", "run-again:run-1"]);
    assert.deepEqual(ids({ ...record, inverse: [":x"], origin: "undo" }), ["run-again:run-1"]);
    assert.deepEqual(ids({ ...record, status: "denied", ran: "no" }), []);
    assert.deepEqual(ids({ ...record, status: "cancelled", ran: "no" }), []);
  });
});

describe("outcomes at a glance", () => {
  const shown = (row: Partial<RunRecord>) => textOf(outcomeCard({ ...record, ...row }));
  const ids = (row: Partial<RunRecord>) =>
    (outcomeCard({ ...record, ...row }).rows ?? []).flatMap((parts) =>
      parts.map(({ id }) => id.split(":")[0]),
    );

  test("say once that it ran, and repeat no answer that says only the same", () => {
    const text = shown({ message: "Success" });
    assert.match(text, /It ran/);
    assert.doesNotMatch(text, /Did it run|Success/);
    assert.match(shown({ message: "3 players were told" }), /The game says:\*\* 3 players were told/);
  });

  test("name who else the game may have taken for the one who was named", () => {
    const row = { text: ":kick Max", alike: ["MaxineYT"] };
    assert.match(shown({ ...row, status: "done", ran: "yes" }), /may have hit \*\*MaxineYT\*\* too/);
    assert.match(shown({ ...row, status: "unknown", ran: "unknown" }), /MaxineYT/);
    assert.doesNotMatch(shown({ ...row, status: "failed", ran: "no" }), /MaxineYT/);
    assert.deepEqual(parseRun({ ...record, ...row }).alike, ["MaxineYT"]);
  });

  test("of the owner's refusal quote the service, and nothing where it was not asked", () => {
    const message = "You are not authorized. Visit the page.";
    const refused = {
      ...record,
      status: "failed",
      ran: "no",
      failureCode: "not-authorised",
      message,
    } as const;
    for (const manages of [true, false])
      assert.match(textOf(outcomeCard(refused, { manages })), /The game service said: You are not/);
    const { record: kept } = failedOutcome(record, { failure: knownRefusal(61_000), nowMs: 90_000 });
    const shownAgain = outcomeCard(parseRun(JSON.parse(JSON.stringify(kept))), { manages: true });
    assert.match(
      textOf(shownAgain),
      /^⛔ The owner does not let Marshal run commands\n[\s\S]*It did not run\.\*\* Known since <t:61:f>\. The game service was not asked again\.\n\*\*Next:\*\* Press \*\*Let Marshal run commands\*\*\.\n-# Reference/,
    );
  });

  test("offer nothing to press that would meet the same refusal again", () => {
    const failed = { status: "failed", ran: "no" } as const;
    for (const failureCode of ["bad-command", "key-rejected", "not-authorised", "not-linked"]) {
      assert.deepEqual(ids({ ...failed, failureCode }), [], failureCode);
    }
    for (const failureCode of ["queue-full", "rate-limited", "platform", "unreachable"]) {
      assert.deepEqual(ids({ ...failed, failureCode }), ["run-again"], failureCode);
    }
  });

  test("say after a look into the log what it means for the next step", () => {
    const unknown = { status: "unknown", ran: "unknown" } as const;
    assert.match(shown(unknown), /It may have run[\s\S]*has not shown it yet[\s\S]*Do not repeat it/);
    const seen = { ...unknown, proof: "seen", message: "It may have run." } as const;
    assert.match(shown(seen), /^✅ It ran\n[\s\S]*no clear answer\.\nThe game's log shows it\.$/);
    assert.match(
      shown({ ...seen, interrupted: true }),
      /^✅ It ran\n[\s\S]*Marshal stopped[^\n]*\nThe game's log shows it\.$/,
    );
    assert.match(
      shown({ ...unknown, proof: "seen-twice" }),
      /It probably ran[\s\S]*Another program[\s\S]*Do not repeat it/,
    );
    assert.match(
      shown({ ...unknown, proof: "not-seen" }),
      /It probably did not run[\s\S]*does not show it[\s\S]*Run it again if nothing happened/,
    );
    assert.deepEqual(ids({ ...seen, inverse: [":x"] }), ["run-undo", "run-again"]);
    assert.deepEqual(ids({ ...unknown, proof: "not-seen" }), ["run-check", "run-again"]);
  });

  test("offer nothing that repeats it where they say not to, or are about to say more", () => {
    const unknown = { status: "unknown", ran: "unknown" } as const;
    for (const proof of ["unchecked", "seen", "seen-twice", "not-seen"] as const) {
      for (const isSought of [false, true]) {
        const card = outcomeCard({ ...record, ...unknown, proof }, { isSought });
        const repeats = (card.rows ?? []).flat().some(({ id }) => id.startsWith("run-again"));
        const text = textOf(card);
        if (/not repeat|Checking/.test(text)) assert.ok(!repeats, text);
        else assert.ok(repeats, text);
      }
    }
    assert.deepEqual(outcomeCard({ ...record, ...unknown }, { isSought: true }).rows, []);
  });

  test("have a reference only where somebody may have to quote it, and each a mark that a restart finds", () => {
    for (const [row, hasReference] of [
      [{ message: "Success", commandId: "cmd-1" }, false],
      [{ status: "unknown", ran: "unknown", proof: "seen" }, false],
      [{ status: "unknown", ran: "unknown" }, true],
      [{ status: "failed", ran: "no", failureCode: "bad-command" }, true],
    ] as const) {
      const card = outcomeCard({ ...record, ...row });
      assert.equal(/Reference|cmd-1/.test(textOf(card)), hasReference, JSON.stringify(row));
      const all = JSON.stringify(card);
      assert.ok(runRenderer.outcomeMarks(record).some((mark) => all.includes(mark)));
    }
    const waiting = progressCard({ record: { ...record, status: "waiting" }, place: 1, expectedAtMs: 0 });
    assert.ok(!runRenderer.outcomeMarks(record).some((mark) => JSON.stringify(waiting).includes(mark)));
  });

  test("name the case that a punishment became, and open it", () => {
    const [row = []] = outcomeCard(record, { wantsReason: true, caseNumber: 12 }).rows ?? [];
    assert.deepEqual(
      row.map((part) => ["label" in part && part.label, part.id]),
      [
        ["Give the reason", "case-why:run-1/:h hi"],
        ["Case 12", "case-of:12/run-1"],
        ["Run again", "run-again:run-1"],
      ],
    );
    const jail = { ...record, text: ":jail Turbo", hit: ["Turbo_1803"] };
    const [[why] = []] = outcomeCard(jail, { wantsReason: true }).rows ?? [];
    assert.equal(why?.id, "case-why:run-1/:jail Turbo (Turbo_1803)");
  });

  test("offer neither Undo nor again of what was undone, nor again of what took its player away", () => {
    const labels = (row: Partial<RunRecord>, options: Parameters<typeof outcomeCard>[1] = {}) =>
      (outcomeCard({ ...record, ...row }, options).rows ?? [])
        .flat()
        .map((part) => ("label" in part ? part.label : ""));
    const jail = { verb: "jail", text: ":jail Ann", inverse: [":unjail Ann"] };
    const made = { isCase: true, caseNumber: 3 };
    assert.deepEqual(labels(jail, made), ["Case 3", "Undo", "Run again"]);
    assert.deepEqual(labels(jail, { ...made, isUndone: true }), ["Case 3"]);
    for (const verb of ["kick", "ban"]) {
      const gone = { verb, text: `:${verb} Ann spam` };
      assert.deepEqual(labels(gone, made), ["Case 3"]);
      assert.deepEqual(labels({ ...gone, status: "failed", ran: "no" }, { isCase: true }), ["Run again"]);
      assert.deepEqual(labels({ ...gone, proof: "not-seen" }, made), ["Case 3", "Run again"]);
      assert.deepEqual(labels(gone), ["Run again"], "where it becomes no case");
      for (const options of [made, { isCase: true, wantsReason: true }]) {
        const all = JSON.stringify(outcomeCard({ ...record, ...gone }, options));
        assert.ok(runRenderer.outcomeMarks(record).some((mark) => all.includes(mark)));
      }
    }
  });

  test("offer no second message to a warned player, but the case, where *Tell* is as long as they do not know", () => {
    const told = { ...record, text: ":pm Ann You were warned", tells: 6 };
    const unclear = { status: "unknown", ran: "unknown" } as const;
    const labels = (row: Partial<RunRecord>) =>
      (outcomeCard({ ...told, ...row }).rows ?? []).flat().map((part) => "label" in part && part.label);
    assert.deepEqual(labels({}), ["Case 6"]);
    assert.deepEqual(labels({ ...unclear, proof: "not-seen" }), ["Case 6", "Check the log"]);
    for (const row of [
      { ...unclear, proof: "not-seen" },
      { status: "expired", ran: "no" },
    ] as const) {
      const text = textOf(outcomeCard({ ...told, ...row }));
      assert.match(text, /Press \*\*Tell\*\* on the case again/);
      assert.doesNotMatch(text, /Run it again/);
    }
  });

  test("are marked by a button also where they are told elsewhere and their case is not there yet", () => {
    const kick = { ...record, text: ":kick Ann spam", verb: "kick" };
    for (const caseNumber of [3, undefined]) {
      const ofCase = { wantsReason: false, isCase: true, caseNumber, isUndone: false };
      const all = JSON.stringify(runRenderer.outcome({ record: kick }, ofCase));
      assert.ok(runRenderer.outcomeMarks(kick).some((mark) => all.includes(mark)));
    }
  });

  test("say once why it is not known whether it ran", () => {
    const unknown = { status: "unknown", ran: "unknown" } as const;
    const silent = {
      ...unknown,
      failureCode: "unreachable",
      message: "The game service did not answer in time.",
    };
    assert.doesNotMatch(shown(silent), /no clear answer/);
    assert.match(shown(silent), /did not answer in time/);
    assert.match(shown({ ...unknown, failureCode: "platform", message: "Oops" }), /no clear answer\. Oops/);
  });

  test("name a few of those whom a beginning hit, and count the others", () => {
    const many = outcomeCard({ ...record, text: ":kill T", hit: ["T_a", "Tb", "Tc", "Td", "Te"] });
    assert.match(textOf(many), /`:kill T` \(T\\_a, Tb, Tc and 2 more\)/);
  });

  test("ask without red and a countdown about a slip in what hurts nobody, and only then", () => {
    const asked = (danger: "mild" | "serious", confirm: RunPlan["confirm"], isGuess = true) => {
      const card = confirmCard({ ...plan, command: { ...plan.command, danger }, confirm }, { isGuess });
      const [go] = (card.rows ?? []).flat();
      return [go?.kind === "button" && go.style, /Expires/.test(textOf(card))];
    };
    assert.deepEqual(asked("mild", "none"), ["primary", false]);
    assert.deepEqual(asked("serious", "none"), ["danger", true]);
    assert.deepEqual(asked("mild", "button"), ["danger", true]);
    assert.deepEqual(asked("mild", "name"), ["danger", true]);
    assert.deepEqual(asked("mild", "none", false), ["danger", true]);
  });

  test("name on a confirmation how many are hit, and which one of them is staff", () => {
    const two = [
      plan.targets[0],
      { text: "Bob", players: [{ name: "Bob", id: 12 }], staff: [{ name: "Bob", id: 12 }] },
    ];
    const text = textOf(confirmCard({ ...plan, targets: two.filter((target) => target !== undefined) }));
    assert.match(text, /Send to 2 players\?/);
    assert.match(text, /Who\b[\s\S]*\*\*Alice\*\*\n\*\*Bob\*\* · 🛡 staff\n-# Seen <t:47:R>/);
    // The title has said it.
    const reasons = ["It is for 2 players.", ":ban lasts until :unban lifts it."];
    const targets = two.filter((target) => target !== undefined);
    const said = textOf(confirmCard({ ...plan, targets, confirmReasons: reasons }));
    assert.doesNotMatch(said, /It is for 2/);
    assert.match(said, /lasts until \\?:unban lifts it/);
    assert.match(textOf(dryCard({ ...plan, targets, confirmReasons: reasons })), /It is for 2 players/);
    const dry = dryCard({ ...plan, confirm: "button", confirmReasons: [] });
    const asks = dry.cards?.[0]?.fields?.find(({ name }) => name === "Asks you first");
    assert.equal(asks?.value, "Yes", "a field without a value is refused by Discord");
  });
});

describe("audit rows", () => {
  test("show the outcome and the command; below who, when, and why where it did not simply run", () => {
    const atS = record.askedAtMs / 1000;
    assert.equal(runLine({ ...record, message: "Success" }), `✅ ran \`:h hi\`\n-# <@100> · <t:${atS}:R>`);
    const denied = runLine({ ...record, status: "denied", ran: "no", message: "no tier\nat all" });
    assert.match(denied, /^🚫 denied `:h hi`\n-# <@100> · .* · No tier at all\.$/);
    const message = "You are not authorized to perform this action on this server. Visit the page.";
    const refused = {
      ...record,
      status: "failed",
      ran: "no",
      failureCode: "not-authorised",
      message,
    } as const;
    assert.match(runLine(refused), / · The owner does not let Marshal run commands\.$/);
    const words = "The module running on the in-game server is out of date.";
    const old = { ...refused, failureCode: "module-outdated", message: words } as const;
    assert.match(runLine(old), / · The game server runs an old version\.$/);
    const keyMessage = "You provided an invalid or expired server-key.";
    const wrong = { ...refused, failureCode: "key-rejected", message: keyMessage };
    assert.match(runLine(wrong), / · The server key is wrong or expired\.$/);
  });

  test("say of an unclear outcome what its card says", () => {
    for (const [proof, mark] of [
      ["unchecked", "❔ may have run"],
      ["seen", "✅ ran"],
      ["seen-twice", "❔ probably ran"],
      ["not-seen", "❔ probably did not run"],
    ] as const) {
      const unclear = { ...record, status: "unknown", ran: "unknown", proof } as const;
      assert.ok(runLine(unclear).startsWith(`${mark} `), runLine(unclear));
    }
  });

  test("a denial says why, and sends nobody to look for it", () => {
    const message = "Luna outranks you (Administrator in the game).";
    const denied = { ...record, status: "denied", ran: "no", failureCode: "denied", message } as const;
    const text = textOf(outcomeCard(denied));
    assert.match(text, /outranks you/);
    assert.doesNotMatch(text, /Next:|staff check/);
  });

  test("a ban that was asked for and may not be sent bars nobody who reads it", () => {
    const message = "Whoever asked for the ban of SamFan is no longer a Moderator.";
    const denied = { ...record, status: "denied", ran: "no", failureCode: "denied", message } as const;
    assert.match(textOf(outcomeCard(denied)), /You can't run this/);
    const asked = textOf(outcomeCard({ ...denied, askedBy: "700" }));
    assert.match(asked, /It was not sent[\s\S]*no longer a Moderator/);
    assert.doesNotMatch(asked, /You can't run this/);
  });

  test("a ban request of which nobody knows what came says so, and not that it was not sent", () => {
    const player = { name: "SamFan", id: 11 };
    const names = { guildId: "g", bindingId: "b", serverName: "Liberty", askerName: "Ask" };
    const asked = { id: "a", ...names, player, reason: "spam", askerId: "700", askedAtMs: 0 };
    const text = textOf(askedBanUnsure(asked, "It may have been approved already."));
    assert.match(text, /request for SamFan is closed\.\*\* It may have been approved/);
    assert.match(text, /<@700>.*not banned and should be.*\/case ask/);
  });

  test("name what was run outside this bot", () => {
    const event = { id: "e", guildId: "g", atMs: 0, actorId: "", actorName: "Remote Server" };
    const line = eventLine({ ...event, action: "outside-run", text: "Liberty: :ban Bob" });
    assert.match(line, /run outside Marshal.*Remote Server.*:ban Bob/);
    const unsure = eventLine({ ...event, action: "unsure-run", text: "Liberty: :ban Bob" });
    assert.match(unsure, /run by Remote Server.*:ban Bob[\s\S]*Maybe by Marshal/);
    assert.doesNotMatch(unsure, /outside/);
  });

  test("say how many did not fit", () => {
    const text = fitLines(Array.from({ length: 100 }, () => markdownOfOurs("x".repeat(99))));
    assert.ok(text.length <= 4_096);
    assert.match(text, /and 62 more$/);
    const three = ["a", "b", "c"].map((line) => markdownOfOurs(line));
    const advice = markdownOfOurs("narrow it");
    assert.equal(fitLines(three, { most: 2, advice }), "a\nb\n-# and 1 more; narrow it");
    assert.equal(fitLines(three, { most: 2, isMore: true, advice }), "a\nb\n-# and more; narrow it");
    assert.equal(fitLines(three, { advice }), "a\nb\nc");
  });

  test("are no formulas in a spreadsheet, and lose nothing", () => {
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
    assert.ok(csvForm.run({ ...record, text: ':h "a",\r\nb' }).includes('":h ""a"",\r\nb"'));
    assert.ok(jsonForm([]).run(record).includes('"askedAt": "2026-01-01T00:00:00.000Z"'));
  });
});
