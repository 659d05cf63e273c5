import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ApplicationCommandOptionType } from "discord.js";
import { commands } from "../../commands/index.ts";
import {
  type Command,
  defineAction,
  defineCommand,
  defineEntry,
  defineFormAction,
} from "../../src/discord/command.ts";
import { markdownOfOurs, md } from "../../src/domain/escaped.ts";
import { Failure } from "../../src/domain/failure.ts";
import { EMPTY_POLICY } from "../../src/domain/guild.ts";
import type { Channel, Exchange, Message } from "../../src/sandbox/discord/types.ts";
import { eventually, startDiscordRig } from "../support/discord-rig.ts";
import { emptyLists } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const ephemeral = 64;

function messageOf(exchange: Exchange): Message {
  assert.ok(exchange.message !== undefined, "there is no answer");
  return exchange.message;
}

/** One command that does whatever a test asks for by its option. */
function puppet(act: (what: string) => ReturnType<ReturnType<typeof defineAction>["execute"]>): Command {
  return defineCommand({
    name: "do",
    description: "Does it",
    entry: defineEntry<string>({
      description: "Does it",
      first: "public",
      firstFor: (what) => (what.startsWith("private") ? "ephemeral" : "public"),
      options: [
        {
          type: ApplicationCommandOptionType.String,
          name: "what",
          description: "What",
          required: true,
          autocomplete: true,
        },
      ],
      parse: (options) => options.string("what", true),
      autocomplete: ({ typed }) => {
        if (typed === "throw") throw new Error("no choices");
        return [{ name: `${typed} one`, value: `${typed}-1` }];
      },
      execute: ({ args }) => act(args),
    }),
    actions: {
      press: defineAction({ first: "update", execute: ({ argument }) => act(argument) }),
      ask: defineFormAction({
        first: "modal",
        form: ({ argument }) => ({
          id: `answer:${argument}`,
          title: md`Tell us`,
          fields: [
            { kind: "text", id: "word", label: "A word", value: md`given`, long: true },
            { kind: "string", id: "pick", label: "Pick", options: [{ label: "One", value: md`1` }] },
            { kind: "role", id: "role", label: "Role" },
            { kind: "channel", id: "channel", label: "Channel", required: false },
            { kind: "user", id: "user", label: "Person", required: false },
          ],
        }),
      }),
      answer: defineAction({
        first: "ephemeral",
        execute: ({ argument, form }) => ({
          content: markdownOfOurs(
            [
              argument,
              form.text("word"),
              ...["pick", "role", "channel", "user"].map((id) => form.chosen(id).join()),
            ].join(" / "),
          ),
        }),
      }),
      chosen: defineAction({
        first: "update",
        execute: ({ values }) => ({ content: markdownOfOurs(`chosen ${values.join()}`) }),
      }),
    },
  });
}

test("a public answer is deferred, filled and edited; nothing in it pings", async (t) => {
  const rig = await startDiscordRig(t, [
    puppet(async function* () {
      yield { content: md`first @everyone` };
      yield { content: md`then <@&${"1"}> @here`, cards: [{ title: md`A card` }] };
    }),
  ]);
  const exchange = await rig.member.slash(rig.channel, "do", { what: "x" });
  assert.equal(exchange.kind, "message");
  assert.equal(exchange.deferred, true);
  await exchange.settled(({ text }) => text.includes("then"));
  const message = messageOf(exchange);
  assert.equal(message.ephemeralFor, undefined);
  assert.equal(message.embeds[0]?.title, "A card");
  assert.deepEqual(message.pings, { users: [], roles: [], everyone: false });
  for (const { method, path, body } of rig.emulated.traffic) {
    if (!/webhooks|channels/.test(path) || method === "GET" || method === "DELETE") continue;
    assert.ok(JSON.stringify(body).includes('"allowed_mentions":{"parse":[]}'), `${method} ${path}`);
  }
});

test("a private answer is seen only by the person who asked", async (t) => {
  const rig = await startDiscordRig(t, [puppet(() => ({ content: md`for you` }))]);
  const exchange = await rig.member.slash(rig.channel, "do", { what: "private" });
  await exchange.settled();
  assert.equal(messageOf(exchange).ephemeralFor, rig.member.member.id);
  assert.equal(messageOf(exchange).flags & ephemeral, ephemeral);
  assert.deepEqual(rig.moderator.sees(rig.channel), []);
});

test("a failure after a public deferral leaves nothing in the channel and is shown to the person who asked", async (t) => {
  const rig = await startDiscordRig(t, [
    puppet(() => Promise.reject(new Failure("server-empty", "Nobody plays.", { commandId: "c-1" }))),
  ]);
  const exchange = await rig.member.slash(rig.channel, "do", { what: "x" });
  await exchange.settled(({ followUps }) => followUps.length > 0);
  assert.equal(exchange.message, undefined);
  assert.deepEqual(rig.moderator.sees(rig.channel), []);
  const [told] = exchange.followUps;
  assert.equal(told?.ephemeralFor, rig.member.member.id);
  assert.match(exchange.text, /Nobody plays[\s\S]*c-1/);
});

test("a defect is answered with a reference that stands in the log", async (t) => {
  const rig = await startDiscordRig(t, [puppet(() => Promise.reject(new RangeError("inner words")))]);
  const exchange = await rig.member.slash(rig.channel, "do", { what: "private" });
  await exchange.settled();
  assert.doesNotMatch(exchange.text, /inner words/);
  const line = rig.log.lines.find(({ level }) => level === "error");
  assert.ok(line !== undefined && "reference" in line.fields);
  assert.ok(exchange.text.includes(String(line.fields.reference)));
});

const ENDS = {
  "the channel was deleted": (channel: Channel) => channel.delete(),
  "the thread was locked": (channel: Channel) => channel.archive({ locked: true }),
} as const;

for (const [what, end] of Object.entries(ENDS)) {
  test(`an outcome that matters reaches its person where ${what} while the command ran`, (t) =>
    reachesPerson(t, end));
}

async function reachesPerson(t: TestContext, end: (channel: Channel) => void): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const rig = await startDiscordRig(t, [
    puppet(async (what) => {
      await ended.promise;
      if (what === "done") return { content: md`It ran.`, important: true };
      throw new Failure("unreachable", "Nobody answers.", { ran: "unknown" });
    }),
  ]);
  const thread = rig.guild.addChannel({ name: "thread", type: "thread", parentId: rig.channel.id });
  const exchanges = [];
  for (const what of ["done", "failed"]) exchanges.push(await rig.member.slash(thread, "do", { what }));
  assert.ok(exchanges.every(({ deferred }) => deferred));
  end(thread);
  ended.resolve();
  const all = () => rig.member.dms().map(({ content, embeds }) => JSON.stringify([content, embeds]));
  const errors = () => rig.log.lines.filter(({ level }) => level === "error");
  for (let n = 0; n < 60_000 && all().length < 2 && errors().length === 0; n++) {
    await rig.world.clock.advance(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(errors(), []);
  assert.ok(all().some((text) => text.includes("It ran.")));
  assert.ok(all().some((text) => text.includes("Nobody answers.")));
}

test("a late token: the edit is dropped, an outcome that matters goes to the channel", async (t) => {
  const rig = await startDiscordRig(t, [
    puppet(async function* (what) {
      yield { content: md`waiting` };
      await rig.world.clock.advance(16 * 60_000);
      yield { content: md`it ran`, important: what === "matters" };
    }),
  ]);
  const dropped = await rig.member.slash(rig.channel, "do", { what: "not" });
  await eventually(() => rig.log.lines.some(({ message }) => message.includes("dropped")));
  assert.equal(messageOf(dropped).content, "waiting");
  await rig.member.slash(rig.channel, "do", { what: "matters" });
  const posted = await rig.emulated.until(() =>
    rig.emulated.messages(rig.channel).find(({ content }) => content.includes("it ran")),
  );
  assert.deepEqual(posted.pings, { users: [], roles: [], everyone: false });
  assert.ok((posted.nonce ?? "").length > 0);
});

test("a token that Discord has let expire does not break anything", async (t) => {
  const rig = await startDiscordRig(t, [
    puppet(async () => {
      rig.emulated.limits.tokenLivesMs = 0;
      await rig.world.clock.advance(10);
      return { content: md`too late`, important: true };
    }),
  ]);
  await rig.member.slash(rig.channel, "do", { what: "private" });
  const dm = await rig.emulated.until(() => rig.member.dms()[0]);
  assert.match(dm.content, /From \*\*Riverside\*\*/);
  assert.match(dm.content, /too late/);
});

test("autocompletion answers with choices, and with none when it fails", async (t) => {
  const rig = await startDiscordRig(t, [puppet(() => ({ content: md`` }))]);
  const typed = (what: string) => rig.member.autocomplete(rig.channel, "do", { what }, "what");
  assert.deepEqual(await typed("kick"), [{ name: "kick one", value: md`kick-1` }]);
  assert.deepEqual(await typed("throw"), []);
});

test("buttons update their message; a form with every kind of field comes back with its values", async (t) => {
  const rig = await startDiscordRig(t, [
    puppet((what) =>
      what === "pressed"
        ? { content: md`after` }
        : {
            content: md`before`,
            rows: [
              [
                { kind: "button", style: "primary", label: "Press", id: "press:pressed" },
                { kind: "button", style: "secondary", label: "Ask", id: "ask:7" },
              ],
              [{ kind: "select", of: "string", id: "chosen:1", options: [{ label: "A", value: md`a` }] }],
            ],
          },
    ),
  ]);
  const exchange = await rig.member.slash(rig.channel, "do", { what: "x" });
  await exchange.settled();
  const asked = await rig.member.click(messageOf(exchange), "Ask");
  assert.ok(asked.modal !== undefined);
  assert.equal(asked.modal.title, "Tell us");
  const told = await rig.member.submit(asked.modal, {
    pick: ["1"],
    role: [rig.staffRole],
    channel: [rig.channel],
    user: [rig.moderator.member],
  });
  await told.settled();
  const { staffRole, channel, moderator } = rig;
  assert.equal(
    messageOf(told).content,
    `7 / given / 1 / ${staffRole.id} / ${channel.id} / ${moderator.member.id}`,
  );
  const chosen = await rig.member.select(messageOf(exchange), "chosen:1", ["a"]);
  await chosen.settled(({ text }) => text.includes("chosen a"));
  assert.equal(messageOf(exchange).components.length, 0, "a reply replaces the old one as a whole");
  const again = await rig.member.slash(rig.channel, "do", { what: "x" });
  await again.settled();
  const pressed = await rig.member.click(messageOf(again), "Press");
  await pressed.settled(({ text }) => text === "after");
});

test("files are attached and replaced", async (t) => {
  const rig = await startDiscordRig(t, [
    puppet(async function* () {
      yield { content: md`one`, files: [{ name: "one.csv", data: "a,b" }] };
      yield { content: md`two`, files: [{ name: "two.txt", data: new Uint8Array([104, 105]) }] };
    }),
  ]);
  const exchange = await rig.member.slash(rig.channel, "do", { what: "x" });
  await exchange.settled(({ text }) => text.includes("two"));
  const names = messageOf(exchange).attachments.map(({ filename }) => filename);
  assert.deepEqual(names, ["two.txt"]);
  assert.equal(Buffer.from(messageOf(exchange).attachments[0]?.bytes ?? []).toString(), "hi");
});

test("commands are registered when they have changed, for guilds only, and hidden from whom they are not for", async (t) => {
  const rig = await startDiscordRig(t, commands);
  assert.deepEqual(
    rig.emulated
      .commands()
      .map(({ name }) => name)
      .sort(),
    commands.map(({ name }) => name).sort(),
  );
  for (const command of rig.emulated.commands()) {
    assert.deepEqual([command.contexts, command.integration_types], [[0], [0]], command.name);
  }
  const seen = (person: typeof rig.member) => person.commands(rig.channel).map(({ name }) => name);
  assert.ok(!seen(rig.member).includes("setup"));
  assert.ok(seen(rig.owner).includes("setup"));
  const puts = () =>
    rig.emulated.traffic.filter(({ method, path }) => method === "PUT" && path.endsWith("/commands"));
  assert.equal(puts().length, 1);
  assert.equal(rig.registered.kept.size, 1);
});

test("the road of an owner: link by a form, see whose it is, say yes, look at the status", async (t) => {
  const rig = await startDiscordRig(t, commands);
  rig.world.keys.set("abc-xyz", serverStatus());
  const opened = await rig.owner.slash(rig.channel, "setup link");
  assert.ok(opened.modal !== undefined);
  const asked = await rig.owner.submit(opened.modal, { key: '  "abc-xyz" ', staff: [rig.staffRole] });
  await asked.settled();
  assert.match(asked.text, /Riverside Roleplay/);
  assert.equal(messageOf(asked).ephemeralFor, rig.owner.member.id);
  assert.equal(rig.world.bindingsById.size, 0);
  const yes = await rig.owner.click(messageOf(asked), "Yes, link it");
  await yes.settled(({ text }) => text.includes("is linked"));
  const [binding] = [...rig.world.bindingsById.values()];
  assert.ok(binding !== undefined);
  const state = {
    source: binding.source,
    status: serverStatus(),
    statusAtMs: rig.world.clock.nowMs(),
    lists: emptyLists(rig.world.clock.nowMs()),
  };
  rig.world.states.set(binding.source, state);

  const byMember = await rig.member.slash(rig.channel, "server status");
  await byMember.settled(({ text }) => text.includes("Riverside Roleplay"));
  assert.deepEqual(byMember.followUps, []);
  const byStaff = await rig.moderator.slash(rig.channel, "server status", { server: binding.id });
  await byStaff.settled(({ text }) => text.includes("Riverside Roleplay"));
  assert.doesNotMatch(byStaff.text, /rvrsd/);
  const joinKey = await rig.moderator.click(messageOf(byStaff), "Join key");
  await joinKey.settled(({ text }) => text.includes("rvrsd"));
  assert.equal(messageOf(joinKey).ephemeralFor, rig.moderator.member.id);
  assert.ok(!rig.member.sees(rig.channel).some(({ content }) => content.includes("rvrsd")));
  const refreshed = await rig.member.click(messageOf(byMember), "Refresh");
  await refreshed.settled();
  assert.equal(refreshed.kind, "update");

  assert.doesNotMatch(JSON.stringify(rig.log.lines), /abc-xyz/);
  const sent = rig.emulated.traffic
    .filter(({ method }) => method !== "GET")
    .map(({ body }) => JSON.stringify(body));
  assert.ok(!sent.some((body) => body?.includes("abc-xyz")), "the key never leaves by Discord");
});

test("without a linked server the status offers the set-up to people who may link one", async (t) => {
  const rig = await startDiscordRig(t, commands);
  const refused = await rig.owner.slash(rig.channel, "server status");
  await refused.settled(({ followUps }) => followUps.length > 0);
  const [told] = refused.followUps;
  assert.ok(told !== undefined);
  const opened = await rig.owner.click(told, "Set it up");
  await opened.settled();
  assert.match(opened.text, /Set up Marshal/);
});

test("names of the game neither ping nor format in any answer", async (t) => {
  const rig = await startDiscordRig(t, commands);
  const name = `@everyone <@&${rig.staffRole.id}> **x**`;
  const binding = await rig.world.linkServer(rig.guild.id, serverStatus({ name }));
  const roleTiers = { [rig.staffRole.id]: "moderator" } as const;
  await rig.world.settings.change(rig.guild.id, (all) => ({
    ...all,
    policies: { [binding.id]: { ...EMPTY_POLICY, roleTiers } },
  }));
  const seen = rig.world.states.get(binding.source);
  assert.ok(seen !== undefined);
  rig.world.states.set(binding.source, { ...seen, lists: emptyLists(seen.statusAtMs) });
  const exchange = await rig.moderator.slash(rig.channel, "server status");
  await exchange.settled(({ text }) => text.includes("everyone"));
  for (const message of [messageOf(exchange), ...exchange.followUps]) {
    assert.deepEqual(message.pings, { users: [], roles: [], everyone: false });
  }
  assert.doesNotMatch(exchange.text, /@everyone|<@&/);
});

test("help answers in every guild, by what the person may do", async (t) => {
  const rig = await startDiscordRig(t, commands);
  const forMember = await rig.member.slash(rig.channel, "help");
  await forMember.settled();
  assert.doesNotMatch(forMember.text, /setup start/);
  const forOwner = await rig.owner.slash(rig.channel, "help");
  await forOwner.settled();
  assert.match(forOwner.text, /<\/setup start:\d+>/);
});

test("options of every kind reach a sub-command of a group as plain values", async (t) => {
  const Of = ApplicationCommandOptionType;
  const words = { description: "d" };
  const told = defineEntry<string>({
    description: "d",
    first: "ephemeral",
    options: [
      { type: Of.String, name: "text", ...words },
      { type: Of.Integer, name: "count", ...words },
      { type: Of.Boolean, name: "flag", ...words },
      { type: Of.User, name: "who", ...words },
      { type: Of.Channel, name: "channel", ...words },
      { type: Of.Role, name: "role", ...words },
      { type: Of.Number, name: "share", ...words },
      { type: Of.String, name: "absent", ...words },
    ],
    parse: (options) =>
      JSON.stringify([
        options.string("text", true),
        options.number("count"),
        options.boolean("flag"),
        options.person("who"),
        options.id("channel"),
        options.id("role"),
        options.number("share", true),
        options.string("absent") ?? 0,
      ]),
    execute: ({ args }) => ({ content: markdownOfOurs(args) }),
  });
  const group = { description: "g", subcommands: { told } };
  const rig = await startDiscordRig(t, [{ name: "deep", description: "d", subcommands: { group } }]);
  const { channel, staffRole, moderator, owner } = rig;
  const values = { text: "t", count: 3, flag: true, channel, role: staffRole, share: 0.5 };
  const tell = async (who: typeof owner) => {
    const exchange = await rig.member.slash(channel, "deep group told", { ...values, who: who.member.user });
    await exchange.settled();
    return JSON.parse(messageOf(exchange).content);
  };
  const person = (who: typeof owner) => ({ userId: who.member.id, userName: who.member.user.username });
  assert.deepEqual(await tell(moderator), [
    "t",
    3,
    true,
    { ...person(moderator), roleIds: [staffRole.id], manageGuild: false },
    channel.id,
    staffRole.id,
    0.5,
    0,
  ]);
  assert.deepEqual((await tell(owner))[3], { ...person(owner), roleIds: [], manageGuild: true });
});

test("a bot that is removed says which guild is to be forgotten", async (t) => {
  const rig = await startDiscordRig(t, commands);
  assert.equal(rig.discord.state().guilds, 1);
  rig.guild.removeBot();
  await eventually(() => rig.removedGuilds.length > 0);
  assert.deepEqual(rig.removedGuilds, [rig.guild.id]);
  assert.equal(rig.discord.state().ready, true);
});

test("a guild that comes back after an outage goes on at once, and is offered the set-up; a login tells of none", async (t) => {
  const rig = await startDiscordRig(t, commands);
  const { guild, changedGuilds, offeredTo } = rig;
  assert.deepEqual([changedGuilds, offeredTo], [[], [guild.id]], "each once, after the login");
  guild.setAvailable(false);
  guild.setAvailable(true);
  await eventually(() => changedGuilds.length > 0 && offeredTo.length > 1, 5_000);
  assert.deepEqual([changedGuilds, offeredTo], [[guild.id], [guild.id, guild.id]]);
});

for (const fault of ["callbackThen500", "callbackThenReset"] as const) {
  test(`a first answer that stood and whose own answer was lost goes on by editing (${fault})`, async (t) => {
    let runs = 0;
    const rig = await startDiscordRig(t, [
      puppet(() => {
        runs += 1;
        return { content: md`done` };
      }),
    ]);
    for (const what of ["public", "private"]) {
      rig.emulated.faults.set({ [fault]: 1 });
      const exchange = await rig.member.slash(rig.channel, "do", { what });
      await exchange.settled(({ text }) => text === "done");
      assert.equal(messageOf(exchange).content, "done");
    }
    assert.equal(runs, 2);
  });
}

test("an error reaches who asked where Discord's answer to the deletion of a public first answer was lost", {
  timeout: 30_000,
}, async (t) => {
  const rig = await startDiscordRig(t, [
    puppet(() => {
      throw new Failure("unreachable", "The service is away.");
    }),
  ]);
  rig.emulated.faults.set({ deleteThen500: 1 });
  const exchange = await rig.member.slash(rig.channel, "do", { what: "x" });
  await exchange.settled(({ followUps }) => followUps.length > 0);
  const [told] = exchange.followUps;
  assert.equal(told?.ephemeralFor, rig.member.member.id);
  assert.match(JSON.stringify(told?.embeds), /The service is away/);
  assert.equal(rig.emulated.faults.current.deleteThen500, 0);
});

test("a first answer that never got through does nothing, and leaves no thinking... where it stood after all", async (t) => {
  let runs = 0;
  const rig = await startDiscordRig(t, [
    puppet(() => {
      runs += 1;
      return { content: md`done` };
    }),
  ]);
  rig.emulated.faults.set({ callbackThen500: 1, failCallbacks: 2 });
  const exchange = await rig.member.slash(rig.channel, "do", { what: "x" });
  await exchange.settled(({ text }) => text.includes("Nothing was done"));
  assert.equal(messageOf(exchange).thinking, false);
  assert.equal(runs, 0);
});

test("an interaction that the gateway tells twice runs once, also while Discord confirms no first answer", async (t) => {
  let runs = 0;
  const rig = await startDiscordRig(t, [
    puppet(() => {
      runs += 1;
      return { content: md`done` };
    }),
  ]);
  for (const failCallbacks of [0, 2]) {
    rig.emulated.faults.set({ tellTwice: 1, failCallbacks });
    const exchange = await rig.member.slash(rig.channel, "do", { what: "x" });
    await exchange.settled(({ text }) => text === "done");
    await eventually(() => rig.discord.state().interactionsUnderWay === 0);
  }
  assert.equal(runs, 2);
});

test("an outage of a minute in the middle of an answer leaves no thinking... behind", async (t) => {
  const rig = await startDiscordRig(t, [
    puppet(() => {
      rig.emulated.faults.set({ outage: "5xx", outageMs: 60_000 });
      return { content: md`done` };
    }),
  ]);
  const exchange = await rig.member.slash(rig.channel, "do", { what: "x" });
  const tries = () => rig.emulated.traffic.filter(({ status }) => status === 503).length;
  await eventually(() => tries() >= 4);
  while (messageOf(exchange).content !== "done") {
    await rig.world.clock.advance(10_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
});
