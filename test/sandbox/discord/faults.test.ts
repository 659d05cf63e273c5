import assert from "node:assert/strict";
import { test } from "node:test";
import { REST } from "discord.js";
import { eventually } from "../../support/discord-rig.ts";
import { type Rig, refusalOf, startBot, startDiscord } from "./rig.ts";

function send(rig: Rig, content: string): Promise<Response> {
  const headers = { authorization: `Bot ${rig.discord.token}`, "content-type": "application/json" };
  const url = `${rig.discord.apiUrl}/v10/channels/${rig.channel.id}/messages`;
  return fetch(url, { method: "POST", headers, body: JSON.stringify({ content }) });
}

function contents(rig: Rig): readonly string[] {
  return rig.discord.messages(rig.channel).map((message) => message.content);
}

test("sendThen500 stores the message and answers 500, so often and no more", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.faults.set({ sendThen500: 1 });
  assert.equal((await send(rig, "a")).status, 500);
  assert.equal((await send(rig, "b")).status, 200);
  assert.deepEqual(contents(rig), ["a", "b"]);
});

test("sendThenReset stores the message and cuts the connection", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.faults.set({ sendThenReset: 1 });
  await assert.rejects(send(rig, "a"));
  assert.deepEqual(contents(rig), ["a"]);
});

test("failSends answers 500 and stores nothing", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.faults.set({ failSends: 1 });
  assert.equal((await send(rig, "a")).status, 500);
  assert.deepEqual(contents(rig), []);
});

test("@discordjs/rest repeats a POST after a 500, and the nonce keeps it from standing there twice", async (t) => {
  const rig = await startDiscord(t);
  const rest = new REST({
    api: rig.discord.apiUrl,
    retries: 2,
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
  });
  rest.setToken(rig.discord.token);
  rig.discord.faults.set({ sendThen500: 1 });
  const body = { content: "once", nonce: "n1", enforce_nonce: true };
  await rest.post(`/channels/${rig.channel.id}/messages`, { body });
  rig.discord.faults.set({ sendThen500: 1 });
  await rest.post(`/channels/${rig.channel.id}/messages`, { body: { content: "twice" } });
  assert.deepEqual(contents(rig), ["once", "twice", "twice"]);
});

test("rateLimitNext answers 429 with the wait that was set", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.faults.set({ rateLimitNext: 1, rateLimitRetryAfterMs: 2_500 });
  const refused = await send(rig, "a");
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "3"]);
  assert.equal((await send(rig, "a")).status, 200);
});

test("an outage of 5xx answers 503 everywhere until it is cleared", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.faults.set({ outage: "5xx" });
  assert.equal((await send(rig, "a")).status, 503);
  rig.discord.faults.clear();
  assert.equal((await send(rig, "a")).status, 200);
});

test("an outage that is down cuts requests and the gateway; after it the client resumes", async (t) => {
  const rig = await startBot(t);
  const gone = rig.discord.waitFor((event) => event.type === "gateway-disconnected");
  rig.discord.faults.set({ outage: "down" });
  await gone;
  await assert.rejects(send(rig, "a"));
  const back = rig.discord.waitFor((event) => event.type === "gateway-connected");
  const resumed = new Promise((resolve) => rig.client.once("shardResume", resolve));
  rig.discord.faults.clear();
  const event = await back;
  assert.equal(event.type === "gateway-connected" && event.resumed, true);
  await resumed;
  assert.equal((await send(rig, "a")).status, 200);
});

test("latency holds every answer back, and closing ends the waiting", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.faults.set({ latencyMs: 60_000 });
  const held = send(rig, "late");
  held.catch(() => {});
  await rig.discord.close();
  await assert.rejects(held);
});

test("traffic is kept when asked for, without the token", async (t) => {
  const rig = await startDiscord(t, { record: true });
  await send(rig, "a");
  await refusalOf(rig.rest.get("/channels/1"));
  const [first, second] = rig.discord.traffic;
  assert.deepEqual([first?.method, first?.status, first?.body], ["POST", 200, { content: "a" }]);
  assert.deepEqual([second?.path, second?.status], ["/channels/1", 404]);
  assert.equal(JSON.stringify(rig.discord.traffic).includes(rig.discord.token), false);
  const silent = await startDiscord(t);
  await send(silent, "a");
  assert.equal(silent.discord.traffic.length, 0);
});

test("unauthorizedSends answers 401 to that number of messages, though the token is good for everything else", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.faults.set({ unauthorizedSends: 1 });
  assert.equal((await send(rig, "a")).status, 401);
  assert.equal((await send(rig, "b")).status, 200);
  assert.deepEqual(contents(rig), ["b"]);
});

test("a revoked token gets 401 everywhere, and 4004 at the gateway", async (t) => {
  const rig = await startBot(t);
  const closed = new Promise((resolve) => rig.client.once("shardDisconnect", ({ code }) => resolve(code)));
  rig.discord.faults.set({ tokenRevoked: true });
  assert.equal((await send(rig, "a")).status, 401);
  assert.equal((await refusalOf(rig.rest.get("/users/@me"))).status, 401);
  rig.discord.faults.dropGateway({ resumable: false });
  assert.equal(await closed, 4004);
});

test("endGateway closes with the code, and a client does not come back", async (t) => {
  const rig = await startBot(t);
  const closed = new Promise((resolve) => rig.client.once("shardDisconnect", ({ code }) => resolve(code)));
  rig.discord.faults.endGateway(4014);
  assert.equal(await closed, 4014);
});

test("a lost answer to an interaction stands: the repeat is answered with 40060", async (t) => {
  for (const fault of ["callbackThen500", "callbackThenReset"] as const) {
    const rig = await startBot(t);
    await rig.rest.put(`/applications/${rig.discord.applicationId}/commands`, {
      body: [{ name: "do", description: "Does it" }],
    });
    rig.discord.faults.set({ [fault]: 1 });
    const codes: (number | string)[] = [];
    rig.handle(async ({ id, token }) => {
      const answer = () =>
        rig.rest.post(`/interactions/${id}/${token}/callback`, { body: { type: 5 }, auth: false });
      await assert.rejects(answer());
      codes.push((await refusalOf(answer())).code);
    });
    const exchange = await rig.person.slash(rig.channel, "do");
    await eventually(() => codes.length > 0);
    assert.deepEqual([codes, exchange.deferred, rig.thrown], [[40060], true, []]);
  }
});

test("an outage with a length ends by itself", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.faults.set({ outage: "5xx", outageMs: 60_000 });
  rig.clock.nowMs += 59_999;
  assert.equal((await send(rig, "a")).status, 503);
  rig.clock.nowMs += 1;
  assert.equal((await send(rig, "a")).status, 200);
});

test("a shard that stays away is back once it is named no more", async (t) => {
  const rig = await startBot(t);
  const gone = rig.discord.waitFor((event) => event.type === "gateway-disconnected");
  rig.discord.faults.set({ shardsAway: [0] });
  await gone;
  await eventually(() => rig.client.ws.shards.get(0)?.status !== 0);
  const back = rig.discord.waitFor((event) => event.type === "gateway-connected");
  rig.discord.faults.set({ shardsAway: [] });
  const event = await back;
  assert.equal(event.type === "gateway-connected" && event.resumed, true);
});
