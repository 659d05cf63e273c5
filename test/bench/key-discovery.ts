import { seededRandom } from "../support/clock.ts";
import { KeyCrowd } from "../support/key-crowd.ts";

/** What 200 seeds of 50 linked servers show, some of whose keys are refused at once. */
export interface Discovery {
  /** Good keys found in the first hour over the best that is possible, in the worse of both ways. */
  readonly foundOverOptimum: number;
  /** The most refused requests in any hour. */
  readonly mostRefused: number;
  readonly bans: number;
  readonly rows: readonly (readonly (string | number)[])[];
}

const KEYS = 50;
const SEEDS = 200;
const BUDGET = 9;
/** One unit must be left for keys that are known to be good, or all would wait. */
const AVAILABLE = BUDGET - 1;
const REFUSED = [1, 3, 5, 6, 8, 12, 20, 30, 40, 49];
const MINUTE_MS = 60_000;
const NIGHT_MS = 10 * 60 * MINUTE_MS;

const WAYS = ["running", "after a night"] as const;

/**
 * Of keys of which nothing is known, drawn at random with m bad and g good ones, U g / (m + 1) good ones come before the
 * U-th bad one on average, and all of them where U > m: no rule can do better without knowing more.
 */
export async function discover(): Promise<Discovery> {
  const rows: (string | number)[][] = [];
  let foundOverOptimum = Number.POSITIVE_INFINITY;
  let mostRefused = 0;
  let bans = 0;
  for (const way of WAYS) {
    const found = new Map<number, number[]>();
    for (let seed = 1; seed <= SEEDS; seed++) {
      const refused = REFUSED[seed % REFUSED.length] ?? 1;
      const life = await oneLife(seed, refused, way);
      found.set(refused, [...(found.get(refused) ?? []), life.found]);
      mostRefused = Math.max(mostRefused, life.mostRefused);
      bans += life.bans;
    }
    let reached = 0;
    let possible = 0;
    for (const refused of REFUSED) {
      const lives = found.get(refused) ?? [];
      const mean = lives.reduce((sum, n) => sum + n, 0) / lives.length;
      const best = optimum(refused);
      reached += mean;
      possible += best;
      rows.push([way, refused, best.toFixed(1), mean.toFixed(1), (KEYS - refused - mean).toFixed(1)]);
    }
    foundOverOptimum = Math.min(foundOverOptimum, reached / possible);
  }
  return { foundOverOptimum, mostRefused, bans, rows };
}

function optimum(refused: number): number {
  const good = KEYS - refused;
  return AVAILABLE > refused ? good : (AVAILABLE * good) / (refused + 1);
}

async function oneLife(seed: number, refused: number, way: (typeof WAYS)[number]) {
  const random = seededRandom(seed);
  const crowd = new KeyCrowd({ seed, keys: KEYS, latencyMs: 450, jitterMs: 50 });
  await crowd.run(MINUTE_MS);
  if (way === "after a night") await crowd.restart(NIGHT_MS);
  const all = Array.from({ length: KEYS }, (_, n) => n);
  const bad = Array.from(
    { length: refused },
    () => all.splice(Math.floor(random.next() * all.length), 1)[0] ?? 0,
  );
  crowd.regenerate(bad);
  const sinceMs = crowd.world.clock.nowMs();
  await crowd.run(4 * MINUTE_MS);
  // Those that were found are asked for nothing more: only the others can still change the count.
  crowd.release(crowd.answeredSince(sinceMs));
  await crowd.run(55 * MINUTE_MS);
  // A key that changed while its answer was on its way is not a good one.
  const found = crowd.answeredSince(sinceMs).filter((n) => !bad.includes(n)).length;
  const { counts } = crowd.world.service;
  await crowd.close();
  return { found, mostRefused: crowd.mostRefusedInAnHour, bans: counts.bans };
}
