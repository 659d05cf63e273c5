import { seededRandom } from "../support/clock.ts";
import { type BenchResult, figure, table } from "./bench.ts";
import { measure } from "./schedule.ts";
import { bySchedule } from "./schedule-pollers.ts";
import { makeWorld } from "./schedule-world.ts";

export const name = "delays";

const HOUR_MS = 3_600_000;
const SERVERS = [10, 100, 1_000, 5_000, 10_000];
const REQUESTS_PER_S = [1, 5, 10, 20, 40];

/**
 * How late log entries are read, by how many game servers share how many requests a second: for docs/hosting.md. The
 * real schedule in the world of the bench `schedule` (35 % of the servers open, some of them far busier than others).
 */
export async function run(): Promise<BenchResult> {
  const rows: (readonly string[])[] = [];
  let [meanS, p95S] = [0, 0];
  for (const servers of SERVERS) {
    const world = makeWorld(seededRandom(20260104), servers, 1.5 * HOUR_MS);
    const cells = REQUESTS_PER_S.map((perS) => {
      const delays = measure(world, bySchedule(world.servers, perS), { perS, warmMs: HOUR_MS / 2 });
      [meanS, p95S] = [delays.meanMs / 1_000, delays.p95Ms / 1_000];
      return `${figure(meanS, meanS < 10 ? 1 : 0)} / ${figure(p95S, p95S < 10 ? 1 : 0)}`;
    });
    rows.push([String(servers), ...cells]);
  }
  const head = ["servers", ...REQUESTS_PER_S.map((perS) => `${perS}/s`)];
  const lines = ["seconds from an entry to its reading: mean / 19 of 20", ...table(head, rows)];
  return { ok: true, figures: { meanS: figure(meanS), p95S: figure(p95S) }, lines };
}
