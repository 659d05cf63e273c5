import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { parse } from "yaml";
import { tempFolder } from "../support/temp-folder.ts";
import { knownVariables, root } from "./deploy-files.ts";

const SECRET = "deploy/k8s/secret.yaml";
const KEY = /^SECRET_KEY=[\w+/]{43}=$/gm;

describe("secrets.sh", () => {
  let temp = tempFolder();
  beforeEach(() => {
    temp = tempFolder();
    for (const folder of ["bin", "deploy/k8s"]) mkdirSync(path(folder), { recursive: true });
    for (const file of ["deploy/secrets.sh", "deploy/k8s/secret.example.yaml", ".env.example"])
      copyFileSync(join(root, file), path(file));
    engine({});
    cluster({});
  });
  afterEach(() => temp.remove());

  const path = (name: string) => join(temp.path, name);
  const file = (name: string) => readFileSync(path(name), "utf8");
  const yaml = (): Record<string, string> => parse(file(SECRET)).stringData;

  function program(name: string, script: string): void {
    writeFileSync(path(`bin/${name}`), `#!/bin/bash\n${script}\n`);
    chmodSync(path(`bin/${name}`), 0o755);
  }
  /** An engine with these volumes, and one container of the project with these variables. */
  function engine(has: { volumes?: string; project?: string; folder?: string; env?: string }): void {
    writeFileSync(path("container"), has.env ?? "");
    program(
      "docker",
      `case "$*" in
        "volume ls -q") printf '%s\\n' ${has.volumes ?? ""} ;;
        "ps -aq "*)
          [[ "$* " = *".project=${has.project} "* ]] || exit 0
          [[ "$*" != *.working_dir=* || "$*" = *.working_dir=${has.folder ?? temp.path}/deploy ]] || exit 0
          echo 1 ;;
        "inspect -f "*" 1") cat ${path("container")} ;;
      esac`,
    );
  }
  function cluster(has: { objects?: string; secret?: string; pods?: string }): void {
    writeFileSync(path("secret-data"), has.secret ?? "");
    writeFileSync(path("pods"), has.pods ?? "");
    program(
      "kubectl",
      `case "$*" in
        "-n marshal get secret/marshal pvc/data-valkey-0 "*) echo ${has.objects ?? ""} ;;
        "-n marshal get secret marshal "*) cat ${path("secret-data")} ;;
        "-n marshal exec deployment/marshal -- env") [ -s ${path("pods")} ] && cat ${path("pods")} ;;
        "-n marshal exec postgres-0 -- env") echo POSTGRES_PASSWORD=ab12 ;;
      esac`,
    );
  }
  function run(words: string, env: Readonly<Record<string, string>> = {}) {
    const { status, stdout, stderr } = spawnSync("bash", [path("deploy/secrets.sh"), ...words.split(" ")], {
      cwd: "/",
      encoding: "utf8",
      env: { PATH: `${path("bin")}:${process.env.PATH}`, ...env },
    });
    return { code: status, said: stdout + stderr };
  }

  test("a .env that was read back without a token gets the line that the token is put into", () => {
    writeFileSync(path(".env"), `SECRET_KEY=${"a".repeat(43)}=\n`);
    for (let time = 0; time < 2; time++)
      assert.equal(spawnSync("bash", [path("deploy/secrets.sh"), "anew", "cluster"]).status, 0);
    assert.equal(file(".env").match(/^DISCORD_TOKEN=$/gm)?.length, 1);
  });

  test("makes what is missing in .env, once, for its owner only", () => {
    writeFileSync(path(".env"), "DISCORD_TOKEN=one");
    for (let time = 0; time < 2; time++) assert.equal(run("make cluster").code, 0);
    const lines = file(".env").trim().split("\n");
    assert.equal(lines.length, 4);
    assert.equal(lines[0], "DISCORD_TOKEN=one", "a line without an end is not written on");
    assert.equal(file(".env").match(KEY)?.length, 1);
    assert.equal(statSync(path(".env")).mode & 0o77, 0);
  });

  test("makes no SECRET_KEY beside data that another one has sealed", () => {
    for (const [volumes, said] of [
      ["other marshal-cluster_valkey", /A lost \.env/],
      ["marshal_data", /From one process to several/],
    ] as const) {
      engine({ volumes });
      const { code, said: words } = run("make cluster");
      assert.equal(code, 1, volumes);
      assert.match(words, said);
      assert.ok(!existsSync(path(".env")), "nothing was changed");
    }
    engine({ volumes: "another-bot_valkey" });
    assert.equal(run("make cluster", { COMPOSE_PROJECT_NAME: "another-bot" }).code, 1);
    assert.equal(run("make cluster").code, 0, "another bot's data is none of this one's");
    engine({ volumes: "marshal-cluster_valkey" });
    assert.equal(run("make cluster").code, 0, "what has its secret goes on");
    rmSync(path(".env"));
    assert.equal(run("anew cluster").code, 0, "one that is lost for good");
    program("docker", "exit 1");
    rmSync(path(".env"));
    assert.notEqual(run("make cluster").code, 0, "an engine that does not answer may have data");
  });

  test("makes no SECRET_KEY beside the data of a bot by hand", () => {
    mkdirSync(path("data"));
    writeFileSync(path("data/secret.key"), "x");
    assert.match(run("make cluster").said, /From one process to several/);
    appendFileSync(path(".env"), "SECRET_KEY=x\n");
    assert.equal(run("make cluster").code, 0);
  });

  test("refuses a password that is no part of an address", () => {
    writeFileSync(path(".env"), "POSTGRES_PASSWORD=p@ss/w#rd\n");
    const { code, said } = run("make cluster");
    assert.equal(code, 1);
    assert.match(said, /letters and digits only/);
  });

  test("fills in secret.yaml once, with one password in both places, and the token is for its owner", () => {
    assert.equal(run("make kubernetes").code, 0);
    const made = yaml();
    assert.match(made.SECRET_KEY ?? "", /^[\w+/]{43}=$/);
    assert.match(made.POSTGRES_PASSWORD ?? "", /^[0-9a-f]{48}$/);
    assert.equal(made.HISTORY_URL, `postgres://marshal:${made.POSTGRES_PASSWORD}@postgres/marshal`);
    assert.equal(made.DISCORD_TOKEN, "FILL-IN");
    assert.equal(made.SECRET_KEY_OLD, "");
    assert.equal(statSync(path(SECRET)).mode & 0o77, 0);
    const text = file(SECRET);
    assert.equal(run("make kubernetes").code, 0);
    assert.equal(file(SECRET), text);
  });

  test("makes no SECRET_KEY for a cluster that has one, or data of one", () => {
    for (const objects of ["secret/marshal", "persistentvolumeclaim/data-valkey-0"]) {
      cluster({ objects });
      const { code, said } = run("make kubernetes");
      assert.equal(code, 1, objects);
      assert.match(said, /A lost \.env/);
      assert.ok(!existsSync(path(SECRET)), "nothing was changed");
    }
    assert.equal(run("anew kubernetes").code, 0);
    const text = file(SECRET);
    assert.equal(run("make kubernetes").code, 0, "what has its secret goes on");
    writeFileSync(path(SECRET), text.replace(/^ {2}SECRET_KEY: .*\n/m, ""));
    assert.equal(run("make kubernetes").code, 1);
    assert.equal(run("anew kubernetes").code, 0);
    assert.equal(file(SECRET).match(/^ {2}SECRET_KEY: "[\w+/]{43}="$/gm)?.length, 1);
    program("kubectl", "exit 1");
    rmSync(path(SECRET));
    assert.notEqual(run("make kubernetes").code, 0, "a cluster that does not answer may have data");
  });

  test("reads a lost .env back from the containers, and never writes over one that is there", () => {
    const env = [...knownVariables()].map((name) => `${name}=the ${name}`).join("\n");
    engine({ project: "marshal", env: `PATH=/bin\nNODE_ENV=production\n${env}\n` });
    assert.equal(run("find compose").code, 0);
    const names = [...knownVariables()].filter((name) => name !== "OPS_ADDRESS");
    assert.deepEqual(
      file(".env").trim().split("\n"),
      names.map((name) => `${name}='the ${name}'`),
    );
    const text = file(".env");
    assert.match(run("find compose").said, /\.env had all of it already/);
    assert.equal(file(".env"), text);

    engine({
      project: "marshal",
      folder: temp.path,
      env: "DISCORD_TOKEN=old\nSECRET_KEY=a+b/c=\nSECRET_KEY_OLD=\n",
    });
    writeFileSync(path(".env"), "# mine\nDISCORD_TOKEN=new\nSECRET_KEY=");
    const { said } = run("find compose");
    assert.equal(said, "written to .env: SECRET_KEY\n", "which names it and does not show it");
    assert.equal(file(".env"), "# mine\nDISCORD_TOKEN=new\nSECRET_KEY=\nSECRET_KEY=a+b/c=\n");
    assert.equal(statSync(path(".env")).mode & 0o77, 0);
  });

  test("a history that was turned off stays off, and what the compose files set themselves is left to them", () => {
    for (const [way, project, own] of [
      ["compose", "marshal", "STORE_URL=sqlite:data/marshal.sqlite"],
      ["cluster", "marshal-cluster", "STORE_URL=redis://valkey:6379"],
    ] as const) {
      engine({ project, env: `DISCORD_TOKEN=one\n${own}\nHISTORY_URL=\nOPS_ADDRESS=0.0.0.0:9464\n` });
      for (let time = 0; time < 2; time++) assert.equal(run(`find ${way}`).code, 0);
      assert.equal(file(".env"), "DISCORD_TOKEN=one\nHISTORY_URL=\n");
      rmSync(path(".env"));
      for (const url of ["sqlite:data/history.sqlite", "postgres://marshal:ab12@postgres/marshal"]) {
        engine({ project, env: `DISCORD_TOKEN=one\nHISTORY_URL=${url}\n` });
        assert.equal(run(`find ${way}`).code, 0);
        assert.equal(file(".env"), "DISCORD_TOKEN=one\n");
        rmSync(path(".env"));
      }
    }
  });

  test("takes nothing of a bot of the same name that was started from another folder", () => {
    engine({ project: "marshal", folder: "/elsewhere", env: "SECRET_KEY=x\n" });
    const { code, said } = run("find compose");
    assert.equal(code, 1);
    assert.match(
      said,
      /no container of marshal that was started from this folder.*COMPOSE_PROJECT_NAME=NAME/s,
    );
    assert.ok(!existsSync(path(".env")));
    assert.equal(run("find compose", { COMPOSE_PROJECT_NAME: "marshal" }).code, 0, "unless it is named");
  });

  test("those of several processes have the passwords of the others too", () => {
    const env =
      "SECRET_KEY=x=\nSECRET_KEY=x=\nPOSTGRES_PASSWORD=ab\nGF_SECURITY_ADMIN_PASSWORD=cd\nPOSTGRES_USER=m\n";
    engine({ project: "another-bot", env });
    assert.equal(run("find cluster").code, 1, "of another project");
    assert.ok(!existsSync(path(".env")), "nothing was written");
    assert.equal(run("find cluster", { COMPOSE_PROJECT_NAME: "another-bot" }).code, 0);
    assert.equal(file(".env"), "SECRET_KEY=x=\nPOSTGRES_PASSWORD=ab\nGRAFANA_PASSWORD=cd\n");
  });

  test("reads a lost secret.yaml back from the cluster, or from its pods", () => {
    const history = 'postgres://m:"x\\"@host/m?a=1&b=|';
    cluster({
      secret: `DISCORD_TOKEN=a.token\nHISTORY_URL=${history}\nMINE=1\nSECRET_KEY=a+b/c=\nSECRET_KEY_OLD=\n`,
    });
    assert.equal(run("find kubernetes").code, 0);
    const found = {
      MINE: "1",
      DISCORD_TOKEN: "a.token",
      SECRET_KEY: "a+b/c=",
      SECRET_KEY_OLD: "",
      POSTGRES_PASSWORD: "FILL-IN",
      HISTORY_URL: history,
    };
    assert.deepEqual(yaml(), found);
    assert.equal(statSync(path(SECRET)).mode & 0o77, 0);
    const text = file(SECRET);
    cluster({ secret: "DISCORD_TOKEN=older\nSECRET_KEY=older\n" });
    assert.match(run("find kubernetes").said, /had all of it already/);
    assert.equal(file(SECRET), text);

    writeFileSync(path(SECRET), text.replace(/^ {2}SECRET_KEY: .*\n/m, ""));
    cluster({ pods: "DISCORD_TOKEN=a.token\nSECRET_KEY=of the pods\nHOSTNAME=x\n" });
    assert.equal(run("find kubernetes").code, 0);
    assert.deepEqual(yaml(), { ...found, SECRET_KEY: "of the pods", POSTGRES_PASSWORD: "ab12" });
  });

  test("other words are answered with what there is", () => {
    for (const words of ["", "make", "find", "make compose", "find cluster now"]) {
      const { code, said } = run(words);
      assert.equal(code, 2, words);
      assert.match(said, /bash deploy\/secrets\.sh make cluster/);
    }
  });
});
