import type { RuleStep } from "../../src/domain/rule.ts";
import { liveThrough } from "../rules/rules-figures.ts";

const STEPS: readonly RuleStep[] = ["pm", "load", "kick"];
const KINDS = ["team", "vehicle", "callsign"] as const;

/**
 * 10,000 things in each of 27 worlds, with looks near and far and 40 kills: nobody is hit who kept the rule or was not
 * named in full, nobody gets a fourth message, and looks five minutes apart only tell.
 *
 *   npm run soak -- rules
 */
export async function run(): Promise<boolean> {
  let seed = 100;
  let held = true;
  for (const everyMs of [5_000, 30_000, 300_000]) {
    for (const step of STEPS) {
      for (const kind of KINDS) {
        seed += 1;
        const world = { seed, step, kind, everyMs, lost: 0.1, late: 0.2, events: 10_000, crashes: 40 };
        const { wrong, ...figures } = await liveThrough(world);
        console.log(JSON.stringify({ everyMs, step, kind, wrong: wrong.length, ...figures }));
        for (const one of wrong.slice(0, 5)) console.log(one);
        const isTooMuch = figures.mostMessages > 3 || (everyMs > 90_000 && figures.steps > 0);
        held &&= wrong.length === 0 && !isTooMuch;
      }
    }
  }
  return held;
}
