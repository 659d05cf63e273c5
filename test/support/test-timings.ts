import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { FileEnded } from "./test-worker.ts";

/** How long each file took when it last ran here. */
export type TestTimings = Readonly<Record<string, Pick<FileEnded, "durationMs" | "cpuMs">>>;

const KEPT_IN = fileURLToPath(new URL("../../node_modules/.cache/test-timings.json", import.meta.url));

/** The kinds that take longest, first, for files that have not run here yet. */
const LONGEST_KINDS = [
  /\/blocks\./,
  /\/(blocks-killed|bad-night|takeover|blocks-commands)\./,
  /\/web\/page\./,
  /\/(simulation|row-lists|stats)\./,
  /\/e2e\/(sweep|weekly|alerts|stats)\./,
  /\/e2e\//,
  /-e2e\.|\/sandbox\//,
];
/** Longer than any file that has run. */
const UNKNOWN_MS = 1_000_000;

/** Files that mostly wait, for processes, a browser, a server or a thread that they start, by the machine's own time. */
const WAITING = [
  /^test\/e2e\//,
  /^test\/(commands|ops|sandbox)\//,
  /^test\/discord\/(connection|e2e|start)/,
  /^test\/store\/(crash|redis|transfer|trouble)\./,
  /\/redis-|\/worker-client\./,
];

/** Whether a file mostly waits; the others compute all the time. */
export function isWaiting(path: string): boolean {
  return WAITING.some((one) => one.test(path));
}

/** Empty where nothing has run yet. */
export function readTimings(): TestTimings {
  try {
    return JSON.parse(readFileSync(KEPT_IN, "utf8"));
  } catch {
    return {};
  }
}

export function keepTimings(timings: TestTimings): void {
  mkdirSync(dirname(KEPT_IN), { recursive: true });
  writeFileSync(KEPT_IN, JSON.stringify({ ...readTimings(), ...timings }));
}

/** Longest first, because a long file that begins last keeps one process busy alone. Pure. */
export function longestFirst(paths: readonly string[], timings: TestTimings): readonly string[] {
  const expectedMs = (path: string) => {
    const kind = LONGEST_KINDS.findIndex((one) => one.test(path));
    return timings[path]?.durationMs ?? (kind < 0 ? 0 : UNKNOWN_MS - kind);
  };
  return paths.toSorted((a, b) => expectedMs(b) - expectedMs(a) || (a < b ? -1 : 1));
}
