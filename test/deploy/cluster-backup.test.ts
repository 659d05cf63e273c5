import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "../../src/sandbox/free-port.ts";
import { type PostgresServer, postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { needsRedis } from "../support/redis-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { root } from "./deploy-files.ts";

const programs = postgresPrograms();
const skip = needsRedis().skip ?? (programs === undefined ? "there is no PostgreSQL" : false);
const WAYS = ["compose", "kubernetes"] as const;

/** An engine of containers and a cluster, of which each command is run on this machine's own Redis and PostgreSQL. */
class Containers {
  readonly #temp = tempFolder();
  readonly folder = this.#temp.path;
  #database: PostgresServer | undefined;
  #port = 0;

  async open(): Promise<void> {
    this.#port = await freePort();
    this.#database = await startPostgres(programs ?? "");
    const url = new URL(this.#database.url);
    for (const name of ["deploy", "bin", "valkey"]) mkdirSync(join(this.folder, name));
    copyFileSync(join(root, "deploy/cluster-backup.sh"), join(this.folder, "deploy/cluster-backup.sh"));
    const valkey = join(this.folder, "valkey");
    const server = `redis-server --port ${this.#port} --bind 127.0.0.1 --dir ${valkey} --appendonly yes --repl-diskless-sync-delay 0 --daemonize yes --pidfile ${valkey}/pid --logfile log`;
    const stopped = `kill "$(cat ${valkey}/pid)"; while [ -e ${valkey}/pid ]; do sleep 0.05; done`;
    const up = `until redis-cli -p ${this.#port} ping 2>/dev/null | grep -q PONG; do sleep 0.05; done`;
    this.#program("start-valkey", `${server} && ${up}`);
    this.#program("valkey-cli", `exec redis-cli -p ${this.#port} "$@"`);
    this.#program("valkey-check-rdb", 'exec redis-check-rdb "$@"');
    const inside = `case $1 in
      valkey*) cd ${valkey} ;;
      postgres*) export PATH="${programs}:$PATH" PGHOST=${url.searchParams.get("host")} ;;
      *) exit 0 ;;
    esac
    shift; [ "$1" != -- ] || shift; exec "$@"`;
    this.#program(
      "docker",
      `echo "$*" >> ${this.folder}/asked
      [ "$1 $2 $3 $4 $5" = "compose --env-file .env -f deploy/compose.cluster.yaml" ] || exit 9
      shift 5
      case "$1 $2" in
        "exec -T") shift 2; ${inside} ;;
        "restart valkey") ${stopped}; start-valkey ;;
      esac`,
    );
    this.#program(
      "kubectl",
      `echo "$*" >> ${this.folder}/asked
      [ "$1 $2" = "-n marshal" ] || exit 9
      shift 2
      case "$1 $2" in
        "exec -i") shift 2; ${inside} ;;
        "delete pod") ${stopped}; start-valkey ;;
        "get deployment") [ ! -e ${this.folder}/deployed ] || echo deployment.apps/marshal ;;
        "get statefulset") cat ${this.folder}/has ;;
        "get pods") [ ! -e ${this.folder}/away ] ;;
        "scale deployment/marshal") [ -e ${this.folder}/deployed ] ;;
      esac`,
    );
    writeFileSync(join(this.folder, "deployed"), "");
    this.hasInCluster("postgres", "valkey");
    execFileSync(join(this.folder, "bin/start-valkey"), { env: this.#env });
    await this.query("CREATE ROLE marshal SUPERUSER LOGIN", "postgres");
    await this.query("CREATE DATABASE marshal OWNER marshal", "postgres");
  }

  /** What the cluster has of its own; the rest is somewhere else. */
  hasInCluster(...names: readonly string[]): void {
    writeFileSync(join(this.folder, "has"), names.map((name) => `statefulset.apps/${name}\n`).join(""));
  }

  get #env() {
    return { PATH: `${join(this.folder, "bin")}:${process.env.PATH}` };
  }

  #program(name: string, script: string): void {
    const path = join(this.folder, "bin", name);
    writeFileSync(path, `#!/bin/bash\n${script}\n`);
    chmodSync(path, 0o755);
  }

  async run(...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
    const options = { env: this.#env, cwd: "/" };
    try {
      const { stdout, stderr } = await promisify(execFile)(
        "bash",
        [join(this.folder, "deploy/cluster-backup.sh"), ...args],
        options,
      );
      return { code: 0, said: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, said: stdout + stderr };
    }
  }

  valkey(...args: readonly string[]): string {
    const client = join(this.folder, "bin/valkey-cli");
    return execFileSync(client, args, { encoding: "utf8", env: this.#env }).trim();
  }

  async query(text: string, database = "marshal"): Promise<readonly Record<string, unknown>[]> {
    const url = new URL(this.#database?.url ?? "");
    url.pathname = database;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  get backups(): readonly string[] {
    return readdirSync(join(this.folder, "backups-of-cluster")).sort();
  }

  /** What the engine and the cluster were asked for since the last time. */
  asked(): string {
    const path = join(this.folder, "asked");
    const text = readFileSync(path, "utf8");
    rmSync(path);
    return text;
  }

  async close(): Promise<void> {
    this.valkey("shutdown", "nosave");
    await this.#database?.stop();
    this.#temp.remove();
  }
}

describe("cluster-backup.sh", { skip }, () => {
  const containers = new Containers();
  before(() => containers.open());
  after(() => containers.close());
  const seen = async () => [
    containers.valkey("hget", "marshal:docs:settings", "guild"),
    ...(await containers.query("SELECT name FROM seen")).map(({ name }) => name),
  ];

  for (const way of WAYS)
    test(`backs up what stands in both and puts it back, with ${way}`, async () => {
      containers.valkey("hset", "marshal:docs:settings", "guild", "before");
      await containers.query(
        "DROP TABLE IF EXISTS newer, seen, counters; CREATE TABLE seen (name text); INSERT INTO seen VALUES ('Ann')",
      );
      await containers.query(
        "CREATE TABLE counters (name text, value bigint); INSERT INTO counters VALUES ('cases g1', 20), ('guilds', 1)",
      );
      const { code, said } = await containers.run(way, "backup");
      assert.equal(code, 0, said);
      const name = containers.backups.at(-1) ?? "";
      assert.ok(said.includes(`backup: backups-of-cluster/${name} holds postgres.dump, valkey.rdb.`), said);
      assert.ok(!/\b(?:stop|scale)\b/.test(containers.asked()), "Marshal runs on");

      containers.valkey("hset", "marshal:docs:settings", "guild", "after", "other", "one");
      await containers.query("INSERT INTO seen VALUES ('Bo'); CREATE TABLE newer (id int)");
      const restored = await containers.run(way, "restore", `backups-of-cluster/${name}`);
      assert.equal(restored.code, 0, restored.said);
      assert.deepEqual(await seen(), ["before", "Ann"]);
      assert.equal(containers.valkey("hlen", "marshal:docs:settings"), "1");
      assert.equal(
        containers.valkey("hget", "marshal:generation", "copied"),
        "1",
        "Marshal knows it as a copy",
      );
      const tables = await containers.query("SELECT 1 FROM pg_tables WHERE tablename = 'newer'");
      assert.deepEqual(
        (await containers.query("SELECT value FROM counters ORDER BY name")).map(({ value }) =>
          Number(value),
        ),
        [1_022, 1],
        "no case gets a number that one of after the backup has",
      );
      assert.deepEqual(tables, [], "what an older Marshal would trip over is gone");
      assert.match(
        containers.asked(),
        way === "compose" ? /stop marshal standby/ : /scale deployment\/marshal --replicas=0/,
      );
      // It is kept for good: also what comes after it.
      containers.valkey("hset", "marshal:docs:settings", "guild", "later");
      await containers.run(way, "backup");
      assert.ok(containers.backups.length >= 2, "what was there before was kept as a backup");
    });

  test("of two restores at once one is refused, and what is put back is one backup and no half of another", async () => {
    const before = containers.backups;
    const kept: string[][] = [];
    const names: string[] = [];
    for (const [guild, name] of [
      ["one", "Ann"],
      ["two", "Bo"],
    ] as const) {
      containers.valkey("hset", "marshal:docs:settings", "guild", guild);
      await containers.query(`DELETE FROM seen; INSERT INTO seen VALUES ('${name}')`);
      assert.equal((await containers.run("compose", "backup")).code, 0);
      names.push(containers.backups.at(-1) ?? "");
      kept.push([guild, name]);
    }
    const restored = await Promise.all(
      names.map((name) => containers.run("compose", "restore", `backups-of-cluster/${name}`)),
    );
    assert.deepEqual(
      restored.map(({ code }) => code).sort(),
      [0, 1],
      restored.map(({ said }) => said).join(),
    );
    const refused = restored.find(({ code }) => code === 1);
    assert.match(refused?.said ?? "", /another restore is under way, or was killed.*restoring/);
    assert.deepEqual(await seen(), kept[restored.findIndex(({ code }) => code === 0)]);
    assert.ok(!containers.backups.includes("restoring"));
    await containers.query("DELETE FROM seen; INSERT INTO seen VALUES ('Ann')");
    for (const name of containers.backups.filter((one) => !before.includes(one)))
      rmSync(join(containers.folder, "backups-of-cluster", name), { recursive: true });
  });

  test("puts a backup into a new cluster, which has databases and no Marshal yet", async () => {
    containers.valkey("hset", "marshal:docs:settings", "guild", "kept");
    await containers.run("kubernetes", "backup");
    const [name = ""] = containers.backups.slice(-1);
    containers.valkey("flushall");
    rmSync(join(containers.folder, "deployed"));
    containers.asked();
    const { code, said } = await containers.run("kubernetes", "restore", `backups-of-cluster/${name}`);
    assert.equal(code, 0, said);
    assert.equal((await seen())[0], "kept");
    const asked = containers.asked();
    assert.doesNotMatch(asked, /scale/);
    const waits = /status statefulset\/postgres\n.*status statefulset\/valkey\n.*exec -i/s;
    assert.match(asked, waits, "until both can be asked");
  });

  test("changes nothing where the cluster does not say whether Marshal has ended", async () => {
    const [name = ""] = containers.backups.slice(-1);
    const away = join(containers.folder, "away");
    writeFileSync(away, "");
    containers.valkey("hset", "marshal:docs:settings", "guild", "later");
    const { code, said } = await containers.run("kubernetes", "restore", `backups-of-cluster/${name}`);
    rmSync(away);
    assert.equal(code, 1);
    assert.ok(said.endsWith("Marshal was stopped: start it when you are done\n"), said);
    assert.equal((await seen())[0], "later");
  });

  test("reads a backup before it changes anything", async () => {
    const state = await seen();
    const bad = join(containers.folder, "bad");
    mkdirSync(bad);
    containers.asked();
    const good = join(containers.folder, "backups-of-cluster", containers.backups[0] ?? "");
    assert.match((await containers.run("compose", "restore", "bad")).said, /there is no bad\/postgres\.dump/);
    for (const [part, text] of [
      ["valkey.rdb", "REDIS0010 and then nothing"],
      ["postgres.dump", "PGDMP and then nothing"],
    ] as const) {
      for (const name of ["valkey.rdb", "postgres.dump"]) copyFileSync(join(good, name), join(bad, name));
      writeFileSync(join(bad, part), text);
      const { code, said } = await containers.run("compose", "restore", "bad");
      assert.equal(code, 1, part);
      assert.deepEqual(await seen(), state, part);
      assert.ok(
        said.endsWith(`bad/${part} cannot be read. Nothing was changed: take another backup\n`),
        said,
      );
      assert.doesNotMatch(containers.asked(), /stop marshal/, "Marshal runs on");
    }
  });

  test("backs up and puts back what is in the cluster where the other is one of your own", async () => {
    for (const [has, holds] of [
      ["valkey", "valkey.rdb"],
      ["postgres", "postgres.dump"],
    ] as const) {
      containers.hasInCluster(has);
      const made = await containers.run("kubernetes", "backup");
      assert.match(made.said, new RegExp(`holds ${holds}\\.`));
      const [name = ""] = containers.backups.slice(-1);
      assert.deepEqual(readdirSync(join(containers.folder, "backups-of-cluster", name)), [holds]);
      containers.valkey("hset", "marshal:docs:settings", "guild", `after ${has}`);
      const put = await containers.run("kubernetes", "restore", `backups-of-cluster/${name}`);
      assert.equal(put.code, 0, put.said);
      const isBack = (await seen())[0] !== `after ${has}`;
      assert.equal(isBack, has === "valkey");
    }
    containers.hasInCluster();
    assert.match((await containers.run("kubernetes", "backup")).said, /neither a Valkey nor a PostgreSQL/);
    const before = containers.backups;
    rmSync(join(containers.folder, "has"));
    assert.equal((await containers.run("kubernetes", "backup")).code, 1, "a cluster that does not answer");
    assert.deepEqual(containers.backups, before);
    containers.hasInCluster("postgres");
    assert.match((await containers.run("kubernetes", "empty")).said, /not one of this cluster/);
    containers.hasInCluster("postgres", "valkey");
  });

  for (const way of WAYS)
    test(`empties Valkey once all of it is in a backup, with ${way}`, async () => {
      containers.valkey("hset", "marshal:docs:settings", "guild", "sealed");
      writeFileSync(join(containers.folder, "deployed"), "");
      const before = containers.backups.length;
      const bin = join(containers.folder, "bin/valkey-check-rdb");
      const check = readFileSync(bin);
      writeFileSync(bin, "#!/bin/sh\nexit 1\n");
      const refused = await containers.run(way, "empty");
      assert.equal(refused.code, 1);
      assert.ok(
        refused.said.endsWith(
          "no backup could be made, so nothing was emptied\nMarshal was stopped: start it when you are done\n",
        ),
        refused.said,
      );
      assert.equal((await seen())[0], "sealed", "what could not be kept is not thrown away");
      writeFileSync(bin, check);
      containers.asked();
      const { code, said } = await containers.run(way, "empty");
      assert.equal(code, 0, said);
      assert.equal(containers.valkey("dbsize"), "0");
      assert.equal(containers.backups.length, before + 1);
      assert.match(containers.asked(), /stop marshal standby|scale deployment\/marshal --replicas=0/);
      const [name = ""] = containers.backups.slice(-1);
      await containers.run(way, "restore", `backups-of-cluster/${name}`);
      assert.deepEqual(await seen(), ["sealed", "Ann"], "should the secret be found");
    });

  test("keeps the newest 14, and one that fails costs none and is told", async () => {
    const kept = join(containers.folder, "backups-of-cluster");
    for (let day = 10; day < 30; day++) mkdirSync(join(kept, `2020-01-${day}T00-00-00Z`));
    assert.equal((await containers.run("compose", "backup")).code, 0);
    assert.equal(containers.backups.length, 14);
    containers.asked();
    const before = containers.backups;
    await containers.query("ALTER DATABASE marshal RENAME TO away", "postgres");
    const { code, said } = await containers.run("compose", "backup");
    await containers.query("ALTER DATABASE away RENAME TO marshal", "postgres");
    assert.equal(code, 1);
    assert.match(said, /no backup was made/);
    assert.deepEqual(containers.backups, before);
    assert.match(containers.asked(), /exec -T alertmanager amtool .*alert add MarshalBackupFailed/);
  });

  test("leaves one alone that another is making, which a restore may need, and removes what was left by a kill", async () => {
    const kept = join(containers.folder, "backups-of-cluster");
    const copies = join(containers.folder, "valkey");
    // What the other writes beside Valkey goes by a name of its own.
    writeFileSync(join(copies, "backup.rdb"), "half of it");
    const [making, killed] = ["2031-01-01T00-00-00Z.new", "2020-02-01T00-00-00Z.new"];
    for (const name of [making, killed]) mkdirSync(join(kept, name));
    const longAgo = Date.now() / 1_000 - 2 * 86_400;
    utimesSync(join(kept, killed), longAgo, longAgo);
    const { code, said } = await containers.run("compose", "backup");
    assert.equal(code, 0, said);
    assert.deepEqual(
      containers.backups.filter((name) => name.endsWith(".new")),
      [making],
    );
    assert.equal(readFileSync(join(copies, "backup.rdb"), "utf8"), "half of it");
    rmSync(join(copies, "backup.rdb"));
  });

  test("an empty Valkey pushes out no backup of a full one, for as many nights as it takes", async () => {
    const kept = join(containers.folder, "backups-of-cluster");
    rmSync(kept, { recursive: true });
    for (let day = 10; day < 30; day++)
      mkdirSync(join(kept, `2020-01-${day}T00-00-00Z`), { recursive: true });
    const largest = "2020-01-12T00-00-00Z";
    writeFileSync(join(kept, largest, "valkey.rdb"), Buffer.alloc(1_000_000));
    assert.equal((await containers.run("compose", "backup")).code, 0);
    assert.equal(containers.backups.length, 15);
    assert.equal(containers.backups[0], largest);
  });

  test("keeps the one just made where the others are named by a clock that was ahead", async () => {
    const kept = join(containers.folder, "backups-of-cluster");
    rmSync(kept, { recursive: true });
    for (let day = 10; day < 30; day++)
      mkdirSync(join(kept, `2099-01-${day}T00-00-00Z`), { recursive: true });
    const { code, said } = await containers.run("compose", "backup");
    assert.equal(code, 0, said);
    const [, made = ""] = /backup: backups-of-cluster\/(\S+) holds/.exec(said) ?? [];
    assert.deepEqual(
      containers.backups,
      [made, ...Array.from({ length: 13 }, (_, at) => `2099-01-${17 + at}T00-00-00Z`)],
      said,
    );
  });

  test("other words are answered with what there is", async () => {
    for (const words of [
      [],
      ["compose"],
      ["docker", "backup"],
      ["compose", "restore"],
      ["compose", "empty", "x"],
    ]) {
      const { code, said } = await containers.run(...words);
      assert.equal(code, 2);
      assert.match(said, /bash deploy\/cluster-backup\.sh compose restore FOLDER/);
    }
  });
});
