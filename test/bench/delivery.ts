import { SILENCES } from "../simulation/judge.ts";
import { type Outcome, type Plan, simulate } from "../simulation/simulate.ts";

export const name = "delivery";

/** A day of a thousand servers and a million entries. */
const DAY: Plan = {
  seed: 1,
  servers: 1_000,
  hours: 24,
  entries: 1_030_000,
  pollsPerS: 5,
  meanCalls: 40_000,
  powerCuts: { share: 0.3, longestMs: 10_000 },
};

/** The same things in a small world that dies every few seconds or minutes, so that it dies everywhere. */
const SMALL = { servers: 8, hours: 1, entries: 2_000, pollsPerS: 3 };
const POWER_CUTS = { share: 0.5, longestMs: 10_000 };

/** Each with a part of the bot or of the world that the others lack. */
const WORLDS: readonly (readonly [words: string, plans: readonly Plan[]])[] = [
  ["crashes alone", plansOf(1_000, [150, 400, 1_000, 3_000], 3, {})],
  ["power cuts", plansOf(2_000, [400, 1_000, 3_000], 2, { powerCuts: POWER_CUTS })],
  [
    "power cuts, nonces forgotten in 3 s",
    plansOf(3_000, [1_000], 2, { powerCuts: POWER_CUTS, nonceMs: 3_000, calmDiscord: true }),
  ],
  ["filters", plansOf(4_000, [400, 1_000], 1, { filters: true })],
  ["emergency cards", plansOf(5_000, [400, 1_000], 1, { emergencies: true, powerCuts: POWER_CUTS })],
  ["the real store", plansOf(6_000, [400, 1_000], 1, { realStore: true })],
  ["the real gate, absurd times", plansOf(7_000, [400, 1_000], 1, { realGate: true, absurdTimes: true })],
];

function plansOf(
  seed: number,
  meanCalls: readonly number[],
  times: number,
  more: Partial<Plan>,
): readonly Plan[] {
  return meanCalls.flatMap((calls, at) =>
    Array.from({ length: times }, (_, index) => ({
      ...SMALL,
      ...more,
      seed: seed + at * times + index,
      meanCalls: calls,
    })),
  );
}

/** Counts what stands in the channels against what truly happened. */
export async function run() {
  const lines: string[] = [];
  const outcomes: Outcome[] = [];
  for (const [words, plans] of WORLDS) {
    const group: Outcome[] = [];
    for (const plan of plans) group.push(await simulate(plan));
    outcomes.push(...group);
    lines.push(
      `${words}: ${group.length} worlds of ${SMALL.hours} h: ${wordsOf(group)}`,
      ...failuresOf(group),
    );
  }
  const [first] = WORLDS[0]?.[1] ?? [];
  const again = first === undefined ? undefined : await simulate(first);
  const sameTrace = again !== undefined && again.trace === outcomes[0]?.trace ? 1 : 0;
  lines.push(`the first of these worlds, run twice: ${sameTrace === 1 ? "the same trace" : "ANOTHER TRACE"}`);

  const whole = await simulate(DAY);
  outcomes.push(whole);
  lines.push(
    `one day of ${DAY.servers} servers: ${wordsOf([whole])}`,
    ...failuresOf([whole]),
    ...silentOf(outcomes),
  );

  const figures = figuresOf(outcomes, sameTrace);
  const ok = outcomes.every(isClean) && sameTrace === 1 && figures.entries >= 1_000_000;
  return { ok, figures, lines };
}

function figuresOf(outcomes: readonly Outcome[], sameTrace: number) {
  const sum = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  return {
    entries: sum((one) => one.entries),
    crashes: sum((one) => one.crashes),
    powerCuts: sum((one) => one.powerCuts),
    lost: sum((one) => one.lost + one.callsLost),
    repeated: sum((one) => one.repeated + one.callsRepeated),
    gaps: sum((one) => one.gaps),
    gapNotices: sum((one) => one.gapNotices),
    noticesPerRestart: Math.max(...outcomes.map((one) => one.noticesPerRestart)),
    unannounced: sum((one) => one.unannounced),
    neverSeen: sum((one) => one.neverSeen),
    restartedEmpty: sum((one) => one.restartedEmpty),
    noticePending: sum((one) => one.noticePending),
    sameTrace,
  };
}

/** Nothing of this may happen at all. */
function wrongsOf(outcome: Outcome) {
  const { lost, repeated, takenAway, unannounced, needlessNotices, unansweredCards, undelivered, unwanted } =
    outcome;
  const { callsLost, callsRepeated, callsOpen, defects, noticesPerRestart } = outcome;
  return {
    lost,
    repeated,
    takenAway,
    unannounced,
    needlessNotices,
    unansweredCards,
    undelivered,
    unwanted,
    callsLost,
    callsRepeated,
    callsOpen,
    defects: defects.length,
    noticesBeyondOneARestart: Math.max(0, noticesPerRestart - 1),
  };
}

function isClean(outcome: Outcome): boolean {
  return Object.values(wrongsOf(outcome)).every((count) => count === 0);
}

/** What went wrong, each with its seed: `simulate` with that plan shows it again. */
function failuresOf(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes
    .filter((outcome) => !isClean(outcome))
    .flatMap((outcome) => {
      const wrongs = Object.entries(wrongsOf(outcome)).filter(([, count]) => count > 0);
      const counts = wrongs.map(([what, count]) => `${what} ${count}`).join(", ");
      const examples = outcome.examples.filter((one) => !isByDesign(one)).slice(0, 10);
      return [`seed ${outcome.seed} FAILED: ${counts}`, ...examples, ...outcome.defects];
    });
}

/** Entries that are missing in silence, each reason with a few examples. */
function silentOf(outcomes: readonly Outcome[]): readonly string[] {
  return Object.entries(SILENCES).flatMap(([what, why]) => {
    const examples = outcomes.flatMap(({ seed, examples: all }) =>
      all.filter((one) => one.startsWith(`${what}:`)).map((one) => `  seed ${seed} ${one}`),
    );
    return examples.length === 0
      ? []
      : [`${what} ${examples.length} (${why}), such as`, ...examples.slice(0, 3)];
  });
}

function isByDesign(example: string): boolean {
  return [...Object.keys(SILENCES), "empty notice"].some((what) => example.startsWith(`${what}:`));
}

function wordsOf(outcomes: readonly Outcome[]): string {
  const sum = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  return (
    `${sum((one) => one.entries)} entries, ${sum((one) => one.messages)} messages, ` +
    `${sum((one) => one.polls)} polls, ${sum((one) => one.crashes)} crashes, ` +
    `${sum((one) => one.powerCuts)} of them power cuts, ` +
    `${sum((one) => one.unknownSends)} sends without an answer, ${sum((one) => one.calls)} emergency calls; ` +
    `${sum((one) => one.lost + one.callsLost)} lost, ${sum((one) => one.repeated + one.callsRepeated)} repeated, ` +
    `${sum((one) => one.possiblyRepeated)} marked as possibly repeated; ` +
    `${sum((one) => one.gaps)} gaps told by ${sum((one) => one.gapNotices)} notices ` +
    `(${sum((one) => one.emptyNotices)} where nothing turned out to be missing), ` +
    `${Math.max(...outcomes.map((one) => one.noticesPerRestart))} at most for a feed and a restart; ` +
    `missing in silence: ${sum((one) => one.neverSeen)} never seen, ` +
    `${sum((one) => one.restartedEmpty)} restarted empty, ${sum((one) => one.noticePending)} with the notice to come`
  );
}
