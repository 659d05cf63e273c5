import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openStage } from "../../../src/sandbox/stage.ts";
import { textOf } from "../../deploy/deploy-files.ts";
import { addFeeds } from "../../e2e/compare.ts";
import type { Walk } from "./by-hand.ts";
import { filledIn } from "./host.ts";
import { SandboxedMachine } from "./sandbox.ts";

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
  const own = { ...words, YOUR_TOKEN: stage.discord.token, YOUR_NEW_TOKEN: stage.discord.token };
  const sudo = (command: string) => {
    console.log(`  ${command}`);
    // Root runs all of the line here; without it only what follows sudo.
    return machine.asRoot(filledIn(documented.take(command), own).replaceAll("sudo ", ""));
  };
  try {
    sudo("sudo git clone ADDRESS /opt/marshal");
    sudo("sudo npm ci --prefix /opt/marshal");
    sudo("sudo install -d /etc/marshal");
    sudo("echo 'DISCORD_TOKEN=YOUR_TOKEN' | sudo install -m 600 /dev/stdin /etc/marshal/marshal.env");
    sudo(
      "sudo cp /opt/marshal/deploy/systemd/marshal.service /opt/marshal/deploy/systemd/marshal-backup.service /opt/marshal/deploy/systemd/marshal-backup.timer /etc/systemd/system/",
    );
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
    const line = /^sudo systemd-run .*$/m.exec(textOf("docs/hosting.md"))?.[0] ?? "";
    const [, storeUrl = "", command = ""] = /-E (STORE_URL=\S+) (.*)$/.exec(line) ?? [];
    const restored = machine.confined(command.replace("BACKUP", name), {
      STORE_URL: storeUrl.slice("STORE_URL=".length),
    });
    note("what systemd-run would run restores it", restored.includes("is in place"));
    sudo("echo 'DISCORD_TOKEN=YOUR_NEW_TOKEN' | sudo install -m 600 /dev/stdin /etc/marshal/marshal.env");
    sudo("sudo git -C /opt/marshal pull");
    const again = machine.start(unit.command, { ...machine.unit("marshal.service").env, ...emulators });
    await again.says(/logged in/);
    await again.stopInside(MAIN);
    note("the restored one starts", STOPPED.test(again.said));
    documented.take("sudo ls /var/lib/marshal/backups");
    machine.confined("ls /var/lib/marshal/backups", {});
  } finally {
    await stage.close();
  }
}
