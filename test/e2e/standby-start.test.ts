import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createClient } from "@redis/client";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import { freePort } from "../../src/sandbox/free-port.ts";
import { needsRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const secretOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const STANDING_BY = /standing by|serves these shards/;

/** What a process needs for its work is looked at when it starts, not at the takeover of a night. */
describe("a process that is to stand by", needsRedis(), () => {
  let redis: RedisServer;
  let discord: EmulatedDiscord;
  let operator: ReturnType<typeof createClient>;
  before(async () => {
    redis = await startRedis();
    discord = await EmulatedDiscord.start();
    operator = createClient({ url: redis.url });
    await operator.connect();
  });
  beforeEach(async () => {
    await operator.flushAll();
    discord.faults.clear();
  });
  after(async () => {
    operator.destroy();
    await discord.close();
    await redis.stop();
  });

  /** Its lines up to `until`, or to its end. */
  async function run(
    given: Readonly<Record<string, string>>,
    until = STANDING_BY,
    onLine: (line: string) => Promise<void> = async () => undefined,
  ) {
    const env = {
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      STORE_URL: redis.url,
      SECRET_KEY: secretOf(1),
      SHARDS: "0/1",
      OPS_ADDRESS: "",
      ...given,
    };
    const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] });
    const gone = once(child, "exit");
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      await onLine(line);
      if (until.test(line)) child.kill("SIGTERM");
    }
    const [code] = await gone;
    return { code, out: lines.join("\n"), errors: lines.filter((line) => /"level":50/.test(line)) };
  }

  /** Another process serves, and goes on doing so. */
  async function isServed(): Promise<void> {
    const leases = [
      ["marshal:lease:1:0", "another"],
      ["marshal:lease-count", "1"],
    ] as const;
    for (const [key, value] of leases) await operator.set(key, value, { PX: 600_000 });
  }

  async function endsWith(given: Readonly<Record<string, string>>, words: RegExp): Promise<void> {
    const { code, out, errors } = await run(given);
    assert.equal(code, 1, out);
    assert.equal(errors.length, 1, out);
    assert.match(errors[0] ?? "", words);
    assert.doesNotMatch(out, /standing by|"stack"/);
  }

  test("with a wrong secret says so at its start; with the right one stands by", async () => {
    const first = await run({}, /logged in/);
    assert.equal(first.code, 0, first.out);
    await isServed();
    await endsWith({ SECRET_KEY: secretOf(2) }, /SECRET_KEY differs from that/);
    const { code, out } = await run({});
    assert.equal(code, 0, out);
    assert.match(out, /standing by/);
  });

  test("with a wrong token says so at its start", async () => {
    await isServed();
    await endsWith({ DISCORD_TOKEN: "bm90IHRoZQ.token.that-was-given" }, /DISCORD_TOKEN/);
  });

  test("with a store of a newer version, in Redis's form or in that of the documents, says so", async () => {
    await isServed();
    await operator.hSet("marshal:docs:stored-form", "documents", JSON.stringify({ value: { form: 99 } }));
    await endsWith({}, /from a newer Marshal \(form 99/);
    await operator.set("marshal:form", "99");
    await endsWith({}, /from a newer Marshal/);
  });

  test("while Redis is away says so once, answers that it lives and cannot start, and goes on when it is back", async (t) => {
    const away = await startRedis();
    t.after(() => away.stop());
    await away.kill();
    const port = await freePort();
    const asked = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(async (answer) => [answer.status, await answer.text()]);
    const answers = new Map<string, unknown>();
    const { code, out, errors } = await run(
      { STORE_URL: away.url, OPS_ADDRESS: `127.0.0.1:${port}` },
      /logged in/,
      async (line) => {
        if (!line.includes("Marshal keeps trying")) return;
        for (const path of ["/healthz", "/startz", "/readyz"]) answers.set(path, await asked(path));
        answers.set("/metrics", /^marshal_ready 0$/m.test(String((await asked("/metrics"))[1])));
        await away.start();
      },
    );
    const why = /^Redis at 127\.0\.0\.1:\d+ cannot be used: connect ECONNREFUSED/;
    assert.deepEqual(answers.get("/healthz"), [200, "ok\n"]);
    for (const path of ["/startz", "/readyz"]) {
      const [status, text] = answers.get(path) as [number, string];
      assert.equal(status, 503);
      assert.match(text, why);
    }
    assert.equal(answers.get("/metrics"), true);
    assert.deepEqual([code, errors], [0, []], out);
    assert.equal(out.split("Marshal keeps trying").length, 2, "it is said once");
    assert.match(out, /the store can be reached/);
  });

  test("while Redis is away waits for it also where nobody listens on an ops address", async (t) => {
    const away = await startRedis();
    t.after(() => away.stop());
    await away.kill();
    const { code, out, errors } = await run({ STORE_URL: away.url }, /logged in/, async (line) => {
      if (!line.includes("Marshal keeps trying")) return;
      await away.start();
    });
    assert.deepEqual([code, errors], [0, []], out);
    assert.match(out, /the store can be reached/);
  });

  test("without the password that Redis asks for ends with one line", async () => {
    await operator.configSet("requirepass", "the-right-one");
    try {
      await endsWith({}, /Redis refuses the user or password in STORE_URL/);
    } finally {
      await operator.configSet("requirepass", "");
    }
  });

  test("while Discord is away says that it does not know yet, and stands by", async () => {
    await isServed();
    discord.faults.set({ outage: "down" });
    const { code, out } = await run({});
    assert.equal(code, 0, out);
    assert.match(out, /Discord cannot be reached[\s\S]*standing by/);
  });
});
