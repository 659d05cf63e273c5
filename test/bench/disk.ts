import { systemClock } from "../../src/clock.ts";
import { seededRandom } from "../support/clock.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type BenchResult, figure, quantile, table } from "./bench.ts";
import { BotWorld } from "./bot-world.ts";
import { HOSTILE_KEYS, HostileGuild } from "./hostile.ts";
import { readMetrics } from "./ops-metrics.ts";
import { People } from "./people.ts";
import { buildSlowDisk, type SlowDisk } from "./slow-disk.ts";

export const name = "disk";

const GUILDS = 1_000;
/** Each wait for the disk: as on a shared disk of a cheap host in a bad hour. */
const FSYNC_MS = 100;
/** Of polls, of what people ask, and of commands. */
const LIMIT_PER_S = 85;
/** Of servers that have players: a hundred entries a second come of it. */
const OPEN_SHARE = 0.65;
const INTERACTIONS_PER_S = 20;
const WARM_MS = 10_000;
/** Long enough that the write-ahead logs are worked into their files within it as often as they always are. */
const MEASURED_MS = 120_000;
const START_WITHIN_MS = 90_000;
const ACK_P99_MS = 50;
const ACK_P99_OVER_FAST = 1.5;
const POLLS_OVER_FAST = 0.9;
const MAIN_BLOCKED_MS = 50;
const KB_PER_ENTRY = 16;
const WRITES_PER_ENTRY = 8;

/** One disk, measured. */
interface Measured {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly pollsPerS: number;
  readonly acceptedPerS: number;
  /** Rows of logs that were recorded. */
  readonly entriesPerS: number;
  readonly kbPerEntry: number;
  readonly writesPerEntry: number;
  readonly syncsPerS: number;
  readonly mainBlockedMs: number;
  readonly failures: readonly string[];
}

/**
 * A thousand communities, one of which asks for 60 commands and cases a second, on a disk that takes 100 ms for each wait and
 * on one that takes none: what the others notice. Each world is a bot (the real one, a process of its own, as is the
 * emulated service), one after the other.
 */
export async function run(): Promise<BenchResult> {
  const folder = tempFolder();
  try {
    const [fast, slow] = [
      buildSlowDisk(folder.path, "fast", 0),
      buildSlowDisk(folder.path, "slow", FSYNC_MS),
    ];
    if (fast === undefined || slow === undefined)
      return {
        ok: true,
        figures: {},
        lines: ["SKIPPED: a slow disk is built with cc, which this machine lacks"],
      };
    return report(await measure(fast), await measure(slow));
  } finally {
    folder.remove();
  }
}

async function measure(disk: SlowDisk): Promise<Measured> {
  const world = await BotWorld.open({
    guilds: GUILDS,
    otherServers: HOSTILE_KEYS,
    perS: LIMIT_PER_S,
    openShare: OPEN_SHARE,
    slowFsync: disk,
  });
  const hostile = new HostileGuild(world.discord, GUILDS);
  const end = new AbortController();
  const beside = () => undefined;
  const people = new People(world.discord, world.communities, { perS: INTERACTIONS_PER_S, beside });
  let harm = Promise.resolve();
  try {
    await hostile.settle(world.storeUrl, { clock: systemClock, random: seededRandom(2) });
    await world.startBot(START_WITHIN_MS);
    harm = hostile.work(end.signal);
    await people.act(WARM_MS);
    people.forget();
    const look = async () => ({
      atS: performance.now() / 1_000,
      disk: disk.counts(),
      polls: (await world.service.counts()).polls,
      accepted: hostile.accepted,
      entries: (await readMetrics(world.opsAddress))("marshal_history_rows_total"),
    });
    const before = await look();
    await people.act(MEASURED_MS);
    const after = await look();
    const seconds = after.atS - before.atS;
    const entries = after.entries - before.entries;
    const times = [...people.times.values()].flat();
    return {
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      pollsPerS: (after.polls - before.polls) / seconds,
      acceptedPerS: (after.accepted - before.accepted) / seconds,
      entriesPerS: entries / seconds,
      kbPerEntry: (after.disk.bytes - before.disk.bytes) / 1_024 / entries,
      writesPerEntry: (after.disk.writes - before.disk.writes) / entries,
      syncsPerS: (after.disk.syncs - before.disk.syncs) / seconds,
      mainBlockedMs: after.disk.longestOnMainMs,
      failures: [...people.failures, ...world.errors],
    };
  } finally {
    end.abort();
    await harm;
    people.leave();
    await world.close();
  }
}

function report(fast: Measured, slow: Measured): BenchResult {
  const figures = {
    fsyncMs: FSYNC_MS,
    ackP99Ms: figure(slow.p99Ms, 1),
    ackP99OverFast: figure(slow.p99Ms / fast.p99Ms, 2),
    pollsOverFast: figure(slow.pollsPerS / fast.pollsPerS, 2),
    mainBlockedMs: figure(slow.mainBlockedMs, 1),
    acceptedPerS: figure(slow.acceptedPerS, 1),
    kbPerEntry: figure(slow.kbPerEntry, 1),
    writesPerEntry: figure(slow.writesPerEntry, 1),
  };
  const failures = [...fast.failures, ...slow.failures];
  const ok =
    figures.ackP99Ms <= ACK_P99_MS &&
    figures.ackP99OverFast <= ACK_P99_OVER_FAST &&
    figures.pollsOverFast >= POLLS_OVER_FAST &&
    figures.mainBlockedMs <= MAIN_BLOCKED_MS &&
    figures.kbPerEntry <= KB_PER_ENTRY &&
    figures.writesPerEntry <= WRITES_PER_ENTRY &&
    failures.length === 0;
  const columns = ({ failures: _, ...measured }: Measured) =>
    Object.values(measured).map((value) => figure(value, 1));
  const head = [
    "p50 ms",
    "p99 ms",
    "polls/s",
    "accepted/s",
    "entries/s",
    "KB/entry",
    "writes/entry",
    "syncs/s",
  ];
  const lines = table(
    ["disk", ...head, "main blocked ms"],
    [
      ["fast", ...columns(fast)],
      [`${FSYNC_MS} ms a wait`, ...columns(slow)],
    ],
  );
  return { ok, figures, lines: [...lines, ...failures.slice(0, 8)] };
}
