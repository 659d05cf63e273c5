import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

/** Runs the files of tests that `run-tests.ts` sends, one after the other, until it disconnects. */

/** One file to run. */
export interface TestFile {
  readonly path: string;
}

/** That file has ended, passed or failed. */
export interface FileEnded extends TestFile {
  readonly durationMs: number;
  /** Processor time of this process meanwhile. */
  readonly cpuMs: number;
  /** Processor time of processes that it started and that ended meanwhile; 0 where the system does not say. */
  readonly startedCpuMs: number;
}

/** The name of the test behind each file's own, which the reporter does not count. */
export const END_OF_FILE = "the file has ended";

const TICK_MS = 10;
let isRunning = false;

/** The processor time of all ended children so far: the fields cutime and cstime of proc(5). */
function endedChildrenMs(): number {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
  } catch {
    return 0;
  }
}

async function run(path: string): Promise<void> {
  isRunning = true;
  const startMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const childrenBeforeMs = endedChildrenMs();
  try {
    // biome-ignore lint/plugin: the path of a test comes from run-tests.ts, and no import rule is about tests.
    await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    void test(`${path} can be imported`, () => {
      throw error;
    });
  }
  // Tests of a process run in the order in which they were defined, so this one runs after those of the file.
  await test(END_OF_FILE, () => undefined);
  const { user, system } = process.cpuUsage(cpuBefore);
  const durationMs = Math.round(performance.now() - startMs);
  const cpuMs = Math.round((user + system) / 1_000);
  const startedCpuMs = endedChildrenMs() - childrenBeforeMs;
  isRunning = false;
  process.send?.({ path, durationMs, cpuMs, startedCpuMs } satisfies FileEnded);
}

if (process.send !== undefined) {
  process.on("message", ({ path }: Partial<TestFile>) => {
    // Other messages answer what a test has asked for.
    if (path !== undefined) void run(path);
  });
  // run-tests.ts was killed, and the PostgreSQL that it kept is gone with it: a test could wait for that for ever.
  process.on("disconnect", () => {
    if (isRunning) process.exit(1);
  });
}
