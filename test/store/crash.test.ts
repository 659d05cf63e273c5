import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { StoreError } from "../../src/domain/failure.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type TempFolder, tempFolder } from "../support/temp-folder.ts";

const writer = fileURLToPath(new URL("crash-writer.ts", import.meta.url));
const parse = (value: unknown) => z.object({ n: z.number() }).parse(value);

interface Writer {
  readonly child: ChildProcess;
  /** The highest number that the store has acknowledged and we have read. */
  acknowledged(): number;
  reach(n: number): Promise<void>;
}

function startWriter(url: string): Writer {
  const child = spawn(process.execPath, [writer, url], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last = -1;
  return {
    child,
    acknowledged: () => last,
    async reach(n) {
      while (last < n) {
        const line = await lines.next();
        if (line.done) throw new Error("the writer ended by itself");
        last = Number(line.value);
      }
    },
  };
}

async function killed({ child }: Writer): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

describe("a process that is killed", () => {
  let folder: TempFolder;
  before(() => {
    folder = tempFolder();
  });
  after(() => folder.remove());

  test("loses nothing that the store acknowledged, and blocks nobody", async () => {
    const url = `sqlite:${join(folder.path, "crash.sqlite")}`;
    for (const upTo of [3, 40, 250]) {
      const running = startWriter(url);
      await running.reach(upTo);
      await assert.rejects(openStore(url, { waitMs: 0 }), (error: unknown) => {
        assert.ok(error instanceof StoreError);
        assert.match(error.message, /in use by another Marshal/);
        return true;
      });
      await killed(running);
      const store = await openStore(url, { waitMs: 0 });
      try {
        const full = store.documents("full", parse, "full");
        const normal = store.documents("normal", parse, "normal");
        for (let n = 0; n <= running.acknowledged(); n++) {
          assert.equal((await full.get(`n${n}`))?.n, n);
          assert.equal((await normal.get(`n${n}`))?.n, n);
        }
        const last = (await full.get("last"))?.n ?? -1;
        assert.ok(last >= running.acknowledged(), `${last} < ${running.acknowledged()}`);
      } finally {
        await store.close();
      }
    }
  });
});

describe("a store file", () => {
  let folder: TempFolder;
  before(() => {
    folder = tempFolder();
  });
  after(() => folder.remove());

  test("is one process's at a time, and the next one's after a close", async () => {
    const url = `sqlite:${join(folder.path, "held.sqlite")}`;
    const first = await openStore(url);
    await assert.rejects(openStore(url, { waitMs: 0 }), /in use by another Marshal/);
    await first.close();
    await first.close();
    const second = await openStore(url, { waitMs: 0 });
    await second.checkWritable();
    await second.close();
    await assert.rejects(second.checkWritable());
  });

  test("and its side files are readable by their owner only", {
    skip: process.platform === "win32",
  }, async () => {
    const path = join(folder.path, "private", "rights.sqlite");
    const store = await openStore(`sqlite:${path}`);
    await store.documents("x", parse, "full").set("a", { n: 1 });
    for (const file of [path, `${path}-wal`, `${path}-shm`])
      assert.equal(statSync(file).mode & 0o077, 0, file);
    assert.equal(statSync(join(folder.path, "private")).mode & 0o077, 0);
    await store.close();
    assert.ok(!existsSync(`${path}-wal`), "a close puts everything into the one file");
  });

  test("of a newer version is refused and left as it is", async () => {
    const path = join(folder.path, "newer.sqlite");
    const newer = new DatabaseSync(path);
    newer.exec("PRAGMA user_version = 99");
    newer.close();
    await assert.rejects(openStore(`sqlite:${path}`, { waitMs: 0 }), /newer Marshal/);
    const after = new DatabaseSync(path);
    assert.equal(after.prepare("PRAGMA user_version").get()?.user_version, 99);
    after.close();
  });

  test("that is no database rejects, and lets go of its lock", async () => {
    const path = join(folder.path, "text.sqlite");
    writeFileSync(path, "this is not a database, but a longer text about one".repeat(50));
    const url = `sqlite:${path}`;
    await assert.rejects(openStore(url, { waitMs: 0 }), /is not a readable database\. Restore a backup/);
    await assert.rejects(openStore(url, { waitMs: 0 }), /is not a readable database\. Restore a backup/);
  });

  test("an address of no known kind is refused", async () => {
    await assert.rejects(openStore("mysql://localhost"), StoreError);
    await assert.rejects(openStore("sqlite:"), StoreError);
  });
});
