import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createClient } from "@redis/client";
import { runStoreTool } from "../../deploy/store-tool.ts";
import { documentsOf } from "../../src/document-table.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import { createBindings } from "../../src/store/bindings.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createVault } from "../../src/store/vault.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { needsRedis, startRedis } from "../support/redis-server.ts";
import { serverStatus } from "../support/server-status.ts";
import { tempFolder } from "../support/temp-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tool = join(root, "deploy/store.ts");
const secretOf = (fill: number) => new Uint8Array(32).fill(fill);
const base64 = (secret: Uint8Array) => Buffer.from(secret).toString("base64");
const SECRET = base64(secretOf(1));
const KEY = "a-server-key-of-the-test";

interface Ran {
  readonly code: number;
  readonly said: string;
}

/** `npm run store -- ...` with that store, in this process. */
async function run(environment: Record<string, string>, ...args: readonly string[]): Promise<Ran> {
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  const parts = { args, environment: { SECRET_KEY: SECRET, ...environment }, say, complain: say };
  return { code: await runStoreTool(parts), said: said.join("\n") };
}

/** The same as a process of its own, of which every start costs a second. */
async function spawned(env: Record<string, string>, ...args: readonly string[]): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [tool, ...args], {
      cwd: tmp(env),
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        SECRET_KEY: SECRET,
        ...env,
      },
    });
    return { code: 0, said: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, said: stdout + stderr };
  }
}

/** A folder without an .env file. */
function tmp({ STORE_URL = "" }: Record<string, string>): string {
  return STORE_URL.startsWith("sqlite:") ? join(STORE_URL.slice("sqlite:".length), "..") : root;
}

function folderOf(t: TestContext): string {
  const folder = tempFolder();
  t.after(() => folder.remove());
  return folder.path;
}

function bindingsOn(store: Awaited<ReturnType<typeof openStore>>, secret = secretOf(1)) {
  return createBindings({
    documents: documentsOf(store, "bindings"),
    vault: createVault({ secret }),
    clock: new VirtualClock(),
    random: seededRandom(1),
    serversPerGuild: 10,
    hideSecret: () => undefined,
  });
}

const status = (name: string) => serverStatus({ name, ownerId: 1, joinKey: `join-${name}` });

/** A store with two linked servers, a halt, a hundred rows of the audit, and the mark of a clean stop. */
async function fill(url: string): Promise<void> {
  const store = await openStore(url, { runsIn: "caller" });
  const { bindings } = bindingsOn(store);
  for (const guildId of ["10", "11"])
    await bindings.link({
      guildId,
      key: new ServerKey(KEY + guildId),
      status: status("Ü 'town'"),
      byUserId: "1",
    });
  await documentsOf(store, "halts").set("address", {
    leftMs: 60_000,
    untilMs: undefined,
    why: "blocked",
    message: "Zu viel 🚓",
    strikes: 1,
  });
  const events = documentsOf(store, "audit-events");
  for (let index = 0; index < 100; index++) {
    const id = `e${index}`;
    await events.set(id, {
      id,
      guildId: "10",
      atMs: index,
      actorId: "1",
      actorName: "A",
      action: "x",
      text: '\n"',
    });
  }
  await documentsOf(store, "clean-stop").set("end", { unsettled: [], endedAtMs: 0 });
  await store.close();
}

async function keyIn(url: string, guildId = "10"): Promise<string | undefined> {
  const store = await openStore(url, { runsIn: "caller" });
  try {
    const { bindings, keys } = bindingsOn(store);
    await bindings.load();
    const [binding] = await bindings.list(guildId);
    return binding === undefined ? undefined : (await keys.keyOf(binding.source))?.reveal();
  } finally {
    await store.close();
  }
}

describe("npm run store", () => {
  test("moves a store into a file and on into another database, and proves both", async (t) => {
    const folder = folderOf(t);
    const from = `sqlite:${join(folder, "from.sqlite")}`;
    const to = `sqlite:${join(folder, "to.sqlite")}`;
    const file = join(folder, "store.jsonl");
    await fill(from);
    const exported = await spawned({ STORE_URL: from }, "export", file);
    assert.deepEqual(
      [exported.code, /103 documents of .* equal/.test(exported.said)],
      [0, true],
      exported.said,
    );
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const text = readFileSync(file, "utf8");
    assert.ok(!text.includes(KEY) && !text.includes(SECRET));
    assert.ok(!text.includes("clean-stop"), "what is posted after the copy is not in it");

    const imported = await run({ STORE_URL: to }, "import", file);
    assert.equal(imported.code, 0, imported.said);
    assert.equal(await keyIn(to), `${KEY}10`);
    const checked = await run({ STORE_URL: to }, "check");
    assert.match(checked.said, /audit-events +100\n.*everything can be read; 2 server keys open/s);
    assert.equal((await spawned({ STORE_URL: from }, "export", file)).code, 1, "no file is written over");
  });

  test("writes over a store that holds something only when it is told to, and then all of it", async (t) => {
    const folder = folderOf(t);
    const from = `sqlite:${join(folder, "from.sqlite")}`;
    const to = `sqlite:${join(folder, "to.sqlite")}`;
    const file = join(folder, "store.jsonl");
    await fill(from);
    await run({ STORE_URL: from }, "export", file);
    const store = await openStore(to, { runsIn: "caller" });
    await documentsOf(store, "audit-open").set("of-before", { guildId: "9" });
    await store.close();

    const refused = await run({ STORE_URL: to }, "import", file);
    assert.deepEqual([refused.code, /not empty\. Use --replace/.test(refused.said)], [1, true]);
    assert.equal((await run({ STORE_URL: to }, "import", file, "--replace")).code, 0);
    const after = await openStore(to, { runsIn: "caller" });
    t.after(() => after.close());
    assert.equal(await documentsOf(after, "audit-open").get("of-before"), undefined);
  });

  test("refuses a file of another secret, a file that was cut or changed, and a store at work", async (t) => {
    const folder = folderOf(t);
    const from = `sqlite:${join(folder, "from.sqlite")}`;
    const file = join(folder, "store.jsonl");
    await fill(from);
    await run({ STORE_URL: from }, "export", file);
    const to = { STORE_URL: `sqlite:${join(folder, "to.sqlite")}` };

    const other = await run({ ...to, SECRET_KEY: base64(secretOf(2)) }, "import", file);
    assert.deepEqual([other.code, /sealed with another secret/.test(other.said)], [1, true]);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    for (const bad of [
      lines.slice(0, -1),
      lines.toSpliced(5, 1),
      lines.with(5, lines[6] ?? ""),
      ["{}"],
      [],
    ]) {
      writeFileSync(join(folder, "bad"), bad.map((line) => `${line}\n`).join(""));
      const { code, said } = await run(to, "import", join(folder, "bad"));
      assert.deepEqual([code, /is incomplete|was not written by/.test(said)], [1, true], said);
    }
    assert.equal(
      (await run(to, "check")).said.includes("everything can be read; 0"),
      true,
      "nothing was written",
    );

    const atWork = await openStore(from, { runsIn: "caller" });
    const busy = await run({ STORE_URL: from }, "export", join(folder, "busy"));
    await atWork.close();
    assert.deepEqual([busy.code, /in use by another Marshal/.test(busy.said)], [1, true]);
    const wrong = await run(
      { STORE_URL: from, SECRET_KEY: base64(secretOf(2)) },
      "export",
      join(folder, "wrong"),
    );
    assert.deepEqual(
      [wrong.code, /not the one they were sealed with/.test(wrong.said)],
      [1, true],
      wrong.said,
    );
  });

  test("an import that ended in the middle leaves no store that a bot would start on", async (t) => {
    const folder = folderOf(t);
    const url = `sqlite:${join(folder, "m.sqlite")}`;
    await fill(url);
    const store = await openStore(url, { runsIn: "caller" });
    await documentsOf(store, "stored-form").set("importing", { form: 2 });
    await store.close();
    const refused = await run({ STORE_URL: url }, "export", join(folder, "x"));
    assert.match(refused.said, /an import into this store did not finish/);
  });

  test("check names what cannot be read and which keys do not open, and shows none of them", async (t) => {
    const folder = folderOf(t);
    const url = `sqlite:${join(folder, "m.sqlite")}`;
    await fill(url);
    const store = await openStore(url, { runsIn: "caller" });
    await store.documents("feeds", (value) => value, "full").set("f1", { kind: "none" });
    await store.documents("of-tomorrow", (value) => value, "full").set("x", {});
    const bindings = store.documents("bindings", (value) => value, "full");
    const document = JSON.stringify(await bindings.get("11"));
    await bindings.set(
      "11",
      JSON.parse(document.replaceAll(/"sealed":"v1\.[^"]{8}/g, '"sealed":"v1.AAAAAAAA')),
    );
    await store.close();
    const { code, said } = await run({ STORE_URL: url }, "check");
    assert.equal(code, 1);
    assert.match(said, /feeds\/f1 has a shape/);
    assert.match(said, /of-tomorrow: this Marshal knows no such/);
    assert.match(said, /key of bindings\/11 .* does not open/);
    assert.ok(!said.includes(KEY));
  });

  test("backup copies a database while a Marshal works on it, without its mark of a clean stop", async (t) => {
    const folder = folderOf(t);
    const path = join(folder, "m.sqlite");
    await fill(`sqlite:${path}`);
    const atWork = await openStore(`sqlite:${path}`, { runsIn: "caller" });
    t.after(() => atWork.close());
    await documentsOf(atWork, "audit-open").set("late", { guildId: "9" });
    const copy = join(folder, "copy.sqlite");
    const { code, said } = await run({ STORE_URL: `sqlite:${path}` }, "backup", copy);
    assert.equal(code, 0, said);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    const opened = await openStore(`sqlite:${copy}`, { runsIn: "caller" });
    t.after(() => opened.close());
    assert.deepEqual(await documentsOf(opened, "audit-open").get("late"), { guildId: "9" });
    assert.equal(await documentsOf(opened, "clean-stop").get("end"), undefined);
    assert.equal((await run({ STORE_URL: `sqlite:${path}` }, "backup", copy)).code, 1);
  });

  test("other words are answered with what there is", async () => {
    for (const args of [[], ["export"], ["check", "x"], ["drop", "x"]]) {
      const { code, said } = await run({ STORE_URL: "sqlite:none" }, ...args);
      assert.equal(code, 2);
      assert.match(said, /npm run store -- check/);
    }
    assert.equal((await spawned({ STORE_URL: "sqlite:none" }, "drop")).code, 2);
  });

  test(
    "moves a store from sqlite to Redis and back, and refuses a Redis where a lease is held",
    needsRedis(),
    async (t) => {
      const server = await startRedis();
      t.after(() => server.stop());
      const folder = folderOf(t);
      const from = `sqlite:${join(folder, "from.sqlite")}`;
      const back = `sqlite:${join(folder, "back.sqlite")}`;
      const [first, second] = [join(folder, "1"), join(folder, "2")];
      await fill(from);
      await run({ STORE_URL: from }, "export", first);
      const there = await run({ STORE_URL: server.url }, "import", first);
      assert.equal(there.code, 0, there.said);
      assert.equal(await keyIn(server.url, "11"), `${KEY}11`);
      assert.equal((await run({ STORE_URL: server.url }, "export", second)).code, 0);
      assert.equal((await run({ STORE_URL: back }, "import", second)).code, 0);
      assert.equal(await keyIn(back, "11"), `${KEY}11`);

      const client = createClient({ url: server.url });
      await client.connect();
      await client.set("marshal:lease:1:0", "token");
      const refused = await run({ STORE_URL: server.url }, "import", first, "--replace");
      await client.close();
      assert.deepEqual([refused.code, /Marshal is running on this store/.test(refused.said)], [1, true]);
    },
  );
});
