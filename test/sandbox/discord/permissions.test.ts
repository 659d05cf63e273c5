import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  allPermissions,
  bitsOf,
  channelPermissions,
  type Permission,
  permissionBits,
} from "../../../src/sandbox/discord/permissions.ts";
import { type Rig, refusalOf, startDiscord } from "./rig.ts";

function post(rig: Rig, body: object = { content: "x" }): Promise<unknown> {
  return rig.rest.post(`/channels/${rig.channel.id}/messages`, { body });
}

test("without seeing a channel everything in it is refused with 50001", async (t) => {
  const rig = await startDiscord(t);
  rig.channel.denyBot("ViewChannel");
  assert.deepEqual(await refusalOf(post(rig)), { status: 403, code: 50001, paths: [] });
  assert.equal((await refusalOf(rig.rest.get(`/channels/${rig.channel.id}`))).code, 50001);
  rig.channel.allowBot("ViewChannel");
  await post(rig);
});

test("without the permission to send, embed or attach it is 50013", async (t) => {
  const rig = await startDiscord(t);
  rig.channel.denyBot("EmbedLinks", "AttachFiles");
  await post(rig);
  assert.equal((await refusalOf(post(rig, { embeds: [{ title: "t" }] }))).code, 50013);
  const files = [{ name: "a.txt", data: Buffer.from("a") }];
  const upload = rig.rest.post(`/channels/${rig.channel.id}/messages`, { body: {}, files });
  assert.equal((await refusalOf(upload)).code, 50013);
  rig.channel.denyBot("SendMessages");
  assert.deepEqual(await refusalOf(post(rig)), { status: 403, code: 50013, paths: [] });
});

test("who is timed out can only read, until then", async (t) => {
  const rig = await startDiscord(t);
  const { bot } = rig.guild;
  bot.timeOut(rig.clock.nowMs + 3_600_000);
  assert.deepEqual(await refusalOf(post(rig)), { status: 403, code: 50013, paths: [] });
  await rig.rest.get(`/channels/${rig.channel.id}/messages`);
  rig.clock.nowMs += 3_600_000;
  await post(rig);
});

test("a thread asks for its own sending permission and takes the rest from its channel", async (t) => {
  const rig = await startDiscord(t);
  const thread = rig.guild.addChannel({ name: "case", type: "thread", parentId: rig.channel.id });
  const inThread = { ...rig, channel: thread };
  rig.channel.denyBot("SendMessages");
  await post(inThread);
  thread.denyBot("SendMessagesInThreads");
  assert.equal((await refusalOf(post(inThread))).code, 50013);
  rig.channel.denyBot("ViewChannel");
  assert.equal((await refusalOf(post(inThread))).code, 50001);
});

test("without the history a list is empty and a single message is refused", async (t) => {
  const rig = await startDiscord(t);
  const { id } = rig.person.post(rig.channel, "old");
  rig.channel.denyBot("ReadMessageHistory");
  assert.deepEqual(await rig.rest.get(`/channels/${rig.channel.id}/messages`), []);
  assert.equal((await refusalOf(rig.rest.get(`/channels/${rig.channel.id}/messages/${id}`))).code, 50001);
  const reply = { content: "x", message_reference: { message_id: id } };
  assert.equal((await refusalOf(post(rig, reply))).code, 160002);
});

test("a deleted channel is 10003, an unknown guild 10004, one that the bot has left 50001", async (t) => {
  const rig = await startDiscord(t);
  rig.channel.delete();
  assert.deepEqual(await refusalOf(post(rig)), { status: 404, code: 10003, paths: [] });
  assert.equal((await refusalOf(rig.rest.get("/guilds/1"))).code, 10004);
  rig.guild.removeBot();
  assert.equal((await refusalOf(rig.rest.get(`/guilds/${rig.guild.id}`))).code, 50001);
});

test("members and roles are read by id; unknown ones are 10007, 10013 and 10011", async (t) => {
  const rig = await startDiscord(t);
  const role = rig.guild.addRole({ name: "Staff" });
  rig.member.addRole(role);
  const member = (await rig.rest.get(`/guilds/${rig.guild.id}/members/${rig.member.id}`)) as {
    roles: string[];
  };
  assert.deepEqual(member.roles, [role.id]);
  role.delete();
  const after = (await rig.rest.get(`/guilds/${rig.guild.id}/members/${rig.member.id}`)) as {
    roles: string[];
  };
  assert.deepEqual(after.roles, [], "a deleted role is nobody's");
  rig.member.leave();
  assert.equal(
    (await refusalOf(rig.rest.get(`/guilds/${rig.guild.id}/members/${rig.member.id}`))).code,
    10007,
  );
  assert.equal((await refusalOf(rig.rest.get(`/guilds/${rig.guild.id}/members/1`))).code, 10013);
  assert.equal((await refusalOf(rig.rest.get(`/guilds/${rig.guild.id}/roles/1`))).code, 10011);
});

test("a bad token is 401 and changes nothing", async (t) => {
  const rig = await startDiscord(t);
  const url = `${rig.discord.apiUrl}/v10/channels/${rig.channel.id}/messages`;
  const headers = { authorization: "Bot wrong", "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ content: "x" }) });
  assert.equal(answer.status, 401);
  assert.deepEqual((await answer.json()) as unknown, { message: "401: Unauthorized", code: 0 });
  assert.equal(rig.discord.messages(rig.channel).length, 0);
});

test("people see, write and use commands by their permissions too", async (t) => {
  const rig = await startDiscord(t);
  const role = rig.guild.addRole({ name: "Staff" });
  const staffOnly = rig.guild.addChannel({
    name: "staff",
    overwrites: [
      { target: rig.guild.everyone, deny: ["ViewChannel"] },
      { target: role, allow: ["ViewChannel"] },
    ],
  });
  rig.discord.as(rig.guild.owner).post(staffOnly, "for staff");
  assert.deepEqual(rig.person.sees(staffOnly), []);
  assert.throws(() => rig.person.post(staffOnly, "hi"), /may not write/);
  rig.member.addRole(role);
  assert.equal(rig.person.sees(staffOnly).length, 1);
  rig.person.post(staffOnly, "hi");
});

const names = Object.keys(permissionBits) as Permission[];
const bits = fc.subarray(names).map(bitsOf);

test("a member's own overwrite outranks roles, roles outrank @everyone, and Administrator outranks all", () => {
  const holder = (everyone: bigint, role: bigint) => ({
    userId: "3",
    isOwner: false,
    roles: [{ id: "2", permissions: role }],
    everyone: { id: "1", permissions: everyone },
  });
  fc.assert(
    fc.property(bits, bits, bits, bits, fc.constantFrom(...names), (everyone, role, allow, deny, name) => {
      const bit = permissionBits[name];
      const view = permissionBits.ViewChannel;
      const overwrites = [
        { id: "1", kind: "role", allow, deny } as const,
        { id: "2", kind: "role", allow: deny, deny: allow } as const,
        { id: "3", kind: "member", allow: bit | view, deny: 0n } as const,
      ];
      const result = channelPermissions(holder(everyone, role), overwrites);
      assert.notEqual(result & bit, 0n, "the own overwrite allows it");
      const hidden = channelPermissions(
        holder(everyone & ~permissionBits.Administrator, role & ~permissionBits.Administrator),
        [{ id: "3", kind: "member", allow: 0n, deny: view }],
      );
      assert.equal(hidden, 0n, "what is hidden grants nothing");
      const admin = channelPermissions(holder(permissionBits.Administrator, role), overwrites);
      assert.equal(admin, allPermissions);
    }),
    { numRuns: 100 },
  );
});

test("a role is given and taken by a bot that may manage roles and stands above it; else it is 50013", async (t) => {
  const rig = await startDiscord(t);
  const { guild, member } = rig;
  const role = guild.addRole({ name: "On duty" });
  const path = (roleId: string) => `/guilds/${guild.id}/members/${member.id}/roles/${roleId}` as const;
  assert.equal((await refusalOf(rig.rest.put(path(role.id)))).code, 50013);
  guild.setBotPermissions(["ViewChannel", "ManageRoles"]);
  assert.equal((await refusalOf(rig.rest.put(path(role.id)))).code, 50013, "its own role is below");
  guild.raiseBot();
  await rig.rest.put(path(role.id));
  await rig.rest.put(path(role.id));
  assert.deepEqual(member.roles, [role]);
  await rig.rest.delete(path(role.id));
  assert.deepEqual(member.roles, []);
  const own = guild.bot.roles[0]?.id ?? "";
  assert.equal((await refusalOf(rig.rest.put(path(own)))).code, 50013);
  assert.equal((await refusalOf(rig.rest.put(path(guild.id)))).code, 50028);
  assert.equal((await refusalOf(rig.rest.put(path("1")))).code, 10011);
  member.leave();
  assert.equal((await refusalOf(rig.rest.delete(path(role.id)))).code, 10007);
});
