import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import WebSocket from "ws";
import { startDiscord } from "./rig.ts";

const GUILDS = 1;
const MODERATION = 4;

interface Payload {
  readonly op: number;
  readonly t: string | null;
  readonly d: Readonly<Record<string, unknown>>;
}

/** A bare connection with a session, and all that was told to it. */
async function connect(t: TestContext, intents: number) {
  const rig = await startDiscord(t);
  const { url } = (await rig.rest.get("/gateway")) as { url: string };
  const socket = new WebSocket(`${url}/?v=10&encoding=json`);
  rig.defer(async () => socket.terminate());
  const told: Payload[] = [];
  socket.on("message", (data) => told.push(JSON.parse(String(data))));
  const send = (op: number, d: unknown) => socket.send(JSON.stringify({ op, d }));
  const heard = async (name: string): Promise<Payload> => {
    for (;;) {
      const found = told.find(({ t: of }) => of === name);
      if (found !== undefined) return found;
      await once(socket, "message");
    }
  };
  await once(socket, "message");
  send(2, { token: rig.discord.token, intents, properties: {} });
  await heard("READY");
  return { ...rig, socket, told, send, heard };
}

test("members are told by their ids, up to a hundred; who is not there is named", async (t) => {
  const { guild, member, send, heard, socket } = await connect(t, GUILDS);
  send(8, { guild_id: guild.id, user_ids: [member.id, "1"], nonce: "n" });
  const { d } = await heard("GUILD_MEMBERS_CHUNK");
  assert.deepEqual([d.nonce, d.not_found], ["n", ["1"]]);
  const closed = once(socket, "close");
  send(8, { guild_id: guild.id, user_ids: Array.from({ length: 101 }, (_, n) => String(n)) });
  assert.equal((await closed)[0], 4002);
});

test("too often is told with the time to wait; 120 messages a minute end the connection", async (t) => {
  const { guild, member, discord, send, heard, socket } = await connect(t, GUILDS);
  discord.faults.set({ membersRefusedForMs: 30_000 });
  send(8, { guild_id: guild.id, user_ids: [member.id], nonce: "n" });
  const { d } = await heard("RATE_LIMITED");
  assert.deepEqual([d.opcode, d.retry_after, d.meta], [8, 30, { guild_id: guild.id, nonce: "n" }]);
  const closed = once(socket, "close");
  for (let n = 0; n < 120; n++) send(1, null);
  assert.equal((await closed)[0], 4008);
});

test("changes of roles are told only where the audit log may be viewed, leaving never", async (t) => {
  const { guild, member, send, told, heard } = await connect(t, GUILDS | MODERATION);
  const role = guild.addRole({ name: "Police" });
  member.addRole(role);
  guild.setBotPermissions(["ViewChannel", "ViewAuditLog"]);
  member.removeRole(role);
  const { d } = await heard("GUILD_AUDIT_LOG_ENTRY_CREATE");
  assert.equal(d.target_id, member.id);
  assert.deepEqual(d.changes, [{ key: "$remove", new_value: [{ id: role.id, name: "Police" }] }]);
  member.leave();
  // What was asked for after it comes after it.
  send(8, { guild_id: guild.id, user_ids: [member.id], nonce: "n" });
  await heard("GUILD_MEMBERS_CHUNK");
  assert.equal(told.filter(({ t: of }) => of === "GUILD_AUDIT_LOG_ENTRY_CREATE").length, 1);
  assert.equal(
    told.some(({ t: of }) => of?.startsWith("GUILD_MEMBER_") ?? false),
    false,
  );
});
