import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { APIEmbedImage, APIMessage, TextChannel } from "discord.js";
import { invitePermissions } from "../../../src/sandbox/discord/permissions.ts";
import type { Channel } from "../../../src/sandbox/discord/types.ts";
import { messageView } from "../../../src/sandbox/web/views.ts";
import { type BotRig, type Rig, refusalOf, startBot, startDiscord } from "./rig.ts";

function send(rig: Rig, body: object, channel: Channel = rig.channel): Promise<APIMessage> {
  return rig.rest.post(`/channels/${channel.id}/messages`, { body }) as Promise<APIMessage>;
}

async function startText(t: TestContext): Promise<BotRig & { text: TextChannel }> {
  const rig = await startBot(t);
  const text = await rig.client.channels.fetch(rig.channel.id);
  assert.ok(text?.isTextBased() && !text.isDMBased());
  return { ...rig, text: text as TextChannel };
}

test("a message is sent, edited, read and deleted through discord.js", async (t) => {
  const { text, discord, channel, clock } = await startText(t);
  const message = await text.send("one");
  clock.nowMs += 1_000;
  const edited = await message.edit({ content: "two", allowedMentions: { parse: [] } });
  assert.equal(edited.editedTimestamp, clock.nowMs);
  const stored = discord.messages(channel)[0];
  assert.deepEqual([stored?.content, stored?.edits, stored?.history[0]?.content], ["two", 1, "one"]);
  assert.equal((await text.messages.fetch({ message: message.id, force: true })).content, "two");
  await message.delete();
  assert.deepEqual([discord.messages(channel).length, stored?.deleted], [0, true]);
  assert.equal((await refusalOf(text.messages.fetch({ message: message.id, force: true }))).code, 10008);
});

test("white space around content is cut, as Discord cuts it", async (t) => {
  const rig = await startDiscord(t);
  const message = await send(rig, { content: "  hi \n", embeds: [{ title: " T ", description: "d\n\n" }] });
  assert.equal(message.content, "hi");
  assert.deepEqual(message.embeds, [{ type: "rich", title: "T", description: "d" }]);
});

test("the same nonce with enforce_nonce gives the same message for a few minutes, and is not shown on reading", async (t) => {
  const rig = await startDiscord(t);
  const body = { content: "once", nonce: "n".repeat(25), enforce_nonce: true };
  const first = await send(rig, body);
  const second = await send(rig, body);
  assert.equal(second.id, first.id);
  assert.equal(second.nonce, body.nonce);
  rig.clock.nowMs += 4 * 60_000;
  assert.equal((await send(rig, body)).id, first.id);
  rig.clock.nowMs += 2 * 60_000;
  const later = await send(rig, body);
  assert.notEqual(later.id, first.id);
  const read = (await rig.rest.get(`/channels/${rig.channel.id}/messages/${later.id}`)) as APIMessage;
  assert.equal(read.nonce, undefined);
  assert.notEqual(
    (await send(rig, { content: "a", nonce: body.nonce })).id,
    later.id,
    "without enforce_nonce it is not looked at",
  );
});

test("discord.js' nonce with enforceNonce reaches the emulator", async (t) => {
  const { text, discord, channel } = await startText(t);
  const [first, second] = [
    await text.send({ content: "x", nonce: "abc", enforceNonce: true }),
    await text.send({ content: "x", nonce: "abc", enforceNonce: true }),
  ];
  assert.equal(first?.id, second?.id);
  assert.deepEqual(
    discord.messages(channel).map((message) => message.nonce),
    ["abc"],
  );
});

test("messages are listed newest first, before, after and around an id, up to a limit", async (t) => {
  const rig = await startDiscord(t);
  for (let n = 0; n < 12; n++) await send(rig, { content: `${n}` });
  const ids = rig.discord.messages(rig.channel).map((message) => message.id);
  const list = async (query: string): Promise<string> => {
    const page = (await rig.rest.get(`/channels/${rig.channel.id}/messages?${query}`)) as APIMessage[];
    return page.map((message) => message.content).join(" ");
  };
  assert.equal(await list("limit=3"), "11 10 9");
  assert.equal(await list(`limit=2&before=${ids[5]}`), "4 3");
  assert.equal(await list(`limit=2&after=${ids[5]}`), "7 6");
  assert.equal(await list(`limit=3&around=${ids[5]}`), "6 5 4");
  assert.equal(await list(`limit=5&after=${ids[11]}`), "");
  assert.deepEqual((await refusalOf(list("limit=101"))).paths, ["limit:NUMBER_TYPE_MAX"]);
});

test("files come as multipart, with their bytes, names and descriptions, and are served by URL", async (t) => {
  const { text, discord, channel } = await startText(t);
  const bytes = Buffer.from([0, 13, 10, 45, 45, 255, 13, 10]);
  const message = await text.send({
    content: "two files",
    files: [
      { attachment: Buffer.from("a,b\r\n1,2"), name: "audit log.csv", description: "the log" },
      { attachment: bytes, name: "raw.bin" },
    ],
  });
  const [csv, raw] = [...message.attachments.values()];
  assert.deepEqual([csv?.name, csv?.description, csv?.size, raw?.size], ["audit_log.csv", "the log", 8, 8]);
  assert.match(csv?.contentType ?? "", /^text\/csv/);
  const served = await fetch(raw?.url ?? "");
  assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes);
  assert.equal((await fetch(`${discord.apiUrl.replace("/api", "")}/attachments/1/2/x`)).status, 404);
  await message.edit({ attachments: [] });
  assert.equal(discord.messages(channel)[0]?.attachments.length, 0);
});

test("attachment:// in an embed shows the file there with its words, on the page too, and no longer beside it", async (t) => {
  const { text, discord, channel, guild } = await startText(t);
  const message = await text.send({
    embeds: [
      {
        title: "Map",
        image: { url: "attachment://map.png", description: "a map" } as object as APIEmbedImage,
      },
    ],
    files: [{ attachment: Buffer.from("png"), name: "map.png" }],
  });
  assert.match(message.embeds[0]?.image?.url ?? "", /^http:.*\/map\.png$/);
  assert.equal(message.attachments.size, 0);
  const shown = discord.messages(channel)[0] ?? assert.fail("nothing was posted");
  const [embed] = messageView(shown, guild.owner).embeds;
  assert.match(embed?.image?.url ?? "", /^\/attachments\/\d+\/\d+\/map\.png$/);
  assert.equal(embed?.image?.words, "a map");
});

test("pings count what allowed_mentions lets through, on creation only", async (t) => {
  const rig = await startDiscord(t);
  const role = rig.guild.addRole({ name: "Mods", mentionable: true });
  const closed = rig.guild.addRole({ name: "Quiet" });
  const content = `<@${rig.member.id}> <@&${role.id}> <@&${closed.id}> @everyone`;
  const pingsOf = async (allowed: object | undefined): Promise<unknown> => {
    await send(rig, { content, allowed_mentions: allowed });
    return rig.discord.messages(rig.channel).at(-1)?.pings;
  };
  const none = { users: [], roles: [], everyone: false };
  assert.deepEqual(await pingsOf({ parse: [] }), none);
  assert.deepEqual(await pingsOf({ parse: [], roles: [role.id, closed.id] }), { ...none, roles: [role.id] });
  const all = { users: [rig.member.id], roles: [role.id], everyone: false };
  assert.deepEqual(await pingsOf(undefined), all, "@everyone needs a permission that the bot lacks");
  rig.guild.setBotPermissions(["ViewChannel", "SendMessages", "MentionEveryone"]);
  assert.deepEqual(await pingsOf(undefined), { ...all, roles: [role.id, closed.id], everyone: true });
  const quiet = await send(rig, { content: "quiet" });
  await rig.rest.patch(`/channels/${rig.channel.id}/messages/${quiet.id}`, { body: { content } });
  assert.deepEqual(rig.discord.messages(rig.channel).at(-1)?.pings, none, "an edit notifies nobody");
  await send(rig, { embeds: [{ description: content }] });
  assert.deepEqual(rig.discord.messages(rig.channel).at(-1)?.pings, none, "nor does an embed");
});

test("users and parse:users exclude each other", async (t) => {
  const rig = await startDiscord(t);
  const body = { content: "x", allowed_mentions: { parse: ["users"], users: [rig.member.id] } };
  assert.deepEqual((await refusalOf(send(rig, body))).paths, [
    "allowed_mentions:MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
  ]);
});

test("an answer to a message names it; an unknown one is refused unless that is allowed", async (t) => {
  const rig = await startDiscord(t);
  const posted = rig.person.post(rig.channel, "question");
  const reply = await send(rig, { content: "answer", message_reference: { message_id: posted.id } });
  assert.equal(reply.message_reference?.message_id, posted.id);
  const unknown = { content: "x", message_reference: { message_id: "1" } };
  assert.deepEqual((await refusalOf(send(rig, unknown))).paths, [
    "message_reference:REPLIES_UNKNOWN_MESSAGE",
  ]);
  await send(rig, { ...unknown, message_reference: { message_id: "1", fail_if_not_exists: false } });
});

test("a message of another cannot be edited (50005), nor deleted without the permission (50013)", async (t) => {
  const rig = await startDiscord(t);
  const posted = rig.person.post(rig.channel, "mine");
  const path = `/channels/${rig.channel.id}/messages/${posted.id}` as const;
  assert.equal((await refusalOf(rig.rest.patch(path, { body: { content: "x" } }))).code, 50005);
  assert.equal((await refusalOf(rig.rest.delete(path))).code, 50013);
  rig.guild.setBotPermissions(["ViewChannel", "ManageMessages"]);
  await rig.rest.delete(path);
  assert.equal(posted.deleted, true);
});

test("bulk deletion takes 2 to 100 messages that are younger than two weeks", async (t) => {
  const rig = await startDiscord(t);
  rig.guild.setBotPermissions(["ViewChannel", "SendMessages", "ManageMessages"]);
  const [a, b, c] = [
    await send(rig, { content: "a" }),
    await send(rig, { content: "b" }),
    await send(rig, { content: "c" }),
  ];
  const path = `/channels/${rig.channel.id}/messages/bulk-delete` as const;
  assert.equal((await refusalOf(rig.rest.post(path, { body: { messages: [a?.id] } }))).code, 50016);
  await rig.rest.post(path, { body: { messages: [a?.id, b?.id] } });
  assert.deepEqual(
    rig.discord.messages(rig.channel).map((message) => message.content),
    ["c"],
  );
  rig.clock.nowMs += 15 * 24 * 3_600_000;
  assert.equal((await refusalOf(rig.rest.post(path, { body: { messages: [c?.id, a?.id] } }))).code, 50034);
});

test("a message revives an archived thread; edits in it are refused until then (50083), a locked one is closed", async (t) => {
  const rig = await startDiscord(t);
  const thread = rig.guild.addChannel({ name: "case", type: "thread", parentId: rig.channel.id });
  const first = await send(rig, { content: "first" }, thread);
  const path = `/channels/${thread.id}/messages/${first.id}` as const;
  thread.archive();
  assert.equal((await refusalOf(rig.rest.patch(path, { body: { content: "x" } }))).code, 50083);
  await send(rig, { content: "second" }, thread);
  assert.equal(thread.archived, false);
  thread.archive({ locked: true });
  assert.equal((await refusalOf(send(rig, { content: "x" }, thread))).code, 50083);
  thread.unarchive();
  await send(rig, { content: "third" }, thread);
});

test("a locked thread refuses messages with 160005 unless the bot manages threads", async (t) => {
  const rig = await startDiscord(t);
  const thread = rig.guild.addChannel({ name: "case", type: "thread", parentId: rig.channel.id });
  thread.archive({ locked: true });
  rig.guild.setBotPermissions(["ViewChannel", "SendMessagesInThreads", "ManageThreads"]);
  await send(rig, { content: "as a manager" }, thread);
  rig.guild.setBotPermissions(["ViewChannel", "SendMessagesInThreads"]);
  assert.equal((await refusalOf(send(rig, { content: "x" }, thread))).code, 160005);
});

test("threads are opened by whoever opens them, where their kind can be, and up to the limit of the guild", async (t) => {
  const rig = await startDiscord(t);
  rig.guild.setBotPermissions([...invitePermissions, "CreatePrivateThreads", "CreatePublicThreads"]);
  const open = (channel: Channel, body: object) =>
    rig.rest.post(`/channels/${channel.id}/threads`, { body: { name: "talk", ...body } });
  const refused = async (channel: Channel, body: object) => (await refusalOf(open(channel, body))).code;
  const opened = (await open(rig.channel, { type: 12 })) as { readonly owner_id: string };
  assert.equal(opened.owner_id, rig.discord.applicationId);
  const announcements = rig.guild.addChannel({ name: "news", type: "announcement" });
  assert.equal(await refused(announcements, { type: 12 }), 50024);
  await open(announcements, { type: 10 });
  assert.equal(await refused(rig.guild.addChannel({ name: "talk", type: "voice" }), { type: 11 }), 50024);
  assert.equal(await refused(rig.channel, { auto_archive_duration: 61 }), 50035);
  rig.discord.limits.activeThreads = 3;
  await open(rig.channel, { type: 11 });
  assert.equal(await refused(rig.channel, { type: 12 }), 160006);
  rig.guild.channels.find(({ type }) => type === "thread")?.archive();
  rig.discord.faults.set({ failThreads: 1 });
  await assert.rejects(open(rig.channel, { type: 12 }), /500|Internal/);
  await open(rig.channel, { type: 12 });
});

test("the bot opens threads when it may", async (t) => {
  const { text, guild } = await startText(t);
  guild.everyone.setPermissions(["ViewChannel"]);
  assert.equal((await refusalOf(text.threads.create({ name: "case" }))).code, 50013);
  guild.setBotPermissions(["ViewChannel", "CreatePublicThreads", "SendMessagesInThreads"]);
  const thread = await text.threads.create({ name: "case" });
  await thread.send("opened");
  assert.equal(guild.channel("case").parent?.id, text.id);
});

test("direct messages arrive, and are refused with 50007 once the person closes them, with 50278 once they left", async (t) => {
  const { client, member, person } = await startBot(t);
  const user = await client.users.fetch(member.id);
  await user.send("hello");
  assert.deepEqual(
    person.dms().map((message) => message.content),
    ["hello"],
  );
  member.closeDms();
  assert.equal((await refusalOf(user.send("again"))).code, 50007);
  member.openDms();
  await user.send("and again");
  member.leave();
  assert.equal((await refusalOf(user.send("gone"))).code, 50278);
  assert.equal(person.dms().length, 2);
});
