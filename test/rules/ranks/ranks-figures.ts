import { RankWorld, type RankWorldOptions, ROLE_OF } from "./rank-world.ts";

const HOUR_MS = 3_600_000;

/** What one world showed. */
export interface RankFigures {
  readonly events: number;
  readonly raised: number;
  readonly taken: number;
  readonly wrong: readonly string[];
  /** Who had a rank of Marshal's at the end, when nobody had a role any more. */
  readonly leftOver: readonly number[];
  readonly pauses: number;
  readonly crashes: number;
  readonly hours: number;
}

/** One world: so many things happen in it, a look now and then, a kill now and then; at the end every role is lost. */
export async function liveThrough(
  options: RankWorldOptions & { readonly events: number; readonly crashes: number },
): Promise<RankFigures> {
  const world = new RankWorld(options);
  await world.start();
  for (const person of world.people.slice(0, 6)) world.town.arrive({ ...person });
  while (world.ranks.ranks.list("g1")[0]?.keeper === undefined) await goOn(world);
  let events = 0;
  let crashes = 0;
  const { random } = world;
  const perCrash = options.events / (options.crashes + 1);
  while (events < options.events) {
    await world.live(random.next() < 0.5 ? 10_000 : 150_000, async (second) => {
      trouble(world);
      if (second > 6 || random.next() < 0.4) return;
      await world.anything();
      events += 1;
    });
    if (crashes < options.crashes && events > (crashes + 1) * perCrash) {
      crashes += 1;
      await world.crash();
    }
    if (world.ranks.ranks.list("g1")[0]?.pause !== undefined) await goOn(world);
  }
  const pauses = world.notices.filter((text) => text.startsWith("paused")).length;
  await loseAll(world);
  return {
    events,
    raised: world.hits.filter(({ text }) => !text.startsWith(":un")).length,
    taken: world.hits.filter(({ text }) => text.startsWith(":un")).length,
    wrong: world.wrong,
    leftOver: [...world.given.keys()],
    pauses,
    crashes,
    hours: Math.round(world.clock.monotonicMs() / HOUR_MS),
  };
}

/** Discord and the game do not answer as they should, for a while. */
function trouble(world: RankWorld): void {
  const { random } = world;
  if (random.next() < 0.03) world.roleReadsFail = !world.roleReadsFail && random.next() < 0.2;
  if (random.next() < 0.03) {
    const roll = random.next();
    world.staffAs = roll < 0.15 ? "absent" : roll < 0.3 ? "empty" : "whole";
  }
}

/** A Manager looks at the plan and confirms it; where it cannot be said yet, later. */
async function goOn(world: RankWorld): Promise<void> {
  try {
    await world.apply();
  } catch {
    await world.live(60_000);
  }
}

async function loseAll(world: RankWorld): Promise<void> {
  world.roleReadsFail = false;
  world.staffAs = "whole";
  for (const own of world.held.values()) for (const role of Object.values(ROLE_OF)) own.delete(role);
  const [first] = world.people;
  if (first !== undefined && world.town.find(first.id) === undefined) world.town.arrive({ ...first });
  for (let round = 0; round < 20; round++) {
    await world.live(240_000);
    if (world.ranks.ranks.list("g1")[0]?.pause !== undefined) await goOn(world);
  }
}
