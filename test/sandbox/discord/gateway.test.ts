import assert from "node:assert/strict";
import { EventEmitter, once as eventOnce } from "node:events";
import { test } from "node:test";
import { ChannelType, Client, Events, GatewayIntentBits, type Message } from "discord.js";
import WebSocket from "ws";
import { EmulatedDiscord } from "../../../src/sandbox/discord/discord.ts";
import { login, startBot, startDiscord } from "./rig.ts";

function once<T>(client: Client, event: string): Promise<T> {
  return new Promise((resolve) => client.once(event, resolve));
}

test("a discord.js client logs in and knows its guild, channels, roles and own permissions", async (t) => {
  const { client, guild, channel } = await startBot(t);
  const seen = client.guilds.cache.get(guild.id);
  assert.equal(seen?.name, "Riverside");
  assert.equal(seen?.channels.cache.get(channel.id)?.name, "general");
  assert.equal(client.user.id, guild.bot.id);
  assert.equal(seen?.members.me?.permissions.has("SendMessagesInThreads"), true);
  assert.equal(seen?.members.me?.permissions.has("ManageMessages"), false);
  assert.equal(seen?.members.me?.roles.botRole?.name, "Marshal");
});

test("a wrong token is refused at login", async (t) => {
  const { discord, defer } = await startDiscord(t);
  const impostor = await EmulatedDiscord.start({ token: "another" });
  defer(() => impostor.close());
  const client = new Client({ intents: [], rest: { api: discord.apiUrl } });
  defer(() => client.destroy());
  await assert.rejects(client.login(impostor.token), /invalid token/i);
});

test("a dropped connection is resumed and what was missed comes after it", async (t) => {
  const { client, discord, guild } = await startBot(t);
  const resumed = discord.waitFor((event) => event.type === "gateway-connected" && event.resumed);
  const replayed = new Promise((resolve) => client.once(Events.ShardResume, (_, count) => resolve(count)));
  const created = once<{ name: string }>(client, Events.ChannelCreate);
  const gone = discord.waitFor((event) => event.type === "gateway-disconnected");
  discord.faults.dropGateway();
  await gone;
  guild.addChannel({ name: "made-while-away" });
  assert.equal((await created).name, "made-while-away");
  await resumed;
  // discord.js counts RESUMED itself as well.
  assert.equal(await replayed, 2, "only what was missed is sent again");
});

test("a session that cannot be resumed is begun anew", async (t) => {
  const { client, discord } = await startBot(t);
  const readyAgain = once(client, Events.ShardReady);
  const fresh = discord.waitFor((event) => event.type === "gateway-connected");
  discord.faults.dropGateway({ resumable: false });
  const event = await fresh;
  assert.equal(event.type === "gateway-connected" && event.resumed, false);
  await readyAgain;
});

test("two shards divide the guilds between them", async (t) => {
  const { discord, clock, defer } = await startDiscord(t);
  for (let n = 0; n < 7; n++) {
    clock.nowMs += 1;
    discord.addGuild({ name: `Town ${n}` });
  }
  const whole = await login(discord, { shards: [0, 1], shardCount: 2 });
  defer(whole.destroy);
  const second = await login(discord, { shards: [1], shardCount: 2 });
  defer(second.destroy);
  assert.equal(whole.client.guilds.cache.size, 8);
  const expected = discord.guilds
    .filter((guild) => (BigInt(guild.id) >> 22n) % 2n === 1n)
    .map((guild) => guild.id);
  assert.deepEqual([...second.client.guilds.cache.keys()].sort(), expected.sort());
  assert.ok(expected.length > 0 && expected.length < 8);
});

test("the bot is told when it joins and leaves a guild", async (t) => {
  const { client, discord } = await startBot(t);
  const joined = once<{ id: string }>(client, Events.GuildCreate);
  const guild = discord.addGuild({ name: "Second" });
  assert.equal((await joined).id, guild.id);
  const left = once<{ id: string }>(client, Events.GuildDelete);
  guild.removeBot();
  assert.equal((await left).id, guild.id);
  const back = once<{ id: string }>(client, Events.GuildCreate);
  guild.addBot();
  assert.equal((await back).id, guild.id);
});

test("a guild that an outage takes is unavailable, not gone, also for who logs in meanwhile, and comes back", async (t) => {
  const { client, guild, rest, discord, defer } = await startBot(t);
  const once = (event: "guildUnavailable" | "guildAvailable") =>
    new Promise<void>((resolve) => void client.once(event, () => resolve()));
  const gone = once("guildUnavailable");
  guild.setAvailable(false);
  await gone;
  assert.equal(client.guilds.cache.get(guild.id)?.available, false);
  const later = await login(discord);
  defer(later.destroy);
  assert.deepEqual(
    [
      later.client.guilds.cache.get(guild.id)?.available,
      later.client.guilds.cache.get(guild.id)?.roles.cache.size,
    ],
    [false, 0],
  );
  await rest.get(`/guilds/${guild.id}`);
  const back = once("guildAvailable");
  guild.setAvailable(true);
  await back;
  assert.equal(client.guilds.cache.get(guild.id)?.roles.cache.size, 2);
});

test("changes of channels, threads and roles reach the client", async (t) => {
  const { client, guild, channel } = await startBot(t);
  const thread = once<{ parentId: string; type: ChannelType }>(client, Events.ThreadCreate);
  guild.addChannel({ name: "case-1", type: "thread", parentId: channel.id });
  assert.deepEqual([(await thread).parentId, (await thread).type], [channel.id, ChannelType.PublicThread]);
  const updated = once(client, Events.ChannelUpdate);
  channel.denyBot("SendMessages");
  await updated;
  const seen = client.channels.cache.get(channel.id);
  assert.ok(seen?.isTextBased() && !seen.isDMBased());
  assert.equal(seen.permissionsFor(client.user)?.has("SendMessages"), false);
  const role = once<{ name: string }>(client, Events.GuildRoleCreate);
  guild.addRole({ name: "Staff" });
  assert.equal((await role).name, "Staff");
  const deleted = once<{ id: string }>(client, Events.ChannelDelete);
  channel.delete();
  assert.equal((await deleted).id, channel.id);
  assert.equal(guild.channels.length, 0, "a deleted channel takes its threads along");
});

test("messages are announced to the intent that asks for them, without content where that is not granted", async (t) => {
  const intents = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages];
  const { client, channel, person } = await startBot(t, { client: { intents } });
  const heard = once<Message>(client, Events.MessageCreate);
  person.post(channel, "a secret plan");
  assert.equal((await heard).content, "");
  assert.equal((await heard).author.username, "mo");
});

test("a client that ends its session takes no more events", async (t) => {
  const { discord, guild } = await startDiscord(t);
  const first = await login(discord);
  const ended = discord.waitFor((event) => event.type === "gateway-disconnected");
  await first.destroy();
  await ended;
  guild.addChannel({ name: "unseen" });
  assert.equal(first.client.guilds.cache.get(guild.id)?.channels.cache.size, 1);
});

test("a killed process leaves a session that can be resumed until its successor identifies", async (t) => {
  const { discord, defer } = await startDiscord(t);
  const killed = await connect(discord);
  killed.say(2, { token: discord.token, intents: 1, shard: [0, 1], properties: {} });
  const ready = await killed.hear("READY");
  const gone = discord.waitFor((event) => event.type === "gateway-disconnected");
  killed.socket.terminate();
  await gone;
  const resume = { token: discord.token, session_id: ready.session_id, seq: 1 };
  const resumer = await connect(discord);
  resumer.say(6, resume);
  await resumer.hear("RESUMED");
  const goneAgain = discord.waitFor((event) => event.type === "gateway-disconnected");
  resumer.socket.terminate();
  await goneAgain;
  const successor = await login(discord);
  defer(successor.destroy);
  const late = await connect(discord);
  late.say(6, resume);
  assert.deepEqual(await late.hear("9"), false);
  late.socket.terminate();
});

test("a wrong token, an unknown shard and a broken payload close the connection with Discord's codes", async (t) => {
  const { discord } = await startDiscord(t);
  const closeCode = async (say: (one: Wire) => void): Promise<unknown> => {
    const wire = await connect(discord);
    const closed = new Promise((resolve) => wire.socket.once("close", resolve));
    say(wire);
    return closed;
  };
  assert.equal(await closeCode((wire) => wire.say(2, { token: "wrong", intents: 1 })), 4004);
  assert.equal(await closeCode((wire) => wire.say(2, { token: discord.token, shard: [2, 2] })), 4010);
  assert.equal(await closeCode((wire) => wire.socket.send("{")), 4002);
  assert.equal(await closeCode((wire) => wire.say(3, {})), 4003);
});

interface Wire {
  readonly socket: WebSocket;
  say(op: number, d: unknown): void;
  /** The data of the next event of that name, or of the next payload with that op. */
  hear(name: string): Promise<Record<string, unknown>>;
}

/** A bare connection, once it was greeted. */
async function connect(discord: EmulatedDiscord): Promise<Wire> {
  const socket = new WebSocket(
    `${discord.apiUrl.replace("http", "ws").replace("/api", "")}/gateway?v=10&encoding=json`,
  );
  const heard: { op: number; t: string | null; d: Record<string, unknown> }[] = [];
  const wake = new EventEmitter();
  socket.on("message", (data) => {
    heard.push(JSON.parse(String(data)));
    wake.emit("heard");
  });
  const hear = async (name: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const index = heard.findIndex((one) => one.t === name || String(one.op) === name);
      if (index >= 0) return heard.splice(index, 1)[0]?.d ?? {};
      await eventOnce(wake, "heard");
    }
  };
  await hear("10");
  return { socket, hear, say: (op, d) => socket.send(JSON.stringify({ op, d })) };
}

test("interactions with no bot connected fail at once", async (t) => {
  const { discord, rest, channel, person } = await startDiscord(t);
  await rest.put(`/applications/${discord.applicationId}/commands`, {
    body: [{ name: "ping", description: "p" }],
  });
  const exchange = await person.slash(channel, "ping");
  assert.equal(exchange.kind, "none");
});

test("ids are unique and increase although the clock stands still", async (t) => {
  const { guild } = await startDiscord(t);
  const ids = Array.from({ length: 100 }, (_, n) => BigInt(guild.addRole({ name: `r${n}` }).id));
  assert.ok(ids.every((id, n) => n === 0 || id > (ids[n - 1] ?? 0n)));
});

/** Says hello as one shard and resolves with what the gateway makes of it. */
async function identify(discord: EmulatedDiscord, shard: readonly [number, number]): Promise<string> {
  const socket = new WebSocket(`${discord.apiUrl.replace(/^http/, "ws").replace(/\/api$/, "")}/gateway`);
  const heard = Promise.withResolvers<string>();
  socket.on("close", (code) => heard.resolve(`closed ${code}`));
  socket.on("message", (data) => {
    const { op, t, d } = JSON.parse(String(data));
    if (op === 10) socket.send(JSON.stringify({ op: 2, d: { token: discord.token, intents: 1, shard } }));
    if (op === 9) heard.resolve(`invalid, resumable ${d}`);
    if (t === "READY") heard.resolve(`ready with ${d.guilds.length}`);
  });
  const told = await heard.promise;
  socket.terminate();
  return told;
}

test("a shard that is not of its count is refused for good", async (t) => {
  const { discord } = await startDiscord(t);
  assert.equal(await identify(discord, [2, 2]), "closed 4010");
  assert.equal(await identify(discord, [-1, 2]), "closed 4010");
});

test("a shard hears of its own guilds alone", async (t) => {
  const { discord, guild } = await startDiscord(t);
  const own = Number((BigInt(guild.id) >> 22n) % 2n);
  assert.equal(await identify(discord, [own, 2]), "ready with 1");
  assert.equal(await identify(discord, [1 - own, 2]), "ready with 0");
});

test("shards of one turn begin five seconds apart; others at once", async (t) => {
  const { discord, clock } = await startDiscord(t);
  discord.limits.identify = { total: 1_000, maxConcurrency: 2, everyMs: 5_000 };
  assert.match(await identify(discord, [0, 4]), /ready/);
  assert.match(await identify(discord, [1, 4]), /ready/);
  assert.equal(await identify(discord, [2, 4]), "invalid, resumable false");
  clock.nowMs += 4_999;
  assert.equal(await identify(discord, [2, 4]), "invalid, resumable false");
  clock.nowMs += 1;
  assert.match(await identify(discord, [2, 4]), /ready/);
});

test("a day has as many sessions as /gateway/bot counts, and no more", async (t) => {
  const { discord, rest, clock } = await startDiscord(t);
  Object.assign(discord.limits, { shards: 4 });
  discord.limits.identify.total = 2;
  const told = async () => {
    const answer: unknown = await rest.get("/gateway/bot");
    return JSON.stringify(answer);
  };
  await identify(discord, [0, 4]);
  assert.match(await told(), /"shards":4.*"remaining":1/);
  await identify(discord, [1, 4]);
  assert.match(await told(), /"remaining":0/);
  assert.equal(await identify(discord, [2, 4]), "closed 4004");
  clock.nowMs += 24 * 60 * 60_000;
  assert.match(await identify(discord, [2, 4]), /ready/);
});
