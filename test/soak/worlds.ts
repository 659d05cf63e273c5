import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ALL_WORLDS } from "../support/worlds.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** What a test imports that has further worlds. */
const MARK = "support/worlds.ts";

/**
 * The tests of which `npm test` runs a few seeds and worlds, with all of them.
 *
 *   npm run soak -- worlds [--only PART OF FILE]
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const options = { only: { type: "string", default: "" } } as const;
  const { only } = parseArgs({ args: [...args], options }).values;
  const all = globSync("test/*/**/*.test.ts", { cwd: ROOT });
  const files = all.filter(
    (path) => path.includes(only) && readFileSync(`${ROOT}${path}`, "utf8").includes(MARK),
  );
  if (files.length === 0) throw new Error(`no test with further worlds is called ${only}`);
  const runner = spawn(process.execPath, ["test/support/run-tests.ts", "--times", ...files], {
    cwd: ROOT,
    env: { ...process.env, [ALL_WORLDS]: "1" },
    stdio: "inherit",
  });
  const [code] = await once(runner, "exit");
  return code === 0;
}
