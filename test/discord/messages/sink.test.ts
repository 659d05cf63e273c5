import assert from "node:assert/strict";
import { test } from "node:test";
import { DiscordAPIError, REST } from "discord.js";
import { asSinkRefusal, createSink } from "../../../src/discord/messages/sink.ts";
import { tooManyWaitNotice } from "../../../src/discord/render/notices.ts";
import { markdownOfOurs, md } from "../../../src/domain/escaped.ts";
import { SinkRefusal, type SinkRefusalReason } from "../../../src/domain/failure.ts";
import { parseOwedNotice } from "../../../src/outbox/owed-notice.ts";
import { settle } from "../../support/clock.ts";
import { discordIn, startDiscordRig } from "../../support/discord-rig.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";
import { outboxOver } from "../../support/outbox.ts";

function refusal(reason: SinkRefusalReason) {
  return (error: unknown) => error instanceof SinkRefusal && error.reason === reason;
}

test("a message is posted with its nonce; only the roles it names are notified, and never by an edit", async (t) => {
  const { discord, channel, guild, emulated } = await startDiscordRig(t, []);
  const { sink } = discord;
  const staffRole = guild.addRole({ name: "Called", mentionable: true });
  const text = markdownOfOurs(`@everyone <@&${staffRole.id}>`);
  const quiet = await sink.send(channel.id, { content: text, nonce: "n1" });
  const pinging = await sink.send(channel.id, {
    content: md`help`,
    nonce: "n2",
    pingRoleIds: [staffRole.id],
  });
  const named = (id: string) => emulated.messages(channel).find((message) => message.id === id);
  assert.deepEqual(named(quiet.messageId)?.pings, { users: [], roles: [], everyone: false });
  assert.deepEqual(named(pinging.messageId)?.pings.roles, [staffRole.id]);
  assert.equal(named(pinging.messageId)?.content, `<@&${staffRole.id}> help`);
  assert.equal(named(quiet.messageId)?.nonce, "n1");
  await sink.edit(channel.id, quiet.messageId, { content: md`now ${text}`, cards: [{ title: md`card` }] });
  assert.equal(named(quiet.messageId)?.content, `now ${text}`);
  const [edit] = emulated.traffic.filter(({ method }) => method === "PATCH");
  assert.match(JSON.stringify(edit?.body), /"allowed_mentions":\{"parse":\[\]\}/);
});

test("people are notified only where a new message names them, and all that it names stand in its content", async (t) => {
  const { discord, channel, guild, emulated } = await startDiscordRig(t, []);
  const [one, two] = ["Ada", "Bo"].map((name) => guild.addMember({ name }));
  const role = guild.addRole({ name: "Players", mentionable: true });
  assert.ok(one !== undefined && two !== undefined);
  const text = markdownOfOurs(`Here we go <@${two.id}>`);
  const { messageId } = await discord.sink.send(channel.id, {
    content: text,
    nonce: "u1",
    pingRoleIds: [role.id],
    pingUserIds: [one.id],
  });
  const posted = () => emulated.messages(channel).find(({ id }) => id === messageId);
  assert.deepEqual(posted()?.pings, { users: [one.id], roles: [role.id], everyone: false });
  assert.equal(posted()?.content, `<@&${role.id}> <@${one.id}> ${text}`);
  await discord.sink.edit(channel.id, messageId, { content: text });
  const [edit] = emulated.traffic.filter(({ method }) => method === "PATCH");
  assert.match(JSON.stringify(edit?.body), /"allowed_mentions":\{"parse":\[\]\}/);
});

test("the same nonce twice is one message; a lost answer is repeated by rest and stays one", async (t) => {
  const { discord, channel, emulated } = await startDiscordRig(t, []);
  const first = await discord.sink.send(channel.id, { content: md`once`, nonce: "same" });
  const second = await discord.sink.send(channel.id, { content: md`once`, nonce: "same" });
  assert.equal(first.messageId, second.messageId);
  emulated.faults.set({ sendThen500: 1 });
  await discord.sink.send(channel.id, { content: md`lost answer`, nonce: "other" });
  assert.equal(emulated.messages(channel).length, 2);
});

test("silent messages and replies carry their mark", async (t) => {
  const { discord, channel, emulated } = await startDiscordRig(t, []);
  const { messageId } = await discord.sink.send(channel.id, { content: md`a`, nonce: "a", silent: true });
  await discord.sink.send(channel.id, { content: md`b`, nonce: "b", replyToMessageId: messageId });
  const [silent, reply] = emulated.messages(channel);
  assert.equal((silent?.flags ?? 0) & 4_096, 4_096);
  assert.equal(reply?.repliesTo, messageId);
});

test("a message that may not be a reply, since history may not be read, is posted all the same", async (t) => {
  const { discord, channel, emulated } = await startDiscordRig(t, []);
  const { messageId } = await discord.sink.send(channel.id, { content: md`a`, nonce: "a" });
  channel.denyBot("ReadMessageHistory");
  const refused = () =>
    discord.sink.readBack(channel.id, undefined, 5).then(() => false, refusal("no-history"));
  for (let n = 0; n < 1_000 && !(await refused()); n++) await settle();
  await discord.sink.send(channel.id, { content: md`b`, nonce: "b", replyToMessageId: messageId });
  const [, second] = emulated.messages(channel);
  assert.deepEqual([second?.content, second?.repliesTo], ["b", undefined]);
});

test("each refusal of Discord has its own reason", async (t) => {
  const { discord, channel, guild, emulated } = await startDiscordRig(t, []);
  const { sink } = discord;
  const message = { content: md`x`, nonce: "x" };
  const { messageId } = await sink.send(channel.id, message);
  await assert.rejects(
    sink.send(channel.id, { content: markdownOfOurs("x".repeat(2_001)), nonce: "long" }),
    refusal("form"),
  );
  await assert.rejects(sink.send(channel.id, { content: md``, nonce: "empty" }), refusal("form"));
  await assert.rejects(sink.edit(channel.id, "1", { content: md`y` }), refusal("message-gone"));
  channel.denyBot("SendMessages");
  await assert.rejects(sink.send(channel.id, { content: md`y`, nonce: "y" }), refusal("no-access"));
  channel.denyBot("ViewChannel");
  await assert.rejects(sink.readBack(channel.id, undefined, 5), refusal("no-access"));
  channel.delete();
  await assert.rejects(sink.edit(channel.id, messageId, { content: md`y` }), refusal("gone"));
  const thread = guild.addChannel({
    name: "thread",
    type: "thread",
    parentId: guild.addChannel({ name: "parent" }).id,
  });
  thread.archive({ locked: true });
  await assert.rejects(sink.send(thread.id, message), refusal("closed"));
  const other = guild.addChannel({ name: "other" });
  emulated.faults.set({ outage: "5xx" });
  await assert.rejects(sink.send(other.id, message), refusal("unknown"));
  emulated.faults.clear();
});

test("too many edits of an old message have a refusal of their own", async (t) => {
  const { discord, channel, emulated, world } = await startDiscordRig(t, []);
  emulated.limits.oldEdits = { olderThanMs: 3_600_000, limit: 1, windowMs: 3_600_000 };
  const { messageId } = await discord.sink.send(channel.id, { content: md`old`, nonce: "old" });
  await world.clock.advance(2 * 3_600_000);
  await discord.sink.edit(channel.id, messageId, { content: md`one` });
  await assert.rejects(discord.sink.edit(channel.id, messageId, { content: md`two` }), (error: unknown) => {
    assert.ok(refusal("edit-limit")(error) && error instanceof SinkRefusal);
    assert.ok((error.retryAfterMs ?? 0) > 3_000_000);
    return true;
  });
  await discord.sink.send(channel.id, { content: md`what is new still goes out`, nonce: "new" });
});

test("too many edits of a message that somebody published are edits that wait, and no end of it", async (t) => {
  const { discord, guild, emulated, owner } = await startDiscordRig(t, []);
  emulated.limits.publishedEdits = { limit: 1, windowMs: 3_600_000 };
  const news = guild.addChannel({ name: "news", type: "announcement" });
  const { messageId } = await discord.sink.send(news.id, { content: md`panel`, nonce: "panel" });
  const [message] = emulated.messages(news);
  assert.ok(message !== undefined);
  owner.publish(message);
  await discord.sink.edit(news.id, messageId, { content: md`one` });
  await assert.rejects(discord.sink.edit(news.id, messageId, { content: md`two` }), refusal("edit-limit"));
});

test("an edit that waits because Discord refuses everything is not taken for one edit too many", async (t) => {
  const { discord, channel, emulated } = await startDiscordRig(t, []);
  const { messageId } = await discord.sink.send(channel.id, { content: md`young`, nonce: "young" });
  emulated.faults.set({ rateLimitNext: 1, rateLimitIsGlobal: true, rateLimitRetryAfterMs: 30_000 });
  const edit = discord.sink.edit(channel.id, messageId, { content: md`newer` });
  await assert.rejects(edit, (error: unknown) => {
    assert.ok(error instanceof SinkRefusal);
    assert.deepEqual([error.reason, error.request], ["unknown", "answered"]);
    assert.ok((error.retryAfterMs ?? 0) > 20_000);
    return true;
  });
});

test("a message that has to wait for long after a try that may have arrived is not sent again by itself", async (t) => {
  const { discord, channel, emulated } = await startDiscordRig(t, []);
  emulated.faults.set({ sendThen500: 1 });
  emulated.on(({ type }) => {
    if (type === "message-created") emulated.faults.set({ rateLimitNext: 1, rateLimitRetryAfterMs: 150_000 });
  });
  await assert.rejects(
    discord.sink.send(channel.id, { content: md`once`, nonce: "once" }),
    (error: unknown) => refusal("unknown")(error),
  );
  assert.equal(emulated.messages(channel).length, 1);
});

test("what was posted is read back oldest first, our own only, over several pages", async (t) => {
  const { discord, channel, member, world, emulated } = await startDiscordRig(t, []);
  emulated.limits.perRoute = { limit: 100_000, windowMs: 1_000 };
  emulated.limits.globalPerSecond = 0;
  const { sink } = discord;
  const send = async (n: number) => {
    await world.clock.advance(1);
    return sink.send(channel.id, { content: md`m${n}`, nonce: `n${n}` });
  };
  const start = await send(0);
  // Other people's messages fill the pages: our own 30 stand on four of them.
  for (let n = 1; n <= 30; n++) {
    for (let chat = 0; chat < 10; chat++) member.post(channel, `chat ${n}`);
    await send(n);
  }
  const expected = Array.from({ length: 30 }, (_, n) => `m${n + 1}`);
  const after = await sink.readBack(channel.id, start.messageId, 500);
  assert.deepEqual(
    after.map(({ content }) => content),
    expected,
  );
  const firstTen = await sink.readBack(channel.id, start.messageId, 10);
  assert.deepEqual(
    firstTen.map(({ content }) => content),
    expected.slice(0, 10),
  );
  const latest = await sink.readBack(channel.id, undefined, 25);
  assert.deepEqual(
    latest.map(({ content }) => content),
    expected.slice(-25),
  );
});

test("cards and attachments are read back as they were sent", async (t) => {
  const { discord, channel } = await startDiscordRig(t, []);
  const fields = [{ name: md`f`, value: md`v`, inline: true }];
  const card = { title: md`t`, description: md`d`, color: 0x112233, footer: "foot", author: "who", fields };
  const files = [{ name: "all.csv", data: "a,b" }];
  await discord.sink.send(channel.id, { content: md`c`, cards: [card], files, nonce: "n" });
  const [posted] = await discord.sink.readBack(channel.id, undefined, 5);
  assert.deepEqual(posted?.cards, [card]);
  assert.deepEqual(posted?.attachmentNames, ["all.csv"]);
  assert.equal(posted?.content, "c");
});

test("a channel whose history may not be read is not taken for an empty one", async (t) => {
  const { discord, channel } = await startDiscordRig(t, []);
  await discord.sink.send(channel.id, { content: md`there`, nonce: "n" });
  const refused = () =>
    discord.sink.readBack(channel.id, undefined, 5).then(
      () => false,
      (error: unknown) => refusal("no-history")(error) || Promise.reject(error),
    );
  // What the bot may do reaches it by the gateway, in its own time.
  channel.denyBot("ReadMessageHistory");
  for (let n = 0; n < 1_000 && !(await refused()); n++) await settle();
  assert.equal(await refused(), true);
  channel.allowBot("ReadMessageHistory");
  for (let n = 0; n < 1_000 && (await refused()); n++) await settle();
  assert.equal((await discord.sink.readBack(channel.id, undefined, 5)).length, 1);
});

test("a thread is posted to and read back though discord.js has not cached it", async (t) => {
  const { discord, guild, channel, emulated } = await startDiscordRig(t, []);
  const thread = guild.addChannel({ name: "log", type: "thread", parentId: channel.id });
  await discord.sink.send(thread.id, { content: md`in the thread`, nonce: "n" });
  assert.equal(emulated.messages(thread).length, 1);
  assert.equal((await discord.sink.readBack(thread.id, undefined, 5))[0]?.content, "in the thread");
});

test("a guild is notified in its notice channel, else the person who linked the server is", async (t) => {
  const { discord, guild, channel, owner, emulated, world } = await startDiscordRig(t, []);
  const owed = new MemoryDocuments(parseOwedNotice);
  const open = () =>
    outboxOver(discord.sink, world.clock, discord.direct).notices({
      owed,
      noticeChannelOf: async (guildId) => (await world.settings.of(guildId)).noticeChannelId,
      linkerOf: async () => owner.member.id,
      late: (body) => body,
      tooManyWait: tooManyWaitNotice(),
    });
  const notices = open();
  const settled = async () => {
    for (let n = 0; n < 1_000 && owed.keys.length > 0; n++) {
      await world.clock.advance(1_000);
      await settle();
    }
  };
  const rows = [[{ kind: "button", style: "primary", label: "b", id: "b" }]] as const;
  await notices.guild(guild.id, { content: md`to the linker`, rows });
  await settled();
  assert.match(owner.dms()[0]?.content ?? "", /From \*\*Riverside\*\*\nto the linker/);
  assert.deepEqual(owner.dms()[0]?.components, [], "buttons work in the guild only");

  await world.settings.change(guild.id, (all) => ({ ...all, noticeChannelId: channel.id }));
  await notices.guild(guild.id, { content: md`to the channel` });
  await settled();
  assert.equal(emulated.messages(channel).at(-1)?.content, "to the channel");

  channel.denyBot("SendMessages");
  await notices.guild(guild.id, { content: md`again to the linker` });
  await settled();
  assert.match(owner.dms().at(-1)?.content ?? "", /again to the linker/);
  assert.equal(owner.dms().length, 2);
});

for (const [who, code] of [
  ["left the Discord server", "50278"],
  ["deleted their account", "10013"],
] as const)
  test(`what a person should read who ${who} stands in the notice channel at once`, async (t) => {
    const { discord, guild, channel, member, emulated, world } = await startDiscordRig(t, []);
    const owed = new MemoryDocuments(parseOwedNotice);
    const notices = outboxOver(discord.sink, world.clock, discord.direct).notices({
      owed,
      noticeChannelOf: async () => channel.id,
      linkerOf: async () => undefined,
      late: (body) => body,
      tooManyWait: tooManyWaitNotice(),
    });
    member.member.leave();
    const sinceMs = world.clock.nowMs();
    await notices.person(guild.id, code === "10013" ? "1" : member.member.id, {
      content: md`it may have run`,
    });
    for (let n = 0; n < 1_000 && owed.keys.length > 0; n++) {
      await world.clock.advance(1_000);
      await settle();
    }
    const [posted] = emulated.messages(channel);
    assert.equal(posted?.content, "it may have run");
    const refused = emulated.traffic.filter(({ answer }) => JSON.stringify(answer)?.includes(code));
    assert.deepEqual([refused.length, (posted?.createdAtMs ?? 0) - sinceMs < 60_000], [1, true]);
  });

test("whom Discord calls no recipient is never asked again", async () => {
  const raw = { code: 50033, message: "Invalid Recipient(s)" };
  const url = "https://discord.example/users/@me/channels";
  const error = new DiscordAPIError(raw, 50033, 400, "POST", url, {});
  await assert.rejects(
    asSinkRefusal(() => Promise.reject(error)),
    { name: "SinkRefusal", reason: "dm-closed" },
  );
});

test("a notice of an earlier process is looked for among direct messages that nobody has written yet", async (t) => {
  const { discord, guild, moderator, world } = await startDiscordRig(t, []);
  const owed = new MemoryDocuments(parseOwedNotice);
  await owed.set("n", {
    id: "n",
    guildId: guild.id,
    ways: [{ to: "person", userId: moderator.member.id }],
    body: { content: md`the key is parked` },
    nonce: "n",
    sinceMs: world.clock.nowMs(),
  });
  const notices = outboxOver(discord.sink, world.clock, discord.direct).notices({
    owed,
    noticeChannelOf: async () => undefined,
    linkerOf: async () => undefined,
    late: (body) => body,
    tooManyWait: tooManyWaitNotice(),
  });
  await notices.recover();
  for (let n = 0; n < 300 && owed.keys.length > 0; n++) {
    await world.clock.advance(1_000);
    await settle();
  }
  assert.equal(moderator.dms().length, 1);
});

test("a member's roles are those of this moment", async (t) => {
  const { discord, guild, staffRole, moderator, owner, member } = await startDiscordRig(t, []);
  const { members } = discord;
  assert.deepEqual((await members.now(guild.id, moderator.member.id)).roleIds, [staffRole.id]);
  moderator.member.removeRole(staffRole);
  assert.deepEqual((await members.now(guild.id, moderator.member.id)).roleIds, []);
  assert.equal(
    (await members.now(guild.id, owner.member.id)).manageGuild,
    true,
    "the owner has no role for it",
  );
  assert.equal((await members.now(guild.id, member.member.id)).manageGuild, false);
  const managers = guild.addRole({ name: "Managers", permissions: ["ManageGuild"] });
  member.member.addRole(managers);
  // The role's permissions come by the gateway, in their own time.
  for (let n = 0; n < 100 && !(await members.now(guild.id, member.member.id)).manageGuild; n++);
  assert.equal((await members.now(guild.id, member.member.id)).manageGuild, true);
  member.member.leave();
  assert.deepEqual((await members.now(guild.id, member.member.id)).roleIds, [], "who left holds none");
  await assert.rejects(members.now("1", member.member.id), /no longer in this Discord server/);
});

test("rights are those of this moment also in a guild that Discord does not tell a starting bot of", async (t) => {
  const { emulated, world, guild, moderator, owner, member } = await startDiscordRig(t, []);
  const managers = guild.addRole({ name: "Managers", permissions: ["ManageGuild"] });
  moderator.member.addRole(managers);
  guild.setAvailable(false);
  const later = discordIn(emulated, world);
  await later.start([], { ...world.services, owed: { owe: async () => true } });
  const manages = async (userId: string) => (await later.members.now(guild.id, userId)).manageGuild;
  const found = [owner, moderator, member].map((person) => manages(person.member.id));
  const answers = await Promise.all(found).finally(() => emulated.faults.set({ outage: "5xx" }));
  assert.deepEqual(answers, [true, true, false]);
  const unread = manages(owner.member.id).finally(() => later.stop());
  await assert.rejects(unread, /can't read your roles right now/);
});

test("Discord's answer says what stands there: the old message where a nonce is used again, until it is forgotten", async (t) => {
  const { discord, channel, emulated, world } = await startDiscordRig(t, []);
  emulated.limits.nonceWindowMs = 3_000;
  const send = (content: string) =>
    discord.sink.send(channel.id, { content: markdownOfOurs(content), nonce: "same" });
  const first = await send("one");
  assert.equal(first.posted?.content, "one");
  const second = await send("two");
  assert.deepEqual([second.messageId, second.posted?.content], [first.messageId, "one"]);
  await world.clock.advance(3_001);
  assert.equal((await send("three")).posted?.content, "three");
});

test("while nobody can say whether history may be read, an empty answer says nothing", async (t) => {
  const { channel, emulated, discord, guild } = await startDiscordRig(t, []);
  const other = guild.addChannel({ name: "other" });
  const rest = new REST({ api: emulated.apiUrl, hashSweepInterval: 0, handlerSweepInterval: 0 });
  rest.setToken(emulated.token);
  const mayReadHistory = async () => undefined;
  let self: string | undefined;
  const sink = createSink({ rest, ownId: () => self, mayReadHistory });
  await discord.sink.send(other.id, { content: md`there`, nonce: "o" });
  await assert.rejects(sink.readBack(other.id, "0", 5), refusal("unknown"), "before the login");
  self = emulated.guilds[0]?.bot.user.id;
  await assert.rejects(sink.readBack(channel.id, "0", 5), refusal("unknown"));
  await discord.sink.send(channel.id, { content: md`there`, nonce: "n" });
  assert.equal((await sink.readBack(channel.id, "0", 5)).length, 1);
});

/** A sink before which every request gets this answer. */
function sinkBefore(answer: () => Response) {
  const rest = new REST({
    retries: 0,
    makeRequest: async () => answer() as never,
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
  }).setToken("token");
  return createSink({ rest, ownId: () => "9", mayReadHistory: async () => true });
}

test("a page in place of Discord's answer is no refusal of Discord: the message may go out later", async () => {
  const page = (status: number) =>
    sinkBefore(
      () => new Response("<html>blocked</html>", { status, headers: { "content-type": "text/html" } }),
    );
  const message = { content: md`x`, nonce: "x" };
  await assert.rejects(page(403).send("1", message), refusal("unknown"));
  await assert.rejects(page(404).readBack("1", "0", 5), refusal("unknown"));
  await assert.rejects(page(403).edit("1", "2", { content: md`y` }), refusal("unknown"));
  await assert.rejects(page(413).send("1", message), refusal("rejected"), "too large stays too large");
  const json = sinkBefore(() => Response.json({ message: "no", code: 0 }, { status: 403 }));
  await assert.rejects(json.send("1", message), refusal("rejected"));
});

test("words that Discord blocks are a matter of the message, not of the channel", async () => {
  for (const code of [200_000, 240_000]) {
    const sink = sinkBefore(() => Response.json({ message: "blocked", code }, { status: 400 }));
    await assert.rejects(sink.send("1", { content: md`x`, nonce: "x" }), refusal("form"));
  }
});

test("fields that an answer leaves out, or calls null, are read as empty", async () => {
  const message = { id: "5", author: { id: "9" }, timestamp: "2026-05-10T10:00:00.000000+00:00" };
  const nulls = { title: null, description: "d", footer: null, author: null, image: null, fields: null };
  const list = sinkBefore(() => Response.json([{ ...message, embeds: [nulls] }]));
  assert.deepEqual(await list.readBack("1", "0", 5), [
    {
      messageId: "5",
      content: "",
      cards: [{ description: "d" }],
      attachmentNames: [],
      componentIds: [],
      postedAtMs: Date.parse(message.timestamp),
    },
  ]);
  for (const part of [{}, { content: "x" }, { content: "x", embeds: [] }]) {
    const sink = sinkBefore(() => Response.json({ ...message, ...part }));
    const sent = await sink.send("1", { content: md`x`, nonce: "x" });
    assert.deepEqual(sent, { messageId: "5" }, "what it does not tell is not taken for another message");
  }
  const whole = sinkBefore(() =>
    Response.json({ ...message, content: "x", embeds: [], attachments: [], components: [] }),
  );
  assert.equal((await whole.send("1", { content: md`x`, nonce: "x" })).posted?.content, "x");
});
