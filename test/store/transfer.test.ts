import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createClient } from "@redis/client";
import { systemClock } from "../../src/clock.ts";
import { openRedisLeases } from "../../src/cluster/redis-leases.ts";
import { wholeBlock } from "../../src/cluster/shard-block.ts";
import { documentsOf } from "../../src/document-table.ts";
import { createLog } from "../../src/log.ts";
import { readCopyMark } from "../../src/store/clean-stop.ts";
import { openStore } from "../../src/store/open-store.ts";
import { needsRedis, startRedis } from "../support/redis-server.ts";
import {
  base64,
  fillStore,
  folderOf,
  KEY,
  keyIn,
  runStore,
  SECRET,
  secretOf,
  spawnStore,
} from "../support/store-tool.ts";

/** Whether a bot that starts on this file takes it for a copy. */
async function isCopyAt(url: string): Promise<boolean> {
  const store = await openStore(url, { runsIn: "caller" });
  const { isCopy } = await readCopyMark(documentsOf(store, "clean-stop"), systemClock);
  await store.close();
  return isCopy;
}

/** Whether a process that claims a block of this Redis has its store in doubt. */
async function isInDoubtAt(url: string): Promise<boolean> {
  const log = createLog({ level: "error", write: () => undefined });
  const leases = await openRedisLeases(url, log);
  const client = createClient({ url });
  await client.connect();
  await leases.claim(wholeBlock(1), "first");
  // The length of a lease has passed.
  await client.hSet("marshal:generation", "sinceMs", "0");
  const claim = await leases.claim(wholeBlock(1), "first");
  await client.del("marshal:lease:1:0");
  await client.close();
  await leases.close();
  assert.equal(claim.kind, "claimed");
  return claim.kind === "claimed" && claim.isStoreInDoubt && claim.isOlderCopy;
}

describe("npm run store: copies that are proven", () => {
  test("moves a store into a file and on into another database, and proves both", async (t) => {
    const folder = folderOf(t);
    const from = `sqlite:${join(folder, "from.sqlite")}`;
    const to = `sqlite:${join(folder, "to.sqlite")}`;
    const file = join(folder, "store.jsonl");
    await fillStore(from);
    const exported = await spawnStore({ STORE_URL: from }, "export", file);
    assert.deepEqual(
      [exported.code, /103 documents of .* equal/.test(exported.said)],
      [0, true],
      exported.said,
    );
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const text = readFileSync(file, "utf8");
    assert.ok(!text.includes(KEY) && !text.includes(SECRET));
    assert.ok(!text.includes("clean-stop"), "what is posted after the copy is not in it");

    const imported = await runStore({ STORE_URL: to }, "import", file);
    assert.equal(imported.code, 0, imported.said);
    assert.equal(await keyIn(to), `${KEY}10`);
    assert.ok(await isCopyAt(to), "what was sent since the export may be missing");
    const checked = await runStore({ STORE_URL: to }, "check");
    assert.match(checked.said, /audit-events +100\n.*everything can be read; 2 server keys open/s);
    // The mark of the stop, and that of a copy, are no documents that anybody has stored.
    const kinds = checked.said.match(/^\S+ +\d+$/gm)?.length;
    assert.deepEqual(
      [exported, imported, checked].map(({ said }) => / of (\d+) kinds/.exec(said)?.[1] ?? kinds),
      ["3", "3", 3],
    );
    assert.equal((await runStore({ STORE_URL: from }, "check")).said.match(/^\S+ +\d+$/gm)?.length, kinds);
    assert.equal((await spawnStore({ STORE_URL: from }, "export", file)).code, 1, "no file is written over");
  });

  test("takes the rows of tables along", async (t) => {
    const folder = folderOf(t);
    const from = `sqlite:${join(folder, "from.sqlite")}`;
    const to = `sqlite:${join(folder, "to.sqlite")}`;
    const file = join(folder, "store.jsonl");
    await fillStore(from);
    // Players type every character, and some of them end a line for whoever reads lines.
    const text = "a\u2028b\u2029c\u0085d\re";
    const rows = [1, 2, 3].map((seq) => ({
      table: "kept",
      list: "a list",
      seq,
      from: seq,
      row: { seq, text },
    }));
    const filled = await openStore(from, { runsIn: "caller" });
    await filled.write(rows);
    await filled.close();
    assert.equal((await runStore({ STORE_URL: from }, "export", file)).code, 0);
    assert.equal((await runStore({ STORE_URL: to }, "import", file)).code, 0);
    const store = await openStore(to, { runsIn: "caller" });
    const found: unknown[] = [];
    for await (const row of store.rows("kept", (value) => value).entries()) found.push(row);
    await store.close();
    assert.deepEqual(
      found,
      rows.map(({ list, seq, row }) => [list, seq, row]),
    );
  });

  test("writes over a store that holds something only when it is told to, and then all of it", async (t) => {
    const folder = folderOf(t);
    const from = `sqlite:${join(folder, "from.sqlite")}`;
    const to = `sqlite:${join(folder, "to.sqlite")}`;
    const file = join(folder, "store.jsonl");
    await fillStore(from);
    await runStore({ STORE_URL: from }, "export", file);
    const store = await openStore(to, { runsIn: "caller" });
    await documentsOf(store, "audit-open").set("of-before", { guildId: "9" });
    await store.close();

    const refused = await runStore({ STORE_URL: to }, "import", file);
    assert.deepEqual([refused.code, /not empty\. Use --replace/.test(refused.said)], [1, true]);
    assert.equal((await runStore({ STORE_URL: to }, "import", file, "--replace")).code, 0);
    const after = await openStore(to, { runsIn: "caller" });
    t.after(() => after.close());
    assert.equal(await documentsOf(after, "audit-open").get("of-before"), undefined);
  });

  test("refuses a file of another secret, a file that was cut or changed, and a store at work", async (t) => {
    const folder = folderOf(t);
    const from = `sqlite:${join(folder, "from.sqlite")}`;
    const file = join(folder, "store.jsonl");
    await fillStore(from);
    await runStore({ STORE_URL: from }, "export", file);
    const to = { STORE_URL: `sqlite:${join(folder, "to.sqlite")}` };

    const other = await runStore({ ...to, SECRET_KEY: base64(secretOf(2)) }, "import", file);
    assert.deepEqual(
      [other.code, /sealed with another secret.* put its secret\.key beside/.test(other.said)],
      [1, true],
    );
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    for (const bad of [
      lines.slice(0, -1),
      lines.toSpliced(5, 1),
      lines.with(5, lines[6] ?? ""),
      ["{}"],
      [],
    ]) {
      writeFileSync(join(folder, "bad"), bad.map((line) => `${line}\n`).join(""));
      const { code, said } = await runStore(to, "import", join(folder, "bad"));
      assert.deepEqual([code, /is incomplete|was not written by/.test(said)], [1, true], said);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith("to.")),
      [],
      "no store was made",
    );

    const atWork = await openStore(from, { runsIn: "caller" });
    const busy = await runStore({ STORE_URL: from }, "export", join(folder, "busy"));
    await atWork.close();
    assert.deepEqual([busy.code, /in use by another Marshal/.test(busy.said)], [1, true]);
    const wrong = await runStore(
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
    await fillStore(url);
    const store = await openStore(url, { runsIn: "caller" });
    await documentsOf(store, "stored-form").set("importing", { form: 2 });
    await store.close();
    const refused = await runStore({ STORE_URL: url }, "export", join(folder, "x"));
    assert.match(refused.said, /an import into this store did not finish/);
  });

  test("check names what cannot be read and which keys do not open, and shows none of them", async (t) => {
    const folder = folderOf(t);
    const url = `sqlite:${join(folder, "m.sqlite")}`;
    await fillStore(url);
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
    const { code, said } = await runStore({ STORE_URL: url }, "check");
    assert.equal(code, 1);
    assert.match(said, /feeds\/f1 has a shape/);
    assert.match(said, /of-tomorrow: this Marshal knows no such/);
    assert.match(said, /key of bindings\/11 .* does not open/);
    assert.ok(!said.includes(KEY));
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
      await fillStore(from);
      await runStore({ STORE_URL: from }, "export", first);
      assert.equal(await isInDoubtAt(server.url), false);
      const there = await runStore({ STORE_URL: server.url }, "import", first);
      assert.equal(there.code, 0, there.said);
      assert.equal(await keyIn(server.url, "11"), `${KEY}11`);
      assert.ok(await isInDoubtAt(server.url), "what was sent since the export may be missing");
      assert.equal((await runStore({ STORE_URL: server.url }, "export", second)).code, 0);
      assert.equal((await runStore({ STORE_URL: back }, "import", second)).code, 0);
      assert.equal(await keyIn(back, "11"), `${KEY}11`);

      const client = createClient({ url: server.url });
      await client.connect();
      await client.set("marshal:lease:1:0", "token");
      const refused = await runStore({ STORE_URL: server.url }, "import", first, "--replace");
      await client.close();
      assert.deepEqual([refused.code, /Marshal is running on this store/.test(refused.said)], [1, true]);
    },
  );
});
