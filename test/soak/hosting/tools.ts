import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needsRedis, startRedis } from "../../support/redis-server.ts";
import { filledIn } from "./host.ts";
import type { Walk } from "./walk.ts";

interface Tools extends Pick<Walk, "host" | "documented" | "note"> {
  /** Where a bot has run that is stopped. */
  readonly folder: string;
  /** Runs a documented command there. */
  run(command: string): string;
}

/** What is done with the store of a bot that is stopped: a file of it, a rewind, another database. */
export async function walkStoreTool({ host, documented, note, folder, run }: Tools): Promise<void> {
  const help = host.run(`${documented.take("npm run store --")} 2>&1 || true`, folder);
  note("without words it says what it can", help.includes("rewind"));
  const file = run("npm run store -- backup FILE");
  note("a single file of the store", /backup: FILE holds/.test(file) && existsSync(join(folder, "FILE")));
  note("a reader reads again", run("npm run store -- rewind history 2026-01-31T18:00Z").includes("reads"));
  host.run("rm -f FILE", folder);
  const exported = run("npm run store -- export FILE");
  note("an export is compared with the store", exported.includes("read back and equal"));
  run("npm run store -- export marshal.jsonl");
  if (needsRedis().skip !== undefined) {
    console.log("not run here: import into a Redis");
    return documented.notRun(/npm run store -- import/);
  }
  const redis = await startRedis();
  try {
    // Its own secret, as the documentation has it put into .env.
    const secret = documented.take(
      `grep -q '^SECRET_KEY=.' .env || { key=$(cat data/secret.key) && echo "SECRET_KEY=$key" >> .env; }`,
    );
    const ended = documented.take("sed -i '$a\\' .env");
    host.run(`printf DOCS_URL= >> .env; ${ended}`, folder);
    const before = readFileSync(join(folder, ".env"), "utf8");
    host.run(`mv data away; (${secret}) 2>&1 || true; mv away data`, folder);
    note("none is written where there is none", readFileSync(join(folder, ".env"), "utf8") === before);
    for (let time = 0; time < 2; time++) host.run(secret, folder);
    const env = readFileSync(join(folder, ".env"), "utf8");
    note("the secret comes along, once", env.match(/^SECRET_KEY=.{44}$/gm)?.length === 1);
    writeFileSync(join(folder, ".env"), `${env}STORE_URL=${redis.url}\n`);
    const imported = run("npm run store -- import marshal.jsonl");
    note("a Redis takes it, and is compared with it", imported.includes("read back and equal"));
    const again = host.run(
      `${filledIn(documented.take("npm run store -- import FILE"), {})} 2>&1 || true`,
      folder,
    );
    note("and no second one over it", again.includes("not empty"));
    writeFileSync(join(folder, ".env"), before);
  } finally {
    await redis.stop();
  }
  host.run("rm -f FILE marshal.jsonl", folder);
}

/** An `ssh` that knows one other machine: a folder. */
export function otherMachine(host: Walk["host"]): { readonly folder: string; readonly path: string } {
  const [bin, folder] = [join(host.folder, "ssh-bin"), join(host.folder, "other-machine")];
  for (const path of [bin, folder]) {
    mkdirSync(path, { recursive: true });
    host.own(path);
  }
  const ssh = join(bin, "ssh");
  writeFileSync(ssh, `#!/bin/sh\nshift\ncd ${folder} && exec "$@"\n`);
  chmodSync(ssh, 0o755);
  return { folder, path: `PATH=${bin}:$PATH; ` };
}

/** The lines for cron, with one that keeps its table in a file; what it would run in the night is run. */
export function walkCron({ host, documented, note, folder }: Omit<Tools, "run">): void {
  const bin = join(host.folder, "bin");
  const table = join(host.folder, "cron-table");
  mkdirSync(bin, { recursive: true });
  writeFileSync(
    join(bin, "crontab"),
    `#!/bin/sh\nif [ "$1" = -l ]; then cat ${table}; else cat > ${table}.new && mv ${table}.new ${table}; fi\n`,
  );
  chmodSync(join(bin, "crontab"), 0o755);
  const nightly = (what: string, script: string) =>
    documented.take(
      `test -e deploy/${script} && (crontab -l | grep -vF "# $PWD/"; echo "17 3 * * * ${what} >/dev/null # $PWD/") | crontab -`,
    );
  const install = (line: string) => {
    writeFileSync(table, "0 1 * * * other # /elsewhere/\n");
    host.own(table);
    const shell = `export PATH=${bin}:$PATH COMPOSE_PROJECT_NAME=another-bot`;
    for (let time = 0; time < 2; time++) host.run(`${shell}; ${line}`, folder);
    const lines = readFileSync(table, "utf8").trim().split("\n");
    host.run(`(${shell}; ${line}) || true`, "/");
    note("typed elsewhere the line changes nothing", readFileSync(table, "utf8").trim() === lines.join("\n"));
    note("cron gets one line, and keeps those of others", lines.length === 2);
    return lines[1]?.replace("17 3 * * * ", "") ?? "";
  };
  const own = install(
    nightly(
      "cd $PWD && node_modules/.bin/node --import ./deploy/preflight.mjs deploy/store.ts backups backups --keep 14",
      "store.ts",
    ),
  );
  const count = () => readdirSync(join(folder, "backups")).length;
  const before = count();
  // As cron does: nothing of the shell that installed it.
  host.run(`env -i HOME=/ PATH=/usr/bin:/bin sh -c '${own}'`, "/");
  note("cron's line makes a backup", count() === before + 1);
  const cluster = install(
    nightly(
      "$(env | grep -E '^(COMPOSE_PROJECT_NAME|KUBECONFIG)=' | tr '\\n' ' ')bash $PWD/deploy/cluster-backup.sh compose backup",
      "cluster-backup.sh",
    ),
  );
  note(
    "that of several processes names the script, and the bot that it is of",
    cluster.startsWith(
      `COMPOSE_PROJECT_NAME=another-bot bash ${folder}/deploy/cluster-backup.sh compose backup `,
    ),
  );
}
