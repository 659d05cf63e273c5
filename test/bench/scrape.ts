import { join } from "node:path";
import { feedRenderer } from "../../src/discord/render/feed.ts";
import type { BatchChannel } from "../../src/domain/ports/batches.ts";
import { parseCard } from "../../src/feeds/cards/card-records.ts";
import { createFeeds } from "../../src/feeds/feeds.ts";
import { parseOffset } from "../../src/feeds/positions/offsets.ts";
import { createJournal } from "../../src/journal/create-journal.ts";
import { parseJournalChunk, parseJournalHead, parseJournalRow } from "../../src/journal/journal-records.ts";
import { registerGauges } from "../../src/ops/gauges.ts";
import { createMetrics } from "../../src/ops/metrics.ts";
import { collectFacts } from "../../src/ops/readiness-facts.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createWatch } from "../../src/watch/watch.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { FakeMetrics } from "../support/network.ts";
import { NOBODY_ON_DUTY } from "../support/nobody-on-duty.ts";
import { outboxOver } from "../support/outbox.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type BenchResult, figure, table } from "./bench.ts";
import { FootprintTown } from "./footprint-town.ts";
import { longestHoldMs } from "./longest-hold.ts";

export const name = "scrape";

const SERVERS = 10_000;
const ENTRIES = 8;
const TIMES = 7;
const MOST_HOLD_MS = 10;
/** As the wings follow the journals. */
const FOLLOWERS = {
  history: ["joinLogs", "killLogs", "commandLogs", "modCalls"],
  alerts: ["joinLogs", "killLogs", "commandLogs", "modCalls"],
  watches: ["joinLogs"],
  cases: ["commandLogs"],
  "ban-ends": ["commandLogs"],
  proof: ["commandLogs"],
} as const;

/**
 * For how long one piece of an answer of the ops address holds up the thread that answers people, by that thread's own processor
 * time: 10,000 servers with four feeds each. Idle: nothing waits. Away: Discord takes nothing, and every feed has something to post.
 */
export async function run(): Promise<BenchResult> {
  const world = await buildWorld();
  const rows: (readonly [string, number, number])[] = [];
  const measure = async (what: string) => {
    const scrape = await leastOf(() => longestHoldMs(() => world.metrics.text()));
    const ready = await leastOf(() => longestHoldMs(() => collectFacts(world.facts)));
    const state = await leastOf(() => longestHoldMs(() => world.state()));
    rows.push([`${what}: /metrics`, figure(scrape, 1), MOST_HOLD_MS]);
    rows.push([`${what}: a check of readiness`, figure(ready, 1), MOST_HOLD_MS]);
    rows.push([`${what}: /state`, figure(state, 1), MOST_HOLD_MS]);
  };
  await measure("idle");
  await world.live();
  await measure("away");
  const waiting = await world.waiting();
  await world.close();
  const longestMs = Math.max(...rows.map(([, ms]) => ms));
  return {
    ok: longestMs <= MOST_HOLD_MS && waiting >= SERVERS,
    figures: { longestHoldMs: longestMs },
    lines: [...table(["longest piece", "ms", "at most"], rows), `away: ${waiting} entries wait to be posted`],
  };
}

/** A collection of the heap may come into any of them. */
async function leastOf(measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < TIMES; time += 1) least = Math.min(least, await measure());
  return least;
}

async function buildWorld() {
  const clock = new VirtualClock();
  const random = seededRandom(3);
  const towns = Array.from({ length: SERVERS }, (_, index) => new FootprintTown(index, random));
  const ofGuild = new Map(towns.map((town) => [town.binding.guildId, town]));
  const health = {
    parked: () => undefined,
    held: () => undefined,
    readRefused: () => undefined,
    halt: () => undefined,
    commandPermission: () => ({ kind: "unknown" }) as const,
    commandReadyAtMs: () => 0,
  };
  const watch = createWatch({
    client: { read: () => new Promise(() => undefined) } as never,
    health: health as never,
    clock,
    random,
    metrics: new FakeMetrics(),
    onDefect: (error) => {
      throw error;
    },
  });
  const folder = tempFolder();
  const store = await openStore(`sqlite:${join(folder.path, "marshal.sqlite")}`, { runsIn: "caller" });
  const warn = (message: string, error: unknown) => {
    throw new Error(message, { cause: error });
  };
  const journal = createJournal({
    followedOf: (source) => [source],
    heads: store.documents("journal-heads", parseJournalHead, "normal"),
    chunks: store.documents("journal-chunks", parseJournalChunk, "normal"),
    rows: store.rows("journal-rows", parseJournalRow),
    write: (changes) => store.write(changes),
    clock,
    random,
    warn,
  });
  for (const [follower, logs] of Object.entries(FOLLOWERS)) journal.reader(follower, "head", { logs });
  const outbox = outboxOver(
    { send: () => new Promise(() => undefined), edit: async () => undefined, readBack: async () => [] },
    clock,
  );
  // Each waits for a turn that does not come.
  const never: BatchChannel = {
    isDoubtful: false,
    isSettled: true,
    hold: () => new Promise(() => undefined),
    release: () => undefined,
    send: () => new Promise(() => undefined),
    readAfter: async () => [],
    onRead: () => undefined,
    onNewMessage: () => undefined,
  };
  const feeds = createFeeds({
    ...NOBODY_ON_DUTY,
    journalOwner: "server",
    clock,
    random,
    renderer: feedRenderer,
    posts: outbox.posts,
    batches: { channel: () => never },
    nonceKey: "scrape",
    guilds: { channelAccess: async () => ({ kind: "unknown" }) },
    notifier: { person: async () => undefined, guild: async () => undefined },
    metrics: new FakeMetrics(),
    snapshots: watch.snapshots,
    demands: watch.demands,
    health,
    bindings: {
      list: async (guildId) => [ofGuild.get(guildId)?.binding].flatMap((binding) => binding ?? []),
      *linked() {
        for (const { binding } of towns) yield binding;
      },
    },
    feedStore: {
      list: async (guildId) => ofGuild.get(guildId)?.feeds ?? [],
      async *all() {
        for (const { feeds: own } of towns) yield* own;
      },
      save: async () => undefined,
      remove: async () => undefined,
    },
    journal,
    offsets: new MemoryDocuments(parseOffset),
    cards: new MemoryDocuments(parseCard),
    onDisk: async () => undefined,
    cleanStop: { take: async () => undefined, leave: async () => undefined },
    warn,
  });
  await feeds.start();
  const close = async () => {
    await store.close();
    folder.remove();
  };
  const live = async () => {
    const nowS = clock.nowMs() / 1_000;
    for (const town of towns) {
      town.live(ENTRIES, nowS - 600, nowS);
      await journal.take(town.snapshot(clock.nowMs()));
      town.forgetLogs();
    }
  };
  await live();
  await clock.advance(600_000);

  const metrics = createMetrics({ ofProcess: true });
  const discord = {
    state: () => ({
      ready: true,
      guilds: SERVERS,
      shards: [],
      sending: { taken: 0, failing: false },
      interactionsUnderWay: 0,
    }),
  };
  const service = {
    halt: () => undefined,
    state: () => ({ parkedKeys: 0, buckets: [] }),
    badKeys: () => ({ refusedLastHour: 0, most: 9, waitingKeys: 0, waitShare: 0, spentUntilMs: undefined }),
  };
  const wings = { discord, service, watch, journal, feeds, outbox };
  registerGauges(metrics, {
    ...wings,
    runs: { gauges: () => ({ waiting: 0, running: 0 }) },
    readiness: { reasons: () => [] },
    nowMs: () => clock.nowMs(),
  });
  const state = async () => JSON.stringify([await watch.state(), await journal.state(), await feeds.state()]);
  const facts = { clock, store: { checkWritable: async () => undefined }, ...wings };
  const waiting = async () => (await feeds.state()).undelivered;
  return { metrics, facts, state, live, waiting, close };
}
