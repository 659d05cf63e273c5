import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setup } from "../../commands/setup.ts";
import { guideAt } from "../../commands/setup-guide.ts";
import type { Services } from "../../src/discord/services.ts";
import type { AlertRule } from "../../src/domain/alert.ts";
import type { DutyType } from "../../src/domain/duty.ts";
import type { Feed } from "../../src/domain/guild.ts";
import type { RanksView } from "../../src/domain/ports/ranks.ts";
import type { RulesView } from "../../src/domain/ports/rules.ts";
import type { ScheduleView } from "../../src/domain/ports/schedules.ts";
import type { Schedule } from "../../src/domain/schedule.ts";
import { textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const actor = actorOf({ manageGuild: true });

const sessions = { channelId: "10", needed: 5, cooldownMinutes: 10 };

function dutyType(name: string): DutyType {
  return { id: name, name, start: "declared", teams: [], sinceS: 0 };
}

function scheduled(bindingId: string): ScheduleView {
  const schedule: Schedule = {
    id: `schedule-${bindingId}`,
    guildId: actor.guildId,
    bindingId,
    what: { kind: "text", text: "Welcome" },
    rule: { kind: "every", minutes: 30 },
    anchorMs: 0,
    onlyWithPlayers: false,
    ownerId: "1",
    ownerName: "owner",
    channelId: "1",
    createdAtMs: 0,
    claimedMs: 0,
    failures: 0,
  };
  return { schedule, text: "Welcome", nextAtMs: 0, last: undefined };
}

async function shown(services: Services) {
  const { execute } = setup.subcommands.show;
  const on = { actor, args: undefined, signal: new AbortController().signal, reference: "r" };
  const reply = await execute(on, services);
  assert.ok(!(Symbol.asyncIterator in reply));
  const [card] = reply.cards ?? [];
  assert.ok(card !== undefined);
  return { text: textOf(reply), card };
}

describe("/setup show", () => {
  test("has logs, alerts, panel, weekly summary, positions and commands on one card", async () => {
    const made = new FakeWorld();
    const { id: bindingId } = await made.linkServer(actor.guildId);
    const of = { guildId: actor.guildId, bindingId, createdBy: "1", createdAtMs: 0 };
    const feed = { ...of, style: "lines", filter: {}, silent: false, state: "live" } as const;
    const feeds: readonly Feed[] = [
      { ...feed, id: "1", kind: "joins", channelId: "5" },
      { ...feed, id: "2", kind: "kills", channelId: "5" },
      { ...feed, id: "3", kind: "commands", channelId: "6", state: "paused" },
    ];
    const alerts: readonly AlertRule[] = [{ ...of, id: "4", kind: "kills", channelId: "7" }];
    const { history } = made.services;
    const { text } = await shown({
      ...made.services,
      feeds: { ...made.services.feeds, list: async () => feeds },
      alerts: { ...made.services.alerts, list: async () => alerts },
      panels: { ...made.services.panels, list: () => [{ ...of, channelId: "8" }] },
      weekly: { ...made.services.weekly, of: async () => ({ channelId: "9", byId: "1" }) },
      history: { ...history, positions: { ...history.positions, days: async () => 2 } },
      health: { ...made.services.health, commandPermission: () => ({ kind: "allowed" }) },
      schedules: { ...made.services.schedules, list: async () => [scheduled(bindingId), scheduled("other")] },
      sessions: { ...made.services.sessions, setupOf: async () => ({ ...sessions, channelId: "10" }) },
      duty: { ...made.services.duty, types: async () => [dutyType("Patrol"), dutyType("_Staff_")] },
    });
    assert.match(text, /Logs: Joins and leaves, Kills in <#5> · Commands \(paused\) in <#6>/);
    assert.match(text, /Alerts: kills by one player in <#7>/);
    assert.match(text, /Panel: <#8>\nSchedules: \*\*1\*\*, see `\/schedule list`\nSessions: <#10>/);
    assert.match(text, /Duty: \*\*Patrol\*\*, \*\*\\_Staff\\_\*\*\. See `\/duty type list`\./);
    assert.match(text, /Weekly summaries are posted in <#9>/);
    assert.match(text, /told about a warning only when staff press \*Tell\*/);
    assert.match(text, /Positions are saved for \*\*2 days\*\*/);
    assert.match(text, /✅ Marshal can run commands/);
    assert.match(text, /Key set by <@\d+> <t:\d+:R>/);
  });

  test("says which of the roles with a rank and the rules are paused", async () => {
    const made = new FakeWorld();
    await made.linkServer(actor.guildId);
    const feeds = { ...made.services.feeds, list: async () => [] };
    const pause = { byId: "7", atMs: 0 };
    const conduct = async (paused: { rules?: typeof pause; ranks?: typeof pause }) => {
      const rules = { rules: [{}, {}], pause: paused.rules } as unknown as RulesView;
      const ranks = [{ mappings: [{}], pause: paused.ranks }] as unknown as readonly RanksView[];
      const { text } = await shown({
        ...made.services,
        feeds,
        rules: { ...made.services.rules, list: () => rules },
        ranks: { ...made.services.ranks, list: () => ranks },
      });
      return /Roles with a rank.*/.exec(text)?.[0];
    };
    assert.match(String(await conduct({})), /: \*\*1\*\*\. See .*Rules: \*\*2\*\*\. See/);
    assert.match(
      String(await conduct({ rules: pause })),
      /: \*\*1\*\*\. .*Rules: \*\*2\*\* \(paused\)\. See/,
    );
    assert.match(
      String(await conduct({ ranks: pause })),
      /: \*\*1\*\* \(paused\)\. .*Rules: \*\*2\*\*\. See/,
    );
  });

  test("says of a refused key only what its mark does not", async () => {
    const made = new FakeWorld();
    const { source } = await made.linkServer(actor.guildId);
    const services = { ...made.services, feeds: { ...made.services.feeds, list: async () => [] } };
    made.parked.set(source, "You provided an invalid or expired server-key.");
    assert.match(
      (await shown(services)).text,
      /⛔ The server key is wrong or expired\. Replace it with `\/setup link`\.\n/,
    );
    made.parked.set(source, "This server key is banned from the game service.");
    assert.match(
      (await shown(services)).text,
      /⛔ The server key is wrong or expired\. This server key is banned from the game service\. Replace/,
    );
    const health = { ...made.services.health, commandPermission: () => ({ kind: "allowed" }) as const };
    const { text } = await shown({ ...services, health });
    assert.doesNotMatch(text, /Marshal can run/, "nothing is sent without a key");
  });

  test("begins with the channels that take no posts", async () => {
    const made = new FakeWorld();
    await made.linkServer(actor.guildId);
    made.settingsByGuild.set(actor.guildId, {
      ...(await made.settings.of(actor.guildId)),
      caseChannelId: "5",
      noticeChannelId: "6",
      auditChannelId: "7",
    });
    const cases = { ...made.services.cases, isKept: true };
    const services = { ...made.services, cases, feeds: { ...made.services.feeds, list: async () => [] } };
    assert.doesNotMatch((await shown(services)).text, /I can't post/);
    made.channelAccess.set("5", { kind: "missing", permissions: ["Send Messages"] });
    made.channelAccess.set("7", { kind: "gone" });
    made.channelAccess.set("6", { kind: "unknown" });
    const { card } = await shown(services);
    assert.match(
      card.description ?? "",
      /^⚠ I can't post in <#5>\. `\/diagnose` shows what is missing\.\n⚠ A channel was deleted\. Pick another where ⚠ is shown below\./,
    );
    assert.match(card.description ?? "", /\n⚠ Cases are posted in <#5>/);
    const types = async () => [{ ...dutyType("Patrol"), channelId: "5" }];
    const withMore = await shown({
      ...services,
      sessions: { ...services.sessions, setupOf: async () => ({ ...sessions, channelId: "5" }) },
      duty: { ...services.duty, types },
    });
    assert.match(withMore.text, /\nSessions: ⚠ <#5>/);
    assert.match(withMore.text, /\nDuty: \*\*Patrol\*\* in ⚠ <#5>\. See/);
    assert.match(card.description ?? "", /\n⚠ The audit is posted in <#7>/);
    assert.match(card.description ?? "", /\nNotices are posted in <#6>/);
  });

  test("says what is off, and where the owner's permission is missing", async () => {
    const made = new FakeWorld();
    await made.linkServer(actor.guildId);
    const services = { ...made.services, feeds: { ...made.services.feeds, list: async () => [] } };
    const { text } = await shown({
      ...services,
      history: { ...services.history, positions: { ...services.history.positions, days: async () => 0 } },
    });
    assert.match(text, /Positions are not saved\. Save them with `\/history retention positions:`/);
    assert.match(text, /Logs: none\nAlerts: none\nPanel: none/);
    assert.doesNotMatch(text, /Schedules|Sessions|Duty/, "most communities have none of these");
    assert.match(text, /Weekly summaries are off\. Turn them on with `\/stats weekly channel:`/);
    assert.match(text, /❔ Not known yet whether Marshal can run commands/);
    const refused = { kind: "refused", why: "No.", sinceMs: 0, untilMs: 0 } as const;
    const health = { ...made.services.health, commandPermission: () => refused };
    assert.match(
      (await shown({ ...services, health })).text,
      /⛔ The owner does not let Marshal run commands/,
    );
  });

  test("fits what Discord takes, with as many servers and logs as a community may have", async () => {
    const made = new FakeWorld();
    const feeds: Feed[] = [];
    for (let at = 0; at < 30; at++) {
      const name = `Riverside Roleplay number ${at} of the very many`;
      const status = serverStatus({ name, joinKey: `join${at}` });
      const { id } = await made.linkServer(actor.guildId, status, `key-of-server-${at}`);
      const of = { guildId: actor.guildId, bindingId: id, createdBy: "1", createdAtMs: 0 };
      const feed = { ...of, style: "lines", filter: {}, silent: false, state: "live" } as const;
      for (const kind of ["joins", "kills", "commands", "team", "queue"] as const)
        feeds.push({ ...feed, id: `${at}${kind}`, kind, channelId: `${1e17 + feeds.length}` });
    }
    const { card } = await shown({
      ...made.services,
      feeds: { ...made.services.feeds, list: async () => feeds },
    });
    const { title = "", description = "", footer = "", fields = [] } = card;
    const texts = [title, description, footer, ...fields.flatMap(({ name, value }) => [name, value])];
    assert.ok(fields.length <= 25 && fields.every(({ value }) => value.length <= 1_024 && value !== ""));
    assert.ok(texts.join("").length <= 6_000, `${texts.join("").length}`);
    assert.equal(footer, "and 6 more");
  });

  test("promises no cases where the host keeps none, and neither does the guide", async () => {
    const made = new FakeWorld();
    const { id } = await made.linkServer(actor.guildId);
    await made.settings.change(actor.guildId, (before) => ({ ...before, caseChannelId: "5" }));
    const services = { ...made.services, feeds: { ...made.services.feeds, list: async () => [] } };
    const { text } = await shown(services);
    assert.match(text, /Cases are off: Marshal's host has turned recording off\./);
    assert.doesNotMatch(text, /still saved: `\/case|Cases are posted/);
    const step = textOf(await guideAt(services, actor, { step: "cases", bindingId: id }));
    assert.match(step, /⚠ Cases are off: Marshal's host has turned recording off\./);
    assert.doesNotMatch(step, /becomes a numbered case/);
  });
});
