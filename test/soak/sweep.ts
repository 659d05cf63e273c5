import { run as runWorlds } from "./worlds.ts";

/** Everything that can be typed and pressed, in all worlds: `npm run soak -- sweep`. */
export async function run(args: readonly string[]): Promise<boolean> {
  return await runWorlds(["--only", "e2e/sweep.", ...args]);
}
