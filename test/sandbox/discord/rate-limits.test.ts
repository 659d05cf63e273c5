import assert from "node:assert/strict";
import { test } from "node:test";
import { type Rig, startDiscord } from "./rig.ts";

const route = "POST /channels/:id/messages";

/** By fetch, as @discordjs/rest would wait and repeat by itself. */
function send(rig: Rig, method = "POST", path = `/channels/${rig.channel.id}/messages`): Promise<Response> {
  const headers = { authorization: `Bot ${rig.discord.token}`, "content-type": "application/json" };
  const body = method === "GET" ? null : JSON.stringify({ content: "x" });
  return fetch(`${rig.discord.apiUrl}/v10${path}`, { method, headers, body });
}

function header(answer: Response, name: string): string | null {
  return answer.headers.get(`x-ratelimit-${name}`);
}

test("every answer carries the headers of its bucket", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.limits.routes[route] = { limit: 5, windowMs: 5_000 };
  const first = await send(rig);
  assert.deepEqual([header(first, "limit"), header(first, "remaining")], ["5", "4"]);
  assert.equal(header(first, "reset-after"), "5.000");
  assert.equal(header(first, "reset"), ((rig.clock.nowMs + 5_000) / 1000).toFixed(3));
  rig.clock.nowMs += 2_000;
  const second = await send(rig);
  assert.deepEqual([header(second, "remaining"), header(second, "reset-after")], ["3", "3.000"]);
  assert.equal(header(second, "bucket"), header(first, "bucket"));
  const listed = await send(rig, "GET");
  assert.notEqual(header(listed, "bucket"), header(first, "bucket"));
});

test("beyond the limit comes 429 with the wait in header and body, until the window ends", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.limits.routes[route] = { limit: 1, windowMs: 5_000 };
  assert.equal((await send(rig)).status, 200);
  rig.clock.nowMs += 500;
  const refused = await send(rig);
  assert.deepEqual(
    [refused.status, refused.headers.get("retry-after"), header(refused, "scope")],
    [429, "5", "user"],
  );
  assert.deepEqual((await refused.json()) as unknown, {
    message: "You are being rate limited.",
    retry_after: 4.5,
    global: false,
    code: 0,
  });
  assert.equal(rig.discord.messages(rig.channel).length, 1);
  rig.clock.nowMs += 4_500;
  assert.equal((await send(rig)).status, 200);
});

test("channels have buckets of their own", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.limits.routes[route] = { limit: 1, windowMs: 5_000 };
  const other = rig.guild.addChannel({ name: "other" });
  assert.equal((await send(rig)).status, 200);
  assert.equal((await send(rig, "POST", `/channels/${other.id}/messages`)).status, 200);
  assert.equal((await send(rig)).status, 429);
});

test("the limit over all routes says that it is global", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.limits.globalPerSecond = 2;
  await send(rig);
  await send(rig, "GET");
  const refused = await send(rig);
  assert.deepEqual(
    [refused.status, header(refused, "global"), header(refused, "scope")],
    [429, "true", "global"],
  );
  rig.clock.nowMs += 1_000;
  assert.equal((await send(rig)).status, 200);
});

test("without a word, a channel takes five messages, five edits and five reads in five seconds", async (t) => {
  const rig = await startDiscord(t, { pace: "real" });
  const { id } = (await (await send(rig)).json()) as { id: string };
  const path = `/channels/${rig.channel.id}/messages/${id}`;
  const statuses = async (count: number, ...how: [string?, string?]) => {
    const answers: number[] = [];
    for (let n = 0; n < count; n++) answers.push((await send(rig, ...how)).status);
    return answers;
  };
  assert.deepEqual(await statuses(5), [200, 200, 200, 200, 429]);
  assert.deepEqual(await statuses(6, "PATCH", path), [200, 200, 200, 200, 200, 429]);
  assert.deepEqual(await statuses(6, "GET"), [200, 200, 200, 200, 200, 429]);
  rig.clock.nowMs += 5_000;
  assert.deepEqual(await statuses(6), [200, 200, 200, 200, 200, 429]);
});

test("without a word, the bot has 50 requests a second over all channels; its answers to people are not counted", async (t) => {
  const rig = await startDiscord(t, { pace: "real" });
  const channels = Array.from({ length: 60 }, (_, at) => rig.guild.addChannel({ name: `c${at}` }));
  const answers: Response[] = [];
  for (const { id } of channels) {
    const callback = await send(rig, "POST", "/interactions/1/gone/callback");
    assert.equal(callback.status, 404);
    answers.push(await send(rig, "POST", `/channels/${id}/messages`));
  }
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(refused.length, 10);
  assert.equal(header(refused[0] as Response, "global"), "true");
  assert.deepEqual((await refused[0]?.json()) as unknown, {
    message: "You are being rate limited.",
    retry_after: 1,
    global: true,
    code: 0,
  });
});

test("@discordjs/rest waits for its bucket by itself", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.limits.routes[route] = { limit: 2, windowMs: 20 };
  // The client waits in real time; the emulator's clock follows each wait.
  rig.rest.on("rateLimited", (info) => {
    rig.clock.nowMs += info.timeToReset;
  });
  for (let n = 0; n < 5; n++)
    await rig.rest.post(`/channels/${rig.channel.id}/messages`, { body: { content: `${n}` } });
  assert.deepEqual(
    rig.discord.messages(rig.channel).map((message) => message.content),
    ["0", "1", "2", "3", "4"],
  );
});

test("too many edits of an old message are refused with 30046 and a wait; young ones are not counted", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.limits.oldEdits = { olderThanMs: 3_600_000, limit: 2, windowMs: 60_000 };
  const { id } = (await (await send(rig)).json()) as { id: string };
  const edit = (): Promise<Response> => send(rig, "PATCH", `/channels/${rig.channel.id}/messages/${id}`);
  for (let n = 0; n < 5; n++) assert.equal((await edit()).status, 200);
  rig.clock.nowMs += 3_600_001;
  assert.equal((await edit()).status, 200);
  assert.equal((await edit()).status, 200);
  const refused = await edit();
  const body = (await refused.json()) as { code: number; retry_after: number };
  assert.deepEqual([refused.status, body.code, body.retry_after], [429, 30046, 60]);
  rig.clock.nowMs += 60_000;
  assert.equal((await edit()).status, 200);
});

test("the fourth edit of a published message within an hour is refused with 20022; others are not counted", async (t) => {
  const rig = await startDiscord(t);
  const news = rig.guild.addChannel({ name: "news", type: "announcement" });
  const written = await send(rig, "POST", `/channels/${news.id}/messages`);
  const { id } = (await written.json()) as { id: string };
  const edit = (): Promise<Response> => send(rig, "PATCH", `/channels/${news.id}/messages/${id}`);
  for (let n = 0; n < 5; n++) assert.equal((await edit()).status, 200);
  const [message] = rig.discord.messages(news);
  assert.ok(message !== undefined);
  rig.discord
    .as(
      rig.guild.addMember({
        name: "Olive",
        roles: [rig.guild.addRole({ name: "Mod", permissions: ["ManageMessages"] })],
      }),
    )
    .publish(message);
  for (let n = 0; n < 3; n++) assert.equal((await edit()).status, 200);
  const refused = await edit();
  assert.deepEqual([refused.status, ((await refused.json()) as { code: number }).code], [400, 20022]);
  rig.clock.nowMs += 3_600_000;
  assert.equal((await edit()).status, 200);
});
