import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { documentsOf } from "../../src/document-table.ts";
import { DOCUMENT_FORM } from "../../src/store/document-forms.ts";
import { openStore } from "../../src/store/open-store.ts";
import { copyDatabase } from "../../src/store/sqlite/backup-sqlite.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import {
  base64,
  fillStore,
  folderOf,
  runStore,
  SECRET,
  secretOf,
  spawnStore,
} from "../support/store-tool.ts";

describe("npm run store", () => {
  test("a backup has its name once it is whole, and one that was killed is in nobody's way but its own", async (t) => {
    const folder = folderOf(t);
    const path = join(folder, "m.sqlite");
    await fillStore(`sqlite:${path}`);
    const copy = join(folder, "copy.sqlite");
    copyDatabase(path, copy, () => assert.ok(!existsSync(copy), "its process could be killed now"));
    assert.ok(existsSync(copy) && !existsSync(`${copy}.new`));
    writeFileSync(join(folder, "killed.sqlite.new"), "");
    const { code, said } = await runStore(
      { STORE_URL: `sqlite:${path}` },
      "backup",
      join(folder, "killed.sqlite"),
    );
    assert.deepEqual(
      [code, /killed\.sqlite\.new already exists: .*Remove it then/.test(said)],
      [1, true],
      said,
    );
  });

  test("backup copies a database while a Marshal works on it, without its mark of a clean stop", async (t) => {
    const folder = folderOf(t);
    const path = join(folder, "m.sqlite");
    await fillStore(`sqlite:${path}`);
    const atWork = await openStore(`sqlite:${path}`, { runsIn: "caller" });
    t.after(() => atWork.close());
    await documentsOf(atWork, "audit-open").set("late", { guildId: "9" });
    const copy = join(folder, "copy.sqlite");
    const { code, said } = await runStore({ STORE_URL: `sqlite:${path}` }, "backup", copy);
    assert.equal(code, 0, said);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    const opened = await openStore(`sqlite:${copy}`, { runsIn: "caller" });
    t.after(() => opened.close());
    assert.deepEqual(await documentsOf(opened, "audit-open").get("late"), { guildId: "9" });
    assert.equal(await documentsOf(opened, "clean-stop").get("end"), undefined);
    assert.equal((await runStore({ STORE_URL: `sqlite:${path}` }, "backup", copy)).code, 1);
  });

  test("says which store it is, and makes none to look at it or to copy it", async (t) => {
    const folder = folderOf(t);
    const path = join(folder, "m.sqlite");
    const url = { STORE_URL: `sqlite:${path}` };
    for (const args of [
      ["check"],
      ["export", join(folder, "x")],
      ["backup", join(folder, "x")],
      ["backups", folder],
    ]) {
      const { code, said } = await runStore(url, ...args);
      assert.equal(code, 1, said);
      assert.ok(said.startsWith(`store: ${path}\nthere is no ${path}, and none was made`), said);
    }
    assert.deepEqual(readdirSync(folder), []);
    const imported = await runStore(url, "import", join(folder, "absent"));
    assert.equal(imported.said, `store: ${path}\nthere is no ${join(folder, "absent")}`);

    await (await openStore(url.STORE_URL, { runsIn: "caller" })).close();
    assert.match((await runStore(url, "backup", join(folder, "x"))).said, /m\.sqlite holds nothing yet/);
    assert.match((await runStore(url, "export", join(folder, "x"))).said, /this store is empty/);
    assert.equal(existsSync(join(folder, "x")), false);
    await fillStore(url.STORE_URL);
    assert.match(
      (await runStore(url, "backup", join(folder, "no", "x"))).said,
      /no\/x cannot be made: its folder/,
    );
    assert.match(
      (await runStore(url, "export", join(folder, "no", "x"))).said,
      /no\/x cannot be made: its folder is not there$/,
    );
    assert.match(
      (await runStore(url, "import", folder, "--replace")).said,
      /is a folder, and no file of an export$/,
    );
    const hidden = await runStore({ STORE_URL: "redis://:secret-word@127.0.0.1:1" }, "check");
    assert.ok(hidden.said.startsWith("store: redis://[hidden]@127.0.0.1:1\n"), hidden.said);
  });

  test("an export onto a disk that is full says so in a line, and leaves nothing there", async (t) => {
    const url = { STORE_URL: `sqlite:${join(folderOf(t), "m.sqlite")}` };
    await fillStore(url.STORE_URL);
    const disk = smallDisk(t, 64);
    if (disk === undefined) return t.skip("no disk can be mounted here");
    const empty = fillDisk(disk);
    const { code, said } = await runStore(url, "export", join(disk, "x"));
    empty();
    assert.equal(code, 1);
    assert.match(said, /x cannot be written because the disk is full\. Free some space$/);
    assert.deepEqual(readdirSync(disk), []);
  });

  test("a copy that cannot be written has advice about its own place, and none about STORE_URL", async (t) => {
    const folder = folderOf(t);
    const url = { STORE_URL: `sqlite:${join(folder, "m.sqlite")}` };
    await fillStore(url.STORE_URL);
    const file = join(folder, "one.sqlite");
    writeFileSync(file, "");
    const said = async (...args: readonly string[]) => {
      const { code, said: lines } = await runStore(url, ...args);
      assert.equal(code, 1, lines);
      return lines.split("\n").slice(1).join("\n");
    };
    assert.equal(await said("backups", file), `${file} is a file. Name a folder`);
    assert.equal(
      await said("export", join(file, "x")),
      `${join(file, "x")} cannot be made: a part of its path is a file. Choose another name`,
    );
    const disk = smallDisk(t, 256);
    if (disk === undefined) return t.skip("no disk can be mounted here");
    execFileSync("mount", ["-o", "remount,ro", disk]);
    for (const task of ["backup", "export"])
      assert.equal(
        await said(task, join(disk, "x")),
        `${join(disk, "x")} cannot be written: give the user that runs this write access to its folder, or choose another name`,
      );
    assert.match(await said("backups", disk), /^\S+ cannot be written: give .*choose another name$/);
  });

  test("an import of a file that this user may not read says as whom to run it", async (t) => {
    if (process.getuid?.() !== 0) return t.skip("only root can become somebody else");
    const folder = folderOf(t);
    chmodSync(folder, 0o777);
    const file = join(folder, "export.jsonl");
    writeFileSync(file, "{}", { mode: 0o600 });
    const environment = { STORE_URL: `sqlite:${file}.sqlite` };
    const parts = `{ args: ["import", ${JSON.stringify(file)}, "--replace"], environment: ${JSON.stringify(environment)}, say: console.log, complain: console.log }`;
    const script = `const { runStoreTool } = await import(${JSON.stringify(new URL("../../deploy/store-tool.ts", import.meta.url))});
      process.setuid(65_534);
      await runStoreTool(${parts});`;
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    assert.match(
      said,
      /export\.jsonl cannot be read by this user \(EACCES\)\. Run this as the user that runs Marshal\n$/,
    );
    assert.ok(!existsSync(`${file}.sqlite`));
  });

  test("the secret is named where it is, or would be, and where it is SECRET_KEY as that", async (t) => {
    const folder = folderOf(t);
    const url = { STORE_URL: `sqlite:${join(folder, "m.sqlite")}` };
    const secret = join(folder, "secret.key");
    await fillStore(url.STORE_URL);
    const without = { ...url, SECRET_KEY: "" };
    assert.ok((await runStore(without, "check")).said.endsWith(`there is no SECRET_KEY and no ${secret}`));
    const refused = await runStore(without, "export", join(folder, "x"));
    assert.match(refused.said, /has server keys, but there is no SECRET_KEY and no secret\.key beside it$/);
    const [first, second] = [join(folder, "1"), join(folder, "2")];
    assert.match(
      (await runStore(url, "backup", first)).said,
      /; keep SECRET_KEY with it, and the history apart$/,
    );
    writeFileSync(secret, SECRET);
    const { said } = await runStore(without, "backup", second);
    assert.ok(said.endsWith(`; put ${secret} beside it, and the history apart`), said);
    const words = (await runStore({ ...url, SECRET_KEY: base64(secretOf(2)) }, "check")).said;
    for (const text of [words, (await runStore(url, "--help")).said]) {
      assert.match(text, /SECRET_KEY,? or\sthe secret\.key beside/);
      assert.doesNotMatch(text, /data\/secret\.key/);
    }
  });

  test("check and rewind refuse the store of a newer Marshal, as its start does", async (t) => {
    const url = { STORE_URL: `sqlite:${join(folderOf(t), "m.sqlite")}` };
    await fillStore(url.STORE_URL);
    const check = async () => await runStore({ ...url, SECRET_KEY: SECRET }, "check");
    assert.match((await check()).said, /everything can be read/);
    const store = await openStore(url.STORE_URL, { runsIn: "caller" });
    await documentsOf(store, "stored-form").set("documents", { form: DOCUMENT_FORM + 1 });
    await store.close();
    for (const { code, said } of [
      await check(),
      await runStore(url, "rewind", "proof", "2026-01-31T18:31Z"),
    ]) {
      assert.equal(code, 1);
      assert.match(said, /from a newer Marshal.*Start the newer version again/);
    }
  });

  test("backups keep the newest with their secret and history, and restore puts one back", async (t) => {
    const folder = folderOf(t);
    const data = join(folder, "data");
    const kept = join(folder, "kept");
    const url = { STORE_URL: `sqlite:${join(data, "marshal.sqlite")}` };
    await fillStore(url.STORE_URL);
    writeFileSync(join(data, "secret.key"), SECRET);
    const history = new DatabaseSync(join(data, "history.sqlite"));
    history.exec("CREATE TABLE seen (name); INSERT INTO seen VALUES ('Ann')");
    const atWork = await openStore(url.STORE_URL, { runsIn: "caller" });
    mkdirSync(kept);
    for (const old of ["2020-01-01T00-00-00Z", "2020-01-02T00-00-00Z"]) mkdirSync(join(kept, old));
    // A backup that was killed in the middle: as large as a whole one, and nobody's.
    mkdirSync(join(kept, "2020-01-03T00-00-00Z.new"));
    // One that another is making now.
    const making = `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 19).replaceAll(":", "-")}Z.new`;
    mkdirSync(join(kept, making));
    // Twenty that somebody keeps by a number of their own are not the tool's to remove.
    for (let day = 10; day < 30; day++) mkdirSync(join(kept, `2019-01-${day}T00-00-00Z`));
    const byHand = await runStore(url, "backups", kept);
    assert.equal(byHand.code, 0, byHand.said);
    assert.equal(readdirSync(kept).length, 24);
    rmSync(join(kept, making), { recursive: true });
    for (const made of readdirSync(kept))
      if (made > "2020-01-03") rmSync(join(kept, made), { recursive: true });
    const { code, said } = await runStore(url, "backups", kept, "--keep", "2");
    assert.equal(code, 0, said);
    const [oldest, newest = ""] = readdirSync(kept).sort();
    assert.equal(oldest, "2020-01-02T00-00-00Z");
    const backup = join(kept, newest);
    assert.deepEqual(readdirSync(backup).sort(), ["history.sqlite", "marshal.sqlite", "secret.key"]);
    assert.match((await runStore(url, "restore", backup)).said, /in use by another Marshal/);

    await documentsOf(atWork, "audit-open").set("late", { guildId: "9" });
    await atWork.close();
    history.exec("DELETE FROM seen");
    history.close();
    writeFileSync(join(data, "secret.key"), "another");
    const restored = await runStore(url, "restore", backup);
    assert.equal(restored.code, 0, restored.said);
    assert.match(restored.said, /is in place; what was there before is in .*before-restore-\d+$/);
    assert.equal(readFileSync(join(data, "secret.key"), "utf8"), SECRET);
    const again = new DatabaseSync(join(data, "history.sqlite"));
    assert.equal(again.prepare("SELECT count(*) AS seen FROM seen").get()?.seen, 1);
    again.close();
    const store = await openStore(url.STORE_URL, { runsIn: "caller" });
    t.after(() => store.close());
    assert.equal(await documentsOf(store, "audit-open").get("late"), undefined);
    assert.match(
      (await runStore(url, "restore", join(folder, "none"))).said,
      /there is no .*none\. Name a backup/,
    );
  });

  test("help is help, and goes where answers go", async () => {
    const { code, said } = await spawnStore({ STORE_URL: "sqlite:none" }, "--help");
    assert.deepEqual([code, said.startsWith("npm run store -- check")], [0, true]);
  });

  test("other words are answered with what there is", async () => {
    const cases: readonly (readonly [string, ...string[]])[] = [
      ["say what to do"],
      ["export takes 1 word and got 0", "export"],
      ["check takes 0 words and got 1", "check", "x"],
      ['there is no "drop"', "drop", "x"],
      ['there is no "--all"', "check", "--all"],
      ["--keep takes a number", "backups", "x", "--keep", "none"],
      // Taken as 1, it would cost all backups but the newest.
      ["--keep takes a number", "backups", "x", "--keep"],
    ];
    for (const [words, ...args] of cases) {
      const { code, said } = await runStore({ STORE_URL: "sqlite:none" }, ...args);
      assert.equal(code, 2);
      assert.ok(said.startsWith(words), said);
      assert.match(said, /npm run store -- check/);
    }
    assert.equal((await spawnStore({ STORE_URL: "sqlite:none" }, "drop")).code, 2);
  });
});
