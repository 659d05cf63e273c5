import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { composeOf, root, textOf } from "../../deploy/deploy-files.ts";
import { until, type Walk } from "./by-hand.ts";
import { filledIn } from "./host.ts";
import { parsedCompose, programOf } from "./sandbox.ts";

/** The ways with containers, without an engine: the secrets' lines, the files by a real parser, the backup's command. */
export async function walkContainers({ host, documented, words, note }: Walk): Promise<void> {
  const folder = join(host.folder, "containers");
  mkdirSync(folder);
  host.own(folder);
  const shell = (command: string) => {
    console.log(`  ${command}`);
    return host.run(filledIn(documented.take(command), words), folder);
  };
  writeFileSync(join(folder, ".env"), "DISCORD_TOKEN=one\n");
  host.own(join(folder, ".env"));
  shell('echo "SECRET_KEY=$(openssl rand -base64 32)" >> .env');
  shell('echo "POSTGRES_PASSWORD=$(openssl rand -hex 24)" >> .env');
  shell('echo "GRAFANA_PASSWORD=$(openssl rand -hex 12)" >> .env');
  host.run(`cp -r ${root}deploy .`, folder);
  parse(folder, note);
  shell("cp deploy/k8s/secret.example.yaml deploy/k8s/secret.yaml");
  documented.take("kubectl kustomize deploy/k8s");
  if (programOf("kubectl") === undefined) console.log("not run here: kubectl kustomize");
  else
    note(
      "kubectl takes the folder",
      /kind: Deployment/.test(host.run("kubectl kustomize deploy/k8s", folder)),
    );
  await backUp({ host, folder, note });
}

function parse(folder: string, note: Walk["note"]): void {
  for (const name of ["compose", "compose.cluster"]) {
    const file = join(folder, "deploy", `parsed.${name}.yaml`);
    // The parser of 2021 that Debian has knows no name.
    writeFileSync(file, textOf(`deploy/${name}.yaml`).replace(/^name: .*\n/m, ""));
    const parsed = parsedCompose(file, join(folder, ".env"));
    if (parsed === undefined) console.log(`not run here: docker compose config, of deploy/${name}.yaml`);
    else note(`compose's own parser takes deploy/${name}.yaml`, parsed.includes("services:"));
    rmSync(file);
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
  const app = join(host.folder, "marshal");
  const kept = join(folder, "backups");
  mkdirSync(kept);
  host.own(kept);
  if (programOf("bwrap") === undefined) return console.log("not run here: the backup's container");
  const binds = `--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --ro-bind ${app} ${app} --bind ${app}/data ${app}/data`;
  const own = `--unshare-user --unshare-net --bind ${kept} ${app}/backups --chdir ${app}`;
  const path = `--setenv PATH ${app}/node_modules/.bin:/usr/bin:/bin`;
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
