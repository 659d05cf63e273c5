import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { availableParallelism, constants, getPriority, setPriority, tmpdir } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { bundlePackages } from "./bundle-packages.ts";
import { memoryDisk } from "./memory-disk.ts";
import { keepSuitePostgres, type PostgresQuestion } from "./suite-postgres.ts";
import { isWaiting, keepTimings, longestFirst, readTimings } from "./test-timings.ts";
import type { FileEnded, TestFile } from "./test-worker.ts";
import { areAllWorlds } from "./worlds.ts";

/**
 * Runs the suite in a few processes, which take its files from two queues. One process runs many files, because importing
 * discord.js for each would take longer than the tests. Files that compute have a process for each core, at a lower
 * priority; those that wait for bots, a browser or a clock have some beside them, which get a core at once when what they
 * wait for has come. Prints what the processes print, and one line that counts for all of them. Ends with 1 when a test
 * failed, or when a process ended without its count.
 */
const TIMES = "--times";
const GIVEN = process.argv.slice(2);
const NAMED = GIVEN.filter((given) => given !== TIMES);
const PATTERNS = NAMED.length > 0 ? NAMED : ["test/*/**/*.test.ts"];
const WORKER = fileURLToPath(new URL("./test-worker.ts", import.meta.url));
const WARM_UP = fileURLToPath(new URL("./warm-up.ts", import.meta.url));
const REPORTER = new URL("./reporter.ts", import.meta.url).href;
const BEFORE_NODE_TEST = new URL("./before-node-test.ts", import.meta.url).href;
/** Where Node keeps what it compiled, for the processes of the tests and the bots that they start. */
const COMPILE_CACHE = fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url));
/** Where the tests keep their files, and this process the server that it keeps for them. */
process.env.TMPDIR ??= memoryDisk() ?? tmpdir();
const MOST_COMPUTING = 2;
const WAITING_PROCESSES = 5;
/** No higher than what this process was started with: raising it is not allowed. */
const COMPUTING_PRIORITY = Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL);
const MOST_SHOWN = 5;
/** A test that waits for ever fails by then and is named; otherwise nothing would say which file keeps the suite. */
const TEST_TIMEOUT_MS = 600_000;
const COUNT = /(\d+) passed, (\d+) failed, (\d+) skipped\s*$/;
interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

type Kind = "computing" | "waiting";

if (GIVEN.includes("--help")) {
  console.log("npm run test:unit [-- FILE or PATTERN... --times]: all tests, or those of these files;");
  console.log("--times prints what each file took: seconds, its own processor time, that of what it started");
  process.exit(0);
}
const files = longestFirst([...new Set(PATTERNS.flatMap(filesOf))], readTimings());
const queues: Readonly<Record<Kind, string[]>> = {
  computing: files.filter((path) => !isWaiting(path)),
  waiting: files.filter(isWaiting),
};
const timings = new Map<string, Omit<FileEnded, "path">>();
/** Of the processes of the tests, and of the bots that they start. */
const environment = {
  ...process.env,
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  NODE_OPTIONS: [process.env.NODE_OPTIONS, await bundlePackages()].filter(Boolean).join(" "),
};
/** Most that ask it compute. */
const postgres = keepSuitePostgres({ priority: COMPUTING_PRIORITY });

/** A file that was named and is not there must not count as passed. */
function filesOf(pattern: string): readonly string[] {
  const found = globSync(pattern);
  if (found.length === 0) throw new Error(`no test file is called ${pattern}`);
  return found;
}

/** Hands the process its next file, also of the other kind where its own has none, or lets it end. */
function giveNext(child: ChildProcess, kind: Kind): void {
  const path = queues[kind].shift() ?? queues.computing.shift() ?? queues.waiting.shift();
  if (path === undefined) child.disconnect();
  else child.send({ path } satisfies TestFile);
}

/** The counts of one process; undefined where it ended without any. */
async function runProcess(kind: Kind): Promise<Counts | undefined> {
  const child = fork(WORKER, [], {
    // More processes run than there are cores: threads of their collectors would only take them from each other.
    execArgv: [
      "--single-threaded-gc",
      ...["--import", BEFORE_NODE_TEST],
      ...[`--test-reporter=${REPORTER}`, `--test-timeout=${TEST_TIMEOUT_MS}`],
    ],
    env: environment,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  if (kind === "computing" && child.pid !== undefined) setPriority(child.pid, COMPUTING_PRIORITY);
  child.on("message", (message: FileEnded | PostgresQuestion) => {
    if ("asksFor" in message) return void postgres.tell(child);
    const { path, ...timing } = message;
    timings.set(path, timing);
    giveNext(child, kind);
  });
  giveNext(child, kind);

  let tail = "";
  child.stdout?.setEncoding("utf8");
  for await (const text of child.stdout ?? []) {
    tail = (tail + String(text)).slice(-200);
    process.stdout.write(String(text).replace(COUNT, ""));
  }
  await exited;
  const [, passed, failed, skipped] = COUNT.exec(tail) ?? [];
  if (passed === undefined) return undefined;
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

const startMs = performance.now();
if (!existsSync(COMPILE_CACHE)) {
  await once(fork(WARM_UP, [], { env: environment, stdio: "ignore" }), "exit");
}
const processes = (most: number, kind: Kind) =>
  Array.from({ length: Math.min(most, queues[kind].length) }, () => runProcess(kind));
const counted = await Promise.all([
  ...processes(WAITING_PROCESSES, "waiting"),
  ...processes(Math.min(MOST_COMPUTING, availableParallelism()), "computing"),
]);
await postgres.stop();
const sum = (of: keyof Counts) => counted.reduce((total, counts) => total + (counts?.[of] ?? 0), 0);
const ended =
  Object.values(queues).every(({ length }) => length === 0) &&
  counted.every((counts) => counts !== undefined);
if (!ended) process.stdout.write("\na process of the tests ended without a count\n");

// Of the soak's worlds: they say nothing about the next `npm test`.
if (!areAllWorlds) keepTimings(Object.fromEntries(timings));
const inSeconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
const most = (of: keyof Omit<FileEnded, "path">) =>
  [...timings]
    .sort(([, a], [, b]) => b[of] - a[of])
    .slice(0, MOST_SHOWN)
    .map(([path, timing]) => `${path} ${inSeconds(timing[of])}`)
    .join(", ");
if (GIVEN.includes(TIMES)) {
  const seconds = (ms: number) => (ms / 1_000).toFixed(1).padStart(7);
  for (const [path, { durationMs, cpuMs, startedCpuMs }] of timings) {
    process.stdout.write(`\n${[durationMs, cpuMs, startedCpuMs].map(seconds).join("")}  ${path}`);
  }
}
const cpuMs = [...timings.values()].reduce((sum, timing) => sum + timing.cpuMs, 0);
process.stdout.write(`\nlongest: ${most("durationMs")}; all: ${inSeconds(performance.now() - startMs)}`);
process.stdout.write(`\nmost processor time: ${most("cpuMs")}; all: ${inSeconds(cpuMs)}`);
process.stdout.write(
  `\n${sum("passed")} passed, ${sum("failed") + (ended ? 0 : 1)} failed, ${sum("skipped")} skipped\n`,
);
process.exitCode = ended && sum("failed") === 0 ? 0 : 1;
