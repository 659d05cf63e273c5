import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse as parseYaml } from "yaml";
import { composeOf, root, textOf } from "../../deploy/deploy-files.ts";
import { filledIn } from "./host.ts";
import { parsedCompose, programOf } from "./sandbox.ts";
import { until, type Walk } from "./walk.ts";

/** The ways with containers, without an engine: the secrets' lines, the files by a real parser, the backup's command. */
export async function walkContainers({ host, documented, words, note }: Walk): Promise<void> {
  const folder = join(host.folder, "containers");
  mkdirSync(folder);
  host.own(folder);
  const own = {
    ...words,
    YOUR_TOKEN: "one",
    "REGISTRY/marshal:VERSION": "registry.example/marshal:1",
    KEPT: ".",
    BACKUP: "1",
    YOUR_NEW_TOKEN: "another",
  };
  // There is no cluster to apply anything to, and no engine.
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const program = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program("kubectl", 'case "$*" in *" get "*) ;; *) echo applied ;; esac');
  program("docker", "");
  const shell = (command: string, more = "") => {
    console.log(`  ${command}`);
    return host.run(`export PATH=${bin}:$PATH; ${filledIn(documented.take(command), own)}${more}`, folder);
  };
  writeFileSync(join(folder, ".env"), "DISCORD_TOKEN=one\n");
  host.own(join(folder, ".env"));
  host.run(`cp -r ${root}deploy ${root}.env.example .`, folder);
  // Twice: a second SECRET_KEY would be one that opens nothing, a second POSTGRES_PASSWORD one that nobody has.
  for (let time = 0; time < 2; time++) shell("bash deploy/secrets.sh make cluster");
  const lines = readFileSync(join(folder, ".env"), "utf8").trim().split("\n");
  note("the secrets' line, run twice, makes each once", lines.length === 4);
  program("docker", "echo marshal-cluster_valkey");
  host.run("mv .env .env.lost", folder);
  const beside = shell("bash deploy/secrets.sh make cluster", " 2>&1 || true");
  note(
    "beside data that another secret has sealed it makes none",
    /A lost \.env/.test(beside) && !existsSync(join(folder, ".env")),
  );
  shell("bash deploy/secrets.sh anew cluster");
  note(
    "where that is lost for good it does",
    /^SECRET_KEY=./m.test(readFileSync(join(folder, ".env"), "utf8")),
  );
  host.run("mv .env.lost .env", folder);
  shell("sed -i 's/mem_limit: 1g/mem_limit: 2g/' deploy/compose.yaml");
  const limits = readFileSync(join(folder, "deploy/compose.yaml"), "utf8").match(/mem_limit: \w+/g);
  note("the bot gets more memory, and nothing else", limits?.join() === "mem_limit: 2g,mem_limit: 256m");
  shell("sed -i 's/- 512mb/- 1gb/; s/mem_limit: 1g/mem_limit: 2g/' deploy/compose.cluster.yaml");
  const { services } = composeIn(folder, "compose.cluster");
  const isMore = services.valkey.mem_limit === "2g" && services.valkey.command.includes("1gb");
  note("Valkey gets more, and nothing else", isMore && services.marshal.mem_limit === "3g");
  // Twice, as after an update.
  for (let time = 0; time < 2; time++) shell("sed -i 's/# ports: /ports: /' deploy/compose.yaml");
  const { marshal, backup } = composeIn(folder, "compose").services;
  const isOpen = marshal.ports?.join() === "127.0.0.1:9464:9464" && backup.ports === undefined;
  note("a Prometheus of one's own gets a port of this machine", isOpen);
  parse(folder, note);
  fillKubernetes({ host, folder, shell, note, documented });
  growKubernetes(folder, shell, note);
  program("kubectl", "cat");
  const rules = shell(
    "{ sed '/^spec:/,$d; s/PodMonitor/PrometheusRule/' deploy/k8s/pod-monitor.yaml; echo spec:; sed 's/^/  /' deploy/grafana/alerts.yml; } | kubectl apply -f -",
  );
  note(
    "the Prometheus operator gets the rules, with the label that it looks for",
    isDeepStrictEqual(parseYaml(rules), {
      ...parseYaml(textOf("deploy/k8s/pod-monitor.yaml")),
      kind: "PrometheusRule",
      spec: parseYaml(textOf("deploy/grafana/alerts.yml")),
    }),
  );
  documented.take("kubectl kustomize deploy/k8s");
  if (programOf("kubectl") === undefined) console.log("not run here: kubectl kustomize");
  else
    note(
      "kubectl takes the folder, with the image's name in it",
      /image: registry\.example\/marshal:1\n/.test(host.run("kubectl kustomize deploy/k8s", folder)),
    );
  const parts = ["valkey.rdb", "postgres.dump"].map((part) => `test -s backups-of-cluster/BACKUP/${part}`);
  const lineBehind = () =>
    shell(parts[0] ?? "", ` && ${filledIn(documented.take(parts[1] ?? ""), own)} && echo gone || true`);
  host.run("mkdir -p backups-of-cluster/1 && cd backups-of-cluster/1 && echo x > valkey.rdb", folder);
  note("no volume is taken away where a part of the backup is missing", lineBehind() === "");
  host.run("echo x > backups-of-cluster/1/postgres.dump", folder);
  note("and it is where both are there", lineBehind() === "gone\n");
  note(
    "export names the other bot for every later line",
    shell("export COMPOSE_PROJECT_NAME=another-bot") === "",
  );
  documented.notRun(/\bdocker compose /);
  await backUp({ host, folder, note });
}

/** The secret of a cluster: refused by its line until everything is filled in. */
function fillKubernetes({
  host,
  folder,
  shell,
  note,
  documented,
}: Pick<Walk, "host" | "note" | "documented"> & {
  readonly folder: string;
  shell(command: string, more?: string): string;
}): void {
  // Twice, as at an update.
  for (let time = 0; time < 2; time++)
    shell("sed -i 's|image: .*|image: REGISTRY/marshal:VERSION|' deploy/k8s/deployment.yaml");
  const apply = () =>
    shell(
      '! grep -n "^[^#]*FILL-IN" deploy/k8s/secret.yaml',
      ` && ${documented.take("kubectl apply -f deploy/k8s/secret.yaml")} || true`,
    );
  for (let time = 0; time < 2; time++) {
    shell("bash deploy/secrets.sh make kubernetes");
    if (time === 0) note("a secret that is not filled in is refused", /^\d+:.*FILL-IN/.test(apply()));
    const left = shell('! grep -n "^[^#]*FILL-IN" deploy/k8s/secret.yaml', " && echo whole || true");
    note("and the next line of a chain is not run", left.endsWith("whole\n") === time > 0);
    shell(`sed -i 's|DISCORD_TOKEN: .*|DISCORD_TOKEN: "YOUR_TOKEN"|' deploy/k8s/secret.yaml`);
  }
  const secret = readFileSync(join(folder, "deploy/k8s/secret.yaml"), "utf8");
  const password = /POSTGRES_PASSWORD: "([0-9a-f]{48})"/.exec(secret)?.[1];
  note(
    "the lines fill it in, one password in both places",
    /SECRET_KEY: "[\w+/]{43}="/.test(secret) && secret.includes(`postgres://marshal:${password}@postgres/`),
  );
  note("and it is applied then", apply() === "applied\n");
  renameSync(join(folder, "deploy/k8s/secret.yaml"), join(folder, "secret.yaml"));
  for (let time = 0; time < 2; time++) {
    shell("{ test -e deploy/k8s/secret.yaml || install -m 600 KEPT/secret.yaml deploy/k8s/secret.yaml; }");
    const isSame = readFileSync(join(folder, "deploy/k8s/secret.yaml"), "utf8") === secret;
    note(time === 0 ? "a kept one is put back" : "and not over one that is there", isSame);
    host.run("echo '# newer' >> secret.yaml", folder);
  }
  const lose = (name: string) => void host.run(`sed -i '/^  ${name}: /d' deploy/k8s/secret.yaml`, folder);
  newInKubernetes({
    file: () => readFileSync(join(folder, "deploy/k8s/secret.yaml"), "utf8"),
    lose,
    shell,
    note,
  });
}

/** A new token and a new secret of a cluster, in its file. */
function newInKubernetes({
  file,
  lose,
  shell,
  note,
}: {
  file(): string;
  lose(name: string): void;
  shell(command: string): string;
  note: Walk["note"];
}): void {
  const before = file();
  const of = (name: string) => new RegExp(`^  ${name}: "(.*)"$`, "m").exec(file())?.[1] ?? "";
  const [secret, password] = [of("SECRET_KEY"), of("POSTGRES_PASSWORD")];
  shell(`sed -i 's|DISCORD_TOKEN: .*|DISCORD_TOKEN: "YOUR_NEW_TOKEN"|' deploy/k8s/secret.yaml`);
  note("a new token stands in the secret", of("DISCORD_TOKEN") === "another");
  // Twice: a second run would push out the secret that the keys are sealed with.
  for (let time = 0; time < 2; time++)
    shell(
      `if grep -q 'SECRET_KEY_OLD: ""' deploy/k8s/secret.yaml; then sed -i "s|^  SECRET_KEY_OLD: .*|  SECRET_KEY_OLD: $(sed -n 's/^  SECRET_KEY: //p' deploy/k8s/secret.yaml)|; s|^  SECRET_KEY: .*|  SECRET_KEY: \\"$(openssl rand -base64 32)\\"|" deploy/k8s/secret.yaml; fi`,
    );
  const isNew = /^[\w+/]{43}=$/.test(of("SECRET_KEY")) && of("SECRET_KEY") !== secret;
  note("a new secret has the one before beside it, once", isNew && of("SECRET_KEY_OLD") === secret);
  shell(`sed -i 's|^  SECRET_KEY_OLD: .*|  SECRET_KEY_OLD: ""|' deploy/k8s/secret.yaml`);
  const isSame = of("SECRET_KEY_OLD") === "" && of("POSTGRES_PASSWORD") === password;
  note(
    "which is removed in the end, and the rest stays",
    isSame && file().split("\n").length === before.split("\n").length,
  );
  const sealing = of("SECRET_KEY");
  lose("SECRET_KEY");
  shell("bash deploy/secrets.sh anew kubernetes");
  const isAnother = /^[\w+/]{43}=$/.test(of("SECRET_KEY")) && of("SECRET_KEY") !== sealing;
  note(
    "in the place of a lost secret comes another, and the rest stays",
    isAnother && of("POSTGRES_PASSWORD") === password && of("DISCORD_TOKEN") === "another",
  );
}

/** What stands in one of the files there now. */
function composeIn(folder: string, name: string) {
  return parseYaml(readFileSync(join(folder, `deploy/${name}.yaml`), "utf8"), { merge: true });
}

/** More room, and blocks, in the files of a cluster. */
function growKubernetes(folder: string, shell: (command: string) => string, note: Walk["note"]): void {
  const text = (name: string) => readFileSync(join(folder, `deploy/k8s/${name}.yaml`), "utf8");
  for (const what of ["storageclass", "pods -A"]) shell(`kubectl get ${what}`);
  shell("sed -i 's/- 512mb/- 1gb/; s/memory: 1Gi/memory: 2Gi/' deploy/k8s/valkey.yaml");
  shell("sed -i 's/storage: [^ ]*/storage: 200Gi/' deploy/k8s/postgres.yaml");
  note("Valkey gets more", /- 1gb\n.*limits: \{ memory: 2Gi \}/s.test(text("valkey")));
  note("PostgreSQL gets a larger disk", text("postgres").includes("requests: { storage: 200Gi }\n"));
  shell("while kubectl -n marshal get pods -l app=marshal -o name | grep -q .; do sleep 2; done");
  for (let time = 0; time < 2; time++)
    shell(
      `sed -i 's/replicas: .*/replicas: 5/; s|name: SHARDS, value: [^ ]*|name: SHARDS, value: "any:4/16"|' deploy/k8s/deployment.yaml`,
    );
  const { spec } = parseYaml(text("deployment"));
  const [{ env }] = spec.template.spec.containers;
  const shards = env.find((one: { name: string }) => one.name === "SHARDS")?.value;
  note("four blocks are five processes", spec.replicas === 5 && shards === "any:4/16");
}

function parse(folder: string, note: Walk["note"]): void {
  for (const names of [["compose"], ["compose.cluster"], ["compose", "compose.alerts"]]) {
    const files = names.map((name) => {
      const file = join(folder, "deploy", `parsed.${name}.yaml`);
      // The parser of 2021 that Debian has knows no name.
      writeFileSync(file, textOf(`deploy/${name}.yaml`).replace(/^name: .*\n/m, ""));
      return file;
    });
    const parsed = parsedCompose(files, join(folder, ".env"));
    const what = names.map((name) => `deploy/${name}.yaml`).join(" with ");
    if (parsed === undefined) console.log(`not run here: docker compose config, of ${what}`);
    else {
      note(`compose's own parser takes ${what}`, parsed.includes("services:"));
      const isOpen = /127\.0\.0\.1:9464|published: "?9464/.test(parsed);
      note(`${what}: the ops port is closed`, !isOpen);
    }
    for (const file of files) rmSync(file);
  }
}

/** The command of the container `backup`, in a root that cannot be written, on a store that a bot has left. */
async function backUp({
  host,
  folder,
  note,
}: Pick<Walk, "host" | "note"> & { folder: string }): Promise<void> {
  const [program = "", flag = "", script = ""] =
    composeOf("deploy/compose.yaml").services.backup?.command ?? [];
  const app = join(host.folder, "home/marshal");
  const kept = join(folder, "backups");
  mkdirSync(kept);
  host.own(kept);
  if (programOf("bwrap") === undefined) return console.log("not run here: the backup's container");
  const binds = `--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --ro-bind ${app} ${app} --bind ${app}/data ${app}/data`;
  const own = `--unshare-user --unshare-net --bind ${kept} ${app}/backups --chdir ${app}`;
  const path = `--setenv PATH ${app}/node_modules/.bin:/usr/bin:/bin`;
  // Those of the walk by hand are of today: a start makes none then.
  host.run("touch -d '2 days ago' data/last-backup", app);
  const running = host.start(
    `exec bwrap --die-with-parent ${binds} ${own} ${path} ${program} ${flag} '${script}'`,
  );
  await until(() => readdirSync(kept).some((name) => /Z$/.test(name)), 60_000).catch(() => undefined);
  note(
    "the backup's container makes one at its start",
    readdirSync(kept).some((name) => /Z$/.test(name)),
  );
  await running.stop("SIGKILL");
}
