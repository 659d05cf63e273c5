import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect as connectTo } from "node:net";
import { after, before, describe, test } from "node:test";
import { WebSocket } from "ws";
import { openStage, type Stage } from "../../../src/sandbox/stage.ts";
import { Panel } from "../../../src/sandbox/web/panel.ts";
import type { Answer, Ask } from "../../../src/sandbox/web/protocol.ts";
import { type PageServer, PortError, servePage } from "../../../src/sandbox/web/server.ts";

/** A page without a browser: what it is told, and ways to ask. */
class Client {
  readonly answers: Answer[] = [];
  readonly #socket: WebSocket;
  readonly #listeners = new Set<() => void>();

  constructor(url: string) {
    this.#socket = new WebSocket(`${url.replace("http", "ws")}/socket`, { origin: url });
    this.#socket.on("message", (data) => {
      this.answers.push(JSON.parse(String(data)));
      for (const listener of this.#listeners) listener();
    });
  }

  async open(): Promise<void> {
    await once(this.#socket, "open");
  }

  say(ask: Ask | string): void {
    this.#socket.send(typeof ask === "string" ? ask : JSON.stringify(ask));
  }

  async closed(): Promise<number> {
    const [code] = await once(this.#socket, "close");
    return Number(code);
  }

  /** The first answer of this kind that fits, past or to come. */
  async answer<T extends Answer["type"]>(
    type: T,
    fits: (answer: Extract<Answer, { type: T }>) => boolean = () => true,
  ): Promise<Extract<Answer, { type: T }>> {
    const found = () =>
      this.answers.find(
        (one): one is Extract<Answer, { type: T }> =>
          one.type === type && fits(one as Extract<Answer, { type: T }>),
      );
    return await new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error(`no answer "${type}"`)), 5_000);
      const look = () => {
        const one = found();
        if (one === undefined) return;
        clearTimeout(limit);
        this.#listeners.delete(look);
        resolve(one);
      };
      this.#listeners.add(look);
      look();
    });
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const gone = once(this.#socket, "close");
    this.#socket.close();
    await gone;
  }
}

describe("the page's server", () => {
  let stage: Stage;
  let panel: Panel;
  let server: PageServer;
  const clients: Client[] = [];

  before(async () => {
    stage = await openStage({ seed: 9, serverKey: "server-test-river", traffic: "quiet", live: false });
    stage.town.pause();
    panel = new Panel(stage);
    server = await servePage({ stage, panel, port: 0 });
  });
  after(async () => {
    for (const client of clients) await client.close();
    await server.close();
    await panel.close();
    await stage.close();
  });

  async function connect(): Promise<Client> {
    const client = new Client(server.url);
    clients.push(client);
    await client.open();
    return client;
  }

  async function get(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") {
    // As it is: a URL would be tidied up on its way.
    const asked = request(server.url, { path, headers, method });
    asked.end();
    const [response] = await once(asked, "response");
    let body = "";
    for await (const chunk of response) body += String(chunk);
    return { status: response.statusCode, headers: response.headers, body };
  }

  test("listens on the loopback, with a policy that lets nothing in from outside", async () => {
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const { status, headers, body } = await get("/");
    assert.equal(status, 200);
    const policy = headers["content-security-policy"];
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self';/);
    assert.match(policy, /require-trusted-types-for 'script'/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(/https?:\/\//.test(body), false);
  });

  test("refuses another Host, another Origin, another method and unknown paths", async () => {
    assert.equal((await get("/", { host: "evil.example" })).status, 403);
    assert.equal((await get("/", { host: `evil.example:${server.port}` })).status, 403);
    assert.equal((await get("/", { origin: "http://evil.example" })).status, 403);
    assert.equal((await get("/", { host: `localhost:${server.port}` })).status, 200);
    assert.equal((await get("/", {}, "POST")).status, 405);
    assert.equal((await get("/../package.json")).status, 404);
    assert.equal((await get("/attachments/1/2/x.png")).status, 404);
  });

  test("an attachment's path leads to attachments only, however it is spelled", async (t) => {
    const asked = t.mock.method(globalThis, "fetch");
    for (const dots of ["%2e%2e", "..", "%2E.", ".%2e", "x/%2e%2e/%2e%2e", "..\\..", "%2e%2e\\.."])
      assert.equal((await get(`/attachments/${dots}/api/v10/users/@me`)).status, 404, dots);
    for (const { arguments: given } of asked.mock.calls)
      assert.match(new URL(String(given[0])).pathname, /^\/attachments\//);
  });

  test("opens a socket to its own page only", async () => {
    for (const origin of ["http://evil.example", `https://127.0.0.1:${server.port}`, undefined]) {
      const socket = new WebSocket(
        `ws://127.0.0.1:${server.port}/socket`,
        origin === undefined ? {} : { origin },
      );
      const [error] = await once(socket, "error");
      assert.match(String(error), /403/);
    }
  });

  test("goes on where a page of another site breaks off the socket that it was refused", async () => {
    for (let nth = 0; nth < 3; nth += 1) {
      const socket = connectTo(server.port, "127.0.0.1");
      socket.write(
        `GET /socket HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nOrigin: http://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      );
      await once(socket, "data");
      socket.resetAndDestroy();
      await once(socket, "close");
      assert.equal((await get("/")).status, 200);
    }
  });

  test("ends a conversation that is not of the protocol, and serves the others on", async () => {
    const bad = await connect();
    bad.say("{}");
    assert.equal(await bad.closed(), 1008);
    const good = await connect();
    good.say({ type: "hello", actor: "member" });
    assert.equal((await good.answer("world")).world.actor, "member");
  });

  test("tells a person what they may see: their ephemeral messages and direct messages, nobody else's", async () => {
    const { guild, owner, member, channels } = stage.cast;
    const secret = guild.addChannel({
      name: "owners-only",
      overwrites: [{ target: guild.everyone, deny: ["ViewChannel"] }],
    });
    stage.discord.as(owner).post(secret, "not for members");
    const client = await connect();
    client.say({ type: "hello", actor: "member", channel: "owners-only" });
    const { world } = await client.answer("world");
    assert.equal(world.meId, member.id);
    assert.equal(
      world.channels.some(({ name }) => name === "owners-only"),
      false,
    );
    assert.equal((await client.answer("channel")).channelId, channels.general.id);
    client.say({ type: "open", channelId: secret.id });
    client.say({ type: "act-as", actor: "owner" });
    await client.answer("world", (one) => one.world.actor === "owner");
    const before = JSON.stringify(client.answers.slice(0, -1));
    assert.equal(before.includes("not for members"), false);
    secret.delete();
  });

  test("sends history in pages and a burst in one message", async () => {
    const { owner, channels } = stage.cast;
    const person = stage.discord.as(owner);
    for (let number = 0; number < 120; number += 1) person.post(channels.audit, `entry ${number}`);
    const client = await connect();
    client.say({ type: "hello", actor: "owner", channel: "audit" });
    const page = await client.answer("channel");
    assert.deepEqual(
      [page.messages.length, page.hasOlder, page.messages.at(-1)?.content],
      [50, true, "entry 119"],
    );
    client.say({ type: "older", channelId: page.channelId, beforeId: page.messages[0]?.id ?? "" });
    const older = await client.answer("older");
    assert.deepEqual(
      [older.messages[0]?.content, older.messages.at(-1)?.content, older.hasOlder],
      ["entry 20", "entry 69", true],
    );
    for (let number = 0; number < 300; number += 1) person.post(channels.audit, `burst ${number}`);
    const { added, skipped } = await client.answer("changes");
    assert.deepEqual([added.length, added.at(-1)?.content, skipped], [50, "burst 299", true]);
    assert.equal(client.answers.filter(({ type }) => type === "changes").length, 1);
  });

  test("pulls levers, and tells every page what is in force", async () => {
    const [one, other] = [await connect(), await connect()];
    for (const client of [one, other]) client.say({ type: "hello", actor: "owner" });
    const isOn = (id: string, panelView: Extract<Answer, { type: "panel" }>) =>
      panelView.panel.levers.find((lever) => lever.id === id)?.isOn === true;
    one.say({ type: "lever", ticket: 1, id: "html" });
    assert.equal((await one.answer("reply")).error, undefined);
    await other.answer("panel", (answer) => isOn("html", answer));
    assert.equal(stage.service.faults.settings.html, 1);
    one.say({ type: "lever", ticket: 2, id: "slow" });
    await other.answer("panel", (answer) => isOn("html", answer) && isOn("slow", answer));
    one.say({ type: "lever", ticket: 3, id: "nothing" });
    assert.match((await one.answer("reply", ({ ticket }) => ticket === 3)).error ?? "", /no such lever/);
    one.say({ type: "lever", ticket: 4, id: "bot-kill" });
    assert.match(
      (await one.answer("reply", ({ ticket }) => ticket === 4)).error ?? "",
      /cannot be pulled now/,
    );
    for (const id of ["html", "slow"]) await panel.pull(id);
    assert.deepEqual([stage.service.faults.settings.html, stage.service.faults.settings.delayMs], [0, 0]);
  });

  test("the old version of the game is over once everyone has left", async () => {
    for (const leaving of ["empty", "game-restart"]) {
      await panel.pull("outdated");
      assert.equal(stage.service.faults.settings.code, 9999);
      await panel.pull(leaving);
      assert.equal(stage.service.faults.settings.codeChance, 0);
    }
    await panel.pull("refill");
  });

  test("each lever of the town does what it says", async () => {
    const { town } = stage;
    const { joins, kills, modCalls } = town.record;
    await panel.pull("join");
    assert.equal(
      joins.slice(-3).every(({ join }) => join),
      true,
    );
    const killed = kills.length;
    await panel.pull("kill-spree");
    assert.equal(kills.length, killed + 10);
    await panel.pull("mod-call");
    await panel.pull("answer-call");
    assert.notEqual(modCalls.at(-1)?.moderator, undefined);
    await panel.pull("empty");
    assert.equal(town.players.length, 0);
    await panel.pull("refill");
    assert.equal(town.players.length, 12);
    await panel.pull("traffic-frenzy");
    assert.equal(town.intensity, "frenzy");
    await panel.pull("new-key");
    assert.notEqual(panel.levers.key, stage.serverKey);
    assert.deepEqual(stage.service.keys.includes(panel.levers.key), true);
    const { kills: channel } = stage.cast.channels;
    await panel.pull("lock-out");
    assert.equal(stage.cast.guild.bot.may("SendMessages", channel), false);
    await panel.pull("lock-out");
    assert.equal(stage.cast.guild.bot.may("SendMessages", channel), true);
    await panel.pull("outage");
    assert.equal(stage.discord.faults.current.outage, "down");
    await panel.pull("outage");
    assert.equal(stage.discord.faults.current.outage, undefined);
    await panel.pull("delete-channel");
    assert.equal(channel.deleted, true);
    await panel.pull("delete-channel");
    assert.equal(stage.cast.guild.channel("kills").deleted, false);
    await panel.pull("block");
    await panel.pull("block-page");
    const on = panel.levers.views().filter(({ isOn }) => isOn);
    assert.deepEqual(on.map(({ id }) => id).sort(), ["block", "block-page", "traffic-frenzy"]);
  });

  test("says which port is taken", async () => {
    await assert.rejects(
      servePage({ stage, panel, port: server.port }),
      (error) => error instanceof PortError && error.message.includes(`${server.port} is in use`),
    );
  });
});
