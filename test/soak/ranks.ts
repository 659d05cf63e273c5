import { liveThrough } from "../rules/ranks/ranks-figures.ts";

/**
 * 10,000 joins, role changes, links and changes by hand in each of 12 worlds, with looks near and far, lost answers and 40
 * kills: no rank is given to or taken from the wrong one, and none is left over when every role is gone.
 *
 *   npm run soak -- ranks
 */
export async function run(): Promise<boolean> {
  let held = true;
  for (const everyMs of [5_000, 30_000, 300_000]) {
    for (const seed of [201, 202, 203, 204]) {
      const world = { seed, everyMs, lost: 0.1, late: 0.2, events: 10_000, crashes: 40 };
      const { wrong, ...figures } = await liveThrough(world);
      console.log(JSON.stringify({ everyMs, seed, wrong: wrong.length, ...figures }));
      for (const one of wrong.slice(0, 5)) console.log(one);
      held &&= wrong.length === 0 && figures.leftOver.length === 0;
    }
  }
  return held;
}
