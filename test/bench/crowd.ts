import { setTimeout as sleep } from "node:timers/promises";
import { type BenchResult, figure, quantile, table } from "./bench.ts";
import { BotWorld } from "./bot-world.ts";
import { Echo } from "./echo.ts";
import { readMetrics } from "./ops-metrics.ts";
import { People } from "./people.ts";

export const name = "crowd";

/** The last one is judged, the others tell what a smaller bot needs. */
const SIZES = [1, 100, 1_000, 10_000];
const LIMIT_PER_S = 70;
/** Of ten thousand communities together; of fewer in proportion. */
const INTERACTIONS_PER_S = 30;
const WARM_MS = 10_000;
const MEASURED_MS = 40_000;
const SAMPLE_EVERY_MS = 5_000;
const START_WITHIN_MS = 300_000;
const MOST_P99_MS = 50;
const MOST_HEAP_MB = 800;
const MOST_RESIDENT_MB = 1_400;
/** Until each server was read twice; a machine that is busy reads slowly. */
const READ_WITHIN_MS = 1_500_000;
/** Half of the 3 GB that deploy/ gives a process. */
const NODE_OPTIONS = "--max-old-space-size=1536";
const MOST_READY_S = 60;
const MB = 1024 * 1024;

/** What one size showed. Times are of this machine, so they are compared within one run only. */
interface Measured {
  readonly guilds: number;
  /** Servers that were read at least twice before anything was measured. */
  readonly serversRead: number;
  /** The most that any sample showed. */
  readonly heapMb: number;
  readonly residentMb: number;
  /** Of one core, while people and polls go on. */
  readonly cpuPercent: number;
  /** From the process's beginning to its login at the gateway. */
  readonly loginS: number;
  /** From the last READY of the gateway to /readyz. */
  readonly readyS: number;
  readonly pollsPerS: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly times: ReadonlyMap<string, readonly number[]>;
  readonly echoP99Ms: number;
  readonly trouble: readonly string[];
}

/**
 * One process with up to ten thousand Discord servers, each with a linked game server, three feeds, a panel and two alerts,
 * the history on: how long it takes to be ready, what it needs once it has read each server twice, and how soon people get
 * their first answer.
 */
export async function run(): Promise<BenchResult> {
  const measured: Measured[] = [];
  for (const guilds of SIZES) measured.push(await measure(guilds));
  const most = measured.at(-1);
  if (most === undefined) throw new Error("nothing was measured");

  const figures = {
    guilds: most.guilds,
    serversRead: most.serversRead,
    heapMb: figure(most.heapMb, 0),
    rssMb: figure(most.residentMb, 0),
    cpuPercent: figure(most.cpuPercent, 0),
    readyS: figure(most.readyS, 1),
    p99Ms: figure(most.p99Ms, 1),
  };
  const isQuick = figures.p99Ms <= MOST_P99_MS && figures.readyS <= MOST_READY_S;
  const isSmall = figures.heapMb <= MOST_HEAP_MB && figures.rssMb <= MOST_RESIDENT_MB;
  const ok = isQuick && isSmall && figures.serversRead === most.guilds && most.trouble.length === 0;
  const head = [
    "guilds",
    "login s",
    "ready s",
    "heap MB",
    "resident MB",
    "CPU %",
    "polls/s",
    "p50 ms",
    "p99",
  ];
  const rows = measured.map((one) => [
    one.guilds,
    figure(one.loginS, 1),
    figure(one.readyS, 1),
    figure(one.heapMb, 0),
    figure(one.residentMb, 0),
    figure(one.cpuPercent, 1),
    figure(one.pollsPerS, 1),
    figure(one.p50Ms, 1),
    figure(one.p99Ms, 1),
  ]);
  const acts = [...most.times].map(([act, times]) => [
    act,
    times.length,
    ...[0.5, 0.99, 1].map((part) => figure(quantile(times, part), 1)),
  ]);
  const lines = [
    ...table(head, rows),
    `a bare process, asked as often beside the last: p99 ${figure(most.echoP99Ms, 1)} ms`,
    ...table(["first answer, ms", "times", "p50", "p99", "longest"], acts),
    ...measured.flatMap(({ trouble }) => trouble.slice(0, 5)),
  ];
  return { ok, figures, lines };
}

async function measure(guilds: number): Promise<Measured> {
  const world = await BotWorld.open({
    guilds,
    perS: LIMIT_PER_S,
    areKeysTaken: true,
    areWatched: true,
    badKeyBudget: LIMIT_PER_S * 10,
    nodeOptions: NODE_OPTIONS,
  });
  const { discord, service, communities, opsAddress } = world;
  const echo = await Echo.start();
  try {
    const start = await startBot(world);
    const people = new People(discord, communities, {
      perS: Math.max(0.5, (INTERACTIONS_PER_S * guilds) / 10_000),
      beside: () => echo.ask(),
    });
    const serversRead = await allRead(world);
    await people.act(WARM_MS);
    people.forget();
    echo.forget();
    const polls = await service.counts();
    const beganMs = performance.now();
    const [use] = await Promise.all([sampleUse(opsAddress, MEASURED_MS), people.act(MEASURED_MS)]);
    const seconds = (performance.now() - beganMs) / 1_000;
    const all = [...people.times.values()].flat();
    return {
      guilds,
      serversRead,
      ...start,
      ...use,
      pollsPerS: ((await service.counts()).polls - polls.polls) / seconds,
      p50Ms: quantile(all, 0.5),
      p99Ms: quantile(all, 0.99),
      times: people.times,
      echoP99Ms: quantile(echo.times, 0.99),
      trouble: [...people.failures, ...world.errors],
    };
  } finally {
    echo.stop();
    await world.close();
  }
}

async function startBot({
  bot,
  discord,
  opsAddress,
}: BotWorld): Promise<{ readonly loginS: number; readonly readyS: number }> {
  const beganMs = performance.now();
  let connectedMs = beganMs;
  const leave = discord.on((event) => {
    if (event.type === "gateway-connected") connectedMs = performance.now();
  });
  bot.start();
  try {
    while (!(await isReady(opsAddress))) {
      if (performance.now() - beganMs > START_WITHIN_MS || !bot.running) {
        throw new Error(`the bot is not ready; its last lines:\n${bot.lines.slice(-20).join("\n")}`);
      }
      await sleep(100);
    }
  } finally {
    leave();
  }
  return { loginS: (connectedMs - beganMs) / 1_000, readyS: (performance.now() - connectedMs) / 1_000 };
}

/** Waits until each server was read twice: what is remembered of a server is remembered then. Resolves with how many were. */
async function allRead({ service, communities }: BotWorld): Promise<number> {
  const beganMs = performance.now();
  for (;;) {
    const { readTwice } = await service.counts();
    if (readTwice >= communities.length || performance.now() - beganMs > READ_WITHIN_MS) return readTwice;
    await sleep(1_000);
  }
}

async function isReady(opsAddress: string): Promise<boolean> {
  return await fetch(`http://${opsAddress}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function sampleUse(
  opsAddress: string,
  forMs: number,
): Promise<Pick<Measured, "heapMb" | "residentMb" | "cpuPercent">> {
  const startMs = performance.now();
  const before = await readMetrics(opsAddress);
  let [heap, resident, cpuS] = [0, 0, 0];
  while (performance.now() - startMs < forMs) {
    await sleep(SAMPLE_EVERY_MS);
    const now = await readMetrics(opsAddress);
    heap = Math.max(heap, now("nodejs_heap_size_used_bytes"));
    resident = Math.max(resident, now("process_resident_memory_bytes"));
    cpuS = now("process_cpu_seconds_total") - before("process_cpu_seconds_total");
  }
  const seconds = (performance.now() - startMs) / 1_000;
  return { heapMb: heap / MB, residentMb: resident / MB, cpuPercent: (100 * cpuS) / seconds };
}
