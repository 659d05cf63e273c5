import { setTimeout as sleep } from "node:timers/promises";
import type { BotProcess } from "../../src/sandbox/bot-process.ts";
import { seededRandom } from "./clock.ts";
import type { Fleet, Found } from "./fleet.ts";

/** How long each trouble of the night lasts, and how long nothing happens between two of them. */
export interface Troubles {
  /** One process stands still; longer than a lease. */
  readonly frozenMs: number;
  readonly redisAwayMs: number;
  readonly replicaBehindMs: number;
  readonly blockedMs: number;
  readonly discordAwayMs: number;
  readonly diskFullMs: number;
  readonly betweenMs: number;
  /** How often all of them come, each time in another order. */
  readonly rounds: number;
}

export interface Morning {
  readonly found: Found;
  /** Entries that stand nowhere, of communities that were not told of a gap. */
  readonly unexplained: readonly string[];
  readonly repeatedCommands: readonly string[];
  readonly unanswered: readonly string[];
  /** Cards that still say that a command waits or is being sent. */
  readonly unfinished: readonly string[];
  /** Requests into a halt that every process knew of. */
  readonly avoidable: number;
  /** Requests that were on their way when the service said stop, or that a process sent before it could know. */
  readonly onTheirWay: number;
  /** Beside those that the night itself gave out. */
  readonly answers429Per1000: number;
  readonly requests: number;
  readonly commands: number;
  readonly held: boolean;
}

const SETTLED_WITHIN_MS = 240_000;
const CARDS_SETTLED_WITHIN_MS = 15_000;
const MOST_429_PER_1000 = 1;

/**
 * Everything that an operator sleeps through, in an order that the seed draws, while towns are busy and people run
 * commands. Resolves with what the morning finds.
 */
export async function badNight(
  fleet: Fleet,
  troubles: Troubles,
  tell: (line: string) => void = () => undefined,
): Promise<Morning> {
  const random = seededRandom(fleet.options.seed);
  const stops = { answers429: 0, onTheirWay: 0 };
  const events: readonly (readonly [what: string, happen: () => Promise<void>])[] = [
    ["a block is killed", () => kill(fleet)],
    ["a block stands still", () => freeze(fleet, troubles.frozenMs)],
    ["redis is killed", () => fleet.redis.crash(troubles.redisAwayMs)],
    ["redis fails over", () => fleet.redis.failOver(troubles.replicaBehindMs)],
    [
      "the service says stop",
      async () => {
        const { answers429, onTheirWay } = await block(fleet, troubles.blockedMs);
        stops.answers429 += answers429;
        stops.onTheirWay += onTheirWay;
      },
    ],
    ["Discord is down", () => dropDiscord(fleet, troubles.discordAwayMs)],
    ["writes are refused", () => fleet.redis.refuseWrites(troubles.diskFullMs)],
  ];
  fleet.run();
  const inSomeOrder = () =>
    events
      .map((event) => ({ event, at: random.next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ event }) => event);
  for (const [what, happen] of Array.from({ length: troubles.rounds }, inSomeOrder).flat()) {
    await sleep(troubles.betweenMs);
    tell(what);
    await happen();
    await fleet.served();
  }
  await sleep(troubles.betweenMs);
  await fleet.rest();
  return await morning(fleet, stops);
}

/** What the night itself brought about by saying stop. */
interface Stops {
  /** Answers that said so. */
  readonly answers429: number;
  readonly onTheirWay: number;
}

async function morning(fleet: Fleet, stops: Stops): Promise<Morning> {
  const found = await fleet.judged(SETTLED_WITHIN_MS);
  await fleet
    .until("everybody answered", () => fleet.unanswered.length === 0 || undefined, SETTLED_WITHIN_MS)
    .catch(() => undefined);
  await fleet
    .until("no card that waits", () => fleet.unfinished.length === 0 || undefined, CARDS_SETTLED_WITHIN_MS)
    .catch(() => undefined);
  const { requests, answers429 } = fleet.service.counts;
  const avoidable = fleet.service.counts.avoidable - stops.onTheirWay;
  const answers429Per1000 = (1_000 * (answers429 - stops.answers429)) / requests;
  const unexplained = found.lost.filter((entry) => !found.toldOfGaps.has(communityOf(entry)));
  const { repeatedCommands, unanswered, unfinished } = fleet;
  const nothing = [unexplained, found.repeated, repeatedCommands, unanswered, unfinished].every(
    (list) => list.length === 0,
  );
  return {
    found,
    unexplained,
    repeatedCommands,
    unanswered,
    unfinished,
    avoidable,
    onTheirWay: stops.onTheirWay,
    answers429Per1000,
    requests,
    commands: fleet.asked.length,
    held: nothing && avoidable === 0 && answers429Per1000 <= MOST_429_PER_1000 && found.due > 0,
  };
}

function communityOf(entry: string): number {
  return Number(entry.split(" ")[0]);
}

async function someHolder(fleet: Fleet): Promise<readonly [string, BotProcess]> {
  await fleet.served();
  const [one] = [...(await fleet.holders())];
  if (one === undefined) throw new Error("no process serves");
  return one;
}

async function kill(fleet: Fleet): Promise<void> {
  const [block, bot] = await someHolder(fleet);
  await bot.kill();
  await fleet.until("the block served again", async () => (await fleet.holders()).get(block));
  bot.start();
}

async function freeze(fleet: Fleet, forMs: number): Promise<void> {
  const [, bot] = await someHolder(fleet);
  bot.freeze();
  await sleep(forMs);
  bot.unfreeze();
}

/** The service stops everybody once. */
async function block(fleet: Fleet, forMs: number): Promise<Stops> {
  const { faults, counts } = fleet.service;
  const before = { answers429: counts.answers429, avoidable: counts.avoidable };
  faults.set({ tooMany: 1, tooManyRetryAfterMs: forMs });
  await fleet.until("an answer of 429", () => counts.answers429 > before.answers429 || undefined);
  faults.set({ tooMany: 0 });
  const onTheirWay = (await fleet.haltKnown(forMs)) ? counts.avoidable - before.avoidable : 0;
  await sleep(forMs);
  return { answers429: counts.answers429 - before.answers429, onTheirWay };
}

async function dropDiscord(fleet: Fleet, forMs: number): Promise<void> {
  fleet.discord.faults.set({ outage: "5xx" });
  fleet.discord.faults.dropGateway({ resumable: false });
  await sleep(forMs);
  fleet.discord.faults.clear();
}
