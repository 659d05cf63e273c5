import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, type TestContext, test } from "node:test";
import { backUpAll } from "../../deploy/backups.ts";
import { readStoreConfig } from "../../src/config.ts";
import { documentsOf } from "../../src/document-table.ts";
import { openDatabase } from "../../src/history/database/open-database.ts";
import { add as addCase } from "../../src/history/queries/add-cases.ts";
import { openContext } from "../../src/history/queries/context.ts";
import { identify } from "../../src/store/document-forms.ts";
import { openStore } from "../../src/store/open-store.ts";
import { storeIdIn } from "../../src/store/sqlite/backup-sqlite.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import {
  base64,
  fillStore,
  folderOf,
  KEY,
  keyIn,
  runStore,
  SECRET,
  secretOf,
} from "../support/store-tool.ts";
import { root } from "./deploy-files.ts";

/** A store with its secret in its file, as by default, and a backup of it. */
async function backedUp(t: TestContext) {
  const folder = folderOf(t);
  const data = join(folder, "data");
  const kept = join(folder, "kept");
  const store = join(data, "marshal.sqlite");
  const run = (...args: readonly string[]) =>
    runStore({ STORE_URL: `sqlite:${store}`, SECRET_KEY: "" }, ...args);
  await fillStore(`sqlite:${store}`);
  writeFileSync(join(data, "secret.key"), SECRET);
  const { code, said } = await run("backups", kept);
  assert.equal(code, 0, said);
  const [name = ""] = readdirSync(kept);
  return { folder, data, kept, store, backup: join(kept, name), run };
}

/** Everything in a folder, by name. */
const stateOf = (folder: string) =>
  new Map(
    readdirSync(folder)
      .filter((name) => !name.endsWith(".lock"))
      .map((name) => [
        name,
        statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), "base64") : "",
      ]),
  );

describe("restore", () => {
  test("takes the place of a store that is damaged, from a newer Marshal or gone, and of nothing else", async (t) => {
    const { data, store, backup, run } = await backedUp(t);
    const breaks = [
      () => truncateSync(store, 5_000),
      () => writeFileSync(store, "no database at all"),
      () => {
        const database = new DatabaseSync(store);
        database.exec("PRAGMA user_version = 99");
        database.close();
      },
    ];
    for (const damage of breaks) {
      damage();
      const { code, said } = await run("restore", backup);
      assert.equal(code, 0, said);
      assert.equal(await keyIn(`sqlite:${store}`), `${KEY}10`);
      const aside = readdirSync(data).filter((name) => name.startsWith("before-restore-"));
      assert.equal(aside.length, 1);
      assert.ok(said.endsWith(`what was there before is in ${join(data, aside[0] ?? "")}`), said);
      rmSync(join(data, aside[0] ?? ""), { recursive: true });
    }
    rmSync(data, { recursive: true });
    const { said } = await run("restore", backup);
    assert.match(said, /is in place$/, "there was nothing before");
    assert.deepEqual(readdirSync(data).sort(), ["marshal.sqlite", "marshal.sqlite.lock", "secret.key"]);
  });

  test("says where the history was not put back, and why", async (t) => {
    const { data, store, backup } = await backedUp(t);
    const restored = async (historyUrl: string) => {
      const run = await runStore(
        { STORE_URL: `sqlite:${store}`, SECRET_KEY: "", HISTORY_URL: historyUrl },
        "restore",
        backup,
      );
      assert.equal(run.code, 0, run.said);
      const lines = run.said.split("\n");
      return lines.slice(lines.findIndex((line) => line.includes("is in place")) + 1).join("\n");
    };
    const history = join(data, "history.sqlite");
    const postgres = "postgres://marshal@127.0.0.1/marshal";
    assert.equal(await restored(`sqlite:${history}`), "", "there was none, and is none");
    assert.equal(await restored(""), "");
    assert.match(
      await restored(postgres),
      /^the history is in PostgreSQL and stays as it was\. [^;]*pg_restore$/,
    );
    new DatabaseSync(history).close();
    writeFileSync(history, "as it was");
    assert.equal(
      await restored(`sqlite:${history}`),
      `the history was not in the backup: ${history} stays as it was`,
    );
    assert.equal(readFileSync(history, "utf8"), "as it was");
    cpSync(join(backup, "marshal.sqlite"), join(backup, "history.sqlite"));
    assert.match(await restored(""), /^the history in the backup was left out: HISTORY_URL is off/);
    assert.match(await restored(postgres), /stays as it was; the one in the backup was left out/);
    assert.equal(await restored(`sqlite:${history}`), "");
  });

  test("leaves the form of a backup as it is, so that the Marshal of before an update can go back to it", async (t) => {
    const { store, backup, run } = await backedUp(t);
    const versionOf = (path: string, to?: number) => {
      const database = new DatabaseSync(path);
      if (to !== undefined) database.exec(`PRAGMA user_version = ${to}`);
      const version = database.prepare("PRAGMA user_version").get()?.user_version;
      database.close();
      return version;
    };
    versionOf(join(backup, "marshal.sqlite"), 2);
    const { code, said } = await run("restore", backup);
    assert.equal(code, 0, said);
    assert.equal(versionOf(store), 2);
  });

  test("reads a backup before it changes anything, and says what is wrong with it", async (t) => {
    const { folder, data, kept, backup, run } = await backedUp(t);
    const before = stateOf(data);
    const other = (name: string, change: (copy: string) => void) => {
      const copy = join(folder, name);
      cpSync(backup, copy, { recursive: true });
      change(copy);
      return copy;
    };
    const newer = (copy: string) => {
      const database = new DatabaseSync(join(copy, "marshal.sqlite"));
      database.exec("PRAGMA user_version = 99");
      database.close();
    };
    const cases: readonly (readonly [string, RegExp])[] = [
      [
        other("cut", (copy) => truncateSync(join(copy, "marshal.sqlite"), 5_000)),
        /cut\/marshal\.sqlite is not a readable database/,
      ],
      [
        other("cut-history", (copy) => writeFileSync(join(copy, "history.sqlite"), "x".repeat(5_000))),
        /cut-history\/history\.sqlite is not a readable database/,
      ],
      [other("newer", newer), /newer\/marshal\.sqlite is from a newer Marshal/],
      [
        other("foreign", (copy) => writeFileSync(join(copy, "secret.key"), base64(secretOf(2)))),
        /neither .*foreign\/secret\.key nor SECRET_KEY opens the server keys in .*foreign\/marshal\.sqlite: set SECRET_KEY_OLD/,
      ],
      [
        other("half", (copy) => writeFileSync(join(copy, "secret.key"), "AAAA")),
        /neither .*half\/secret\.key/,
      ],
      [kept, /kept holds no marshal\.sqlite\. Name a backup/],
      [join(root, ".env.example"), /\.env\.example is not a readable database/],
    ];
    for (const [from, words] of cases) {
      const { code, said } = await run("restore", from);
      assert.deepEqual([code, words.test(said)], [1, true], said);
      assert.deepEqual(stateOf(data), before, from);
    }
    assert.equal((await run("restore", backup)).code, 0);
  });

  test("on a disk that is full names that disk and not the backup, at whatever point it fills up", async (t) => {
    const { backup, kept } = await backedUp(t);
    const history = new DatabaseSync(join(backup, "history.sqlite"));
    history.exec("CREATE TABLE seen (name); INSERT INTO seen VALUES (zeroblob(40_000))");
    history.close();
    const disk = smallDisk(t, 2_048);
    if (disk === undefined) return t.skip("no disk can be mounted here");
    const url = { STORE_URL: `sqlite:${join(disk, "data", "marshal.sqlite")}`, SECRET_KEY: "" };
    const failed = new Set<string>();
    for (let room = 0; ; room += 4) {
      rmSync(join(disk, "data"), { recursive: true, force: true });
      mkdirSync(join(disk, "data"));
      const empty = fillDisk(disk);
      for (let block = 0; block < room; block++) rmSync(join(disk, `fill${block}`), { force: true });
      const { code, said } = await runStore(url, "restore", backup);
      const left: readonly string[] = readdirSync(join(disk, "data")).filter((name) => !/\.lock/.test(name));
      empty();
      if (code === 0) break;
      const why = said.split("\n")[1] ?? "";
      assert.match(why, /^\S+ cannot be written because the disk is full\. Free some space/);
      assert.ok(why.startsWith(join(disk, "data")), why);
      assert.ok(!why.includes(kept), why);
      assert.deepEqual(left, []);
      failed.add(why);
    }
    assert.ok(failed.size >= 2, [...failed].join());
  });

  test("gives no case a number that one of after the backup may have", async (t) => {
    const { data, store, backup } = await backedUp(t);
    const url = `sqlite:${join(data, "history.sqlite")}`;
    const add = async (at: string) => {
      const database = await openDatabase(at);
      const draft = { guildId: "g1", kind: "note", bindingId: "b1", targets: [], mass: false } as const;
      const about = { ...draft, author: { name: "Mo", userId: "u1" }, atMs: 1_000 };
      const asked = { draft: about, card: undefined, most: 100 };
      const { one } = await addCase(await openContext(database, new Uint8Array(32)), asked);
      await database.close();
      return one.number;
    };
    assert.equal(await add(`sqlite:${join(backup, "history.sqlite")}`), 1);
    const settings = { STORE_URL: `sqlite:${store}`, SECRET_KEY: "", HISTORY_URL: url };
    const { code, said } = await runStore(settings, "restore", backup);
    assert.equal(code, 0, said);
    assert.match(said, /\nnew cases get numbers that are 1,000 or more higher/);
    assert.equal(await add(url), 1_002);
  });

  test("puts a history back in another folder, which a new machine has not yet, and on another disk", async (t) => {
    const { backup, store, folder } = await backedUp(t);
    const seen = (path: string) => {
      const database = new DatabaseSync(path);
      const count = database.prepare("SELECT count(*) AS seen FROM seen").get()?.seen;
      database.close();
      return count;
    };
    const history = new DatabaseSync(join(backup, "history.sqlite"));
    history.exec("CREATE TABLE seen (name); INSERT INTO seen VALUES ('Ann')");
    history.close();
    for (const other of [join(folder, "srv", "histories"), smallDisk(t, 4_096)]) {
      if (other === undefined) return t.skip("no disk can be mounted here");
      const path = join(other, "history.sqlite");
      const url = { STORE_URL: `sqlite:${store}`, HISTORY_URL: `sqlite:${path}`, SECRET_KEY: "" };
      for (const there of [0, 2]) {
        const { code, said } = await runStore(url, "restore", backup);
        assert.deepEqual([code, seen(path)], [0, 1], said);
        const again = new DatabaseSync(path);
        again.exec("INSERT INTO seen VALUES ('Ben')");
        again.close();
        const [, aside = ""] = /what was there before is in (.*)$/m.exec(said) ?? [];
        if (there > 0) assert.equal(seen(join(aside, "history.sqlite")), there);
        assert.deepEqual(
          readdirSync(other).filter((name) => !/^history\.sqlite/.test(name)),
          [],
        );
      }
    }
  });

  test("that was killed between two files lets no Marshal begin with an empty store, and is done by the next one", async (t) => {
    const { backup, store, data, run } = await backedUp(t);
    // What a kill leaves there: the old store is aside, and the new one is not in its place yet.
    mkdirSync(join(data, "restoring"));
    mkdirSync(join(data, "before-restore-1"));
    renameSync(store, join(data, "before-restore-1", "marshal.sqlite"));
    await assert.rejects(openStore(`sqlite:${store}`, { runsIn: "caller" }), /restore .* did not end.*again/);
    assert.ok(!existsSync(store));
    assert.equal((await run("restore", backup)).code, 0);
    assert.equal((await run("check")).code, 0);
  });

  test("is taken back with the folder of what was there, whatever the files are called", async (t) => {
    const folder = folderOf(t);
    const url = {
      STORE_URL: `sqlite:${join(folder, "data", "bot.db")}`,
      HISTORY_URL: `sqlite:${join(folder, "data", "rows.db")}`,
      SECRET_KEY: "",
    };
    await fillStore(url.STORE_URL);
    writeFileSync(join(folder, "data", "secret.key"), SECRET);
    const rows = new DatabaseSync(join(folder, "data", "rows.db"));
    rows.exec("CREATE TABLE seen (name)");
    rows.close();
    assert.equal((await runStore(url, "backups", join(folder, "kept"))).code, 0);
    const [backup = ""] = readdirSync(join(folder, "kept"));
    const first = await runStore(url, "restore", join(folder, "kept", backup));
    const [, aside = ""] = /what was there before is in (.*)$/m.exec(first.said) ?? [];
    const { code, said } = await runStore(url, "restore", aside);
    assert.equal(code, 0, said);
    assert.deepEqual(
      readdirSync(aside)
        .filter((name) => !/-(?:wal|shm)$/.test(name))
        .sort(),
      ["history.sqlite", "marshal.sqlite", "secret.key"],
    );
  });

  test("leaves out the mark of a clean stop, also of what was there before: the bot may have posted since", async (t) => {
    const { store, backup, run } = await backedUp(t);
    const url = `sqlite:${store}`;
    const markOf = async (put?: boolean) => {
      const opened = await openStore(url, { runsIn: "caller" });
      const marks = documentsOf(opened, "clean-stop");
      if (put) await marks.set("end", { unsettled: [], endedAtMs: 1 });
      const mark = await marks.get("end");
      await opened.close();
      return mark;
    };
    assert.ok((await markOf(true)) !== undefined);
    const [, aside = ""] = /before is in (.*)$/m.exec((await run("restore", backup)).said) ?? [];
    assert.equal(await markOf(), undefined);
    assert.equal((await run("restore", aside)).code, 0);
    assert.equal(await markOf(), undefined);
  });

  test("with a SECRET_KEY that is newer than the backup asks for the one before", async (t) => {
    const { store, data, backup } = await backedUp(t);
    const url = { STORE_URL: `sqlite:${store}`, SECRET_KEY: base64(secretOf(2)) };
    const { code, said } = await runStore(url, "restore", backup);
    assert.equal(code, 1);
    assert.match(said, /SECRET_KEY does not open .*: set SECRET_KEY_OLD to what .*secret\.key holds/);
    assert.match((await runStore(url, "check")).said, /set SECRET_KEY_OLD to it/);
    const both = { ...url, SECRET_KEY_OLD: SECRET };
    assert.equal((await runStore(both, "restore", backup)).code, 0);
    assert.equal((await runStore(both, "check")).code, 0);
    assert.ok(existsSync(join(data, "secret.key")));
  });
});

describe("backups", () => {
  test("without the secret are made, end with 1 and cost no backup that has it", async (t) => {
    const { data, kept, backup, run } = await backedUp(t);
    const good = ["2020-01-01T00-00-00Z", "2020-01-02T00-00-00Z"];
    for (const name of good) cpSync(backup, join(kept, name), { recursive: true });
    const bad = "2020-01-03T00-00-00Z";
    mkdirSync(join(kept, bad));
    rmSync(backup, { recursive: true });
    rmSync(join(data, "secret.key"));
    rmSync(join(data, "last-backup"));
    const { code, said } = await run("backups", kept, "--keep", "1");
    assert.equal(code, 1);
    assert.match(
      said,
      /holds marshal\.sqlite, but .*secret\.key is missing, and no SECRET_KEY is set.* Put the file back/,
    );
    assert.ok(!existsSync(join(data, "last-backup")), "the alert hears of whole ones only");
    const left = readdirSync(kept).sort();
    assert.deepEqual(left.slice(0, 2), good);
    assert.deepEqual([left.length, left.includes(bad)], [3, false], "of those without it one is kept");

    writeFileSync(join(data, "secret.key"), base64(secretOf(9)));
    rmSync(join(kept, left[2] ?? ""), { recursive: true });
    assert.match((await run("backups", kept)).said, /secret\.key is not the secret of this store/);
  });

  test("whose time cannot be noted beside the store are named as made, and say so", async (t) => {
    const { data, kept, backup, run } = await backedUp(t);
    rmSync(backup, { recursive: true });
    mkdirSync(join(data, "last-backup.new"));
    const { code, said } = await run("backups", kept);
    assert.equal(code, 0, said);
    assert.match(
      said,
      /^backup: .* holds marshal\.sqlite, secret\.key\n.*data\/last-backup could not be written \(EISDIR\)/m,
    );
  });

  test("a second one in the same second is refused in words, and the first one stays", async (t) => {
    const { folder, store } = await backedUp(t);
    const config = readStoreConfig({ STORE_URL: `sqlite:${store}` });
    const options = { folder: join(folder, "twice"), keep: 14, nowMs: 0 };
    await backUpAll(config, options);
    await assert.rejects(backUpAll(config, options), {
      name: "StoreError",
      message: /1970-01-01T00-00-00Z was made in this very second\. Try again/,
    });
    assert.deepEqual(readdirSync(options.folder), ["1970-01-01T00-00-00Z"]);
  });

  test("the one just made stays, also where others are named by a clock that was ahead", async (t) => {
    const { folder, store } = await backedUp(t);
    const config = readStoreConfig({ STORE_URL: `sqlite:${store}` });
    const into = join(folder, "ahead");
    const dayMs = 86_400_000;
    for (const day of [40, 41, 2]) {
      const said = await backUpAll(config, { folder: into, keep: 2, nowMs: day * dayMs });
      const [, made = ""] = /^backup: (\S+) holds/.exec(said[0] ?? "") ?? [];
      assert.ok(existsSync(made), said.join());
    }
    assert.deepEqual(readdirSync(into).sort(), ["1970-01-03T00-00-00Z", "1970-02-11T00-00-00Z"]);
  });

  test("of another bot in the same folder are left alone", async (t) => {
    const { folder, store } = await backedUp(t);
    const into = join(folder, "shared");
    const other = join(folder, "other", "marshal.sqlite");
    await fillStore(`sqlite:${other}`);
    let day = 40;
    for (const path of [store, other]) {
      const opened = await openStore(`sqlite:${path}`, { runsIn: "caller" });
      const marks = documentsOf(opened, "stored-form");
      await identify({ marks, secret: "s", newId: () => path, nowMs: () => 0 });
      await opened.close();
    }
    for (const path of [other, other, store, store, store]) {
      const config = readStoreConfig({ STORE_URL: `sqlite:${path}`, SECRET_KEY: SECRET });
      await backUpAll(config, { folder: into, keep: 2, nowMs: day++ * 86_400_000 });
    }
    const kept = readdirSync(into).map((name) => storeIdIn(join(into, name, "marshal.sqlite")));
    assert.deepEqual(kept.toSorted(), [store, store, other, other].toSorted());
  });

  test("hold the secret that opens the store, and say where that is SECRET_KEY", async (t) => {
    const { data, kept, backup, store } = await backedUp(t);
    rmSync(backup, { recursive: true });
    const url = { STORE_URL: `sqlite:${store}` };
    writeFileSync(join(data, "secret.key"), base64(secretOf(2)));
    const { code, said } = await runStore(url, "backups", kept);
    assert.equal(code, 0, said);
    assert.match(said, /holds marshal\.sqlite\nthe secret is SECRET_KEY: it is not in there/);
    rmSync(join(kept, readdirSync(kept)[0] ?? ""), { recursive: true });
    writeFileSync(join(data, "secret.key"), SECRET, { mode: 0o644 });
    await runStore({ ...url, SECRET_KEY: base64(secretOf(3)) }, "backups", kept);
    const made = join(kept, readdirSync(kept)[0] ?? "");
    assert.equal(
      readFileSync(join(made, "secret.key"), "utf8"),
      SECRET,
      "a new SECRET_KEY before its first start",
    );
    assert.equal(statSync(join(made, "secret.key")).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(made).sort(), ["marshal.sqlite", "secret.key"]);
  });
});

test("a store that this user may not read is not called absent", async (t) => {
  const folder = folderOf(t);
  const path = join(folder, "data", "marshal.sqlite");
  await fillStore(`sqlite:${path}`);
  chmodSync(join(folder, "data"), 0);
  // Root may read everything, so the process gives that up once it has read the code.
  const script = `const { requireStore } = await import(${JSON.stringify(join(root, "src/store/sqlite/backup-sqlite.ts"))});
    if (process.getuid() === 0) process.setuid(65_534);
    try { requireStore(${JSON.stringify(path)}); } catch (error) { console.log(error.message); }`;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  chmodSync(join(folder, "data"), 0o700);
  assert.match(said, /data\/marshal\.sqlite cannot be read by this user \(EACCES\)/);
});

test("a backup beside a secret of another user's names that file, and is made all the same", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root can give files to others");
  const { folder, data, kept, store, backup } = await backedUp(t);
  rmSync(backup, { recursive: true });
  for (const path of [folder, data, kept, ...readdirSync(data).map((name) => join(data, name))])
    chownSync(path, 65_534, 65_534);
  chownSync(join(data, "secret.key"), 0, 0);
  chmodSync(join(data, "secret.key"), 0o600);
  const script = `const { runStoreTool } = await import(${JSON.stringify(join(root, "deploy/store-tool.ts"))});
    process.setuid(65_534);
    const environment = { STORE_URL: ${JSON.stringify(`sqlite:${store}`)} };
    await runStoreTool({ args: ["backups", ${JSON.stringify(kept)}], environment, say: console.log, complain: console.log });`;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.match(
    said,
    /holds marshal\.sqlite, but nothing opens its server keys: .*data\/secret\.key belongs to/,
  );
  assert.deepEqual(readdirSync(join(kept, readdirSync(kept)[0] ?? "")), ["marshal.sqlite"]);
});

test("a backup counts as made, and the alert hears of it, also where an old one cannot be removed", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root can give files to others");
  const { folder, data, kept, store, backup } = await backedUp(t);
  rmSync(backup, { recursive: true });
  rmSync(join(data, "last-backup"));
  const old = join(kept, "2020-01-01T00-00-00Z");
  mkdirSync(old);
  writeFileSync(join(old, "marshal.sqlite"), "put there by root");
  for (const path of [folder, data, kept, ...readdirSync(data).map((name) => join(data, name))])
    chownSync(path, 65_534, 65_534);
  const script = `const { runStoreTool } = await import(${JSON.stringify(join(root, "deploy/store-tool.ts"))});
    process.setuid(65_534);
    const environment = { STORE_URL: ${JSON.stringify(`sqlite:${store}`)} };
    const parts = { args: ["backups", ${JSON.stringify(kept)}, "--keep", "1"], environment, say: console.log, complain: console.log };
    console.log(await runStoreTool(parts));`;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.match(
    said,
    /^backup: \S+ holds marshal\.sqlite, secret\.key, but the old \S+2020-01-01T00-00-00Z cannot be removed \(EACCES\)\. .*\n1$/m,
  );
  assert.ok(existsSync(join(data, "last-backup")));
});
