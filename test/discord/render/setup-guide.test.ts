import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { guideMessage } from "../../../src/discord/render/setup-guide.ts";
import type { GuideView } from "../../../src/discord/render/setup-guide-parts.ts";
import {
  type Binding,
  DEFAULT_SETTINGS,
  EMPTY_POLICY,
  type Feed,
  type Tier,
} from "../../../src/domain/guild.ts";
import { textOf } from "../../support/fake-answers.ts";

const binding = { id: "b", guildId: "1", name: "Night City" } as Binding;

function step(of: GuideView["step"], more: Partial<GuideView> = {}) {
  return guideMessage({
    step: of,
    binding,
    isOneOfSeveral: false,
    settings: DEFAULT_SETTINGS,
    feeds: [],
    accessOf: () => ({ kind: "open" }),
    ownRole: undefined,
    mayRun: true,
    permission: { kind: "unknown" },
    alerts: [],
    panelChannelIds: [],
    weeklyChannelId: undefined,
    positionDays: 0,
    nowMs: 0,
    ...more,
  });
}

const labels = (message: ReturnType<typeof step>) =>
  (message.rows ?? []).flat().flatMap((part) => (part.kind === "button" ? [part.label] : []));

describe("A step of the guided set-up", () => {
  test("names its server where several are linked", () => {
    assert.equal(step("staff").cards?.[0]?.author, undefined);
    assert.equal(step("staff", { isOneOfSeveral: true }).cards?.[0]?.author, "Night City");
  });

  test("shows what was left behind undone as skipped, and what is still to come as open", () => {
    const text = textOf(step("zone")).replaceAll("\u00a0", " ");
    assert.match(
      text,
      /✅ Server · ⏭ Roles · ⏭ Logs · ⏭ Notices · ⏭ Commands · ▶ \*\*Time zone\*\* · ▫ Cases · .* · ▫ Test/,
    );
    const settings = { ...DEFAULT_SETTINGS, noticeChannelId: "5", timeZone: "Europe/Berlin" };
    const done = textOf(step("done", { settings, permission: { kind: "allowed" } })).replaceAll(
      "\u00a0",
      " ",
    );
    assert.match(done, /⏭ Logs · ✅ Notices · ✅ Commands · ✅ Time zone · ⏭ Cases/);
    assert.match(done, /⏭ Test/, "whoever went past it has tested nothing");
  });

  test("is skipped where nothing is set, and left by Next where something is", () => {
    const on = (of: GuideView["step"], more: Partial<GuideView> = {}) => labels(step(of, more)).at(-1);
    const settings = { ...DEFAULT_SETTINGS, noticeChannelId: "5", caseChannelId: "5" };
    for (const name of [
      "staff",
      "logs",
      "notices",
      "allow",
      "zone",
      "cases",
      "alerts",
      "panel",
      "weekly",
      "positions",
    ] as const)
      assert.equal(on(name), "Skip", name);
    for (const name of ["notices", "cases"] as const) assert.equal(on(name, { settings }), "Next", name);
    assert.equal(on("panel", { panelChannelIds: ["5"] }), "Next");
    assert.equal(on("weekly", { weeklyChannelId: "5" }), "Next");
    assert.equal(on("positions", { positionDays: 2 }), "Next");
    assert.equal(on("test"), "Skip");
    const tested = { ...DEFAULT_SETTINGS, guide: { step: "test", bindingId: "b", isTested: true } as const };
    assert.equal(on("test", { settings: tested }), "Finish");
    assert.match(textOf(step("done", { settings: tested })), /✅\u00a0Test/);
  });

  const read = (of: GuideView["step"]) => textOf(step(of)).replaceAll("\u00a0", " ");

  test("offers what is missing of the three alerts, and no channel once they are there", () => {
    assert.match(
      read("alerts"),
      /• unanswered moderator calls, after 5 min\n• kills by one player, 5 in 1 min\n• punish/,
    );
    const alerts = (["calls", "kills", "punishments"] as const).map((kind) => ({
      id: kind,
      guildId: "1",
      bindingId: "b",
      kind,
      channelId: "5",
      createdBy: "user-1",
      createdAtMs: 0,
    }));
    const two = step("alerts", { alerts: alerts.slice(0, 2) });
    assert.match(textOf(two), /about:\n• punishments by one staff member/);
    assert.deepEqual(
      (step("alerts", { alerts }).rows ?? []).flat().map(({ kind }) => kind),
      ["button", "button"],
    );
  });

  test("says which roles hold which tier, because a menu with a choice no longer does", () => {
    const roleTiers: Readonly<Record<string, Tier>> = { "7": "manager", "8": "moderator", "9": "moderator" };
    const settings = { ...DEFAULT_SETTINGS, policies: { b: { ...EMPTY_POLICY, roleTiers } } };
    const text = textOf(step("staff", { settings }));
    assert.match(text, /✅ Managers: <@&7>\n✅ Moderators: <@&8> <@&9>\n✅ You can run commands yourself/);
  });

  test("offers to check again only where something is missing: a fourth button would break the row of a phone", () => {
    const feeds: readonly Feed[] = [
      {
        id: "f",
        guildId: "1",
        bindingId: "b",
        kind: "joins",
        channelId: "5",
        style: "lines",
        filter: {},
        silent: false,
        state: "live",
        createdBy: "user-1",
        createdAtMs: 0,
      },
    ];
    assert.deepEqual(labels(step("logs", { feeds })), ["Back", "More logs", "Next"]);
    const accessOf = () => ({ kind: "missing", permissions: ["Send Messages"] }) as const;
    assert.deepEqual(labels(step("logs", { feeds, accessOf })), ["Back", "More logs", "Check again", "Next"]);
  });
});
