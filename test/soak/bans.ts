import { parseArgs } from "node:util";
import { nothingSeen, tryInterleavings } from "../runs/bans/interleavings.ts";

const LEAST = { bans: 1_000, kills: 200, takeovers: 20 };

/** Bans that end, over kills at any write, takeovers, set clocks and lost answers, in virtual time. */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: { trials: { type: "string", default: "80" }, seed: { type: "string", default: "1000" } },
  });
  const seen = nothingSeen();
  await tryInterleavings(Number(values.seed), Number(values.trials), seen);
  console.log(JSON.stringify(seen));
  return seen.bans >= LEAST.bans && seen.kills >= LEAST.kills && seen.takeovers >= LEAST.takeovers;
}
