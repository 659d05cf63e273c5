import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

test("each file that was named runs, and one that is not there is refused", async () => {
  const run = (...files: readonly string[]) =>
    promisify(execFile)(process.execPath, [
      fileURLToPath(new URL("./run-tests.ts", import.meta.url)),
      "--times",
      ...files,
    ]);
  const files = ["escaped", "each-at-once", "server-names"].map((name) => `test/domain/${name}.test.ts`);
  const { stdout } = await run(...files);
  assert.match(stdout, /\n[1-9]\d* passed, 0 failed, 0 skipped\n$/);
  for (const file of files) assert.ok(stdout.includes(`  ${file}\n`), file);
  await assert.rejects(run(files[0] ?? "", "test/domain/no-such.test.ts"), /no test file is called/);
});
