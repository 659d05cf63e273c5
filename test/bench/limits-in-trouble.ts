import type { World } from "../support/limit-run.ts";
import { type TroubleOptions, type TroubleResult, underTrouble } from "../support/limit-trouble.ts";
import { figure } from "./bench.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Of either clock, forward and back. */
const STEPS_MS = [-HOUR_MS, -20_400, 20_000, HOUR_MS];
const FAR_RESETS_MS = [30_000, 90_000, HOUR_MS];
/** One answer in so many names a far reset. */
const FAR_RESET = 1 / 300;
/** A usual share of answers without rate headers, and larger ones that are printed beside it. */
const MISSING = 0.05;
const MORE_MISSING = [0.02, 0.1, 0.2];
const LONG = { limit: 35, windowMs: 120_000, windows: 20, learningWindows: 1 };
const EVEN_PACE_S = LONG.windowMs / LONG.limit / 1_000;
/** A sixth of that limit. */
const PEOPLE_PER_MINUTE = 3;
const FEW = [1, 2, 3];
const CUT_EVERY_MS = 5 * MINUTE_MS;

const SHORT = [
  { limit: 10, windowMs: 1_000, windows: 300 },
  { limit: 35, windowMs: 1_000, windows: 300 },
  { limit: 20, windowMs: 2_000, windows: 150 },
  { limit: 20, windowMs: 5_000, windows: 120 },
] as const;
const KINDS = (["first-request", "clock"] as const).flatMap((align) =>
  (["ceil", "floor"] as const).map((resetRounding) => ({ align, resetRounding })),
);

type Size = Pick<TroubleOptions, "limit" | "windowMs" | "windows" | "learningWindows">;

/** What a service does to a client that reads its headers: clocks that are set, absurd resets, none at all, long windows. */
export async function troubleFigures() {
  const serviceStep = await overAll(SHORT, (n) => after(MINUTE_MS, (world) => world.stepService(stepOf(n))));
  const ownStep = await overAll(SHORT, (n) => after(MINUTE_MS, (world) => world.clock.step(stepOf(n))));
  const far: Sum[] = [];
  for (const farResetMs of FAR_RESETS_MS)
    far.push(await overAll(SHORT, () => ({ limits: { farReset: FAR_RESET, farResetMs } })));
  const missing = new Map<number, Sum>();
  for (const share of [MISSING, ...MORE_MISSING])
    missing.set(share, await overAll(SHORT, () => ({ service: { faults: { noRateLimitHeaders: share } } })));
  const usual = missing.get(MISSING) ?? new Sum();
  const most = missing.get(Math.max(...MORE_MISSING)) ?? new Sum();
  const long = await overAll([LONG], () => ({}));
  const withPeople = await overAll([LONG], () => ({ peoplePerMinute: PEOPLE_PER_MINUTE }));
  const few: Sum[] = [];
  for (const limit of FEW) few.push(await overAll([{ limit, windowMs: 1_000, windows: 600 }], () => ({})));
  const renamed = await overAll(SHORT, () =>
    after(MINUTE_MS + 400, ({ service }) => {
      service.limits.nameSuffix = "-new";
    }),
  );
  const cut = await overAll([{ limit: 6, windowMs: 1_000, windows: 2_400 }], () => ({ atMs: cutInTurn }));

  const silenceOverEvenPace = Math.max(long.silenceS, withPeople.silenceS) / EVEN_PACE_S;
  const figures = {
    silenceServiceClockStepS: figure(serviceStep.silenceS),
    silenceOwnClockStepS: figure(ownStep.silenceS),
    silenceFarResetS: figure(Math.max(...far.map(({ silenceS }) => silenceS))),
    usedOfLimitFarResets: figure(Math.min(...far.map(({ used }) => used))),
    answers429Per1000FarResets: figure(Math.max(...far.map(({ per1000 }) => per1000))),
    answers429Per1000MissingHeaders: figure(usual.per1000),
    usedOfLimitMissingHeaders: figure(usual.used),
    answers429Per1000Missing20: figure(most.per1000),
    usedOfLimitMissing20: figure(most.used),
    silenceOverEvenPace: figure(silenceOverEvenPace),
    usedOfLimitLongWindow: figure(Math.min(long.used, withPeople.used)),
    personWaitS: figure(withPeople.personWaitS),
    usedOfLimitFewPerSecond: figure(Math.min(...few.map(({ used }) => used))),
    answers429OfRename: renamed.most429,
    answers429Per1000LimitCut: figure(cut.per1000),
  };
  const ok =
    Math.max(figures.silenceServiceClockStepS, figures.silenceOwnClockStepS) <= 10 &&
    figures.silenceFarResetS <= 60 &&
    [...far, usual].every(({ used, per1000 }) => used >= 0.9 && per1000 <= 1) &&
    silenceOverEvenPace <= 2 &&
    figures.usedOfLimitLongWindow >= 0.9 &&
    figures.personWaitS <= 4 &&
    figures.usedOfLimitFewPerSecond >= 0.8 &&
    figures.answers429OfRename <= 2 &&
    figures.answers429Per1000LimitCut <= 4;
  const lines = [
    `the service's clock set by ${STEPS_MS.map((ms) => ms / 1_000).join(", ")} s: ${serviceStep}`,
    `our clock set by as much: ${ownStep}`,
    ...far.map((sum, n) => `one reset in 300 is ${(FAR_RESETS_MS[n] ?? 0) / 1_000} s too late: ${sum}`),
    ...[...missing].map(([share, sum]) => `no rate headers on ${100 * share} % of the answers: ${sum}`),
    `${LONG.limit} requests in ${LONG.windowMs / 1_000} s, polls alone: ${long}`,
    `the same with ${PEOPLE_PER_MINUTE} people a minute, who wait at most ${withPeople.personWaitS} s: ${withPeople}`,
    ...few.map((sum, n) => `${FEW[n]} a second: ${sum}`),
    `a bucket is renamed, at most ${renamed.most429} answers of 429: ${renamed}`,
    `a limit is cut from 10 to 2 a second and raised again every five minutes: ${cut}`,
  ];
  return { ok, figures, lines };
}

/** Every size with every kind of window; `trouble` gets the number of the world, from 0. */
async function overAll(
  sizes: readonly Size[],
  trouble: (n: number) => Partial<TroubleOptions>,
): Promise<Sum> {
  const sum = new Sum();
  // Neighbours in the list meet another step of a clock: each kind meets all of them over the sizes.
  const worlds = KINDS.flatMap((kind, k) => sizes.map((size, n) => ({ kind, size, step: k + n })));
  for (const [n, { kind, size, step }] of worlds.entries()) {
    const { limits, ...more } = trouble(step);
    sum.add(await underTrouble({ seed: n + 1, ...size, ...more, limits: { ...kind, ...limits } }));
  }
  return sum;
}

/** Once, at that time. */
function after(ms: number, work: (world: World) => void): Partial<TroubleOptions> {
  let isDone = false;
  return {
    atMs: (world, sinceMs) => {
      if (isDone || sinceMs < ms) return;
      isDone = true;
      work(world);
    },
  };
}
function stepOf(n: number): number {
  return STEPS_MS[n % STEPS_MS.length] ?? 0;
}

function cutInTurn({ service }: World, ms: number): void {
  // In the midst of a window.
  const isCut = Math.floor((ms + 260) / CUT_EVERY_MS) % 2 === 1;
  service.limits.global = { limit: isCut ? 2 : 10, windowMs: 1_000 };
}

class Sum {
  #requests = 0;
  #answers429 = 0;
  readonly #shares: number[] = [];
  silenceS = 0;
  personWaitS = 0;
  /** In one world. */
  most429 = 0;

  add({ requests, answers429, used, silenceS, personWaitS }: TroubleResult): void {
    this.#requests += requests;
    this.#answers429 += answers429;
    this.#shares.push(used);
    this.silenceS = Math.max(this.silenceS, silenceS);
    this.personWaitS = Math.max(this.personWaitS, personWaitS);
    this.most429 = Math.max(this.most429, answers429);
  }

  get per1000(): number {
    return (1_000 * this.#answers429) / this.#requests;
  }

  get used(): number {
    return this.#shares.reduce((sum, share) => sum + share, 0) / this.#shares.length;
  }

  toString(): string {
    const refused = `${this.#answers429} answers of 429 (${this.per1000.toFixed(2)} in 1,000)`;
    const shares = `${(100 * this.used).toFixed(1)} % used (worst ${(100 * Math.min(...this.#shares)).toFixed(1)} %)`;
    return `${this.#requests} requests: ${refused}, ${shares}, silent at most ${this.silenceS.toFixed(1)} s`;
  }
}
