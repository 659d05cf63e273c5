import { type DyingKeys, dyingKeys, minutesToLink, pollsBesideWrongKeys } from "../support/wrong-keys.ts";
import { type BenchResult, figure, table } from "./bench.ts";
import { discover } from "./key-discovery.ts";
import { keyWeek } from "./key-week.ts";

const BUDGET = 9;
const LARGE_BUDGET = 40;
const LEAST_FOUND = 0.9;
const LONGEST_WAIT_S = 600;
const LEAST_POLLS = 0.9;
const LONGEST_LINK_MIN = 60;
/** When a third guild comes, after two others have begun to type wrong keys. */
const LINK_AFTER_MIN = [1, 5, 31, 61, 65, 121];
const DYING_SEEDS = 8;

/** How the budget of bad keys holds: 50 servers of which many are refused at once, and a week of 10,000 communities. */
export async function keyFigures(): Promise<BenchResult> {
  const found = await discover();
  const week = await keyWeek({ guilds: 10_000, days: 7, badKeyBudget: LARGE_BUDGET });
  const polls = await pollsBesideWrongKeys();
  const pollsBeside = polls.beside / polls.before;
  const links: number[] = [];
  for (const minutes of LINK_AFTER_MIN) links.push(await minutesToLink(minutes));
  const linkMin = Math.max(...links);
  const dying: DyingKeys[] = [];
  for (let seed = 1; seed <= DYING_SEEDS; seed++) dying.push(await dyingKeys({ seed }));
  const served = (hours: number) => mean(dying.map(({ servedAfter }) => servedAfter(hours)));
  const allServedH = Math.max(...dying.map(({ allServedAfterH }) => allServedAfterH));
  const mostRefused = Math.max(found.mostRefused, ...dying.map((one) => one.mostRefused));
  const bans = dying.reduce((sum, one) => sum + one.bans, found.bans);
  const figures = {
    badKeyRequestsPerHour: mostRefused,
    bans,
    goodFoundOverOptimum: figure(found.foundOverOptimum),
    longestWaitCrowdS: figure(week.longestWaitS, 1),
    linkingRefused: week.linkingRefused,
    goodServedAfter2h: figure(served(2), 1),
    pollsBesideWrongKeys: figure(pollsBeside),
    linkBesideWrongKeysMin: figure(linkMin, 1),
  };
  const isBudgetKept = mostRefused <= BUDGET && bans === 0 && week.mostRefused <= LARGE_BUDGET;
  const isCrowdServed = week.longestWaitS <= LONGEST_WAIT_S && week.linkingRefused === 0;
  const isTypingHarmless = pollsBeside >= LEAST_POLLS && linkMin <= LONGEST_LINK_MIN;
  return {
    ok: isBudgetKept && isCrowdServed && isTypingHarmless && found.foundOverOptimum >= LEAST_FOUND,
    figures,
    lines: [
      "50 servers, a round trip of 1 s, some keys refused at once, 200 seeds each way: at most " +
        `${found.mostRefused} refused in an hour, ${found.bans} bans; good servers read within the hour:`,
      ...table(["", "refused", "possible", "found", "silent for the hour"], found.rows),
      `10,000 communities for a week, budget ${LARGE_BUDGET}: ${week.keysChanged} keys changed, ${week.requests} requests, ` +
        `at most ${week.mostRefused} refused in an hour; ${week.linkingRefused} of ${week.linksTried} links refused; ` +
        `the longest wait of a good key ${week.longestWaitS.toFixed(1)} s`,
      `two guilds that type wrong keys: polls of the others ${polls.before.toFixed(1)} and ${polls.beside.toFixed(1)} a second; ` +
        `a third guild's good key is linked after at most ${linkMin.toFixed(1)} min`,
      `200 servers of which 40 are refused at once, ${DYING_SEEDS} seeds: of the 160 good ones ${served(1).toFixed(0)} are read ` +
        `after 1 h, ${served(2).toFixed(0)} after 2 h, ${served(4).toFixed(0)} after 4 h, all after ${allServedH} h ` +
        `(possible without knowing more: ${possible(1).toFixed(0)}, ${possible(2).toFixed(0)}, ${possible(4).toFixed(0)})`,
    ],
  };
}

/** Of good keys drawn at random with bad ones, so many come before the refusals of these hours are used up. */
function possible(hours: number): number {
  return Math.min(160, ((BUDGET - 1) * hours * 160) / 41);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
