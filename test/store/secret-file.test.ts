import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadSecret } from "../../src/store/secret-file.ts";
import { tempFolder } from "../support/temp-folder.ts";

const secret = (fill: number) => new Uint8Array(32).fill(fill);
const no = async () => false;

test("SECRET_KEY wins over the file, and then no file is made", async (t) => {
  const folder = tempFolder();
  t.after(() => folder.remove());
  const storeUrl = `sqlite:${join(folder.path, "m.sqlite")}`;
  assert.deepEqual(await loadSecret({ storeUrl, given: secret(7), hasSealed: no }), secret(7));
  assert.throws(() => statSync(join(folder.path, "secret.key")), { code: "ENOENT" });
});

test("without SECRET_KEY one is made once, beside the file, for its owner only", async (t) => {
  const folder = tempFolder();
  t.after(() => folder.remove());
  const storeUrl = `sqlite:${join(folder.path, "data", "m.sqlite")}`;
  const found: string[] = [];
  const onFound = (at: string) => void found.push(at);
  const made = await loadSecret({ storeUrl, hasSealed: no, onFound });
  assert.deepEqual(found, []);
  const path = join(folder.path, "data", "secret.key");
  assert.equal(made.length, 32);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder.path, "data")).mode & 0o077, 0);
  const text = readFileSync(path, "utf8");
  assert.deepEqual(await loadSecret({ storeUrl, hasSealed: async () => true, onFound }), made);
  assert.deepEqual(found, [path]);
  assert.deepEqual(readdirSync(join(folder.path, "data")), ["secret.key"]);
  assert.equal(readFileSync(path, "utf8"), text);
});

test("a secret file that holds something else is refused with its path and what to do, not overwritten", async (t) => {
  const folder = tempFolder();
  t.after(() => folder.remove());
  const path = join(folder.path, "secret.key");
  writeFileSync(path, "c2hvcnQ=\n");
  await assert.rejects(
    loadSecret({ storeUrl: `sqlite:${join(folder.path, "m.sqlite")}`, hasSealed: no }),
    (error: unknown) =>
      error instanceof Error && error.message.includes(path) && /link every server/.test(error.message),
  );
  assert.equal(readFileSync(path, "utf8"), "c2hvcnQ=\n");
});

test("a secret that is missing beside keys that it sealed is refused, and no new one is made", async (t) => {
  const folder = tempFolder();
  t.after(() => folder.remove());
  const path = join(folder.path, "secret.key");
  const storeUrl = `sqlite:${join(folder.path, "m.sqlite")}`;
  await assert.rejects(
    loadSecret({ storeUrl, hasSealed: async () => true }),
    (error: unknown) =>
      error instanceof Error && error.message.includes(path) && /SECRET_KEY/.test(error.message),
  );
  assert.deepEqual(readdirSync(folder.path), []);
});
