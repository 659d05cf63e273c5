import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { readConfig } from "../../src/config.ts";
import { documentsOf } from "../../src/document-table.ts";
import { openDocuments } from "../../src/open-documents.ts";
import { DOCUMENT_FORM } from "../../src/store/document-forms.ts";
import { openStore } from "../../src/store/open-store.ts";
import { loadSecret } from "../../src/store/secret-file.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { base64, fillStore } from "../support/store-tool.ts";
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

test("a folder in the place of the secret, or of the file that becomes it, is named, and no word is of the store", async (t) => {
  for (const name of ["secret.key", "secret.key.new"]) {
    const folder = tempFolder();
    t.after(() => folder.remove());
    const path = join(folder.path, name);
    mkdirSync(path);
    await assert.rejects(loadSecret({ storeUrl: `sqlite:${join(folder.path, "m.sqlite")}`, hasSealed: no }), {
      name: "StoreError",
      message: `${path} is a folder, and has to be a file. Move that folder away`,
    });
  }
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

/** What a start does to a store before anything else, with these variables. */
async function begin(storeUrl: string, secrets: Record<string, string>): Promise<string> {
  const config = readConfig({ DISCORD_TOKEN: "a-token", STORE_URL: storeUrl, ...secrets });
  const said: string[] = [];
  const say = (...words: unknown[]) => void said.push(String(words.at(-1)));
  const log = { hide: () => undefined, info: say, warn: say };
  const store = await openStore(storeUrl, { runsIn: "caller" });
  try {
    const documents = await openDocuments(store, config, {
      log,
      clock: new VirtualClock(),
      random: seededRandom(1),
    });
    await documents.bindings.load();
    await documents.begin();
  } finally {
    await store.close();
  }
  return said.join("\n");
}

describe("a changed secret", () => {
  /** A filled store whose secret lies in its file. */
  async function inFile(t: TestContext) {
    const folder = tempFolder();
    t.after(() => folder.remove());
    const storeUrl = `sqlite:${join(folder.path, "m.sqlite")}`;
    const path = join(folder.path, "secret.key");
    await fillStore(storeUrl);
    const store = await openStore(storeUrl, { runsIn: "caller" });
    await documentsOf(store, "stored-form").set("documents", { form: DOCUMENT_FORM });
    await store.close();
    writeFileSync(path, base64(secret(1)));
    return { storeUrl, path, held: () => readFileSync(path, "utf8").trim() };
  }

  test("goes into the file that held the one before, which is all that later starts need", async (t) => {
    const { storeUrl, path, held } = await inFile(t);
    for (const fill of [2, 3]) {
      const secrets = { SECRET_KEY: base64(secret(fill)), SECRET_KEY_OLD: held() };
      const said = await begin(storeUrl, secrets);
      assert.ok(
        said.endsWith(`you can remove SECRET_KEY_OLD and SECRET_KEY: ${path} holds the new one`),
        said,
      );
      assert.equal(held(), base64(secret(fill)));
      assert.equal(statSync(path).mode & 0o777, 0o600);
      for (const left of [fill, fill - 1]) {
        // With the variables left as they were, and after a kill before the file was written.
        writeFileSync(path, base64(secret(left)));
        assert.match(await begin(storeUrl, secrets), /and SECRET_KEY: /);
        assert.equal(held(), base64(secret(fill)));
      }
      assert.equal(
        await begin(storeUrl, {}),
        "the database is new, but its secret is not: if servers were linked before, STORE_URL points to another file now",
      );
    }
  });

  test("leaves a file that held another one, and makes none", async (t) => {
    const { storeUrl, path } = await inFile(t);
    rmSync(path);
    const secrets = { SECRET_KEY: base64(secret(2)), SECRET_KEY_OLD: base64(secret(1)) };
    assert.match(await begin(storeUrl, secrets), /you can remove SECRET_KEY_OLD$/);
    assert.equal(existsSync(path), false);
    writeFileSync(path, base64(secret(7)));
    assert.match(await begin(storeUrl, secrets), /you can remove SECRET_KEY_OLD$/);
    assert.equal(readFileSync(path, "utf8"), base64(secret(7)));
  });
});
