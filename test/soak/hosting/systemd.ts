import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openStage } from "../../../src/sandbox/stage.ts";
import { textOf } from "../../deploy/deploy-files.ts";
import { addFeeds } from "../../e2e/compare.ts";
import { filledIn } from "./host.ts";
import { SandboxedMachine } from "./sandbox.ts";
import { otherMachine } from "./tools.ts";
import type { Walk } from "./walk.ts";

const STOPPED = /"failed":false,"msg":"stopped"/;
/** Not the shell and not bwrap, whose words hold it too. */
const FIND = "sudo bash /opt/marshal/deploy/secrets.sh find systemd";
const MAIN = /^\S*node .*src\/main\.ts$/;

/** The way with systemd: root's commands on a machine of their own, and what the units start in their sandbox, by bwrap. */
export async function walkSystemd({ host, documented, words, note }: Walk): Promise<void> {
  const machine = SandboxedMachine.make(host);
  if (machine === undefined) {
    console.log("not run here: the units' sandbox (there is no bwrap), and the commands of root");
    documented.notRun(/\bsudo /);
    return;
  }
  const stage = await openStage({ seed: 4, serverKey: "unitTown-unitServer", traffic: "normal", live: true });
  const { token } = stage.discord;
  const own: Record<string, string> = { ...words, YOUR_TOKEN: token, YOUR_NEW_TOKEN: token };
  const sudo = (command: string, before = "") => {
    console.log(`  ${command}`);
    // Root runs all of the line here; without it only what follows sudo.
    return machine.asRoot(before + filledIn(documented.take(command), own).replaceAll("sudo ", ""));
  };
  try {
    sudo("sudo git clone ADDRESS /opt/marshal");
    sudo("sudo npm ci --prefix /opt/marshal");
    sudo("sudo install -d /etc/marshal");
    for (const pasted of ["wrong", token]) {
      own.YOUR_TOKEN = pasted;
      sudo(
        "sudo sh -c 'umask 077; test -e /etc/marshal/marshal.env || echo DISCORD_TOKEN= > /etc/marshal/marshal.env'",
      );
      sudo("sudo sed -i 's/^DISCORD_TOKEN=.*/DISCORD_TOKEN=YOUR_TOKEN/' /etc/marshal/marshal.env");
      if (pasted !== token) machine.asRoot("echo MAP_IMAGE=mine >> /etc/marshal/marshal.env");
    }
    note(
      "the unit's file is written once, and the token of the last time counts",
      machine.read("etc/marshal/marshal.env") === `DISCORD_TOKEN=${token}\nMAP_IMAGE=mine\n`,
    );
    machine.asRoot("sed -i /^MAP_IMAGE=/d /etc/marshal/marshal.env");
    sudo("sudo cp /opt/marshal/deploy/systemd/marshal* /etc/systemd/system/");
    const emulators = {
      DISCORD_API_URL: stage.discord.apiUrl,
      SERVICE_URL: stage.serviceUrl,
      OPS_ADDRESS: stage.bot.opsAddress,
    };
    const unit = machine.unit("marshal.service");
    const bot = machine.start(unit.command, { ...unit.env, ...emulators });
    await bot.says(/logged in/);
    note("what the unit starts logs in, from a root that cannot be written", true);
    await addFeeds(stage);

    const backup = machine.unit("marshal-backup.service");
    const said = machine.confined(backup.command, backup.env, backup.hasNetwork);
    const state = join(machine.folder, "var/marshal");
    const [name = ""] = readdirSync(join(state, "backups"));
    note(
      `the backup's unit makes one: ${said.split("\n")[1]}`,
      readdirSync(join(state, "backups", name)).length === 3,
    );
    const node = unit.command.split(" ")[0] ?? "";
    const elsewhere = machine.confined(`${node} deploy/store.ts backup /var/lib/marshal/x 2>&1 || true`, {});
    note(
      "without the unit's variables the tool refuses, and makes nothing",
      elsewhere.includes("and none was made"),
    );

    await bot.stopInside(MAIN);
    note("SIGTERM stops it in order", STOPPED.test(bot.said));
    // What follows the options of systemd-run is run as it would, with the variables that it is given.
    const tool = textOf("deploy/systemd/store.sh").replaceAll("\\\n", " ");
    const command = /(\S+ deploy\/store\.ts) "\$@"/.exec(tool)?.[1] ?? "";
    const env = {
      ...backup.env,
      ...Object.fromEntries([...tool.matchAll(/-E (\w+)=(\S+)/g)].map((one) => one.slice(1))),
    };
    const store = (words: string) => {
      documented.take(`sudo bash /opt/marshal/deploy/systemd/store.sh ${words}`);
      return machine.confined(`${command} ${words.replace("BACKUP", name)}`, env);
    };
    const restored = store("restore /var/lib/marshal/backups/BACKUP");
    note("what systemd-run would run restores it", restored.includes("is in place"));
    note("and checks it", store("check").includes("1 server keys open"));
    sudo("sudo sed -i 's/^DISCORD_TOKEN=.*/DISCORD_TOKEN=YOUR_NEW_TOKEN/' /etc/marshal/marshal.env");
    sudo("sudo git -C /opt/marshal pull --autostash && ! sudo git -C /opt/marshal grep -n '^<<<<<<< '");
    sudo("sudo npm ci --prefix /opt/marshal");
    const version = () => sudo("sudo git -C /opt/marshal log -1 --format='%h of %cs'").split(" ")[0] ?? "";
    own.VERSION = "HEAD~1";
    const newest = version();
    sudo("sudo git -C /opt/marshal checkout -m VERSION && ! sudo git -C /opt/marshal grep -n '^<<<<<<< '");
    sudo("sudo git -C /opt/marshal reset -q");
    machine.asRoot("cd /opt/marshal && echo '# mine' >> deploy/alertmanager.yml && git stash -q");
    sudo("sudo git -C /opt/marshal stash drop");
    note("the version before is checked out", version() !== newest);
    note("the one after it is still named", sudo("sudo git -C /opt/marshal reflog").includes(newest));
    sudo("sudo git -C /opt/marshal checkout -m main");
    note("and the newest again", version() === newest);
    const again = machine.start(unit.command, { ...machine.unit("marshal.service").env, ...emulators });
    await again.says(/logged in/);
    await again.stopInside(MAIN);
    note("the restored one starts", STOPPED.test(again.said));
    const register = documented.take(
      "sudo systemd-run --pipe --wait --quiet -p DynamicUser=yes -p EnvironmentFile=/etc/marshal/marshal.env -p WorkingDirectory=/opt/marshal /opt/marshal/node_modules/.bin/node deploy/register.ts",
    );
    const [, given = "", registers = ""] = /EnvironmentFile=(\S+) .*?(\/opt\S+ \S+)$/.exec(register) ?? [];
    const registering = machine.start(registers, { ...machine.variables(given), ...emulators });
    await registering.says(/registered \d+ commands/);
    note("what systemd-run would run registers its commands", (await registering.ended) === 0);
    await newSecret({ sudo, machine, emulators, note });
    machine.confined(backup.command, backup.env, backup.hasNetwork);
    own.BACKUP = readdirSync(join(state, "backups")).sort().at(-1) ?? "";
    const { folder, path } = otherMachine(host);
    const copy = documented.take("sudo tar -C /var/lib/marshal -c backups | ssh OTHER_MACHINE tar -x");
    machine.asRoot(path + copy.replace("sudo ", ""));
    const copied = readdirSync(join(folder, "backups"));
    const made = readdirSync(join(state, "backups"));
    note(
      "both backups are on another machine",
      made.length === 2 && made.every((one) => copied.includes(one)),
    );
    machine.confined("rm /var/lib/marshal/secret.key", {});
    const named = sudo("sudo sh -c 'ls /var/lib/marshal/backups/*/secret.key'");
    note("the backups that have it are named", named.includes(`${own.BACKUP}/secret.key`));
    sudo("sudo cp -p --backup=t /var/lib/marshal/backups/BACKUP/secret.key /var/lib/marshal/");
    sudo("sudo chown --reference=/var/lib/marshal/ /var/lib/marshal/secret.key");
    note("a lost secret is back from a backup", store("check").includes("1 server keys open"));
    own.KEPT = folder;
    own.BACKUP = name;
    lostFile({ sudo, machine, note, documented, kept: folder });
    toSeveral({ sudo, machine, note, store });
    host.run(`rm -r ${join(state, "backups")}`);
    sudo("sudo mkdir -p /var/lib/marshal/backups");
    sudo("sudo cp -r KEPT/backups/BACKUP /var/lib/marshal/backups/");
    note("whatever is put there becomes the bot's user's before it is read", givesToUser(machine));
    note(
      "a copy from elsewhere is restored",
      store("restore /var/lib/marshal/backups/BACKUP").includes("place"),
    );
    // The owner of that folder is all the root that there is.
    for (const line of [
      "sudo sh -c 'rm -r /var/lib/marshal/before-restore-*'",
      "sudo ls /var/lib/marshal/backups",
      "sudo du -h -d 1 /var/lib/marshal/",
      "sudo df -h /var/lib/marshal/",
      "sudo sh -c 'cd /var/lib/marshal && mkdir lost && mv marshal.sqlite* lost/ && { test ! -e secret.key || mv secret.key lost/; }'",
    ])
      machine.confined(documented.take(line).replaceAll("sudo ", ""), {});
    const empty = machine.start(unit.command, { ...unit.env, ...emulators });
    await empty.says(/logged in/);
    await empty.stopInside(MAIN);
    note("with an empty store it starts", true);
  } finally {
    await stage.close();
  }
}

/** What store.sh does before its tool, where root has put a backup there. */
function givesToUser(machine: SandboxedMachine): boolean {
  const said = machine.asRoot(
    [
      'mkdir /tmp/bin; for name in chown systemd-run; do printf "#!/bin/sh\necho ran $name \\$*\n" > /tmp/bin/$name; chmod +x /tmp/bin/$name; done',
      "PATH=/tmp/bin:$PATH bash /opt/marshal/deploy/systemd/store.sh check",
    ].join("\n"),
  );
  return /^ran chown -R --reference=\/var\/lib\/marshal\/ \/var\/lib\/marshal\/backups\nran systemd-run /.test(
    said,
  );
}

/** What goes from here to several processes: the secret and the store. */
function toSeveral({
  sudo,
  machine,
  note,
  store,
}: Pick<LostFileParts, "sudo" | "machine" | "note"> & { store(words: string): string }): void {
  const secret = `grep -q '^SECRET_KEY=.' .env || { key=$(sudo cat /var/lib/marshal/secret.key) && echo "SECRET_KEY=$key" >> .env; }`;
  // A last line without an end.
  machine.asRoot("printf DOCS_URL= > /opt/marshal/.env");
  for (let time = 0; time < 2; time++) {
    sudo("sed -i '$a\\' .env", "cd /opt/marshal; ");
    sudo(secret, "cd /opt/marshal; ");
  }
  const lines = machine.read("opt/marshal/.env").match(/^SECRET_KEY=.{44}$/gm);
  note("the secret comes along, once", lines?.length === 1);
  note(
    "an export is compared with the store",
    store("export /var/lib/marshal/marshal.jsonl").includes("read back and equal"),
  );
  sudo("sudo cat /var/lib/marshal/marshal.jsonl > marshal.jsonl", "cd /opt/marshal; ");
  note("and is handed over", machine.read("opt/marshal/marshal.jsonl").length > 0);
  machine.asRoot("rm /opt/marshal/.env /opt/marshal/marshal.jsonl /var/lib/marshal/marshal.jsonl");
}

interface LostFileParts extends Pick<Walk, "documented" | "note"> {
  readonly sudo: (command: string, before?: string) => string;
  readonly machine: SandboxedMachine;
  readonly kept: string;
}

interface SecretParts {
  readonly sudo: (command: string) => string;
  readonly machine: SandboxedMachine;
  readonly emulators: Readonly<Record<string, string>>;
  readonly note: Walk["note"];
}

/** The file of the unit, read back from the process that it started, and put back from where it was kept. */
function lostFile({ sudo, machine, note, documented, kept }: LostFileParts): void {
  const file = () => machine.read("etc/marshal/marshal.env");
  const before = file();
  const variables = { DISCORD_TOKEN: "a.token", LOGNAME: "marshal", SECRET_KEY: "a+b/c=", PATH: "/bin" };
  const given = Object.entries(variables).map((pair) => pair.join("="));
  machine.asRoot(
    [
      `cp /etc/marshal/marshal.env ${kept}/ && rm -r /etc/marshal && mkdir /tmp/bin`,
      `env -i ${given.join(" ")} sleep 60 >/dev/null 2>&1 & until grep -q LOGNAME=marshal /proc/$!/environ; do :; done`,
      'printf "#!/bin/sh\\necho $!\\n" > /tmp/bin/systemctl && chmod +x /tmp/bin/systemctl && PATH=/tmp/bin:$PATH',
      documented.take(FIND).replaceAll("sudo ", ""),
    ].join("\n"),
  );
  const written = "DISCORD_TOKEN=a.token\nSECRET_KEY=a+b/c=\n";
  note("the unit's process has the lost marshal.env", file() === written);
  const fails = machine.asRoot(
    [
      'rm -r /etc/marshal; mkdir -p /tmp/bin && printf "#!/bin/sh\necho 0\n" > /tmp/bin/systemctl && chmod +x /tmp/bin/systemctl',
      `PATH=/tmp/bin:$PATH; ${documented.take(FIND).replaceAll("sudo ", "")} 2>&1 || ls /etc/marshal 2>&1 || true`,
    ].join("\n"),
  );
  note("and nothing is written where the unit does not run", /does not run.*No such file/s.test(fails));
  sudo("sudo install -d /etc/marshal");
  const install =
    "sudo test -e /etc/marshal/marshal.env || sudo install -m 600 KEPT/marshal.env /etc/marshal/marshal.env";
  sudo(install);
  machine.asRoot(`echo '# newer' >> ${kept}/marshal.env`);
  sudo(install);
  note("and the kept one is put back", file() === before);
}

async function newSecret({ sudo, machine, emulators, note }: SecretParts): Promise<void> {
  const secret = () => machine.read("var/marshal/secret.key");
  const before = secret();
  machine.asRoot("printf DOCS_URL= >> /etc/marshal/marshal.env");
  for (let time = 0; time < 2; time++) {
    sudo("sudo sed -i '$a\\' /etc/marshal/marshal.env");
    sudo(
      `sudo sh -c 'cd /etc/marshal && (grep -q "^SECRET_KEY.*=." marshal.env || { old=$(cat /var/lib/marshal/secret.key) && echo "SECRET_KEY_OLD=$old" >> marshal.env; })'`,
    );
    sudo(
      `sudo sh -c 'cd /etc/marshal && (grep -q "^SECRET_KEY=." marshal.env || { grep -q "^SECRET_KEY_OLD=." marshal.env && echo "SECRET_KEY=$(openssl rand -base64 32)" >> marshal.env; })'`,
    );
  }
  note(
    "a new secret is appended once",
    machine.read("etc/marshal/marshal.env").match(/^SECRET_KEY/gm)?.length === 2,
  );
  const unit = machine.unit("marshal.service");
  const bot = machine.start(unit.command, { ...unit.env, ...emulators });
  await bot.says(/you can remove SECRET_KEY_OLD and SECRET_KEY:/);
  await bot.says(/logged in/);
  await bot.stopInside(MAIN);
  sudo("sudo sed -i '/^SECRET_KEY/d' /etc/marshal/marshal.env");
  note("and is in the unit's file then", secret() !== before);
}
