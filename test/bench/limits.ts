import { chaos } from "../support/chaos.ts";
import { type PhaseOptions, type PhaseResult, usedInPhase } from "../support/limit-phases.ts";
import { type BenchResult, figure, table } from "./bench.ts";
import { troubleFigures } from "./limits-in-trouble.ts";
import { keyFigures } from "./limits-of-keys.ts";
import { type LoadResult, ownCountersFirstMinute, sharedCounter } from "./limits-under-load.ts";
import { bareUndici, erlcApi, marshal, type Peer, steadily, withService } from "./peers.ts";

export const name = "limits";

const CHAOS_SEEDS = 1_000;
const LOAD_SEEDS = 120;
/** Shares of answers whose reset is a second off. */
const WOBBLES = [0.05, 0.3];
const WOBBLE_SEEDS = 60;
const SIDE_BY_SIDE_MS = 12_000;
/** Where the service's windows lie between whole seconds must not matter, nor that the machine stalls now and then. */
const PHASES = 10;
const PHASE_WORLDS = [
  { windowMs: 1_000, align: "first-request", stallMs: 0 },
  { windowMs: 1_000, align: "first-request", stallMs: 200 },
  { windowMs: 2_500, align: "first-request", stallMs: 100 },
  { windowMs: 5_000, align: "first-request", stallMs: 0 },
  { windowMs: 1_000, align: "clock", stallMs: 100 },
] as const;
const USED_IN_EACH_PHASE = 0.85;

/**
 * 1,000 seeds of everything that can go wrong, judged by the emulator's own counts; the limit at twice its demand; and
 * the same load on three clients side by side over real sockets.
 */
export async function run(): Promise<BenchResult> {
  const peers = sideBySide();
  const rows = await peers;
  let avoidable = 0;
  let blocks = 0;
  let afterFirst403 = 0;
  let requests = 0;
  const bad: number[] = [];
  for (let seed = 1; seed <= CHAOS_SEEDS; seed++) {
    const result = await chaos(seed);
    avoidable += result.avoidable;
    blocks += result.blocks;
    requests += result.requests;
    afterFirst403 = Math.max(afterFirst403, result.requestsAfterFirst403);
    if (result.avoidable > 0 || result.requestsAfterFirst403 > 2 || result.leaked) bad.push(seed);
  }
  const load = await sharedCounter(LOAD_SEEDS, 0);
  const wobbling: LoadResult[] = [];
  for (const wobble of WOBBLES) wobbling.push(await sharedCounter(WOBBLE_SEEDS, wobble));
  const perKey = await ownCountersFirstMinute();
  const phases: PhaseUse[] = [];
  for (const world of PHASE_WORLDS) phases.push(await useOverPhases(world));
  const trouble = await troubleFigures();
  const keys = await keyFigures();
  const figures = {
    avoidable,
    answers429Per1000: figure(load.answers429Per1000),
    // The worse of the shares of wobbling answers.
    answers429Per1000WithResetJitter: figure(Math.max(...wobbling.map((one) => one.answers429Per1000))),
    usedOfLimit: figure(load.used),
    usedOfLimitWithResetJitter: figure(Math.min(...wobbling.map(({ used }) => used))),
    usedOfLimitPerKeyFirstMinute: figure(perKey.used),
    requestsAfterFirst403: afterFirst403,
    ...trouble.figures,
    ...keys.figures,
  };
  const ok =
    keys.ok &&
    trouble.ok &&
    avoidable === 0 &&
    [load, ...wobbling].every((one) => one.answers429Per1000 <= 1 && one.used >= 0.9) &&
    perKey.used >= 0.6 &&
    phases.every(
      ({ used, worst, answers429 }) => used >= 0.9 && worst >= USED_IN_EACH_PHASE && answers429 === 0,
    ) &&
    afterFirst403 <= 2;
  const lines = [
    `${CHAOS_SEEDS} seeds of faults, ${requests} requests: ${avoidable} avoidable, ${blocks} blocks`,
    `${LOAD_SEEDS} seeds at twice the limit, ${words(load)}`,
    ...wobbling.map(
      (one, n) => `the same with ${100 * (WOBBLES[n] ?? 0)} % of resets a second off, ${words(one)}`,
    ),
    `a counter for each key under one name, first minute, ${words(perKey)}`,
    `polls and people over ${PHASES} phases of the window, resets told in whole seconds:`,
    ...phases.map((one) => `  ${one.world}: ${words(one)}`),
    ...trouble.lines,
    ...keys.lines,
    ...(bad.length === 0 ? [] : [`seeds to look at: ${bad.join(", ")}`]),
    `side by side, ${SIDE_BY_SIDE_MS / 1_000} s at twice a limit of 10 a second, 20 keys, one of them regenerated:`,
    ...table(
      ["", "requests", "429 per 1,000", "avoidable", "blocked", "after first 403", "used of limit"],
      rows,
    ),
  ];
  return { ok, figures, lines };
}

interface PhaseUse extends Omit<LoadResult, "answers429Per1000"> {
  readonly world: string;
}

async function useOverPhases(world: Omit<PhaseOptions, "phase">): Promise<PhaseUse> {
  const results: PhaseResult[] = [];
  for (let phase = 0; phase < PHASES; phase++) results.push(await usedInPhase({ ...world, phase }));
  const { windowMs, align, stallMs } = world;
  const sum = (of: (result: PhaseResult) => number) => results.reduce((total, one) => total + of(one), 0);
  return {
    world: `windows of ${windowMs} ms by ${align === "clock" ? "the clock" : "their first request"}, stalls up to ${stallMs} ms`,
    requests: sum(({ requests }) => requests),
    answers429: sum(({ answers429 }) => answers429),
    used: sum(({ used }) => used) / PHASES,
    worst: Math.min(...results.map(({ used }) => used)),
  };
}

function words({ requests, answers429, used, worst }: Omit<LoadResult, "answers429Per1000">): string {
  const shares = `${(100 * used).toFixed(1)} % of the limit used (worst ${(100 * worst).toFixed(1)} %)`;
  return `${requests} requests: ${answers429} answers of 429, ${shares}`;
}

function sideBySide(): Promise<(string | number)[][]> {
  const keys = Array.from({ length: 20 }, (_, n) => `bench${n}-server${n}`);
  const options = {
    keys,
    town: { intensity: "quiet" },
    limits: { global: { limit: 10, windowMs: 1_000 }, banAfter: 1_000_000 },
  } as const;
  const drive = async (peer: Peer, service: Parameters<Parameters<typeof withService>[2]>[1]) => {
    const regenerated = keys[0] ?? "";
    service.regenerateKey(regenerated);
    const load = { perSecond: 20, forMs: SIDE_BY_SIDE_MS, mostWaiting: 100 };
    await steadily(load, (n) => peer.read(keys[n % keys.length] ?? ""));
    const { counts } = service;
    const ok = counts.byStatus.get(200) ?? 0;
    return [
      peer.name,
      counts.requests,
      Math.round((1_000 * counts.answers429) / counts.requests),
      counts.avoidable,
      counts.blocks > 0 ? "yes" : "no",
      Math.max(0, (counts.badKeyRequests.get(regenerated) ?? 0) - 1),
      (ok / (10 * (SIDE_BY_SIDE_MS / 1_000))).toFixed(2),
    ];
  };
  return Promise.all(
    [marshal, bareUndici, erlcApi].map((make) => withService(options, (url) => make(url), drive)),
  );
}
