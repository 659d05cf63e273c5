import { parseArgs } from "node:util";
import { liveEvening } from "../duty/role-evening.ts";
import { liveThroughKills } from "../duty/role-world.ts";

const MOST_P95_S = 60;

/**
 * Roles while on duty: over kills at any step, takeovers and lost answers; and how long 12,000 people of staff of 1,000
 * communities wait for theirs in an evening, where Discord is asked four times a second. In virtual time.
 *
 *   npm run soak -- roles [--kills 200] [--takeovers 20] [--guilds 1000] [--seed 1]
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: "string", default: "200" },
      takeovers: { type: "string", default: "20" },
      guilds: { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
    },
  });
  const [kills, takeovers, guilds, seed] = [values.kills, values.takeovers, values.guilds, values.seed].map(
    Number,
  ) as [number, number, number, number];
  console.log(JSON.stringify(await liveThroughKills({ kills, takeovers, seed })));
  const evening = await liveEvening({ guilds, staff: 12, minutes: 360, seed });
  console.log(JSON.stringify(evening));
  return evening.p95S <= MOST_P95_S && evening.left === 0 && evening.given === guilds * 12;
}
