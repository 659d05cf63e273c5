import { seededRandom } from "../support/clock.ts";
import { runLoad, World } from "../support/limit-run.ts";
import { pollOwnCounters } from "../support/own-counters.ts";

/** What came of asking for twice what the limits allow. */
export interface LoadResult {
  readonly requests: number;
  readonly answers429: number;
  readonly answers429Per1000: number;
  /** Mean and worst share of the limit that was used. */
  readonly used: number;
  readonly worst: number;
}

const WINDOWS = 60;
const MINUTE_MS = 60_000;
/** So many requests are under way here that the budget of an ordinary host would bound them. */
const BAD_KEY_BUDGET = 200;
/** Keys, and the limit and window that each of them has for itself under one bucket name. */
const OWN_COUNTERS = [
  { keys: 10, limit: 5, windowMs: 1_000 },
  { keys: 10, limit: 10, windowMs: 1_000 },
  { keys: 40, limit: 4, windowMs: 1_000 },
  { keys: 20, limit: 3, windowMs: 2_000 },
  { keys: 12, limit: 6, windowMs: 2_000 },
  { keys: 8, limit: 12, windowMs: 3_000 },
  { keys: 30, limit: 5, windowMs: 5_000 },
  { keys: 20, limit: 10, windowMs: 10_000 },
] as const;

/** One counter for all keys; `resetWobble` of the answers name a reset that is a second off. */
export async function sharedCounter(seeds: number, resetWobble: number): Promise<LoadResult> {
  const total = new Total();
  for (let seed = 1; seed <= seeds; seed++) {
    const random = seededRandom(seed);
    const pick = <T>(list: readonly T[]) => list[Math.floor(random.next() * list.length)];
    const limit = 5 + Math.floor(random.next() * 36);
    const windowMs = pick([1_000, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000]) ?? 1_000;
    const world = new World({
      seed,
      keys: 40,
      badKeyBudget: BAD_KEY_BUDGET,
      latencyMs: 10 + random.next() * 70,
      jitterMs: random.next() * 40,
      skewMs: Math.floor(random.next() * 4_000 - 2_000),
      service: {
        limits: {
          global: { limit, windowMs },
          align: pick(["first-request", "clock"] as const) ?? "clock",
          resetRounding: pick(["ceil", "floor"] as const) ?? "ceil",
          resetWobble,
        },
      },
    });
    await poll(world, 40, { perSecond: (2_000 * limit) / windowMs, forMs: WINDOWS * windowMs });
    const { requests, answers429, byStatus } = world.service.counts;
    total.add({ requests, answers429, used: (byStatus.get(200) ?? 0) / (limit * WINDOWS) });
    await world.close();
  }
  return total.result;
}

/** A counter for each key under one bucket name, in the first minute of a process. */
export async function ownCountersFirstMinute(): Promise<LoadResult> {
  const total = new Total();
  for (const size of OWN_COUNTERS)
    for (const align of ["first-request", "clock"] as const)
      total.add(await pollOwnCounters({ ...size, forMs: MINUTE_MS, limits: { align } }));
  return total.result;
}

async function poll(
  world: World,
  keys: number,
  load: { readonly perSecond: number; readonly forMs: number },
): Promise<void> {
  await runLoad(world.clock, { ...load, mostWaiting: 60 }, (n) =>
    world.client.read(world.source(n % keys), [], { priority: "poll" }),
  );
}

class Total {
  #requests = 0;
  #answers429 = 0;
  readonly #shares: number[] = [];

  add({ requests, answers429, used }: Pick<LoadResult, "requests" | "answers429" | "used">): void {
    this.#requests += requests;
    this.#answers429 += answers429;
    this.#shares.push(used);
  }

  get result(): LoadResult {
    return {
      requests: this.#requests,
      answers429: this.#answers429,
      answers429Per1000: (1_000 * this.#answers429) / this.#requests,
      used: this.#shares.reduce((sum, share) => sum + share, 0) / this.#shares.length,
      worst: Math.min(...this.#shares),
    };
  }
}
