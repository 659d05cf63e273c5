import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventLine, runLine } from "../../../src/discord/render/audit-rows.ts";
import { failureBody } from "../../../src/discord/render/errors.ts";
import { escapeButRoles, escapeButTimes } from "../../../src/discord/render/own-markup.ts";
import { commandBy } from "../../../src/discord/render/players/history-line.ts";
import { Failure } from "../../../src/domain/failure.ts";
import type { RunOrigin } from "../../../src/domain/run.ts";
import { runRecord } from "../../support/run-record.ts";

const RAW_MENTION = /<(@|@&|#)\d+>/;
const HOSTILE = "<@1> <@&1> <#1> [x](https://evil.example) https://evil.example";

describe("Sentences of ours that quote outside words", () => {
  test("show the roles that we name, and no other mention", () => {
    const text = escapeButRoles(`The role <@&42> is denied :ban. ${HOSTILE}`, ["42"]);
    assert.match(text, /The role <@&42> is denied/);
    assert.doesNotMatch(text.replace("<@&42>", ""), RAW_MENTION);
    assert.doesNotMatch(text, /\]\(https:|https:\/\//);
  });

  test("keep the times that we put in", () => {
    assert.equal(escapeButTimes("until <t:5:t>, *so*"), "until <t:5:t>, \\*so\\*");
  });

  test("name the role of a refusal as a role", () => {
    const failure = new Failure("denied", "The role <@&42> is denied :ban on this server.");
    const shown = (roleIds: readonly string[]) =>
      failureBody(failure, { reference: "r", roleIds }).cards?.[0]?.description ?? "";
    assert.match(shown(["42"]), /The role <@&42> is denied/);
    assert.doesNotMatch(shown([]), RAW_MENTION);
  });

  test("never show a mention out of the service's answer or an audited text", () => {
    const run = runRecord({ text: ":h hi", status: "unknown", ran: "unknown", message: HOSTILE });
    assert.doesNotMatch(runLine(run).replace("<@7>", ""), RAW_MENTION);
    assert.match(runLine({ ...run, origin: "rule" }), /by a rule/, "nobody typed it");
    const by = (origin: RunOrigin) => commandBy({ name: "API" }, { kind: "member", userId: "7", origin });
    assert.equal(by("rule"), "<@7> through Marshal, by a rule,");
    assert.equal(by("schedule"), "<@7> through Marshal, by schedule,");
    assert.equal(by("button"), "<@7> through Marshal");
    const event = { id: "e", guildId: "g", atMs: 0, actorId: "7", actorName: "ann" };
    const shown = (action: string, text: string) =>
      eventLine({ ...event, action, text })
        .replace("<@7>", "")
        .replace("<@&9>", "ROLE");
    for (const action of ["rank-set", "rank-apply", "rank-unset", "appeal-prove"])
      assert.doesNotMatch(shown(action, "raise 0"), /::/, action);
    assert.match(shown("rank-apply", "raise 0, take back 0"), /turned ranks on: raise 0, take back 0/);
    assert.match(shown("staff-allow", `<@&9> :ban on ${HOSTILE}`), /allowed: ROLE \\?:ban/);
    for (const action of ["staff-allow", "call-resolve", "preset-save", "link", "new-kind"]) {
      assert.doesNotMatch(
        shown(action, `<@&9> ${HOSTILE}`),
        action.startsWith("staff") ? RAW_MENTION : /<@1>/,
      );
    }
  });
});
