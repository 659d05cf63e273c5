import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { unlinkSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/store/open-store.ts";
import { tempFolder } from "../support/temp-folder.ts";

const SOURCE = fileURLToPath(new URL("./failing-disk.c", import.meta.url));
const WRITER = fileURLToPath(new URL("./asked-writer.ts", import.meta.url));
const { EROFS, EIO, ENOSPC } = constants.errno;

/** A process with a store, on a disk that can be made to fail; undefined where nothing can be preloaded here. */
function writerOn(t: TestContext) {
  const folder = tempFolder();
  t.after(() => folder.remove());
  const [library, failing] = [join(folder.path, "failing.so"), join(folder.path, "failing")];
  try {
    const how = ["-shared", "-fPIC", `-DSWITCH=${JSON.stringify(failing)}`, "-o", library, SOURCE, "-ldl"];
    execFileSync("cc", how, { stdio: "ignore" });
  } catch {
    return undefined;
  }
  const url = `sqlite:${join(folder.path, "m.sqlite")}`;
  const child = spawn(process.execPath, [WRITER, url], { env: { ...process.env, LD_PRELOAD: library } });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    url,
    async ask(line: string): Promise<string> {
      child.stdin.write(`${line}\n`);
      return String((await lines.next()).value);
    },
    fail: (error: number) => writeFileSync(failing, String(error)),
    mend: () => unlinkSync(failing),
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

for (const [what, error] of [
  ["becomes read-only", EROFS],
  ["is gone", EIO],
  ["is full", ENOSPC],
] as const) {
  test(`a disk that ${what} while the process runs refuses writes in words; later ones are kept, also over a kill`, async (t) => {
    const writer = writerOn(t);
    if (writer === undefined) return t.skip("no cc here");
    const { ask, fail, mend } = writer;
    assert.equal(await ask("write full before"), "nothing");
    fail(error);
    assert.match(await ask("write full meanwhile"), /^refused: .*disk/);
    assert.equal(await ask("read full before"), "1");
    mend();
    assert.equal(await ask("write normal after"), "nothing");
    assert.equal(await ask("write full after"), "nothing");
    await writer.kill();

    const store = await openStore(writer.url);
    t.after(() => store.close());
    const [full, normal] = [
      store.documents("full", Number, "full"),
      store.documents("normal", Number, "normal"),
    ];
    const found = [await full.get("before"), await full.get("after"), await normal.get("after")];
    assert.deepEqual(found, [1, 1, 1]);
    // It was refused, so nobody counts on it; that it came through all the same harms nobody.
    assert.ok([undefined, 1].includes(await full.get("meanwhile")));
  });
}
