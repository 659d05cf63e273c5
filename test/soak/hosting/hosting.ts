import { execFileSync } from "node:child_process";
import { tempFolder } from "../../support/temp-folder.ts";
import { alertsArrive } from "./alerts-arrive.ts";
import { walkByHand } from "./by-hand.ts";
import { walkContainers } from "./compose.ts";
import { Documented, NOT_RUN } from "./documented.ts";
import { Host } from "./host.ts";
import { walkSystemd } from "./systemd.ts";

/**
 * Follows docs/hosting.md word for word, as somebody without any right in an empty folder: every command of it is run, or named as
 * one that cannot be run here. Discord and the game service are the emulators.
 *
 *   npm run soak -- hosting
 */
export async function run(): Promise<boolean> {
  const folder = tempFolder();
  const held: boolean[] = [];
  const note = (what: string, isHeld: boolean) => {
    held.push(isHeld);
    console.log(`${isHeld ? "held" : "FAILED"}: ${what}`);
  };
  const documented = new Documented();
  try {
    const host = new Host(folder.path);
    const { address, publish } = host.repository();
    const words = { ADDRESS: address };
    const walk = { host, documented, words, publish, note };
    for (const part of [walkByHand, walkContainers, walkSystemd, alertsArrive]) {
      console.log(part.name);
      await part(walk);
    }
  } finally {
    execFileSync("chmod", ["-R", "u+w", folder.path]);
    folder.remove();
  }
  const { named, forgotten } = documented.left();
  for (const line of named) console.log(`not run here: ${line}`);
  for (const what of Object.values(NOT_RUN)) console.log(`  ${what}`);
  for (const line of forgotten) note(`docs/hosting.md: ${line}`, false);
  console.log(`${documented.count} commands, ${named.length} of them not run here`);
  return !held.includes(false);
}
