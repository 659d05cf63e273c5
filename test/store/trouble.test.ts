import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, type TestContext, test } from "node:test";
import { StoreError } from "../../src/domain/failure.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { FileOutcome } from "../../src/store/sqlite/requests.ts";
import { openServedFile } from "../../src/store/sqlite/served-file.ts";
import { explainStoreError } from "../../src/store/sqlite/sqlite-errors.ts";
import { settle } from "../support/clock.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import { tempFolder } from "../support/temp-folder.ts";

function folderOf(t: TestContext): string {
  const folder = tempFolder();
  t.after(() => folder.remove());
  return folder.path;
}

const saying = (path: string, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreError, String(error));
  assert.ok(error.message.includes(path), error.message);
  assert.match(error.message, words);
  assert.ok(!error.message.includes("\n"));
  return true;
};

describe("a store that cannot be opened says why, and what to do", () => {
  test("a database that is damaged", async (t) => {
    const path = join(folderOf(t), "m.sqlite");
    writeFileSync(path, "SQLite format 3\0 and then nothing that belongs there".repeat(100));
    await assert.rejects(openStore(`sqlite:${path}`, { waitMs: 0 }), saying(path, /backup.*start over/));
  });

  test("a folder in the place of the file", async (t) => {
    const path = join(folderOf(t), "m.sqlite");
    mkdirSync(path);
    await assert.rejects(openStore(`sqlite:${path}`, { waitMs: 0 }), saying(path, /is a folder\. STORE_URL/));
  });

  test("a file in the place of the folder", async (t) => {
    const path = join(folderOf(t), "data");
    writeFileSync(path, "");
    const file = join(path, "m.sqlite");
    await assert.rejects(openStore(`sqlite:${file}`, { waitMs: 0 }), saying(file, /another STORE_URL/));
  });

  test("a link in the place of the file: it takes nothing from the Marshal that works on that file", async (t) => {
    const folder = folderOf(t);
    const [path, link, left] = ["m.sqlite", "link.sqlite", "left.sqlite"].map((name) => join(folder, name));
    const store = await openStore(`sqlite:${path}`, { waitMs: 0 });
    t.after(() => store.close());
    const documents = store.documents("feeds", (value) => value, "full");
    await documents.set("key", "before");
    symlinkSync(path ?? "", link ?? "");
    await assert.rejects(
      openStore(`sqlite:${link}`, { waitMs: 0 }),
      saying(link ?? "", /is a link.*STORE_URL/),
    );
    await documents.set("key", "kept");
    // What a kill would leave.
    for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, `${left}${end}`);
    const next = await openStore(`sqlite:${left}`, { waitMs: 0 });
    t.after(() => next.close());
    assert.equal(await next.documents("feeds", (value) => value, "full").get("key"), "kept");
  });

  test("a disk that is full, which is not another Marshal", async (t) => {
    const disk = smallDisk(t, 256);
    if (disk === undefined) return t.skip("no disk can be mounted here");
    fillDisk(disk);
    const path = join(disk, "m.sqlite");
    await assert.rejects(
      openStore(`sqlite:${path}`, { waitMs: 0 }),
      saying(path, /the disk is full\. Free some/),
    );
  });

  test("a disk that can only be read: no store is made there, and one that is there is not opened", async (t) => {
    const disk = smallDisk(t, 4_096);
    if (disk === undefined) return t.skip("no disk can be mounted here");
    const path = join(disk, "m.sqlite");
    const store = await openStore(`sqlite:${path}`, { waitMs: 0 });
    await store.documents("halts", (value) => value, "full").set("key", "kept");
    await store.close();
    execFileSync("mount", ["-o", "remount,ro", disk]);
    await assert.rejects(
      openStore(`sqlite:${path}`, { waitMs: 0 }),
      saying(path, /may not be written|read-only|cannot be written/),
    );
    const other = join(disk, "other.sqlite");
    await assert.rejects(
      openStore(`sqlite:${other}`, { waitMs: 0 }),
      saying(other, /its folder cannot be written/),
    );
    execFileSync("mount", ["-o", "remount,rw", disk]);
    const again = await openStore(`sqlite:${path}`, { waitMs: 0 });
    assert.equal(await again.documents("halts", (value) => value, "full").get("key"), "kept");
    await again.close();
  });

  test("each error of the system has one line; a defect keeps its stack", () => {
    const system = (code: string) => Object.assign(new Error(code), { code });
    const sqlite = (errcode: number) => Object.assign(new Error("x"), { code: "ERR_SQLITE_ERROR", errcode });
    const table: readonly (readonly [Error, RegExp])[] = [
      [system("EACCES"), /write access/],
      [system("EROFS"), /write access/],
      [system("ENOSPC"), /full/],
      [sqlite(8), /write access/],
      [sqlite(1_032), /write access/],
      [sqlite(10), /disk reports an error/],
      [sqlite(13), /full/],
      // What a full disk of a few megabytes answered 18 times of 40, on this sqlite.
      [sqlite(4_874), /full/],
      [sqlite(5), /another program/],
    ];
    for (const [error, words] of table) saying("a.sqlite", words)(explainStoreError(error, "a.sqlite"));
    const defect = new TypeError("x");
    assert.equal(explainStoreError(defect, "a.sqlite"), defect);
  });
});

describe("whether the store can be written", () => {
  test("a disk that fills up is told by the probe, though everything can be read; room made ends it", async (t) => {
    const disk = smallDisk(t, 256);
    if (disk === undefined) return t.skip("no disk can be mounted here");
    const path = join(disk, "m.sqlite");
    const store = await openStore(`sqlite:${path}`);
    t.after(() => store.close());
    const documents = store.documents("x", (value) => value, "normal");
    await documents.set("a", 1);
    await store.checkWritable();
    fillDisk(disk);
    await assert.rejects(store.checkWritable(), saying(path, /the disk is full/));
    assert.equal(await documents.get("a"), 1);
    for (const name of readdirSync(disk)) if (name.startsWith("fill")) unlinkSync(join(disk, name));
    await store.checkWritable();
  });

  test("a file that was deleted or replaced takes writes and loses them: told", async (t) => {
    const path = join(folderOf(t), "m.sqlite");
    const store = await openStore(`sqlite:${path}`);
    t.after(() => store.close());
    await store.checkWritable();
    unlinkSync(path);
    await assert.rejects(store.checkWritable(), saying(path, /deleted or replaced/));
    writeFileSync(path, "");
    await assert.rejects(store.checkWritable(), saying(path, /deleted or replaced/));
  });
});

describe("a lock of another program on the file", () => {
  test("is waited for without holding up the process, and writes keep their order", async (t) => {
    const path = join(folderOf(t), "m.sqlite");
    const store = await openStore(`sqlite:${path}`);
    t.after(() => store.close());
    const full = store.documents("x", (value) => value, "full");
    const normal = store.documents("y", (value) => value, "normal");
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let written = 0;
    const writes = [full.set("a", 1), full.set("a", 2), normal.set("b", 3)].map((write) =>
      write.then(() => void written++),
    );
    // The process goes on: were it held up, the other program's lock would never end here.
    await settle();
    assert.equal(written, 0);
    other.exec("COMMIT");
    other.close();
    await Promise.all(writes);
    assert.equal(await full.get("a"), 2);
  });

  test("that never ends rejects what waits, each after its own time", async (t) => {
    const path = join(folderOf(t), "m.sqlite");
    let sleptMs = 0;
    const sleep = async (ms: number) => {
      sleptMs += ms;
      await settle();
    };
    const file = await openServedFile({
      path,
      lockWaitMs: 0,
      sleep,
      soon: queueMicrotask,
      sync: async () => {},
    });
    t.after(() => file.close());
    const holder = new DatabaseSync(path);
    holder.exec("BEGIN IMMEDIATE");
    const write = (key: string) =>
      new Promise<number>((resolve, reject) => {
        const changes = [{ namespace: "x", key, text: "1" }];
        const done = ({ kind }: FileOutcome) =>
          kind === "refused" ? resolve(sleptMs) : reject(new Error(kind));
        file.take({ kind: "write", changes, durability: "normal", turn: "in-turn" }, done);
      });
    const first = write("a");
    while (sleptMs < 2_000) await settle();
    const laterBy = sleptMs;
    const second = write("b");
    const [firstMs, secondMs] = [await first, await second];
    assert.ok(firstMs >= 5_000 && firstMs < 5_200, `${firstMs} ms`);
    assert.ok(secondMs >= laterBy + 4_900 && secondMs < laterBy + 5_200, `${secondMs} ms`);
    holder.exec("ROLLBACK");
    holder.close();
  });
});
