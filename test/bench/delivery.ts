import { type Outcome, type Plan, simulate } from "../simulation/simulate.ts";

export const name = "delivery";

/** Design 9: a day of a thousand servers and a million entries. */
const day: Plan = { seed: 1, servers: 1_000, hours: 24, entries: 1_030_000, pollsPerS: 5, meanCalls: 40_000 };

/** The same things in a small world that dies every few seconds or minutes, so that it dies everywhere. */
const smallWorlds: readonly Plan[] = [150, 400, 1_000, 3_000].flatMap((meanCalls) =>
  Array.from({ length: 6 }, (_, index) => ({
    seed: 1_000 + meanCalls + index,
    servers: 8,
    hours: 2,
    entries: 3_000,
    pollsPerS: 3,
    meanCalls,
  })),
);

/** Counts what stands in the channels against what truly happened (issue 5, Deterministic simulation). */
export async function run() {
  const lines: string[] = [];
  const figures = { entries: 0, crashes: 0, lost: 0, repeated: 0, gaps: 0, gapNotices: 0, sameTrace: 0 };
  let clean = true;
  const add = (outcome: Outcome) => {
    figures.entries += outcome.entries;
    figures.crashes += outcome.crashes;
    figures.lost += outcome.lost;
    figures.repeated += outcome.repeated;
    figures.gaps += outcome.gaps;
    figures.gapNotices += outcome.gapNotices;
    const { needlessNotices, unansweredCards, undelivered, defects } = outcome;
    const isClean = outcome.lost + outcome.repeated + needlessNotices + unansweredCards + undelivered === 0;
    if (isClean && defects.length === 0) return;
    clean = false;
    lines.push(`seed ${outcome.seed} FAILED`, ...outcome.examples, ...defects);
  };
  const outcomes: Outcome[] = [];
  for (const plan of smallWorlds) outcomes.push(await simulate(plan));
  outcomes.forEach(add);
  lines.push(`${outcomes.length} small worlds of 2 h: ${words(outcomes)}`);
  const [first] = smallWorlds;
  if (first !== undefined) figures.sameTrace = (await simulate(first)).trace === outcomes[0]?.trace ? 1 : 0;
  const whole = await simulate(day);
  add(whole);
  lines.push(`one day of ${day.servers} servers: ${words([whole])}`);
  return { ok: clean && figures.sameTrace === 1 && figures.entries >= 1_000_000, figures, lines };
}

function words(outcomes: readonly Outcome[]): string {
  const sum = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  return (
    `${sum((one) => one.entries)} entries, ${sum((one) => one.messages)} messages, ` +
    `${sum((one) => one.polls)} polls, ${sum((one) => one.crashes)} crashes, ` +
    `${sum((one) => one.unknownSends)} sends without an answer; ` +
    `${sum((one) => one.lost)} lost, ${sum((one) => one.repeated)} repeated, ` +
    `${sum((one) => one.possiblyRepeated)} marked as possibly repeated, ` +
    `${sum((one) => one.gaps)} gaps told by ${sum((one) => one.gapNotices)} notices ` +
    `(the rest: logs that were cleared), ${sum((one) => one.noticePending)} missing with the notice still to come, ` +
    `${sum((one) => one.neverSeen)} gone from logs that had never shown a row`
  );
}
