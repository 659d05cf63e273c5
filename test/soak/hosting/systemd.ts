import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openStage } from "../../../src/sandbox/stage.ts";
import { textOf } from "../../deploy/deploy-files.ts";
import { addFeeds } from "../../e2e/compare.ts";
import { filledIn } from "./host.ts";
import { READ_BACK } from "./lost-file.ts";
import { SandboxedMachine } from "./sandbox.ts";
import { otherMachine } from "./tools.ts";
import type { Walk } from "./walk.ts";

const STOPPED = /"failed":false,"msg":"stopped"/;
/** Not the shell and not bwrap, whose words hold it too. */
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
  const sudo = (command: string) => {
    console.log(`  ${command}`);
    // Root runs all of the line here; without it only what follows sudo.
    return machine.asRoot(filledIn(documented.take(command), own).replaceAll("sudo ", ""));
  };
  try {
    sudo("sudo git clone ADDRESS /opt/marshal");
    sudo("sudo npm ci --prefix /opt/marshal");
    sudo("sudo install -d /etc/marshal");
    sudo("echo 'DISCORD_TOKEN=YOUR_TOKEN' | sudo sh -c 'umask 077; cat > /etc/marshal/marshal.env'");
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
    sudo("sudo git -C /opt/marshal pull");
    sudo("sudo npm ci --prefix /opt/marshal");
    const version = () => sudo("sudo git -C /opt/marshal log -1 --format='%h of %cs'").split(" ")[0] ?? "";
    own.VERSION = "HEAD~1";
    const newest = version();
    sudo("sudo git -C /opt/marshal checkout VERSION");
    note("the version before is checked out", version() !== newest);
    note("the one after it is still named", sudo("sudo git -C /opt/marshal reflog").includes(newest));
    sudo("sudo git -C /opt/marshal checkout main");
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
    sudo("sudo cp -p /var/lib/marshal/backups/BACKUP/secret.key /var/lib/marshal/");
    note("a lost secret is back from a backup", store("check").includes("1 server keys open"));
    own.KEPT = folder;
    own.BACKUP = name;
    lostFile({ sudo, machine, note, documented, kept: folder });
    host.run(`rm -r ${join(state, "backups")}`);
    sudo("sudo mkdir -p /var/lib/marshal/backups");
    sudo("sudo cp -r KEPT/backups/BACKUP /var/lib/marshal/backups/");
    sudo("sudo chown -R --reference=/var/lib/marshal/ /var/lib/marshal/backups");
    note(
      "a copy from elsewhere is restored",
      store("restore /var/lib/marshal/backups/BACKUP").includes("place"),
    );
    // The owner of that folder is all the root that there is.
    for (const line of [
      "sudo sh -c 'rm -r /var/lib/marshal/before-restore-*'",
      "sudo ls /var/lib/marshal/backups",
      "sudo sh -c 'cd /var/lib/marshal && mkdir lost && mv marshal.sqlite* lost/'",
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

interface LostFileParts extends Pick<Walk, "documented" | "note"> {
  readonly sudo: (command: string) => string;
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
      `cp /etc/marshal/marshal.env ${kept}/ && rm /etc/marshal/marshal.env && mkdir /tmp/bin`,
      `env -i ${given.join(" ")} sleep 60 >/dev/null 2>&1 & until grep -q LOGNAME=marshal /proc/$!/environ; do :; done`,
      'printf "#!/bin/sh\\necho $!\\n" > /tmp/bin/systemctl && chmod +x /tmp/bin/systemctl && PATH=/tmp/bin:$PATH',
      documented.take(READ_BACK.systemd).replaceAll("sudo ", ""),
    ].join("\n"),
  );
  note(
    "the unit's process has the lost marshal.env",
    file() === "DISCORD_TOKEN=a.token\nSECRET_KEY=a+b/c=\n",
  );
  const read = file();
  machine.asRoot(
    [
      'mkdir -p /tmp/bin && printf "#!/bin/sh\necho 0\n" > /tmp/bin/systemctl && chmod +x /tmp/bin/systemctl',
      `PATH=/tmp/bin:$PATH; ${documented.take(READ_BACK.systemd).replaceAll("sudo ", "")} || true`,
    ].join("\n"),
  );
  note("and is left as it is where the unit does not run", file() === read);
  sudo("sudo install -m 600 KEPT/marshal.env /etc/marshal/marshal.env");
  note("and the kept one is put back", file() === before);
}

async function newSecret({ sudo, machine, emulators, note }: SecretParts): Promise<void> {
  const secret = () => machine.read("var/marshal/secret.key");
  const before = secret();
  for (let time = 0; time < 2; time++) {
    sudo(
      `sudo sh -c 'cd /etc/marshal && (grep -q "^SECRET_KEY" marshal.env || { old=$(cat /var/lib/marshal/secret.key) && echo "SECRET_KEY_OLD=$old" >> marshal.env; })'`,
    );
    sudo(
      `sudo sh -c 'cd /etc/marshal && (grep -q "^SECRET_KEY=" marshal.env || { grep -q "^SECRET_KEY_OLD=." marshal.env && echo "SECRET_KEY=$(openssl rand -base64 32)" >> marshal.env; })'`,
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
