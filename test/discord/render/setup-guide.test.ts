import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { guideMessage } from "../../../src/discord/render/setup-guide.ts";
import { forTheOwner } from "../../../src/discord/render/setup-guide-allow.ts";
import type { GuideView } from "../../../src/discord/render/setup-guide-parts.ts";
import type { AlertRule } from "../../../src/domain/alert.ts";
import type { AlertKind } from "../../../src/domain/alert-kinds.ts";
import type { FeedKind } from "../../../src/domain/feed-kinds.ts";
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
    cases: { isKept: true },
    nowMs: 0,
    ...more,
  });
}

const labels = (message: ReturnType<typeof step>) =>
  (message.rows ?? []).flat().flatMap((part) => (part.kind === "button" ? [part.label] : []));

function feedOf(kind: FeedKind): Feed {
  return {
    id: kind,
    guildId: "1",
    bindingId: "b",
    kind,
    channelId: "5",
    style: "lines",
    filter: {},
    silent: false,
    state: "live",
    createdBy: "user-1",
    createdAtMs: 0,
  };
}

function alertOf(kind: AlertKind): AlertRule {
  const owner = { createdBy: "user-1", createdAtMs: 0 };
  return { id: kind, guildId: "1", bindingId: "b", kind, channelId: "5", ...owner };
}

describe("A step of the guided set-up", () => {
  test("names its server where several are linked", () => {
    assert.equal(step("staff").cards?.[0]?.author, undefined);
    assert.equal(step("staff", { isOneOfSeveral: true }).cards?.[0]?.author, "Night City");
  });

  test("shows as skipped only where Skip was pressed, and the rest as open", () => {
    const skipped = ["staff", "logs", "allow", "cases", "test"] as const;
    const guide = { step: "zone", bindingId: "b", skipped } as const;
    const settings = { ...DEFAULT_SETTINGS, guide };
    const row = (of: GuideView["step"], more: Partial<GuideView> = {}) =>
      textOf(step(of, { settings, ...more })).replaceAll("\u00a0", " ");
    assert.match(
      row("zone"),
      /✅ Server · ⏭ Roles · ⏭ Logs · ▫ Notices · ⏭ Commands · ▶ \*\*Time zone\*\* · ⏭ Cases · .* · ⏭ Test/,
    );
    const set = { ...settings, noticeChannelId: "5", timeZone: "Europe/Berlin" };
    const done = row("done", { settings: set, permission: { kind: "allowed" } });
    assert.match(done, /⏭ Logs · ✅ Notices · ✅ Commands · ✅ Time zone · ⏭ Cases · ▫ Alerts/);
    assert.match(done, /⏭ marks what you skipped, ▫ what is still to do\. Press a button to do it now\./);
    assert.doesNotMatch(row("done", { settings: DEFAULT_SETTINGS }), /⏭/);
  });

  test("shows a permission that was taken away as broken, not as skipped", () => {
    const refused = { kind: "refused", why: "No.", sinceMs: 0, untilMs: 0 } as const;
    const done = step("done", { permission: refused });
    assert.equal(done.cards?.[0]?.title, "⚠ Set up, but Marshal can't run commands");
    assert.match(textOf(done), /⚠\u00a0Commands/);
    const guide = { step: "done", bindingId: "b", skipped: ["allow"] } as const;
    const settings = { ...DEFAULT_SETTINGS, guide };
    const without = step("done", { settings, permission: refused });
    assert.equal(without.cards?.[0]?.title, "✅ Done for now");
    assert.match(textOf(without), /⏭\u00a0Commands/);
  });

  test("marks a step whose channel takes no posts, also at the end, and counts only logs that are posted", () => {
    const settings = { ...DEFAULT_SETTINGS, caseChannelId: "6", noticeChannelId: "5" };
    const feeds = [feedOf("joins"), { ...feedOf("kills"), channelId: "6" }];
    const accessOf: GuideView["accessOf"] = (id) =>
      id === "6" ? { kind: "missing", permissions: ["Send Messages"] } : { kind: "open" };
    const done = step("done", { settings, feeds, accessOf });
    const text = textOf(done).replaceAll("\u00a0", " ");
    assert.equal(done.cards?.[0]?.title, "⚠ Set up, but not everything can be posted");
    assert.match(text, /⚠ Logs · ✅ Notices · .*⚠ Cases/);
    assert.match(
      text,
      /\n1 log is posted from now on\.\n⚠ I can't post in <#6>: press \*\*Logs\*\*, \*\*Cases\*\*\./,
    );
    assert.equal(step("done", { settings, feeds }).cards?.[0]?.title, "✅ Done for now", "much was skipped");
    const whole: Partial<GuideView> = {
      settings: {
        ...settings,
        timeZone: "Europe/Berlin",
        guide: { step: "done", bindingId: "b", isTested: true },
        policies: { b: { ...EMPTY_POLICY, roleTiers: { "9": "manager" } } },
      },
      feeds,
      alerts: [alertOf("kills")],
      permission: { kind: "allowed" },
      panelChannelIds: ["5"],
      weeklyChannelId: "5",
      positionDays: 7,
    };
    assert.equal(step("done", whole).cards?.[0]?.title, "🎉 All set");
    const refused = step("done", { ...whole, isKeyRefused: true });
    assert.equal(refused.cards?.[0]?.title, "⚠ Set up, but the server key is wrong or expired");
    const said = textOf(refused).replaceAll("\u00a0", " ");
    assert.match(said, /⚠ Server · [\s\S]*⛔ The server key is wrong or expired: press \*\*Server\*\*/);
    assert.doesNotMatch(said, /is linked\.|⏭|run command/);
    const allow = textOf(step("allow", { ...whole, isKeyRefused: true }));
    assert.match(allow, /server key is wrong or expired, so nothing runs/);
    assert.doesNotMatch(allow, /✅ Marshal can run commands/);
    const locked = textOf(step("link", { ...whole, isKeyRefused: true, tries: { left: 0, fromMs: 5_000 } }));
    assert.match(
      locked,
      /server key of \*\*Night City\*\* is wrong or expired[\s\S]*🔒 Too many wrong or unanswered keys/,
    );
    assert.doesNotMatch(locked, /is linked\./);
    assert.match(textOf(step("done", { settings, feeds })), /2 logs are posted from now on/);
    const unknown = step("done", { settings, feeds, accessOf: () => ({ kind: "unknown" }) });
    assert.equal(
      unknown.cards?.[0]?.title,
      "✅ Done for now",
      "what Discord did not say is not held against it",
    );

    const alerts = [alertOf("kills"), { ...alertOf("calls"), channelId: "6" }];
    const tested = textOf(step("test", { feeds, alerts, accessOf }));
    assert.match(tested, /✅ \*\*Kills by one player[\s\S]*⚠ \*\*Unanswered moderator calls/);
    assert.match(tested, /allow what is missing/);
    assert.ok(labels(step("logs", { feeds, accessOf, more: true })).includes("Check again"));
  });

  test("names no button that it does not have", () => {
    const first = (isKeyWrong: boolean) => step("link", { binding: undefined, isKeyWrong });
    assert.deepEqual(labels(first(true)), ["Try again"]);
    assert.doesNotMatch(textOf(first(true)), /Press/);
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

    const half = { ...DEFAULT_SETTINGS, guide: { step: "test", bindingId: "b", isTested: false } as const };
    assert.equal(on("test", { settings: half }), "Finish", "some tests arrived: that is not skipped");
    assert.match(
      textOf(step("done", { settings: half })),
      /⚠\u00a0Test[\s\S]*press \*\*Test\*\* to post it again/,
    );
  });

  const read = (of: GuideView["step"]) => textOf(step(of)).replaceAll("\u00a0", " ");

  test("offers what is missing of the three alerts; once they are there, another channel for them", () => {
    assert.match(
      read("alerts"),
      /• Unanswered moderator calls, after 5 min\n• Kills by one player, 5 in 1 min\n• Punish/,
    );
    const alerts = (["calls", "kills", "punishments"] as const).map(alertOf);
    const select = (view: Partial<GuideView>) => (step("alerts", view).rows ?? []).flat()[0];
    const two = step("alerts", { alerts: alerts.slice(0, 2) });
    assert.match(textOf(two), /about:\n• Punishments by one staff member/);
    assert.doesNotMatch(textOf(two), /Pick another channel/);
    assert.ok(!("defaultIds" in (select({ alerts: alerts.slice(0, 2) }) ?? {})), "so that #5 can be chosen");

    assert.match(textOf(step("alerts", { alerts })), /Pick another channel to move the alerts of <#5> there/);
    const chosen = select({ alerts });
    assert.ok(chosen?.kind === "select" && "defaultIds" in chosen);
    assert.deepEqual([chosen.defaultIds, chosen.minValues], [["5"], 1]);
  });

  test("says which roles hold which tier, because a menu with a choice no longer does", () => {
    const roleTiers: Readonly<Record<string, Tier>> = { "7": "manager", "8": "moderator", "9": "moderator" };
    const settings = { ...DEFAULT_SETTINGS, policies: { b: { ...EMPTY_POLICY, roleTiers } } };
    const text = textOf(step("staff", { settings }));
    assert.match(text, /✅ Managers: <@&7>\n✅ Moderators: <@&8> <@&9>\nYour role is enough/);
  });

  test("ticks that somebody can run commands only once Marshal can, and says what is missing before", () => {
    const refused = { kind: "refused", why: "No.", sinceMs: 0, untilMs: 0 } as const;
    const staff = (permission: GuideView["permission"]) => textOf(step("staff", { permission }));
    assert.match(staff({ kind: "allowed" }), /✅ You can run commands yourself\./);
    assert.match(
      staff({ kind: "unknown" }),
      /Your role is enough to run commands, but Marshal may still need/,
    );
    assert.match(
      staff(refused),
      /but the server's owner does not let Marshal run commands: see \*\*Commands/,
    );
    for (const one of [refused, { kind: "unknown" } as const]) assert.doesNotMatch(staff(one), /✅ You/);

    const done = (permission: GuideView["permission"]) => textOf(step("done", { permission }));
    assert.match(done({ kind: "allowed" }), /run command/);
    assert.doesNotMatch(done({ kind: "allowed" }), /Marshal run commands/);
    assert.match(done({ kind: "unknown" }), /❔ Not known yet whether the owner lets Marshal run commands/);
    assert.match(done(refused), /⛔ The owner does not let Marshal run commands/);
    assert.doesNotMatch(done(refused), /\/run command/);
  });

  test("after a new key does not call commands skipped that ran with the old one", () => {
    const guide = { step: "done", bindingId: "b", hadCommands: true } as const;
    const done = textOf(step("done", { settings: { ...DEFAULT_SETTINGS, guide } })).replaceAll("\u00a0", " ");
    assert.match(done, /⚠ Commands/);
    assert.match(done, /❔ Commands ran with the old key\. The next one shows/);
  });

  test("says by whose clock the weekly summary comes", () => {
    assert.match(textOf(step("weekly")), /Every Monday at 9:00 \(`UTC`\)/);
    const settings = { ...DEFAULT_SETTINGS, timeZone: "Europe/Berlin" };
    assert.match(textOf(step("weekly", { settings })), /Every Monday at 9:00 \(`Europe\/Berlin`\)/);
  });

  test("warns where everybody can read what is meant for staff", () => {
    const accessOf = () => ({ kind: "open", isPublic: true }) as const;
    const warning = /⚠ Everyone can read <#5>\. If only staff should, hide it/;
    const settings = { ...DEFAULT_SETTINGS, noticeChannelId: "5", caseChannelId: "5" };
    const views = {
      notices: { settings },
      cases: { settings },
      alerts: { alerts: [alertOf("calls")] },
      logs: { feeds: [feedOf("joins")] },
    } as const;
    for (const [name, view] of Object.entries(views)) {
      assert.match(textOf(step(name as keyof typeof views, { ...view, accessOf })), warning, name);
      assert.doesNotMatch(textOf(step(name as keyof typeof views, view)), /Everyone can read/, name);
    }
    const panel = step("panel", { panelChannelIds: ["5"], accessOf });
    assert.doesNotMatch(textOf(panel), /Everyone can read/, "a panel is for everybody");
  });

  test("offers to check again only where something is missing: a fourth button would break the row of a phone", () => {
    const feeds = [feedOf("joins")];
    assert.deepEqual(labels(step("logs", { feeds })), ["Back", "More logs", "Next"]);
    const accessOf = () => ({ kind: "missing", permissions: ["Send Messages"] }) as const;
    assert.deepEqual(labels(step("logs", { feeds, accessOf })), ["Back", "More logs", "Check again", "Next"]);
  });
});

test("what is copied for the owner pings nobody where it is pasted", () => {
  const page = { kind: "addresses", url: "https://example.com/owner", addresses: [] } as const;
  const text = textOf(forTheOwner("<@&12> @everyone `x`", page));
  assert.doesNotMatch(text, /@(?!\u200b)/);
  assert.match(text, /everyone 'x'/);
});
