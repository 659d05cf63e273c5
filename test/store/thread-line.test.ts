import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, type TestContext, test } from "node:test";
import { StoreError } from "../../src/domain/failure.ts";
import { storeOn } from "../../src/store/sqlite/open-sqlite.ts";
import { openThreadLine, type ThreadLineOptions } from "../../src/store/sqlite/thread-line.ts";
import { settle } from "../support/clock.ts";
import { tempFolder } from "../support/temp-folder.ts";

async function openStoreOn(t: TestContext, options: Partial<ThreadLineOptions> = {}) {
  const folder = tempFolder();
  const path = join(folder.path, "m.sqlite");
  const open = async (more: Partial<ThreadLineOptions> = options) =>
    storeOn(await openThreadLine({ path, lockWaitMs: 0, ...more }), path, Date.now);
  const store = await open();
  t.after(async () => {
    await store.close();
    folder.remove();
  });
  return { path, store, open };
}

const any = (value: unknown) => value;

describe("the thread of a store", () => {
  test("does at a close all that was asked for, and takes nothing more", async (t) => {
    const { store, open } = await openStoreOn(t);
    const documents = store.documents("x", any, "normal");
    const full = store.documents("y", any, "full");
    const writes = Array.from({ length: 2_000 }, (_, n) => documents.set(`${n}`, n));
    writes.push(full.set("last", 1));
    // keyv serialises before it asks.
    await settle();
    const closed = store.close();
    await assert.rejects(documents.set("late", 1), /closed/);
    await Promise.all(writes);
    await closed;
    const again = await open({});
    t.after(() => again.close());
    const found = new Set<string>();
    for await (const [key] of again.documents("x", any, "normal").entries()) found.add(key);
    assert.equal(found.size, 2_000);
    assert.equal(await again.documents("y", any, "full").get("last"), 1);
    let isLost = false;
    void store.lost.then(() => {
      isLost = true;
    });
    await Promise.resolve();
    assert.equal(isLost, false, "a close is no loss");
  });

  test("refuses at once what is too much to wait, but no halt; what waits is done in the end", async (t) => {
    const { path, store } = await openStoreOn(t, { mostWaiting: 10 });
    const documents = store.documents("x", any, "normal");
    const halts = store.documents("halts", any, "normal", { turn: "ahead" });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const waiting = Array.from({ length: 10 }, (_, n) => documents.set(`${n}`, n));
    await assert.rejects(documents.set("too much", 1), (error) => {
      assert.ok(error instanceof StoreError);
      assert.match(error.message, /the disk is too slow/);
      return true;
    });
    await assert.rejects(store.checkWritable(), /the disk is too slow/);
    const halt = halts.set("halt", 1);
    other.exec("COMMIT");
    other.close();
    await Promise.all([...waiting, halt]);
    assert.equal(await documents.get("too much"), undefined);
    assert.deepEqual([await documents.get("9"), await halts.get("halt")], [9, 1]);
  });

  test("that dies rejects what waits and all that follows, and says that nothing can go on", async (t) => {
    const { store } = await openStoreOn(t, { program: new URL("dying-thread.ts", import.meta.url) });
    const documents = store.documents("x", any, "full");
    const died = (error: unknown) => error instanceof StoreError && /out of order/.test(error.message);
    await assert.rejects(documents.set("a", 1), died);
    assert.match(await store.lost, /the store can no longer be used: .*out of order/);
    await assert.rejects(documents.get("a"), died);
    await assert.rejects(store.checkWritable(), died);
  });

  test("passes on whose fault it is: a mistake of ours stays one, and the disk's has words", async (t) => {
    const { path, store } = await openStoreOn(t);
    const documents = store.documents("x", any, "normal");
    await assert.rejects(documents.set("", 1), TypeError);
    const other = new DatabaseSync(path);
    other.exec("DROP TABLE documents");
    other.close();
    await assert.rejects(documents.get("a"), /the store refused x: no such table: documents/);
  });
});
