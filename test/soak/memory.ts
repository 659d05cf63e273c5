import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { readMetrics } from "../bench/ops-metrics.ts";
import { withFeeds } from "./feed-stage.ts";
import { openMachine } from "./store-machine.ts";

const SAMPLE_EVERY_MS = 15_000;
/** The last quarter may need so much more than the second: the first one fills what is remembered. */
const MOST_GROWTH = 1.05;
const MB = 2 ** 20;

interface Sample {
  readonly residentMb: number;
  readonly heapMb: number;
}

/**
 * One community whose log is as fast as a log can be, and what the real bot needs for it: its memory has to stay what it is
 * once it has seen a quarter of the time. Prints where it grows; the entries are judged as by the other soaks.
 *
 *   npm run soak -- memory [--minutes 60] [--per-minute 3900] [--seed 1]
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "60" },
      "per-minute": { type: "string", default: "3900" },
      seed: { type: "string", default: "1" },
    },
  });
  const samples: Sample[] = [];
  const machine = await openMachine("sqlite");
  const options = { seed: Number(values.seed), perMinute: Number(values["per-minute"]), nonceMs: 130_000 };
  const isExact = await withFeeds({ ...options, machine }, async ({ bot }) => {
    const endMs = performance.now() + Number(values.minutes) * 60_000;
    while (performance.now() < endMs) {
      await sleep(SAMPLE_EVERY_MS);
      samples.push(await sampleOf(bot.opsAddress));
    }
  });
  const quarters = [0, 1, 2, 3].map((quarter) => meanOf(samples, quarter));
  for (const [at, { residentMb, heapMb }] of quarters.entries()) {
    console.log(
      `quarter ${at + 1}: ${residentMb.toFixed(0)} MB resident, ${heapMb.toFixed(0)} MB of it heap`,
    );
  }
  const [, second, , last] = quarters;
  const isFlat = (last?.residentMb ?? 0) <= MOST_GROWTH * (second?.residentMb ?? 0);
  return isExact && isFlat;
}

async function sampleOf(opsAddress: string): Promise<Sample> {
  const now = await readMetrics(opsAddress);
  return {
    residentMb: now("process_resident_memory_bytes") / MB,
    heapMb: now("nodejs_heap_size_used_bytes") / MB,
  };
}

function meanOf(samples: readonly Sample[], quarter: number): Sample {
  const from = Math.floor((samples.length * quarter) / 4);
  const of = samples.slice(from, Math.floor((samples.length * (quarter + 1)) / 4));
  const mean = (read: (sample: Sample) => number) =>
    of.reduce((sum, sample) => sum + read(sample), 0) / of.length;
  return { residentMb: mean(({ residentMb }) => residentMb), heapMb: mean(({ heapMb }) => heapMb) };
}
