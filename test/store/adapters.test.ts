import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { Keyv } from "keyv";
import { StoreError } from "../../src/domain/failure.ts";
import { KeyvDocuments, type Store } from "../../src/store/keyv-documents.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createTable, SqliteAdapter } from "../../src/store/sqlite/sqlite-adapter.ts";
import { type TempFolder, tempFolder } from "../support/temp-folder.ts";
import { collect, documentsContract } from "./contract.ts";

test("what the database refuses is a StoreError with its cause, what is our own mistake is not", async () => {
  const database = new DatabaseSync(":memory:");
  createTable(database);
  const adapter = new SqliteAdapter({ database, namespace: "feeds", nowMs: Date.now });
  const documents = new KeyvDocuments(adapter, "feeds", String);
  database.exec("DROP TABLE documents");
  for (const call of [documents.get("a"), documents.set("a", "b"), documents.delete("a")])
    await assert.rejects(
      call,
      (error) =>
        error instanceof StoreError &&
        error.cause instanceof Error &&
        /feeds: no such table/.test(error.message),
    );
  await assert.rejects(documents.get(""), TypeError);
  database.close();
});

for (const durability of ["full", "normal"] as const) {
  describe(`the store on sqlite, ${durability}`, () => {
    let folder: TempFolder;
    let store: Store;
    before(async () => {
      folder = tempFolder();
      store = await openStore(`sqlite:${join(folder.path, "deep", "store.sqlite")}`);
    });
    after(async () => {
      await store.close();
      folder.remove();
    });
    documentsContract(() => ({
      documents: (namespace, parse) => store.documents(namespace, parse, durability),
    }));
  });
}

describe("the store on keyv's own memory", () => {
  const maps = new Map<string, Map<string, unknown>>();
  const mapOf = (namespace: string) => {
    const map = maps.get(namespace) ?? new Map<string, unknown>();
    maps.set(namespace, map);
    return map;
  };
  documentsContract(() => ({
    documents: (namespace, parse) => new KeyvDocuments(mapOf(namespace), namespace, parse),
  }));
});

describe("the sqlite adapter as keyv knows adapters", () => {
  function rig() {
    const database = new DatabaseSync(":memory:");
    createTable(database);
    let nowMs = 1_000;
    const adapter = new SqliteAdapter({ database, namespace: "one", nowMs: () => nowMs });
    const other = new SqliteAdapter({ database, namespace: "two", nowMs: () => nowMs });
    const at = (ms: number) => {
      nowMs = ms;
    };
    return { adapter, other, database, at };
  }

  test("keyv takes it as a full adapter that knows absolute expiries", () => {
    const { adapter } = rig();
    assert.equal(adapter.capabilities.expires, true);
    assert.equal(adapter.capabilities.compatible, true);
    assert.equal(adapter.capabilities.store, "keyvStorage");
    assert.equal(new Keyv(adapter).store, adapter);
  });

  test("many at once: setMany, getMany, hasMany, deleteMany keep the order asked for", async () => {
    const { adapter } = rig();
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

  test("setMany writes all or none", async () => {
    const { adapter } = rig();
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

  test("what has expired is gone for every way of reading", async () => {
    const { adapter, at } = rig();
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

  test("clear empties its own namespace only, and disconnect leaves the connection to its owner", async () => {
    const { adapter, other, database } = rig();
    await adapter.set("k", "1");
    await other.set("k", "2");
    await adapter.clear();
    await adapter.disconnect();
    assert.equal(await adapter.get("k"), undefined);
    assert.equal(await other.get("k"), "2");
    database.close();
    await assert.rejects(other.get("k"));
  });
});
