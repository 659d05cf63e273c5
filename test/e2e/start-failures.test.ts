import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseGuildBindings } from "../../src/store/document-schemas.ts";
import { openStore } from "../../src/store/open-store.ts";
import { tempFolder } from "../support/temp-folder.ts";

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

interface Start {
  readonly cwd: string;
  readonly uid?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** The process as an operator starts it, to its end; nothing answers where it would log in. */
async function start({ cwd, env = {}, args = [], ...user }: Start) {
  const environment = {
    DISCORD_TOKEN: "any.token.at-all",
    DISCORD_API_URL: "http://127.0.0.1:1/api",
    OPS_ADDRESS: "",
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    ...env,
  };
  const child = spawn(process.execPath, [...args, file("src/main.ts")], { cwd, env: environment, ...user });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  const errors = out.split("\n").filter((line) => /"level":50/.test(line));
  return { code, out, err, errors };
}

function folderOf(t: TestContext): string {
  const folder = tempFolder();
  t.after(() => folder.remove());
  return folder.path;
}

/** Exit code 1 and one line, which says what is wrong and what to do; no stack. */
async function failsWith(options: Start, words: RegExp): Promise<void> {
  const { code, out, errors } = await start(options);
  assert.equal(code, 1, out);
  assert.equal(errors.length, 1, out);
  assert.match(errors[0] ?? "", words);
  assert.doesNotMatch(out, /"stack"|"msg":"stopp/);
}

describe("a start that cannot succeed is one line that says what to do", () => {
  test("the database is damaged", async (t) => {
    const cwd = folderOf(t);
    mkdirSync(join(cwd, "data"));
    writeFileSync(join(cwd, "data", "marshal.sqlite"), "no database ".repeat(500));
    await failsWith({ cwd }, /data\/marshal\.sqlite is not a readable database\. Restore a backup/);
  });

  test("the database is damaged behind its first pages", async (t) => {
    const cwd = folderOf(t);
    const path = join(cwd, "data", "marshal.sqlite");
    const store = await openStore(`sqlite:${path}`, { runsIn: "caller" });
    const documents = store.documents("any", String, "full");
    for (let n = 0; n < 100; n++) await documents.set(`row-${n}`, "text ".repeat(200));
    await store.close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xa5, 8_192));
    await failsWith({ cwd }, /data\/marshal\.sqlite is not a readable database\. Restore a backup/);
  });

  test("a folder stands where the database should", async (t) => {
    const cwd = folderOf(t);
    mkdirSync(join(cwd, "data", "marshal.sqlite"), { recursive: true });
    await failsWith({ cwd }, /data\/marshal\.sqlite is a folder\. STORE_URL must name a file/);
  });

  test("the folder may not be written", async (t) => {
    const cwd = folderOf(t);
    chmodSync(cwd, 0o555);
    const isRoot = process.getuid?.() === 0;
    await failsWith(
      { cwd, ...(isRoot ? { uid: 65_534 } : {}) },
      /data\/marshal\.sqlite cannot be written: give the user/,
    );
  });

  test("the secret is missing beside keys that it sealed, and none is made in its place", async (t) => {
    const cwd = folderOf(t);
    const path = join(cwd, "data", "marshal.sqlite");
    const store = await openStore(`sqlite:${path}`, { runsIn: "caller" });
    const binding = {
      id: "b1",
      guildId: "1",
      source: "s",
      name: "Riverside",
      ownerId: 1,
      joinKey: "j",
      linkedBy: "2",
      linkedAtMs: 3,
      sealed: "v1.AAAA",
    };
    const documents = store.documents("bindings", parseGuildBindings, "full");
    await documents.set("1", parseGuildBindings({ bindings: [binding] }));
    await store.close();
    await failsWith({ cwd }, /data\/secret\.key is missing.*Restore it from a backup, set SECRET_KEY/);
    assert.ok(!readdirSync(join(cwd, "data")).some((name) => name.startsWith("secret.key")));
  });

  const isRoot = process.getuid?.() === 0;
  test("the secret was put back by root, whose file it is now", { skip: !isRoot }, async (t) => {
    const cwd = folderOf(t);
    const data = join(cwd, "data");
    mkdirSync(data);
    for (const path of [cwd, data]) chownSync(path, 65_534, 65_534);
    writeFileSync(join(data, "secret.key"), `${"A".repeat(43)}=`, { mode: 0o600 });
    await failsWith(
      { cwd, uid: 65_534 },
      /data\/secret\.key belongs to another user\. Give it to the one that runs Marshal: chown --reference=data /,
    );
  });

  test("the database was written by a newer version: it says so, whatever else it cannot read there", async (t) => {
    const cwd = folderOf(t);
    const store = await openStore(`sqlite:${join(cwd, "data", "marshal.sqlite")}`);
    const any = (value: unknown) => value;
    await store.documents("stored-form", any, "full").set("documents", { form: 99, more: "than we know" });
    await store.documents("bindings", any, "full").set("1", { servers: "of a later shape" });
    await store.close();
    await failsWith({ cwd }, /from a newer Marshal \(form 99.*restore a backup/);
  });

  test("a Node that is too old is told by the preflight before any TypeScript is read", async (t) => {
    const cwd = folderOf(t);
    mkdirSync(join(cwd, "deploy"));
    copyFileSync(file("deploy/preflight.mjs"), join(cwd, "deploy", "preflight.mjs"));
    copyFileSync(file("package.json"), join(cwd, "package.json"));
    const old = 'Object.defineProperty(process,"versions",{value:{node:"20.20.2"}})';
    const args = [`data:text/javascript,${old}`, join(cwd, "deploy", "preflight.mjs")].flatMap((one) => [
      "--import",
      one,
    ]);
    const { code, out, err } = await start({ cwd, args });
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, /^Marshal needs Node 26 or newer and this is 20\.20\.2: run `npm ci`[^\n]*\n$/);
  });

  test("the preflight reads .env, and what is set already wins", async (t) => {
    const cwd = folderOf(t);
    writeFileSync(join(cwd, ".env"), "LOG_LEVEL=loud\nSHARDS=none\n");
    const args = ["--import", file("deploy/preflight.mjs")];
    const { code, err } = await start({ cwd, args, env: { SHARDS: "auto" } });
    assert.equal(code, 1);
    assert.match(err, /LOG_LEVEL: "loud" was found/);
    assert.doesNotMatch(err, /SHARDS/);
  });

  test("the preflight names the form of an .env that an editor of Windows has saved, whose first line nobody could read", async (t) => {
    const cwd = folderOf(t);
    for (const saved of ["\ufeffLOG_LEVEL=loud\r\n", Buffer.from("\ufeffLOG_LEVEL=loud", "utf16le")]) {
      writeFileSync(join(cwd, ".env"), saved);
      const { code, out, err } = await start({ cwd, args: ["--import", file("deploy/preflight.mjs")] });
      assert.deepEqual([code, out], [1, ""]);
      assert.match(err, /^\.env is saved in a form of Windows: save it as UTF-8 without BOM\n$/);
    }
  });

  test("the preflight says that .env is a folder, as docker makes of a file that is not there", async (t) => {
    const cwd = folderOf(t);
    mkdirSync(join(cwd, ".env"));
    const { code, out, err } = await start({ cwd, args: ["--import", file("deploy/preflight.mjs")] });
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, /^\.env is a folder[^\n]*\n$/);
  });
});
