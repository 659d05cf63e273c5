import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { feed } from "../../commands/feed.ts";
import type { Form, Press, Reply } from "../../src/discord/command.ts";
import { createCommandRegistry } from "../../src/discord/interactions/command-registry.ts";
import type { Services } from "../../src/discord/services.ts";
import { Failure } from "../../src/domain/failure.ts";
import { type Actor, DEFAULT_SETTINGS, EMPTY_POLICY } from "../../src/domain/guild.ts";
import type { ModCalls } from "../../src/domain/ports/mod-calls.ts";
import { createCommandCatalogue } from "../../src/runs/catalogue/suggestions.ts";
import { cardIdIn } from "../support/card-id.ts";
import { formOf, optionsOf, textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { FeedsRig, guildId } from "../support/feeds-rig.ts";

const manager = actorOf({ guildId, channelId: "channel-1", userId: "100", manageGuild: true });
const { add, edit, list, remove, test: tryOut, pause, resume } = feed.subcommands;

interface Stage {
  readonly rig: FeedsRig;
  readonly world: FakeWorld;
  readonly services: Services;
}

async function onStage(run: (stage: Stage) => Promise<void>): Promise<void> {
  const rig = await new FeedsRig().start();
  const world = new FakeWorld();
  for (const [id, binding] of rig.bindings) world.bindingsById.set(id, binding);
  const services = { ...world.services, feeds: rig.wing.feeds, modCalls: rig.wing.modCalls };
  try {
    await run({ rig, world, services });
  } finally {
    await rig.stop();
  }
}

function asked<Args>(args: Args, actor: Actor = manager) {
  return { actor, args, signal: new AbortController().signal, reference: "r" };
}

async function one(answer: unknown): Promise<Reply> {
  return (await answer) as Reply;
}

/** An answer that waits for a turn at Discord. */
async function inTime(rig: FeedsRig, answer: unknown): Promise<Reply> {
  const reply = one(answer);
  await rig.clock.advance(1_000);
  return await reply;
}

/** An answer of several replies, to its end. */
async function played(answer: unknown): Promise<Reply[]> {
  const replies: Reply[] = [];
  for await (const reply of answer as AsyncIterable<Reply>) replies.push(reply);
  return replies;
}

async function adding(stage: Stage, options: Record<string, string | number | boolean>): Promise<Reply> {
  return await one(add.execute(asked(add.parse(optionsOf(options))), stage.services));
}

async function editing(stage: Stage, options: Record<string, string | number | boolean>): Promise<Reply> {
  return await one(edit.execute(asked(edit.parse(optionsOf({ feed: "1", ...options }))), stage.services));
}

function press(argument: string, note = "", actor: Actor = manager): Press {
  const signal = new AbortController().signal;
  return { actor, argument, values: [], form: formOf({ note }), messageId: "m", signal, reference: "r" };
}

function refused(text: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof Failure);
    assert.equal(error.code, "bad-command");
    assert.match(error.message, text);
    return true;
  };
}

describe("/feed", () => {
  test("Discord can register it: for holders of Manage Guild, in servers only", () => {
    const { definitions } = createCommandRegistry([feed]);
    const [definition] = JSON.parse(JSON.stringify(definitions)) as { default_member_permissions: string }[];
    assert.equal(definition?.default_member_permissions, "32");
  });

  test("add posts from now on into this channel, says so in words, and is audited", () =>
    onStage(async (stage) => {
      const { rig, world } = stage;
      const reply = await adding(stage, { kind: "joins", team: "Police, Fire", silent: true });
      assert.match(textOf(reply), /joins and leaves in <#channel-1> · team `Police` `Fire` · silent/);
      const [stored] = await rig.wing.feeds.list(guildId);
      assert.deepEqual(stored?.filter, { teams: ["Police", "Fire"] });
      assert.equal(stored?.createdBy, "100");
      assert.deepEqual(
        world.events.map(({ action }) => action),
        ["feed-add"],
      );
      await rig.poll();
      rig.join("Ann");
      await rig.pollAndFlush();
      assert.match(rig.sink.text("channel-1"), /\*\*Ann\*\* joined/);
      assert.equal(rig.sink.messages("channel-1")[0]?.sent.silent, true);
    }));

  test("a feed of moderator calls says that everyone reads who called, where everyone reads its channel", () =>
    onStage(async (stage) => {
      const { world } = stage;
      world.channelAccess.set("channel-1", { kind: "open", isPublic: true });
      const warned =
        /⚠ Everyone can read <#channel-1>\. If only staff should, [^\n]*\n-# Cards of moderator calls say who called\./;
      assert.match(textOf(await adding(stage, { kind: "mod-calls" })), warned);
      assert.doesNotMatch(textOf(await editing(stage, { channel: "channel-2" })), /Everyone/);
      assert.match(textOf(await editing(stage, { channel: "channel-1" })), warned);
    }));

  test("a feed of any log says that everyone reads its channel, as the guided set-up does", () =>
    onStage(async (stage) => {
      stage.world.channelAccess.set("channel-1", { kind: "open", isPublic: true });
      const warned = /⚠ Everyone can read <#channel-1>\. If only staff should, hide it/;
      const added = textOf(await adding(stage, { kind: "commands" }));
      assert.match(added, warned);
      assert.doesNotMatch(added, /Cards of moderator calls/);
      assert.doesNotMatch(textOf(await editing(stage, { channel: "channel-2" })), /Everyone/);
      assert.match(textOf(await editing(stage, { channel: "channel-1" })), warned);
    }));

  test("a feed of a log that nobody has read says that it begins at the next look, and posts nothing from before", () =>
    onStage(async (stage) => {
      const { rig, world, services } = stage;
      world.halt = { untilMs: 1_800_000_000_500, why: "rate-limited" };
      const first = textOf(await adding(stage, { kind: "joins", channel: "one" }));
      assert.match(first, /Feed added/);
      assert.match(first, /starts when Marshal next reads the server\. Nothing from before that is posted/);
      assert.match(first, /asked Marshal to wait, so that is after <t:1800000001:T> \(<t:1800000001:R>\)\./);
      const listed = async () => textOf(await one(list.execute(asked(undefined), services)));
      assert.match(await listed(), /starts when the server is next read/);

      // The halt: what happens in it stands in the log at the first look.
      rig.join("Ann");
      await rig.poll();
      assert.doesNotMatch(await listed(), /next read/);
      rig.join("Ben");
      await rig.pollAndFlush();
      assert.doesNotMatch(rig.sink.text("one"), /Ann/);
      assert.match(rig.sink.text("one"), /\*\*Ben\*\* joined/);

      // The log is known now: a second feed of it begins at once, and a halt loses it nothing.
      const second = textOf(await adding(stage, { kind: "joins", channel: "two" }));
      assert.doesNotMatch(second, /next read/);
      rig.join("Cem");
      await rig.pollAndFlush();
      assert.match(rig.sink.text("two"), /\*\*Cem\*\* joined/);
    }));

  test("a feed of moderator calls takes a role, a cooldown and an escalation; it is always cards", () =>
    onStage(async (stage) => {
      await adding(stage, {
        kind: "mod-calls",
        channel: "mods",
        ping: "777",
        cooldown: 0,
        escalate: 5,
        style: "lines",
      });
      const [stored] = await stage.rig.wing.feeds.list(guildId);
      assert.equal(stored?.kind, "modCalls");
      assert.equal(stored?.channelId, "mods");
      assert.equal(stored?.style, "cards");
      assert.equal(stored?.pingCooldownMs, 0);
      assert.equal(stored?.escalateAfterMs, 300_000);
    }));

  test("a feed whose channel takes no posts is saved, and says what is missing there", () =>
    onStage(async (stage) => {
      stage.world.channelAccess.set("channel-1", { kind: "missing", permissions: ["Send Messages"] });
      const missing =
        /^⚠ Feed [\s\S]*⚠ I can't post there: missing \*\*Send Messages\*\* in <#channel-1>.*\n.*allow what is missing/;
      assert.match(textOf(await adding(stage, { kind: "joins" })), missing);
      assert.match(textOf(await editing(stage, { feed: "1", style: "cards" })), missing);
      assert.match(
        textOf(await one(list.execute(asked(undefined), stage.services))),
        /\*\*1\.\*\* ⚠ joins and leaves in <#channel-1>.*\n⤷ missing \*\*Send Messages\*\* in <#channel-1>/,
        "said before the first post meets it",
      );
    }));

  test("the list says what /diagnose says while the server can't be read", () =>
    onStage(async (stage) => {
      const { rig, world, services } = stage;
      await adding(stage, { kind: "joins" });
      const listed = async () => textOf(await one(list.execute(asked(undefined), services)));
      assert.match(await listed(), /\*\*1\.\*\* ▶ joins/);
      for (const { source } of rig.bindings.values()) world.parked.set(source, "Server Key is invalid");
      const text = await listed();
      assert.match(
        text,
        /\*\*1\.\*\* ⏸ joins and leaves in <#channel-1> · paused until the server can be read/,
      );
    }));

  test("a role that Discord would not let Marshal ping is said to be so, with what to do", () =>
    onStage(async (stage) => {
      const text = async (ping: string) =>
        textOf(await adding(stage, { kind: "mod-calls", channel: `mods-${ping}`, ping }));
      assert.match(
        await text("777!"),
        /Feed added[\s\S]*<@&777!> would not be notified[\s\S]*Allow anyone to @mention/,
      );
      assert.doesNotMatch(await text("777"), /would not be notified/);
    }));

  test("what makes no sense is refused before anything is stored, in words", () => {
    const parsing = (options: Record<string, string | number>) => () => add.parse(optionsOf(options));
    assert.throws(parsing({ kind: "kills", ping: "7" }), refused(/moderator calls can ping/));
    assert.throws(parsing({ kind: "mod-calls", cooldown: 3 }), refused(/Choose a role to ping/));
    assert.throws(parsing({ kind: "kills", command: "ban" }), refused(/Only command feeds/));
    assert.throws(parsing({ kind: "emergency-calls", player: "Ann" }), refused(/only show player ids/));
    assert.throws(parsing({ kind: "nonsense" }), refused(/Unknown kind/));
  });

  test("filters are read leniently: spaces, colons, capitals, control characters", () => {
    const args = add.parse(
      optionsOf({ kind: "commands", command: " :Kick,ban ,, ", player: "Ann\u202e , 42" }),
    );
    assert.deepEqual(args.filter, { verbs: ["kick", "ban"], players: ["ann", "42"] });
  });

  test("a second feed of the same kind and server in one channel is refused", () =>
    onStage(async (stage) => {
      await adding(stage, { kind: "joins" });
      await assert.rejects(adding(stage, { kind: "joins", team: "Fire" }), refused(/already/));
    }));

  test("list numbers the feeds and tells how each is doing", () =>
    onStage(async (stage) => {
      const { rig, services } = stage;
      assert.match(textOf(await one(list.execute(asked(undefined), services))), /No feeds yet/);
      await adding(stage, { kind: "joins" });
      await rig.clock.advance(1_000);
      await adding(stage, { kind: "kills", channel: "gone" });
      await rig.poll();
      rig.sink.fault = (_call, channelId) => (channelId === "gone" ? "gone" : "unknown");
      rig.join("Ann");
      rig.log.killLogs.push({ kind: "kill", atS: rig.nowS, killer: { name: "a" }, killed: { name: "b" } });
      await rig.pollAndFlush();
      const text = textOf(await one(list.execute(asked(undefined), services)));
      assert.match(text, /\*\*1\.\*\* ▶ joins and leaves in <#channel-1> · 1 waiting\n/);
      assert.match(text, /\*\*2\.\*\* ⚠ kills in <#gone> · stopped\n.*the channel was deleted/);
      const buttons = async () => buttonsOf(await one(list.execute(asked(undefined), services)));
      const [stopped] = (await services.feeds.list(guildId)).filter(({ kind }) => kind === "kills");
      assert.deepEqual(await buttons(), [`feed-resume:${stopped?.id}`]);
      stage.world.channelAccess.set("gone", { kind: "missing", permissions: ["Send Messages"] });
      assert.match(
        textOf(await one(list.execute(asked(undefined), services))),
        /⚠ kills in <#gone> · stopped\n⤷ missing \*\*Send Messages\*\* in <#gone>\n.*allow what is missing/,
      );
      // Only another channel helps where Discord has none any more.
      stage.world.channelAccess.set("gone", { kind: "gone" });
      assert.deepEqual(await buttons(), [`guide:logs:${stopped?.bindingId}`]);
    }));

  test("a feed is named by its choice, its id or its number; choices hold no mentions", () =>
    onStage(async (stage) => {
      const { services } = stage;
      await adding(stage, { kind: "joins" });
      const typing = { actor: manager, option: "feed", typed: "", options: optionsOf() };
      const choices = (await remove.autocomplete?.(typing, services)) ?? [];
      assert.deepEqual(
        choices.map((choice) => choice.name),
        ["1. joins and leaves · #name-of-channel-1"],
      );
      await one(pause.execute(asked({ feed: "1" }), services));
      await one(remove.execute(asked({ feed: choices[0]?.value ?? "" }), services));
      assert.deepEqual(await services.feeds.list(guildId), []);
      await assert.rejects(
        async () => await pause.execute(asked({ feed: "1" }), services),
        refused(/Unknown feed/),
      );
    }));

  test("edit changes what is given and nothing else, and is audited; with nothing it says what is set", () =>
    onStage(async (stage) => {
      const { rig, world } = stage;
      await adding(stage, { kind: "joins", team: "Police, Fire", player: "Ann", silent: true });
      const [before] = await rig.wing.feeds.list(guildId);
      assert.match(textOf(await editing(stage, {})), /Set now: joins.*team `Police` `Fire`.*silent/);
      assert.deepEqual(
        world.events.map(({ action }) => action),
        ["feed-add"],
      );
      const reply = await editing(stage, { channel: "two", team: "-", style: "cards" });
      assert.match(textOf(reply), /Feed changed: joins and leaves in <#two> · cards · player `ann` · silent/);
      const [after] = await rig.wing.feeds.list(guildId);
      assert.deepEqual(after, { ...before, channelId: "two", filter: { players: ["ann"] }, style: "cards" });
      assert.deepEqual(
        world.events.map(({ action }) => action),
        ["feed-add", "feed-edit"],
      );
    }));

  test("none, off and all take a filter away as well as -: nobody means a team of that name", () =>
    onStage(async (stage) => {
      await adding(stage, { kind: "joins", team: "Police", player: "Ann", channel: "one" });
      for (const word of ["none", "Off", "all", "-"]) {
        await editing(stage, { team: "Police", player: "Ann" });
        await editing(stage, { team: word, player: word });
        const [after] = await stage.rig.wing.feeds.list(guildId);
        assert.deepEqual(after?.filter, {}, word);
      }
      await adding(stage, { kind: "kills", team: "all", channel: "two" });
      assert.deepEqual((await stage.rig.wing.feeds.list(guildId)).at(-1)?.filter, {});
    }));

  test("a team or a command that nobody has heard of is said: such a feed would stay empty", () =>
    onStage(async (stage) => {
      assert.match(
        textOf(await adding(stage, { kind: "joins", team: "Pirates" })),
        /don't know the team `?Pirates/,
      );
      assert.match(textOf(await editing(stage, { team: "Sherif" })), /don't know the team `?Sherif/);
      assert.doesNotMatch(textOf(await editing(stage, { team: "Sheriff" })), /don't know/);
      const catalogue = createCommandCatalogue({ snapshots: stage.world.snapshots });
      const bogus = await adding(
        { ...stage, services: { ...stage.services, catalogue } },
        { kind: "commands", command: "kick, bogus" },
      );
      assert.match(textOf(bogus), /doesn't know `:bogus`/);
      assert.doesNotMatch(textOf(bogus), /know `:kick`/);
    }));

  test("edit refuses what add refuses, and changes nothing then", () =>
    onStage(async (stage) => {
      const { rig } = stage;
      await adding(stage, { kind: "joins", channel: "one" });
      await rig.clock.advance(1_000);
      await adding(stage, { kind: "joins", channel: "two" });
      const before = await rig.wing.feeds.list(guildId);
      for (const [options, words] of [
        [{ command: "kick" }, /Only command feeds/],
        [{ ping: "777" }, /Only feeds of moderator calls can ping/],
        [{ escalate: 5 }, /Only feeds of moderator calls can ping/],
        [{ channel: "two" }, /already has this log/],
        [{ feed: "9", silent: true }, /Unknown feed/],
      ] as const) {
        await assert.rejects(editing(stage, options), refused(words));
      }
      assert.deepEqual(await rig.wing.feeds.list(guildId), before);
    }));

  test("edit of a feed of calls changes its ping, its cooldown and when it escalates", () =>
    onStage(async (stage) => {
      await adding(stage, { kind: "mod-calls", ping: "777", escalate: 5 });
      await editing(stage, { cooldown: 3, escalate: 0 });
      const [stored] = await stage.rig.wing.feeds.list(guildId);
      assert.deepEqual(
        [stored?.pingRoleId, stored?.pingCooldownMs, stored?.escalateAfterMs],
        ["777", 180_000, undefined],
      );
    }));

  test("edit takes a ping away, and with it the wait between pings", () =>
    onStage(async (stage) => {
      await adding(stage, { kind: "mod-calls", ping: "777", cooldown: 3 });
      await assert.rejects(editing(stage, { ping: "778", "no-ping": true }), refused(/role or no-ping/));
      assert.doesNotMatch(textOf(await editing(stage, { "no-ping": true })), /777/);
      const [stored] = await stage.rig.wing.feeds.list(guildId);
      assert.deepEqual([stored?.pingRoleId, stored?.pingCooldownMs], [undefined, undefined]);
    }));

  test("a choice whose feed has gone never reaches another feed, though its id begins with that one's number", () =>
    onStage(async (stage) => {
      const { services } = stage;
      await adding(stage, { kind: "joins" });
      await stage.rig.clock.advance(1_000);
      await adding(stage, { kind: "kills" });
      for (const stale of ["2Xk9aaaabbbb", "1.", "-1", "0", "3", "1e0", "0x1"]) {
        for (const entry of [remove, pause, resume, tryOut]) {
          await assert.rejects(
            async () => await entry.execute(asked(entry.parse(optionsOf({ feed: stale }))), services),
            refused(/Unknown feed/),
            stale,
          );
        }
      }
      assert.equal((await services.feeds.list(guildId)).length, 2);
      await one(remove.execute(asked(remove.parse(optionsOf({ feed: " 2 " }))), services));
      assert.deepEqual(
        (await services.feeds.list(guildId)).map(({ kind }) => kind),
        ["joins"],
      );
    }));

  test("a feed that is saved and cannot be opened yet does not show as live", () =>
    onStage(async (stage) => {
      const { rig, services } = stage;
      rig.stores.offsets.failure = new Error("disk full");
      assert.match(textOf(await adding(stage, { kind: "joins" })), /Saved, but not posting yet: joins/);
      const listed = async () => textOf(await one(list.execute(asked(undefined), services)));
      assert.match(await listed(), /not posting yet\n⤷ Marshal's database is not working/);
      assert.doesNotMatch(await listed(), /live/);
      rig.stores.offsets.failure = undefined;
      await rig.clock.advance(60_000);
      assert.match(await listed(), /▶ /);
      await one(pause.execute(asked({ feed: "1" }), services));
      rig.stores.heads.failure = new Error("disk full");
      assert.match(textOf(await one(resume.execute(asked({ feed: "1" }), services))), /not posting yet/);
    }));

  test("pause stops, resume starts from now on; each is audited", () =>
    onStage(async (stage) => {
      const { rig, world, services } = stage;
      await adding(stage, { kind: "joins" });
      await rig.poll();
      assert.match(textOf(await one(pause.execute(asked({ feed: "1" }), services))), /Paused/);
      rig.join("Missed");
      await rig.pollAndFlush();
      await one(resume.execute(asked({ feed: "1" }), services));
      await rig.pollAndFlush();
      rig.join("Seen");
      await rig.pollAndFlush();
      assert.doesNotMatch(rig.sink.text("channel-1"), /Missed/);
      assert.match(rig.sink.text("channel-1"), /Seen/);
      const actions = world.events.map(({ action }) => action);
      assert.deepEqual(actions, ["feed-add", "feed-pause", "feed-resume"]);
    }));

  test("test says whether the message arrived and, if not, what to do", () =>
    onStage(async (stage) => {
      const { rig, services } = stage;
      await adding(stage, { kind: "joins" });
      assert.match(textOf(await one(tryOut.execute(asked({ feed: "1" }), services))), /Test posted/);
      rig.sink.fault = () => "no-access";
      const failed = await inTime(rig, tryOut.execute(asked({ feed: "1" }), services));
      assert.match(textOf(failed), /I can't post in <#channel-1>: give Marshal View Channel/);
      const [stored] = await services.feeds.list(guildId);
      const again = await inTime(rig, feed.actions["feed-test"].execute(press(stored?.id ?? ""), services));
      assert.match(textOf(again), /can't post in/);
    }));

  test("teams are completed one after the other", () => {
    const typing = { actor: manager, option: "team", typed: "Police, F", options: optionsOf() };
    const choices = add.autocomplete?.(typing, new FakeWorld().services);
    assert.deepEqual(choices, [{ name: "Police, Fire", value: "Police, Fire" }]);
  });
});

function buttonsOf({ rows = [] }: Reply): readonly string[] {
  return rows.flat().flatMap((part) => (part.kind === "button" ? [part.id] : []));
}

describe("buttons of a mod-call card", () => {
  test("claim, of who left the server meanwhile, says that they left", () =>
    onStage(async (stage) => {
      const { world, services } = stage;
      await adding(stage, { kind: "mod-calls" });
      const staff = actorOf({ guildId, userId: "200", roleIds: ["r-mod"] });
      const policy = { ...EMPTY_POLICY, roleTiers: { "r-mod": "moderator" } as const };
      world.settingsByGuild.set(guildId, { ...DEFAULT_SETTINGS, policies: { "binding-1": policy } });
      const call = { bindingId: "binding-1", callerName: "Ann", calledAtS: 1, hasLeft: true } as const;
      const modCalls: ModCalls = {
        ...services.modCalls,
        find: async () => call,
        act: async () => ({ ok: true }),
      };
      const answer = async (action: "mod-claim" | "mod-release") =>
        textOf(await one(feed.actions[action].execute(press("c1", "", staff), { ...services, modCalls })));
      assert.equal(await answer("mod-claim"), "✅ The call of **Ann** is yours. They left the server.");
      assert.equal(await answer("mod-release"), "✅ The call of **Ann** is open again.");
    }));

  test("claim, release and resolve with a note; the second person reads who was first", () =>
    onStage(async (stage) => {
      const { rig, world, services } = stage;
      await adding(stage, { kind: "mod-calls" });
      rig.tracked.add(guildId);
      await rig.poll();
      rig.log.modCalls.push({ kind: "modCall", atS: rig.nowS, caller: { name: "Ann", id: 1 } });
      await rig.pollAndFlush();
      const [message] = rig.sink.messages("channel-1");
      const buttons = (message?.body.rows ?? [])
        .flat()
        .map((part) => (part.kind === "button" ? part.id : ""));
      const id = buttons[0]?.split(":")[1] ?? "";
      const idsOf = (...names: string[]) => names.map((name) => `mod-${name}:${id}`);
      assert.deepEqual(buttons, idsOf("claim", "resolve", "to", "player", "more"));
      const staff = { roleIds: ["r-mod"] };
      const policy = { ...EMPTY_POLICY, roleTiers: { "r-mod": "moderator" } as const };
      world.settingsByGuild.set(guildId, { ...DEFAULT_SETTINGS, policies: { "binding-1": policy } });
      const mine = { ...manager, ...staff };
      const other = actorOf({ guildId, userId: "200", ...staff });
      const { actions } = feed;
      await assert.rejects(one(actions["mod-more"].execute(press(id), services)), { code: "denied" });
      const withDays = {
        ...services.history,
        positions: { ...services.history.positions, days: async () => 2 },
      };
      const recorded = { ...services, history: withDays };
      const more = buttonsOf(await one(actions["mod-more"].execute(press(id, "", mine), recorded)));
      assert.deepEqual(more.slice(0, 3), idsOf("pm", "bring", "map"));
      const [rewind = "", replay = ""] = more.slice(3);
      assert.match(rewind, new RegExp(`^mod-rewind:${id}/\\d+$`));
      assert.match(replay, new RegExp(`^mod-replay:${id}/\\d+$`));
      // Who manages the Discord server configures; calls are for staff all the same.
      const manages = await one(actions["mod-claim"].execute(press(id), services));
      assert.match(textOf(manages), /⛔ Only Moderators can take calls/);
      assert.deepEqual(buttonsOf(manages), ["guide-roles:binding-1"]);
      const member = actorOf({ guildId, userId: "300" });
      assert.deepEqual(
        buttonsOf(await one(actions["mod-claim"].execute(press(id, "", member), services))),
        [],
      );
      const claimed = textOf(await one(actions["mod-claim"].execute(press(id, "", mine), services)));
      assert.match(claimed, /The call of \*\*Ann\*\* is yours\.$/);
      const second = await one(actions["mod-claim"].execute(press(id, "", other), services));
      assert.match(textOf(second), /<@100> already claimed/);
      assert.match(
        textOf(await one(actions["mod-release"].execute(press(id, "", mine), services))),
        /open again/,
      );
      const form: Form = actions["mod-resolve"].form(press(id), services);
      assert.equal(form.id, `mod-resolved:${id}`);
      await one(actions["mod-resolved"].execute(press(id, " talked to both ", mine), services));
      await rig.clock.advance(1_000);
      assert.match(rig.sink.text("channel-1"), /Resolved by <@100>[\s\S]*> talked to both$/);
      assert.deepEqual(world.events.map(({ action, text }) => `${action} ${text}`).slice(1), [
        "call-refused claim the call of Ann on Town",
        "call-refused claim the call of Ann on Town",
        "call-claim the call of Ann on Town",
        "call-release the call of Ann on Town",
        "call-resolve the call of Ann on Town: talked to both",
      ]);
    }));

  test("PM, Bring and To run in the game with the exact names of the caller and of the linked account", () =>
    onStage(async (stage) => {
      const { rig, world, services } = stage;
      await adding(stage, { kind: "mod-calls" });
      await rig.poll();
      rig.log.modCalls.push({ kind: "modCall", atS: rig.nowS, caller: { name: "Ann_1", id: 1 } });
      await rig.pollAndFlush();
      const id = cardIdIn(rig.sink.messages("channel-1")[0]?.body);
      const asked: string[] = [];
      const stop = new Failure("denied", "as far as this test goes");
      const account = { userId: "100", player: { id: 7, name: "Old_Name" }, linkedAtMs: 0 };
      let linked: typeof account | undefined;
      const able: Services = {
        ...services,
        accounts: { ...services.accounts, of: async () => linked },
        runner: {
          ...services.runner,
          plan: async ({ text, origin }) => {
            asked.push(`${origin} ${text}`);
            throw stop;
          },
        },
      };
      const { actions } = feed;
      const pressed = async (name: "mod-bring" | "mod-to" | "mod-pm-sent", given = press(id)) =>
        await played(actions[name].execute(given, able));

      // Whoever may not move anybody is not asked to link an account first.
      const no = { allowed: false, wants: "tier", why: "Only Moderators can run :tp." } as const;
      const rights = { verb: () => no, calls: () => no, moderator: () => no };
      const unable = { ...able, permissions: { ...services.permissions, known: () => rights } };
      for (const name of ["mod-bring", "mod-to"] as const) {
        const denied = played(actions[name].execute(press(id), unable));
        await assert.rejects(denied, { code: "denied", message: no.why });
      }
      await assert.rejects(pressed("mod-bring"), refused(/Your game account is not linked/));
      linked = account;
      await assert.rejects(pressed("mod-bring"), stop);
      const source = rig.bindings.get("binding-1")?.source;
      assert.ok(source !== undefined);
      const there = (name: string, ofId: number) => ({
        player: { name, id: ofId },
        team: "Civilian",
        permission: "Normal",
        wantedStars: 0,
      });
      await rig.poll();
      assert.ok(rig.latest !== undefined);
      world.states.set(source, rig.latest);
      await assert.rejects(pressed("mod-to"), refused(/You are not in the game as Old_Name/));
      rig.players = [there("New_Name", 7)];
      await rig.poll();
      world.states.set(source, rig.latest);
      await assert.rejects(pressed("mod-bring"), stop);
      await assert.rejects(pressed("mod-to"), stop);
      // Of one's own call neither goes anywhere.
      linked = { ...account, player: { id: 1, name: "Ann_1" } };
      rig.players = [there("Ann_1", 1)];
      await rig.poll();
      world.states.set(source, rig.latest);
      for (const name of ["mod-bring", "mod-to"] as const)
        await assert.rejects(pressed(name), refused(/This is your own call: you are there already/));
      const form: Form = actions["mod-pm"].form(press(id), services);
      assert.equal(form.id, `mod-pm-sent:${id}`);
      const typed = { ...press(id), form: formOf({ text: " on my way " }) };
      await assert.rejects(pressed("mod-pm-sent", typed), stop);
      assert.deepEqual(asked, [
        "button :tp Ann_1 Old_Name",
        "button :tp Ann_1 New_Name",
        "button :tp New_Name Ann_1",
        "button :pm Ann_1 on my way",
      ]);
    }));

  test("no button makes a command of a name that would hit others", () =>
    onStage(async (stage) => {
      const { rig, services } = stage;
      await adding(stage, { kind: "mod-calls" });
      await rig.poll();
      for (const name of ["all", "Ann,Bob", "Ann Bob"]) {
        rig.log.modCalls.push({ kind: "modCall", atS: rig.nowS, caller: { name } });
      }
      await rig.pollAndFlush();
      for (const { body } of rig.sink.messages("channel-1")) {
        const id = cardIdIn(body);
        const typed = { ...press(id), form: formOf({ text: "hello" }) };
        await assert.rejects(
          played(feed.actions["mod-pm-sent"].execute(typed, services)),
          refused(/misread this name/),
        );
      }
    }));
});
