import { setImmediate } from "node:timers/promises";

/** V8 lets compiled code go that was not run during so many collections: measured before, it would count as data. */
const AT_LEAST = 12;

/** Bytes in use after as many collections as it takes until no more is freed. Needs `--expose-gc`. */
export async function settledHeapBytes(): Promise<number> {
  const collect = globalThis.gc;
  if (collect === undefined)
    throw new Error("the heap is measured by a process that was started with --expose-gc");
  for (let lastBytes = Number.POSITIVE_INFINITY, collected = 1; ; collected++) {
    await setImmediate();
    await collect();
    const { heapUsed } = process.memoryUsage();
    if (collected >= AT_LEAST && heapUsed > lastBytes * 0.9995) return heapUsed;
    lastBytes = heapUsed;
  }
}
