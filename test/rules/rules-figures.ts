import { RuleWorld, type RuleWorldOptions } from "./rule-world.ts";

const HOUR_MS = 3_600_000;

/** What one world showed. */
export interface RuleFigures {
  readonly events: number;
  readonly told: number;
  readonly steps: number;
  readonly wrong: readonly string[];
  /** To one player within any 24 hours. */
  readonly mostMessages: number;
  readonly hours: number;
  readonly crashes: number;
}

/** One world: so many things happen in it, a look now and then, a kill now and then. */
export async function liveThrough(
  options: RuleWorldOptions & { readonly events: number; readonly crashes: number },
): Promise<RuleFigures> {
  const world = new RuleWorld(options);
  await world.start();
  let events = 0;
  let crashes = 0;
  const { random } = world;
  const perCrash = options.events / (options.crashes + 1);
  while (events < options.events) {
    const quietMs = random.next() < 0.5 ? 8_000 : 400_000;
    await world.turnOnAgain();
    await world.live(quietMs, async () => {
      // Things come in bursts, with quiet in between in which a breach can last.
      if (random.next() < 0.05) world.roleReadsFail = !world.roleReadsFail && random.next() < 0.2;
      if (quietMs > 8_000) return;
      for (let n = 0; n < 3; n++) {
        await world.anything();
        events += 1;
      }
    });
    if (crashes < options.crashes && events > (crashes + 1) * perCrash) {
      crashes += 1;
      await world.crash();
    }
  }
  const mostMessages = Math.max(0, ...[...world.messages.values()].map(mostInADay));
  return {
    events,
    told: world.told.length,
    steps: world.hits.length,
    wrong: world.wrong,
    mostMessages,
    hours: Math.round(world.clock.monotonicMs() / HOUR_MS),
    crashes,
  };
}

function mostInADay(atMs: readonly number[]): number {
  return Math.max(
    ...atMs.map((fromMs) => atMs.filter((at) => at >= fromMs && at < fromMs + 24 * HOUR_MS).length),
  );
}
