import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, type TestContext, test } from "node:test";
import { Keyv } from "keyv";
import { StoreError } from "../../src/domain/failure.ts";
import type { Change, RowsChange } from "../../src/domain/ports/documents.ts";
import { documentsOn, type Store } from "../../src/store/keyv-documents.ts";
import { openStore } from "../../src/store/open-store.ts";
import { openCallerLine } from "../../src/store/sqlite/caller-line.ts";
import { storeOn } from "../../src/store/sqlite/open-sqlite.ts";
import type { StoreLine } from "../../src/store/sqlite/requests.ts";
import { SqliteAdapter } from "../../src/store/sqlite/sqlite-adapter.ts";
import { type TempFolder, tempFolder } from "../support/temp-folder.ts";
import { collect, documentsContract, rowsContract, togetherContract } from "./contract.ts";

/** A store file of its own, worked on here, and a line to it. */
async function fileFor(t: TestContext): Promise<{ readonly path: string; readonly line: StoreLine }> {
  const folder = tempFolder();
  const path = join(folder.path, "store.sqlite");
  const line = await openCallerLine({ path, lockWaitMs: 0 });
  t.after(async () => {
    await line.close();
    folder.remove();
  });
  return { path, line };
}

test("what the database refuses is a StoreError with its cause, what is our own mistake is not", async (t) => {
  const { path, line } = await fileFor(t);
  const store = storeOn(line, path, Date.now);
  const documents = store.documents("feeds", String, "normal");
  const other = new DatabaseSync(path);
  other.exec("DROP TABLE documents");
  other.close();
  const written = store.write([{ namespace: "feeds", key: "a", value: "b" }]);
  await assert.rejects(written, /several documents: no such table/);
  for (const call of [documents.get("a"), documents.set("a", "b"), documents.delete("a")])
    await assert.rejects(
      call,
      (error) =>
        error instanceof StoreError &&
        error.cause instanceof Error &&
        /feeds: no such table/.test(error.message),
    );
  await assert.rejects(documents.get(""), TypeError);
});

for (const [durability, runsIn] of [
  ["full", "thread"],
  ["normal", "thread"],
  ["full", "caller"],
] as const) {
  describe(`the store on sqlite, ${durability}, in the ${runsIn}`, () => {
    let folder: TempFolder;
    let store: Store;
    before(async () => {
      folder = tempFolder();
      store = await openStore(`sqlite:${join(folder.path, "deep", "store.sqlite")}`, { runsIn });
    });
    after(async () => {
      await store.close();
      folder.remove();
    });
    const subject = () => ({
      documents: <T>(namespace: string, parse: (value: unknown) => T) =>
        store.documents(namespace, parse, durability),
      write: (changes: readonly (Change | RowsChange)[]) => store.write(changes),
      rows: <T>(table: string, parse: (value: unknown) => T) => store.rows(table, parse),
    });
    documentsContract(subject);
    togetherContract(subject);
    rowsContract(subject);
  });
}

describe("the store on keyv's own memory", () => {
  const maps = new Map<string, Map<string, unknown>>();
  const mapOf = (namespace: string) => {
    const map = maps.get(namespace) ?? new Map<string, unknown>();
    maps.set(namespace, map);
    return map;
  };
  const writeTexts = () => Promise.reject(new Error("a map has no batch"));
  const { documents } = documentsOn({ adapterOf: mapOf, writeTexts });
  documentsContract(() => ({ documents: (namespace, parse) => documents(namespace, parse, "normal") }));
});

describe("the sqlite adapter as keyv knows adapters", () => {
  async function rig(t: TestContext) {
    const { line } = await fileFor(t);
    let now = 1_000;
    const on = { line, durability: "normal", nowMs: () => now } as const;
    const adapter = new SqliteAdapter({ ...on, namespace: "one" });
    const other = new SqliteAdapter({ ...on, namespace: "two" });
    const at = (ms: number) => {
      now = ms;
    };
    return { adapter, other, line, at };
  }

  test("keyv takes it as a full adapter that knows absolute expiries", async (t) => {
    const { adapter } = await rig(t);
    assert.equal(adapter.capabilities.expires, true);
    assert.equal(adapter.capabilities.compatible, true);
    assert.equal(adapter.capabilities.store, "keyvStorage");
    assert.equal(new Keyv(adapter).store, adapter);
  });

  test("many at once: setMany, getMany, hasMany, deleteMany keep the order asked for", async (t) => {
    const { adapter } = await rig(t);
    assert.deepEqual(
      await adapter.setMany([
        { key: "a", value: "1" },
        { key: "b", value: "2" },
      ]),
      [true, true],
    );
    assert.deepEqual(await adapter.getMany(["b", "x", "a"]), ["2", undefined, "1"]);
    assert.deepEqual(await adapter.hasMany(["b", "x", "a"]), [true, false, true]);
    assert.deepEqual(await adapter.deleteMany(["x", "a"]), [false, true]);
    assert.equal(await adapter.has("a"), false);
    assert.equal(await adapter.has("b"), true);
  });

  test("setMany writes all or none", async (t) => {
    const { adapter } = await rig(t);
    await assert.rejects(
      adapter.setMany([
        { key: "a", value: "1" },
        { key: "b", value: 2 },
      ]),
      TypeError,
    );
    assert.equal(await adapter.get("a"), undefined);
    await adapter.set("c", "3");
    assert.equal(await adapter.get("c"), "3");
  });

  test("what has expired is gone for every way of reading", async (t) => {
    const { adapter, at } = await rig(t);
    await adapter.set("short", "1", 2_000);
    await adapter.set("long", "2");
    at(1_999);
    assert.equal(await adapter.get("short"), "1");
    at(2_000);
    assert.equal(await adapter.get("short"), undefined);
    assert.equal(await adapter.has("short"), false);
    assert.deepEqual(await adapter.getMany(["short", "long"]), [undefined, "2"]);
    assert.deepEqual(await collect(adapter.iterator()), [["long", "2"]]);
  });

  test("clear empties its own namespace only, and disconnect leaves the connection to its owner", async (t) => {
    const { adapter, other, line } = await rig(t);
    await adapter.set("k", "1");
    await other.set("k", "2");
    await adapter.clear();
    await adapter.disconnect();
    assert.equal(await adapter.get("k"), undefined);
    assert.equal(await other.get("k"), "2");
    await line.close();
    await assert.rejects(other.get("k"));
  });
});
