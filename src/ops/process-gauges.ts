import os from "node:os";
import process from "node:process";
import { getHeapStatistics } from "node:v8";
import { Gauge, type Registry } from "prom-client";

/**
 * What a rule needs beside prom-client's own measures of the process: whether it is a Marshal, since when, and how much memory it
 * may have. The names of a job or of an instance tell nothing of that, since each way of hosting gives its own.
 */
export function addProcessGauges(registry: Registry, version: string): void {
  const registers = [registry];
  new Gauge({
    name: "marshal_start_time_seconds",
    help: "When this process started, in seconds since the epoch; its label is the version.",
    labelNames: ["version"],
    registers,
  }).set({ version }, Math.round((Date.now() - process.uptime() * 1_000) / 1_000));
  new Gauge({
    name: "marshal_memory_limit_bytes",
    help: "What this process may have: of its container, or of the machine.",
    registers,
    // It can be changed while the process runs.
    collect() {
      this.set(memoryLimit());
    },
  });
  new Gauge({
    name: "marshal_heap_limit_bytes",
    help: "What the heap of the main thread may have.",
    registers,
  }).set(getHeapStatistics().heap_size_limit);
}

/** A control group without a limit names a number that no machine has. */
function memoryLimit(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
}
