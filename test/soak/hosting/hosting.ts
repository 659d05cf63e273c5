import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { tempFolder } from "../../support/temp-folder.ts";
import { alertsArrive } from "./alerts-arrive.ts";
import { walkByHand } from "./by-hand.ts";
import { walkContainers } from "./compose.ts";
import { fillsUp } from "./disk-full.ts";
import { Documented, NOT_RUN } from "./documented.ts";
import { measureFigures } from "./figures.ts";
import { Host } from "./host.ts";
import { walkLostFile } from "./lost-file.ts";
import { walkOldNpm } from "./old-npm.ts";
import { walkSystemd } from "./systemd.ts";
import type { Walk } from "./walk.ts";

/** The containers' backup needs what the walk by hand has left. */
const PARTS: Readonly<Record<string, (walk: Walk) => Promise<void>>> = {
  "old-npm": walkOldNpm,
  "by-hand": walkByHand,
  containers: walkContainers,
  systemd: walkSystemd,
  "lost-file": walkLostFile,
  alerts: alertsArrive,
  "disk-full": fillsUp,
  figures: measureFigures,
};

/**
 * Follows docs/hosting.md word for word, as somebody without any right in an empty folder: every command of it is run, or named as
 * one that cannot be run here. Discord and the game service are the emulators.
 *
 *   npm run soak -- hosting [--only old-npm,by-hand,containers,systemd,lost-file,alerts,disk-full,figures]
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { only } = parseArgs({ args: [...args], options: { only: { type: "string" } } }).values;
  const folder = tempFolder();
  const held: boolean[] = [];
  const note = (what: string, isHeld: boolean) => {
    held.push(isHeld);
    console.log(`${isHeld ? "held" : "FAILED"}: ${what}`);
  };
  const documented = new Documented();
  try {
    const host = new Host(folder.path);
    const { address, branch, publish } = host.repository();
    const words = { ADDRESS: address, "checkout -m main": `checkout -m ${branch}` };
    const walk = { host, documented, words, publish, note };
    for (const [name, part] of Object.entries(PARTS)) {
      if (only !== undefined && !only.split(",").includes(name)) continue;
      console.log(`${name}:`);
      await part(walk).catch((error: unknown) =>
        note(error instanceof Error ? `${error.stack}` : String(error), false),
      );
    }
  } finally {
    execFileSync("chmod", ["-R", "u+w", folder.path]);
    folder.remove();
  }
  const { named, forgotten } = documented.left();
  for (const line of named) console.log(`not run here: ${line}`);
  for (const what of Object.values(NOT_RUN)) console.log(`  ${what}`);
  if (only !== undefined) return !held.includes(false);
  for (const line of forgotten) note(`docs/hosting.md: ${line}`, false);
  console.log(`${documented.count} commands, ${named.length} of them not run here`);
  return !held.includes(false);
}
