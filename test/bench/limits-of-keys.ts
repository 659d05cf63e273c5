import { type BenchResult, figure, table } from "./bench.ts";
import { discover } from "./key-discovery.ts";
import { keyWeek } from "./key-week.ts";

const BUDGET = 8;
const LARGE_BUDGET = 40;
const LEAST_FOUND = 0.9;
const LONGEST_WAIT_S = 600;

/** How the budget of bad keys holds: 50 servers of which many are refused at once, and a week of 10,000 communities. */
export async function keyFigures(): Promise<BenchResult> {
  const found = await discover();
  const week = await keyWeek({ guilds: 10_000, days: 7, badKeyBudget: LARGE_BUDGET });
  const figures = {
    badKeyRequestsPerHour: found.mostRefused,
    bans: found.bans,
    goodFoundOverOptimum: figure(found.foundOverOptimum),
    longestWaitCrowdS: figure(week.longestWaitS, 1),
    linkingRefused: week.linkingRefused,
  };
  const isBudgetKept = found.mostRefused <= BUDGET && found.bans === 0 && week.mostRefused <= LARGE_BUDGET;
  const isCrowdServed = week.longestWaitS <= LONGEST_WAIT_S && week.linkingRefused === 0;
  return {
    ok: isBudgetKept && isCrowdServed && found.foundOverOptimum >= LEAST_FOUND,
    figures,
    lines: [
      "50 servers, a round trip of 1 s, some keys refused at once, 200 seeds each way: at most " +
        `${found.mostRefused} refused in an hour, ${found.bans} bans; good servers read within the hour:`,
      ...table(["", "refused", "possible", "found", "silent for the hour"], found.rows),
      `10,000 communities for a week, budget ${LARGE_BUDGET}: ${week.keysChanged} keys changed, ${week.requests} requests, ` +
        `at most ${week.mostRefused} refused in an hour; ${week.linkingRefused} of ${week.linksTried} links refused; ` +
        `the longest wait of a good key ${week.longestWaitS.toFixed(1)} s`,
    ],
  };
}
