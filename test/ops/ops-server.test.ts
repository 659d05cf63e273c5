import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { request } from "undici";
import { createLog } from "../../src/log.ts";
import { createMetrics } from "../../src/ops/metrics.ts";
import { OpsFront } from "../../src/ops/ops-front.ts";
import { OpsError, type OpsServer, type OpsSources, startOps } from "../../src/ops/ops-server.ts";

const key = "abcDEF123-secretPart456";
const open: OpsServer[] = [];

async function rig(sources: Partial<OpsSources> = {}) {
  const log = createLog({ level: "info", secrets: [key], write: () => {} });
  const server = await startOps(
    { host: "127.0.0.1", port: 0 },
    { notReady: async () => [], state: {}, metrics: createMetrics(), conceal: log.conceal, ...sources },
  );
  open.push(server);
  return async (path: string, method = "GET", host?: string) => {
    const headers = host === undefined ? {} : { host };
    const answer = await request(`http://127.0.0.1:${server.port}${path}`, { method, headers });
    return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
  };
}

describe("the ops address", () => {
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });

  test("/healthz answers while the process does", async () => {
    const ask = await rig();
    assert.deepEqual(await ask("/healthz").then(({ status, body }) => ({ status, body })), {
      status: 200,
      body: "ok\n",
    });
  });

  test("/startz is 503 until the bot could do its work, and says what is missing", async () => {
    const front = new OpsFront({ metrics: createMetrics(), conceal: (text) => text });
    const ask = await rig({
      hasStarted: () => front.hasStarted(),
      notReady: () => front.notReady(),
    });
    front.waitFor("Redis at redis:6379 cannot be used: nothing answers");
    assert.match(await front.metrics.text(), /^marshal_ready 0$/m);
    const before = await ask("/startz");
    assert.deepEqual(
      [before.status, before.body],
      [503, "Redis at redis:6379 cannot be used: nothing answers\n"],
    );
    let hasStarted = false;
    const bot = {
      metrics: front.metrics,
      conceal: front.conceal,
      state: {},
      notReady: async () => ["standing by"],
    };
    front.show({ ...bot, hasStarted: () => hasStarted });
    assert.equal((await ask("/startz")).status, 503);
    hasStarted = true;
    assert.equal((await ask("/startz")).status, 200);
    assert.equal((await ask("/readyz")).body, "standing by\n");
    front.show(bot);
    assert.equal(front.hasStarted(), true);
  });

  test("/readyz is 503 and says why, until nothing is missing", async () => {
    let missing = ["not logged in to Discord", "the store does not answer"];
    const ask = await rig({ notReady: async () => missing });
    const before = await ask("/readyz");
    assert.equal(before.status, 503);
    assert.equal(before.body, "not logged in to Discord\nthe store does not answer\n");
    missing = [];
    assert.equal((await ask("/readyz")).status, 200);
  });

  test("/readyz says what an operator should know of although the bot is ready", async () => {
    const ask = await rig({ notes: () => ["the history is not recorded: its database is slow"] });
    const { status, body } = await ask("/readyz");
    assert.deepEqual([status, body], [200, "ready\nthe history is not recorded: its database is slow\n"]);
  });

  test("/metrics gives the text of the registry", async () => {
    const metrics = createMetrics();
    metrics.count("marshal_feed_entries_total", { kind: "joins" });
    const answer = await (await rig({ metrics }))("/metrics");
    assert.equal(answer.status, 200);
    assert.match(String(answer.headers["content-type"]), /^text\/plain/);
    assert.match(answer.body, /marshal_feed_entries_total\{kind="joins"\} 1/);
  });

  test("/state is read at the moment of asking, part by part; one that throws leaves the others", async () => {
    let waiting = 1;
    const ask = await rig({
      state: {
        runs: () => ({ waiting }),
        broken: () => {
          throw new RangeError(`because of ${key}`);
        },
        service: () => ({ halt: null }),
      },
    });
    waiting = 2;
    const answer = await ask("/state?pretty");
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["cache-control"], "no-store");
    assert.deepEqual(JSON.parse(answer.body), {
      runs: { waiting: 2 },
      broken: { unreadable: "RangeError" },
      service: { halt: null },
    });
  });

  test("no known secret leaves by any path, even where a part holds one", async () => {
    const ask = await rig({
      state: { slip: () => ({ note: `key ${key}`, [key]: 1 }) },
      notReady: async () => [`the key ${key} is parked`],
      metrics: { text: async () => `x{key="${key}"} 1\n`, contentType: "text/plain" },
    });
    for (const path of ["/state", "/readyz", "/metrics", `/${key}`]) {
      const { body } = await ask(path);
      assert.ok(!body.includes(key), path);
    }
  });

  test("a source that fails is a 500 that tells nothing of what failed", async () => {
    const ask = await rig({
      notReady: async () => {
        throw new Error("redis://:hunter2@db");
      },
    });
    const answer = await ask("/readyz");
    assert.equal(answer.status, 500);
    assert.ok(!answer.body.includes("hunter2"));
  });

  test("HEAD answers without a body; everything that writes is refused", async () => {
    const ask = await rig();
    const head = await ask("/healthz", "HEAD");
    assert.deepEqual([head.status, head.body, head.headers["content-length"]], [200, "", "3"]);
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const answer = await ask("/state", method);
      assert.deepEqual([answer.status, answer.headers.allow], [405, "GET, HEAD"]);
    }
  });

  test("answers to names of the loopback and to names without a dot, so that no web page reads it by a name of its own", async () => {
    const ask = await rig({ state: { service: () => "inside" } });
    for (const host of [
      "localhost",
      "LOCALHOST.",
      "localhost:9464",
      "127.0.0.1:1",
      "127.3.2.1",
      "[::1]:9464",
      // A container of a network: what Prometheus beside it calls it.
      "marshal:9464",
    ])
      assert.equal((await ask("/state", "GET", host)).status, 200, host);
    const foreign = [
      "evil.example",
      "evil.example:9464",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "10.0.0.7",
    ];
    for (const host of [...foreign, "[::2]", "", "127.0.0.1@evil.example"]) {
      const answer = await ask("/state", "GET", host);
      assert.deepEqual([answer.status, answer.body.includes("inside")], [421, false], host);
    }
  });

  test("answers to the name that it was given", async () => {
    const sources = {
      notReady: async () => [],
      state: {},
      metrics: createMetrics(),
      conceal: (text: string) => text,
    };
    const server = await startOps({ host: "localhost", port: 0 }, sources);
    open.push(server);
    const asked = async (host: string) =>
      (await request(`http://localhost:${server.port}/healthz`, { headers: { host } })).statusCode;
    assert.equal(await asked("localhost:80"), 200);
    const everywhere = await startOps({ host: "0.0.0.0", port: 0 }, sources);
    open.push(everywhere);
    const at = async (host: string) =>
      (await request(`http://127.0.0.2:${everywhere.port}/healthz`, { headers: { host } })).statusCode;
    assert.deepEqual(
      [await at("127.0.0.2"), await at("0.0.0.0:9464"), await at("evil.example")],
      [200, 200, 421],
    );
  });

  test("any other path is 404 and names those that are there", async () => {
    const ask = await rig();
    for (const path of ["/", "/State", "/../etc/passwd", "/healthz/"]) {
      const answer = await ask(path);
      assert.equal(answer.status, 404);
      assert.match(answer.body, /\/healthz \/startz \/readyz \/metrics \/state/);
    }
  });

  test("an address that is taken is refused in words, not with a stack", async () => {
    await rig();
    const port = open[0]?.port ?? 0;
    await assert.rejects(
      startOps(
        { host: "127.0.0.1", port },
        { notReady: async () => [], state: {}, metrics: createMetrics(), conceal: (text) => text },
      ),
      (error: unknown) =>
        error instanceof OpsError &&
        error.message.includes(`127.0.0.1:${port}`) &&
        /EADDRINUSE/.test(error.message),
    );
  });

  test("closing ends connections that are kept alive, and may be asked twice", async () => {
    const ask = await rig();
    await ask("/healthz");
    const [server] = open;
    await server?.close();
    await server?.close();
    await assert.rejects(ask("/healthz"));
  });
});
