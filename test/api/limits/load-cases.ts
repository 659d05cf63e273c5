import { seededRandom } from "../../support/clock.ts";
import { runLoad, World } from "../../support/limit-run.ts";

/** Minutes of load on a limit; each function tells what was seen, so that it can run in a thread. */

/** Every way in which the service may align its windows and round their resets, by seed. */
function limitsOf(seed: number, global: { readonly limit: number; readonly windowMs: number }) {
  return {
    global,
    align: seed % 2 === 0 ? "clock" : "first-request",
    resetRounding: seed % 4 < 2 ? "ceil" : "floor",
  } as const;
}

export interface TwiceTheLimit {
  readonly seed: number;
  /** How many requests a window allows, at least, and how many more by the seed. */
  readonly least: number;
  readonly more: number;
  /** Up to how far the service's clock is ahead of ours, or behind it. @default 0 */
  readonly skewMs?: number;
  /** Share of answers whose reset is a second off. @default 0 */
  readonly resetWobble?: number;
}

/** Sixty windows of twice as many reads as the limit allows. `used` is the share of the limit. */
export async function askTwiceTheLimit({ seed, least, more, skewMs, resetWobble = 0 }: TwiceTheLimit) {
  const random = seededRandom(seed);
  const limit = least + Math.floor(random.next() * more);
  const windowMs = [1_000, 2_000, 5_000][seed % 3] ?? 1_000;
  const world = new World({
    seed,
    keys: 40,
    latencyMs: 10 + random.next() * 50,
    jitterMs: random.next() * 30,
    ...(skewMs === undefined ? {} : { skewMs: Math.floor((2 * random.next() - 1) * skewMs) }),
    service: { limits: { ...limitsOf(seed, { limit, windowMs }), resetWobble } },
  });
  const load = { perSecond: (2_000 * limit) / windowMs, forMs: 60 * windowMs, mostWaiting: 60 };
  await runLoad(world.clock, load, (n) => world.client.read(world.source(n % 40), [], { priority: "poll" }));
  const { requests, answers429, byStatus } = world.service.counts;
  const counters = world.client.state().buckets.length;
  await world.close();
  return { requests, answers429, used: (byStatus.get(200) ?? 0) / (60 * limit), counters };
}

/** Two of twenty keys have limits of their own under the bucket name of all. */
export async function askWithOwnLimits(seed: number) {
  const world = new World({ seed, keys: 20 });
  Object.assign(world.service.limits, {
    global: { limit: 12, windowMs: 2_000 },
    perServer: {
      [world.key(0)]: { limit: 3, windowMs: 3_000 },
      [world.key(1)]: { limit: 40, windowMs: 1_000 },
    },
  });
  const load = { perSecond: 30, forMs: 240_000, mostWaiting: 60 };
  const outcomes = await runLoad(world.clock, load, (n) => {
    const source = n % 3 === 0 ? n % 2 : 2 + (n % 18);
    return world.client.read(world.source(source), [], { priority: "poll" });
  });
  const { answers429, avoidable } = world.service.counts;
  const counters = world.client.state().buckets.length;
  await world.close();
  return { answers429, avoidable, counters, answered: outcomes.get("ok") ?? 0 };
}

/** Ten keys with a counter each under one bucket name, in their first minute. */
export async function askOwnCounters(align: "first-request" | "clock") {
  const world = new World({ seed: 7, keys: 10, latencyMs: 40, jitterMs: 20 });
  const perServer = Object.fromEntries(world.keyTexts.map((key) => [key, { limit: 5, windowMs: 1_000 }]));
  Object.assign(world.service.limits, { align, perServer });
  const load = { perSecond: 100, forMs: 60_000, mostWaiting: 100 };
  await runLoad(world.clock, load, (n) => world.client.read(world.source(n % 10), [], { priority: "poll" }));
  const { answers429, byStatus } = world.service.counts;
  await world.close();
  return { answers429, used: (byStatus.get(200) ?? 0) / (10 * 5 * 60) };
}
