import type { Snapshot } from "../../src/domain/model.ts";
import { createWatch } from "../../src/watch/watch.ts";
import { Crew, keyText } from "../cluster/limits/crew.ts";
import { seededRandom } from "../support/clock.ts";
import { Fleet } from "../support/fleet.ts";
import { FakeMetrics } from "../support/network.ts";
import { needsRedis } from "../support/redis-server.ts";
import { type BenchResult, figure, table } from "./bench.ts";

export const name = "fleet";

const BLOCKS = 4;
const SERVERS = 240;
/** Part of them with players, some far busier than others. */
const OPEN = 0.4;
const BUSIEST_PER_MINUTE = 60;
const PER_S = 35;
const WARM_MS = 120_000;
const MEASURED_MS = 300_000;
const SEEDS = [1, 2];

const MOST_DELAY = 1.15;
const LEAST_USED = 0.85;
const MOST_429_PER_1000 = 1;
/** A takeover: the lease, a login, and five seconds for each identify of the block that cannot go beside another. */
const TAKEOVER_S = 15;
const IDENTIFY_S = 5;
/** What the takeover is measured with. */
const LOOK_EVERY_MS = 100;
const MAX_CONCURRENCY = 1;

/** What one world showed. */
interface Together {
  readonly meanDelayMs: number;
  readonly used: number;
  readonly requests: number;
  readonly answers429: number;
  readonly avoidable: number;
}

interface Takeover {
  readonly takeoverS: number;
  readonly boundS: number;
  readonly lost: number;
  readonly repeated: number;
  readonly maxExecutions: number;
}

/**
 * Four blocks against one process with the same servers, on a virtual clock with the emulated service; then real processes
 * on a real Redis, of which one is killed.
 */
export async function run(): Promise<BenchResult> {
  const single: Together[] = [];
  const blocks: Together[] = [];
  for (const seed of SEEDS) {
    single.push(await together(seed, 1));
    blocks.push(await together(seed, BLOCKS));
  }
  const taken = needsRedis().skip === undefined ? await takeover() : undefined;

  const mean = (all: readonly Together[], of: (one: Together) => number) =>
    all.reduce((sum, one) => sum + of(one), 0) / all.length;
  const total = (of: (one: Together) => number) => blocks.reduce((sum, one) => sum + of(one), 0);
  const figures = {
    delayOverSingle: figure(mean(blocks, (one) => one.meanDelayMs) / mean(single, (one) => one.meanDelayMs)),
    usedOfLimit: figure(mean(blocks, (one) => one.used)),
    answers429Per1000: figure((1_000 * total((one) => one.answers429)) / total((one) => one.requests)),
    avoidable: total((one) => one.avoidable),
    ...(taken === undefined
      ? {}
      : {
          takeoverS: figure(taken.takeoverS, 1),
          takeoverBoundS: figure(taken.boundS, 1),
          lost: taken.lost,
          repeated: taken.repeated,
          maxExecutions: taken.maxExecutions,
        }),
  };
  const isShared =
    figures.delayOverSingle <= MOST_DELAY &&
    figures.usedOfLimit >= LEAST_USED &&
    figures.answers429Per1000 <= MOST_429_PER_1000 &&
    figures.avoidable === 0;
  const isTaken =
    taken !== undefined &&
    taken.takeoverS <= taken.boundS &&
    taken.lost + taken.repeated === 0 &&
    taken.maxExecutions <= 1;
  const row = (label: string, all: readonly Together[]) => [
    label,
    figure(mean(all, (one) => one.meanDelayMs) / 1_000, 2),
    figure(mean(all, (one) => one.used)),
    all.reduce((sum, one) => sum + one.requests, 0),
    all.reduce((sum, one) => sum + one.answers429, 0),
  ];
  const lines = [
    ...table(
      ["", "mean delay s", "used of limit", "requests", "429"],
      [row("one process", single), row(`${BLOCKS} blocks`, blocks)],
    ),
    taken === undefined
      ? "takeover: not measured, this machine has no redis-server or valkey-server"
      : `takeover: ${figure(taken.takeoverS, 1)} s, ${taken.lost} entries lost, ${taken.repeated} repeated`,
  ];
  return { ok: isShared && isTaken, figures, lines };
}

/** The same servers, divided at random between so many processes with the real client and schedule. */
async function together(seed: number, blocks: number): Promise<Together> {
  const random = seededRandom(seed);
  const crew = new Crew({
    seed,
    blocks: 0,
    keys: 0,
    isAlone: blocks === 1,
    latencyMs: 40,
    jitterMs: 20,
    service: {
      keys: Array.from({ length: SERVERS }, (_, n) => keyText(seed, n)),
      limits: { global: { limit: PER_S, windowMs: 1_000 } },
    },
  });
  const keys = Array.from({ length: blocks }, (): string[] => []);
  for (let n = 0; n < SERVERS; n++) {
    const key = keyText(seed, n);
    const town = crew.service.town(key);
    if (n < OPEN * SERVERS) town.setIntensity(BUSIEST_PER_MINUTE / (n + 1) ** 0.7);
    else town.empty();
    keys[Math.floor(random.next() * blocks)]?.push(key);
  }
  for (const of of keys) crew.join(of);
  await crew.start();

  const delays: number[] = [];
  const fromMs = crew.clock.nowMs() + WARM_MS;
  for (const { client, sources, ring } of crew.members) {
    const watch = createWatch({
      client,
      health: client,
      clock: crew.clock,
      random: seededRandom(seed + sources.length),
      metrics: new FakeMetrics(),
      onDefect: (error: unknown) => Promise.reject(error),
    });
    client.shareBy(() => watch.appetite());
    watch.listen({ take: noteDelays(delays, fromMs, () => crew.clock.nowMs()) });
    for (const source of ring.sources())
      watch.demands.put(source, [{ source, lists: ["joinLogs", "killLogs"], guildId: source }]);
    watch.start();
  }
  await crew.clock.advance(WARM_MS);
  const before = { ...crew.service.counts, ok: crew.service.counts.byStatus.get(200) ?? 0 };
  await crew.clock.advance(MEASURED_MS);
  const { counts } = crew.service;
  return {
    meanDelayMs: delays.reduce((sum, delay) => sum + delay, 0) / Math.max(1, delays.length),
    used: ((counts.byStatus.get(200) ?? 0) - before.ok) / ((PER_S * MEASURED_MS) / 1_000),
    requests: counts.requests - before.requests,
    answers429: counts.answers429 - before.answers429,
    avoidable: counts.avoidable - before.avoidable,
  };
}

/** From the second of each new entry to the answer that shows it. */
function noteDelays(delays: number[], fromMs: number, nowMs: () => number) {
  const newestS = new Map<string, number>();
  return async ({ source, lists }: Snapshot): Promise<void> => {
    for (const [list, rows] of [
      ["joins", lists.joinLogs ?? []],
      ["kills", lists.killLogs ?? []],
    ] as const) {
      const before = newestS.get(`${source}/${list}`);
      const latest = rows.reduce((newest, { atS }) => Math.max(newest, atS), before ?? 0);
      newestS.set(`${source}/${list}`, latest);
      if (before === undefined) continue;
      for (const { atS } of rows)
        if (atS > before && atS * 1_000 >= fromMs) delays.push(nowMs() - atS * 1_000);
    }
  };
}

/** Real processes: a block is killed while towns are busy and people ask. */
async function takeover(): Promise<Takeover> {
  const shardsOfBlock = 2;
  const size = { communities: 24, blocks: BLOCKS, shardsOfBlock, standbys: 1 };
  const pace = { perMinute: 240, perSecond: PER_S };
  const fleet = await Fleet.open({ ...size, ...pace, seed: 5, lookEveryMs: LOOK_EVERY_MS });
  fleet.discord.limits.identify.maxConcurrency = MAX_CONCURRENCY;
  try {
    await fleet.begin();
    fleet.run();
    const [block, killed] = [...(await fleet.holders())][0] ?? [];
    if (block === undefined || killed === undefined) throw new Error("no process serves");
    const beganMs = performance.now();
    await killed.kill();
    await fleet.until("the block served again", async () => (await fleet.holders()).get(block));
    const takeoverS = (performance.now() - beganMs) / 1_000;
    await fleet.rest();
    const { lost, repeated } = await fleet.judged(120_000);
    const { executionsByText } = fleet.service.counts;
    return {
      takeoverS,
      boundS: TAKEOVER_S + (IDENTIFY_S * shardsOfBlock) / MAX_CONCURRENCY,
      lost: lost.length,
      repeated: repeated.length,
      maxExecutions: Math.max(0, ...fleet.asked.map(({ text }) => executionsByText.get(text) ?? 0)),
    };
  } finally {
    await fleet.close();
  }
}
