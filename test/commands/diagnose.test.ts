import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { automaticOf } from "../../commands/automatic.ts";
import { diagnose } from "../../commands/diagnose.ts";
import type { Services } from "../../src/discord/services.ts";
import type { AlertRule } from "../../src/domain/alert.ts";
import type { DutyType } from "../../src/domain/duty.ts";
import type { SinkRefusalReason } from "../../src/domain/failure.ts";
import type { Feed, GuildSettings, Tier } from "../../src/domain/guild.ts";
import type { MessageBody } from "../../src/domain/message.ts";
import type { FeedStatus, Feeds } from "../../src/domain/ports/feeds.ts";
import type { Panel } from "../../src/domain/ports/panels.ts";
import type { ScheduleView } from "../../src/domain/ports/schedules.ts";
import type { WeeklySetting } from "../../src/domain/ports/weekly.ts";
import { NO_RECORD, type RulePause } from "../../src/domain/rule.ts";
import type { Schedule } from "../../src/domain/schedule.ts";
import { textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const actor = actorOf({ manageGuild: true });

async function rig(options: { readonly tier?: Tier } = { tier: "moderator" }) {
  const world = new FakeWorld();
  const binding = await world.linkServer(actor.guildId);
  if (options.tier !== undefined) {
    const roleTiers = { role: options.tier };
    const policy = { roleTiers, allowed: [], denied: [], protectedPlayers: [] };
    await world.settings.change(actor.guildId, (all) => ({ ...all, policies: { [binding.id]: policy } }));
  }
  const kept: Feed[] = [];
  const statuses = new Map<string, FeedStatus>();
  const feeds: Feeds = {
    list: async () => kept,
    add: () => Promise.reject(new Error("not expected")),
    edit: () => Promise.reject(new Error("not expected")),
    remove: () => Promise.reject(new Error("not expected")),
    test: () => Promise.reject(new Error("not expected")),
    status: (id) => statuses.get(id) ?? { undelivered: 0 },
    pause: () => Promise.reject(new Error("not expected")),
    async resume(_, id) {
      const at = kept.findIndex((feed) => feed.id === id);
      const found = kept[at];
      if (found === undefined) return undefined;
      const { parkedWhy: __, ...rest } = found;
      kept[at] = { ...rest, state: "live" };
      return kept[at];
    },
  };
  const rules: AlertRule[] = [];
  const alertsRefused = new Map<string, SinkRefusalReason>();
  const panels: Panel[] = [];
  const schedules: ScheduleView[] = [];
  const types: DutyType[] = [];
  const sessions: { channelId: string | undefined } = { channelId: undefined };
  /** `isOff`: the host keeps no history. */
  const weekly: { setting: WeeklySetting | undefined; isOff: boolean } = { setting: undefined, isOff: false };
  const services: Services = {
    ...world.services,
    feeds,
    alerts: {
      ...world.services.alerts,
      list: async () => rules,
      status: ({ id }) => {
        const refused = alertsRefused.get(id);
        return refused === undefined ? {} : { refused };
      },
    },
    panels: { ...world.services.panels, list: () => panels },
    schedules: { ...world.services.schedules, list: async () => schedules },
    weekly: {
      ...world.services.weekly,
      of: async (guildId) => (weekly.isOff ? await world.services.weekly.of(guildId) : weekly.setting),
    },
    duty: { ...world.services.duty, types: async () => types },
    sessions: {
      ...world.services.sessions,
      setupOf: async () =>
        sessions.channelId === undefined
          ? undefined
          : { channelId: sessions.channelId, needed: 5, cooldownMinutes: 10 },
    },
    commandId: (name) => (name === "setup" ? "77" : undefined),
  };
  const alert = (id: string, kind: AlertRule["kind"], channelId: string) =>
    void rules.push({
      id,
      kind,
      channelId,
      guildId: actor.guildId,
      bindingId: binding.id,
      createdBy: "1",
      createdAtMs: 0,
    });
  const set = (more: Partial<GuildSettings>) =>
    world.settings.change(actor.guildId, (before) => ({ ...before, ...more }));
  const add = (id: string, changes: Partial<Feed> = {}) => {
    const feed: Feed = {
      id,
      guildId: actor.guildId,
      bindingId: binding.id,
      kind: "joins",
      channelId: "700",
      style: "lines",
      filter: {},
      silent: false,
      state: "live",
      createdBy: "1",
      createdAtMs: 0,
      ...changes,
    };
    kept.push(feed);
  };
  const on = { actor, signal: new AbortController().signal, reference: "r" };
  const look = async () =>
    (await diagnose.entry.execute({ ...on, args: undefined }, services)) as MessageBody;
  const resume = async (argument: string) => {
    const action = diagnose.actions["diagnose-resume"];
    const form = { text: () => "", chosen: () => [] };
    return (await action.execute(
      { ...on, argument, values: [], form, messageId: "9" },
      services,
    )) as MessageBody;
  };
  return {
    world,
    binding,
    statuses,
    add,
    look,
    resume,
    alert,
    alertsRefused,
    panels,
    schedules,
    weekly,
    types,
    sessions,
    set,
  };
}

function failing(bindingId: string, failures: number): ScheduleView {
  const schedule: Schedule = {
    id: "s1",
    guildId: actor.guildId,
    bindingId,
    what: { kind: "text", text: ":h Welcome" },
    rule: { kind: "every", minutes: 30 },
    anchorMs: 0,
    onlyWithPlayers: false,
    ownerId: "1",
    ownerName: "Ada",
    channelId: "1",
    createdAtMs: 0,
    claimedMs: 0,
    failures,
  };
  const why = "the owner has not allowed it";
  const last = { dueAtMs: 0, runId: "r", result: "failed", why } as const;
  return { schedule, text: ":h Welcome", nextAtMs: 0, last };
}

const labels = (body: MessageBody) =>
  (body.rows ?? []).flat().flatMap((part) => (part.kind === "button" ? [part.label] : []));

const FAKE_RULE = {
  id: "r1",
  bindingId: "b1",
  number: 1,
  kind: "team",
  what: "Police",
  roleIds: ["1"],
  channelId: "5",
  byId: "7",
  createdAtMs: 0,
} as const;

describe("/diagnose", () => {
  test("everything fine is one line each, and only the button to look again", async () => {
    const { add, look } = await rig();
    add("f1");
    const body = await look();
    const text = textOf(body);
    assert.match(text, /All is well/);
    assert.match(text, /✅ \*\*Riverside Roleplay\*\*: read <t:\d+:R>/);
    assert.match(text, /✅ Joins and leaves in <#700>/);
    assert.doesNotMatch(text, /request/, "the budget is the host's to watch");
    assert.deepEqual(labels(body), ["Check again"]);
  });

  const cases: readonly {
    readonly name: string;
    readonly words: RegExp;
    readonly button: string | undefined;
    readonly make: (made: Awaited<ReturnType<typeof rig>>) => unknown;
  }[] = [
    {
      name: "a rejected key",
      words: /⛔ \*\*Riverside Roleplay\*\*: the server key is wrong or expired \(Server Key is invalid\)/,
      button: "New key for Riverside Roleplay",
      make: ({ world, binding }) => world.parked.set(binding.source, "Server Key is invalid"),
    },
    {
      name: "a server that the service does not let the bot read",
      words:
        /⛔ \*\*Riverside Roleplay\*\*: can't be read \(Not authorised \\\(code 4000\\\)\); next try <t:3600:t> \(<t:3600:R>\)/,
      button: undefined,
      make: ({ world, binding }) => world.readRefusals.set(binding.source, "Not authorised (code 4000)"),
    },
    {
      name: "a halt of the whole bot",
      words: /⏳ The game service blocks requests.*at <t:2000:t> \(<t:2000:R>\)/,
      button: undefined,
      make: ({ world }) => {
        world.halt = { untilMs: 2_000_000, why: "blocked" };
      },
    },
    {
      name: "a store that cannot be written",
      words: /⛔ Marshal can't write to its database/,
      button: undefined,
      make: ({ world }) => {
        world.storeWorks = false;
      },
    },
    {
      name: "messages that wait for Discord",
      words:
        /⏳ 240 of your messages are waiting for Discord, the first for 4\u00a0min\. A channel gets one a second/,
      button: undefined,
      make: ({ world }) => {
        world.waitingPosts = { waiting: 240, oldestMs: 225_000 };
      },
    },
    {
      name: "permissions that are missing",
      words: /⚠ Kills in <#701>: missing \*\*Send Messages\*\*, \*\*Embed Links\*\*/,
      button: undefined,
      make: ({ world, add }) => {
        add("f2", { kind: "kills", channelId: "701" });
        world.channelAccess.set("701", { kind: "missing", permissions: ["Send Messages", "Embed Links"] });
      },
    },
    {
      name: "a deleted channel",
      words: /⛔ Kills in <#701>: the channel was deleted/,
      button: "Another channel for kills",
      make: ({ world, add }) => {
        add("f2", { kind: "kills", channelId: "701" });
        world.channelAccess.set("701", { kind: "gone" });
      },
    },
    {
      name: "a log that stopped, in a channel that is open again",
      words: /⛔ Joins and leaves in <#700>: stopped \(no access\)/,
      button: "Post joins and leaves again",
      make: ({ add }) => add("f2", { state: "parked", parkedWhy: "no access" }),
    },
    {
      name: "entries that wait and are late",
      words: /⚠ Joins and leaves in <#700>: fell behind <t:3:R>, 41 entries wait/,
      button: undefined,
      make: ({ add, statuses }) => {
        add("f2");
        statuses.set("f2", { undelivered: 41, lateSinceMs: 3_000 });
      },
    },
    {
      name: "a server that was last read long ago although it has players",
      words: /last read <t:\d+:R>\. That is late/,
      button: undefined,
      make: ({ world, binding, add }) => {
        add("f2");
        const state = world.states.get(binding.source);
        if (state !== undefined) {
          const statusAtMs = world.clock.nowMs() - 16 * 60_000;
          world.states.set(binding.source, { ...state, statusAtMs });
        }
      },
    },
    {
      name: "an alert in a deleted channel",
      words:
        /⛔ Alert, kills by one player: the channel was deleted; `\/alert remove`, then `\/alert add` in another/,
      button: undefined,
      make: ({ world, alert }) => {
        alert("a1", "kills", "801");
        world.channelAccess.set("801", { kind: "gone" });
      },
    },
    {
      name: "several alerts in one channel that lacks permissions",
      words: /⚠ 2 alerts in <#801>: missing \*\*Send Messages\*\*[\s\S]*In the channel's settings/,
      button: undefined,
      make: ({ world, alert }) => {
        alert("a1", "kills", "801");
        alert("a2", "full", "801");
        world.channelAccess.set("801", { kind: "missing", permissions: ["Send Messages"] });
      },
    },
    {
      name: "an alert whose messages Discord refuses although nothing seems to be missing",
      words: /⚠ Alert, the server fills up in <#801>: recent posts failed/,
      button: undefined,
      make: ({ alert, alertsRefused }) => {
        alert("a1", "full", "801");
        alertsRefused.set("a1", "rejected");
      },
    },
    {
      name: "cases in a deleted channel",
      words: /⛔ Cases: the channel was deleted; pick another with <\/setup cases:77>/,
      button: undefined,
      make: ({ world, set }) => {
        world.channelAccess.set("802", { kind: "gone" });
        return set({ caseChannelId: "802" });
      },
    },
    {
      name: "watched players in an archived thread",
      words:
        /⚠ Watched players in <#803>: archived or locked\. Open it or pick another with <\/setup watches:77>/,
      button: undefined,
      make: ({ world, set }) => {
        world.channelAccess.set("803", { kind: "closed" });
        return set({ watchChannelId: "803" });
      },
    },
    {
      name: "the audit in a channel without permissions",
      words: /⚠ The audit in <#804>: missing \*\*View Channel\*\*/,
      button: undefined,
      make: ({ world, set }) => {
        world.channelAccess.set("804", { kind: "missing", permissions: ["View Channel"] });
        return set({ auditChannelId: "804" });
      },
    },
    {
      name: "appeals whose button stands where no private thread can be opened",
      words:
        /⚠ Talks about appeals in <#808>: missing \*\*Create Private Threads\*\*[\s\S]*In the channel's settings/,
      button: undefined,
      make: ({ world, set }) => {
        world.channelAccess.set("talks 808", { kind: "missing", permissions: ["Create Private Threads"] });
        return set({ appealChannelId: "807", appealButtonChannelId: "808" });
      },
    },
    {
      name: "appeals in a deleted channel",
      words: /⛔ Appeals: the channel was deleted; pick another with <\/setup appeals:77>/,
      button: undefined,
      make: ({ world, set }) => {
        world.channelAccess.set("807", { kind: "gone" });
        return set({ appealChannelId: "807", appealButtonChannelId: "808" });
      },
    },
    {
      name: "the weekly summary in a deleted channel",
      words: /⛔ The weekly summary: the channel was deleted; pick another with `\/stats weekly`/,
      button: undefined,
      make: ({ world, weekly }) => {
        weekly.setting = { channelId: "805", byId: "1" };
        world.channelAccess.set("805", { kind: "gone" });
      },
    },
    {
      name: "a panel in a channel without permissions",
      words: /⚠ A server panel in <#806>: missing \*\*Embed Links\*\*/,
      button: undefined,
      make: ({ world, binding, panels }) => {
        panels.push({ guildId: actor.guildId, bindingId: binding.id, channelId: "806", createdBy: "1" });
        world.channelAccess.set("806", { kind: "missing", permissions: ["Embed Links"] });
      },
    },
    {
      name: "sessions in a deleted channel",
      words: /⛔ Sessions: the channel was deleted; pick another with `\/session setup`/,
      button: undefined,
      make: ({ world, sessions }) => {
        sessions.channelId = "809";
        world.channelAccess.set("809", { kind: "gone" });
      },
    },
    {
      name: "shifts in a channel without permissions",
      words: /⚠ Shifts \(Patrol\) in <#810>: missing \*\*Embed Links\*\*/,
      button: undefined,
      make: ({ world, types }) => {
        types.push({ id: "t", name: "Patrol", start: "declared", teams: [], sinceS: 0, channelId: "810" });
        world.channelAccess.set("810", { kind: "missing", permissions: ["Embed Links"] });
      },
    },
    {
      name: "a schedule that fails again and again",
      words:
        /⚠ Schedule `:h Welcome`, every 30 min: failed 2 times in a row \(the owner has not allowed it\); `\/schedule list` removes it/,
      // Of what runs by itself.
      button: "Pause automatic commands",
      make: ({ binding, schedules }) => {
        schedules.push(failing(binding.id, 2));
      },
    },
    {
      name: "a notice channel that takes nothing",
      words: /⚠ Notices: <#800> was deleted/,
      button: "Other notice channel",
      make: ({ world }) => {
        world.channelAccess.set("800", { kind: "gone" });
        const settings = world.settingsByGuild.get(actor.guildId);
        if (settings !== undefined)
          world.settingsByGuild.set(actor.guildId, { ...settings, noticeChannelId: "800" });
      },
    },
  ];
  for (const { name, words, button, make } of cases) {
    test(`${name}: said in one line${button === undefined ? "" : ", with the press that mends it"}`, async () => {
      const made = await rig();
      await make(made);
      const body = await made.look();
      assert.match(textOf(body), words);
      assert.match(textOf(body), /1 thing needs a look/);
      assert.deepEqual(labels(body), [...(button === undefined ? [] : [button]), "Check again"]);
      const ids = (body.rows ?? []).flat().map((part) => ("id" in part ? part.id : ""));
      assert.ok(!ids.includes("setup-link"), "a new key of a linked server asks for nothing else");
    });
  }

  test("what runs by itself is counted without rules that are paused", async () => {
    const { services } = new FakeWorld();
    const step = { kind: "pm", byId: "7", byName: "Mo" } as const;
    const rule = { ...FAKE_RULE, guildId: actor.guildId, step };
    const seen = async (pause: RulePause | undefined) => {
      const list = () => ({ rules: [{ rule, record: NO_RECORD, onlyTells: undefined }], pause });
      return (await automaticOf({ ...services, rules: { ...services.rules, list } }, actor.guildId)).rules;
    };
    assert.deepEqual(await seen(undefined), [step]);
    assert.deepEqual(await seen({ byId: "7", atMs: 0 }), []);
  });

  test("where the host keeps no history, all else is looked at", async () => {
    const made = await rig();
    made.weekly.isOff = true;
    made.add("f1");
    assert.match(textOf(await made.look()), /All is well[\s\S]*✅ Joins and leaves in <#700>/);
  });

  test("channels that take what is posted, and schedules that run, get no line of their own", async () => {
    const made = await rig();
    made.alert("a1", "kills", "801");
    made.schedules.push(failing(made.binding.id, 0));
    made.weekly.setting = { channelId: "805", byId: "1" };
    const channels = { caseChannelId: "802", watchChannelId: "803", auditChannelId: "804" };
    await made.set(channels);
    const text = textOf(await made.look());
    assert.match(text, /All is well/);
    assert.doesNotMatch(text, /80[1-5]|Schedule/);
  });

  test("what is wrong elsewhere is not cut off by fifty logs that stand before it", async () => {
    const made = await rig();
    for (let at = 0; at < 50; at++)
      made.add(`f${at}`, { createdAtMs: at, state: "parked", parkedWhy: "x".repeat(400) });
    made.world.channelAccess.set("802", { kind: "gone" });
    await made.set({ caseChannelId: "802" });
    assert.match(textOf(await made.look()), /⛔ Cases: the channel was deleted/);
  });

  test("whether commands may run is said to be unknown until one ran, and nothing is wrong with that", async () => {
    const { look } = await rig();
    const text = textOf(await look());
    assert.match(
      text,
      /All is well[\s\S]*❔ \*\*Riverside Roleplay\*\*: not known yet whether Marshal can run commands/,
    );
  });

  test("a server whose polls fail is not well, though it was read a moment ago, and why is said", async () => {
    const { world, binding, look } = await rig();
    world.failing.set(binding.source, { sinceMs: 0, code: "module-outdated" });
    const text = textOf(await look());
    assert.match(text, /⚠ 1 thing needs a look/);
    assert.match(
      text,
      /the game server runs an old version\. Everyone has to leave it once.* Last read <t:\d+:R>/,
    );
  });

  test("while nothing is read, the lines of the server and of its logs say so, and when it was read last", async () => {
    const troubles: readonly ((made: Awaited<ReturnType<typeof rig>>) => void)[] = [
      ({ world, binding }) => void world.failing.set(binding.source, { sinceMs: 0, code: "unreachable" }),
      ({ world }) => {
        world.halt = { untilMs: 2_000_000, why: "blocked" };
      },
    ];
    for (const trouble of troubles) {
      const made = await rig();
      made.add("f1");
      made.add("f2", { kind: "kills", state: "paused" });
      made.add("f3", { kind: "commands" });
      made.statuses.set("f3", { undelivered: 4 });
      trouble(made);
      const text = textOf(await made.look());
      assert.match(
        text,
        /⏳ Joins and leaves in <#700>: nothing is read at the moment\. Last read <t:\d+:R>\n/,
      );
      assert.match(
        text,
        /⏳ Commands in <#700>: nothing is read at the moment\. Last read <t:\d+:R>, 4 entries wait/,
      );
      assert.match(text, /⏸ Kills in <#700>: paused/);
      assert.doesNotMatch(text, /✅/);
      assert.match(text, /⚠ 1 thing needs a look/, "one cause is one thing");
    }
  });

  test("of a server whose commands are refused it says that reading works, unless it does not", async () => {
    for (const [isRead, trouble] of [
      [true, () => undefined],
      [
        false,
        ({ world, binding }) => void world.failing.set(binding.source, { sinceMs: 0, code: "unreachable" }),
      ],
      [false, ({ world }) => void Object.assign(world, { halt: { untilMs: 2_000_000, why: "blocked" } })],
    ] as readonly (readonly [boolean, (made: Awaited<ReturnType<typeof rig>>) => void])[]) {
      const made = await rig();
      const refused = { kind: "refused", why: "no", sinceMs: 0, untilMs: 2_000_000 } as const;
      made.world.commandPermissions.set(made.binding.source, refused);
      trouble(made);
      const text = textOf(await made.look());
      assert.match(text, /does not let Marshal run commands/);
      assert.equal(/Reading works/.test(text), isRead);
    }
  });

  test("a block is said of each server", async () => {
    const { world, look } = await rig();
    world.halt = { untilMs: 2_000_000, why: "blocked" };
    assert.match(
      textOf(await look()),
      /⏳ \*\*Riverside Roleplay\*\*: nothing is read at the moment\. Last read <t:\d+:R>/,
    );
  });

  test("no staff at all is said, with the button that opens the roles", async () => {
    const { look } = await rig({});
    assert.deepEqual(labels(await look()), ["Roles for Riverside Roleplay", "Check again"]);
  });

  test("the press posts the log again and shows how it stands then", async () => {
    const { add, resume } = await rig();
    add("f2", { state: "parked", parkedWhy: "no access" });
    assert.match(textOf(await resume("f2")), /All is well/);
  });

  test("fifty logs on ten servers with long names fit into one message", async () => {
    const { add, look, world } = await rig();
    for (let at = 0; at < 50; at++)
      add(`f${at}`, { state: "parked", parkedWhy: "x".repeat(400), createdAtMs: at });
    for (let at = 1; at < 10; at++) {
      const status = serverStatus({ name: `${"W".repeat(90)}${at}`, joinKey: `j${at}` });
      await world.linkServer(actor.guildId, status, `key-${at}`);
    }
    const body = await look();
    assert.ok((body.cards?.[0]?.description?.length ?? 0) <= 4_096);
    assert.ok((body.rows ?? []).length <= 5 && labels(body).every((label) => label.length <= 80));
  });
});
