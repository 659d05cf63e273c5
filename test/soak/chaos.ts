import { parseArgs } from "node:util";
import { assertHeld, chaos } from "../support/chaos.ts";

/**
 * The client of the service against everything that can go wrong, one world a seed, on a virtual clock.
 *
 *   npm run soak -- chaos [--seeds 400] [--first 1]
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: { seeds: { type: "string", default: "400" }, first: { type: "string", default: "1" } },
  });
  const [seeds, first] = [Number(values.seeds), Number(values.first)];
  let failed = 0;
  let requests = 0;
  for (let seed = first; seed < first + seeds; seed += 1) {
    try {
      const result = await chaos(seed);
      requests += result.requests;
      assertHeld(result);
    } catch (error) {
      failed += 1;
      console.log(error instanceof Error ? error.message : String(error));
    }
  }
  console.log(`${seeds} seeds from ${first}, ${requests} requests: ${failed} failed`);
  return failed === 0;
}
