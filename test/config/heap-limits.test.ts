import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { watchHeap } from "../../src/heap-limits.ts";
import { VirtualClock } from "../support/clock.ts";

/** In a thread. */
const HEAP = "require('node:v8').getHeapStatistics().heap_size_limit / 2 ** 20";
const limits = new URL("../../src/heap-limits.ts", import.meta.url).href;

/** Megabytes that the main thread and a thread with a limit of 64 may fill, in a process that is bounded to 1,024. */
function bounds(before: string): readonly number[] {
  const program = `
    import { getHeapStatistics } from "node:v8";
    import { Worker } from "node:worker_threads";
    ${before}
    console.log(getHeapStatistics().heap_size_limit / 2 ** 20);
    const resourceLimits = { maxOldGenerationSizeMb: 64 };
    new Worker("console.log(${HEAP})", { eval: true, resourceLimits, execArgv: [] });`;
  const args = ["--max-old-space-size=1024", "--input-type=module", "--eval", program];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return stdout.trim().split("\n").map(Number);
}

test("a thread keeps its own limit where the process is started with one, and the process keeps its own", () => {
  const [, unbounded = 0] = bounds("");
  assert.ok(unbounded >= 1_024, `as V8 does it: ${unbounded}`);
  const call = `const { leaveThreadsTheirLimits } = await import("${limits}"); leaveThreadsTheirLimits();`;
  const [main = 0, thread = 0] = bounds(call);
  assert.ok(main >= 1_024 && main < 1_400, `${main}`);
  assert.ok(thread >= 64 && thread < 400, `${thread}`);
});

/** How much more than it holds the heap of a process is at most while what it holds is replaced bit by bit. */
function mostOverHeld(before: string): number {
  const program = `
    ${before}
    const rows = (n) => Array.from({ length: 40 }, (_, at) => ({ at, player: { name: "p" + at * n, id: n } }));
    const held = Array.from({ length: 15_000 }, (_, n) => rows(n));
    gc();
    const heldBytes = process.memoryUsage().heapUsed;
    let most = 0;
    for (let n = 0; n < 30_000; n++) {
      held[(n * 7919) % held.length] = rows(n);
      if (n % 100 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
    }
    console.log(most / heldBytes);`;
  const args = ["--expose-gc", "--max-semi-space-size=1", "--input-type=module", "--eval", program];
  return Number(spawnSync(process.execPath, args, { encoding: "utf8" }).stdout.trim());
}

test("garbage is collected before the heap has doubled", () => {
  const asV8 = mostOverHeld("");
  const sooner = mostOverHeld(
    `const { collectGarbageSooner } = await import("${limits}"); collectGarbageSooner();`,
  );
  assert.ok(asV8 > 1.5, `as V8 does it: ${asV8}`);
  assert.ok(sooner < 1.4, `${sooner}`);
});

test("a heap is large from 400 MB on, which is told once", async () => {
  const clock = new VirtualClock();
  const heap = { bytes: 399 * 2 ** 20 };
  const told: number[] = [];
  watchHeap({ clock, usedBytes: () => heap.bytes, onLarge: () => told.push(clock.monotonicMs()) });
  await clock.advance(120_000);
  assert.deepEqual(told, []);
  heap.bytes = 400 * 2 ** 20;
  await clock.advance(120_000);
  assert.equal(told.length, 1);
});
