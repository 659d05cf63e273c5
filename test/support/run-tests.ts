import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import process from "node:process";

/**
 * Runs the suite in as many processes as there are cores, at most two: each takes every other file. One process for all
 * of its files, since an import of discord.js in each would take longer than the tests. Prints what they print, and one
 * line that counts for all of them. Ends with 1 when a test failed or a process ended without its count.
 */
const PATTERN = "test/*/**/*.test.ts";
const REPORTER = "./test/support/reporter.ts";
const COUNT = /(\d+) passed, (\d+) failed, (\d+) skipped\s*$/;

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The counts of one process; undefined where it ended without any. */
function runShard(shard: number, shards: number): Promise<Counts | undefined> {
  const args = ["--test", "--test-isolation=none", `--test-reporter=${REPORTER}`];
  const child = spawn(process.execPath, [...args, `--test-shard=${shard}/${shards}`, PATTERN], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let tail = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => {
    tail = (tail + text).slice(-200);
    process.stdout.write(text.replace(COUNT, ""));
  });
  return new Promise((resolve) => {
    child.on("close", () => {
      const [, passed, failed, skipped] = COUNT.exec(tail) ?? [];
      resolve(
        passed === undefined
          ? undefined
          : { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) },
      );
    });
  });
}

const shards = Math.min(2, availableParallelism());
const counted = await Promise.all(Array.from({ length: shards }, (_, n) => runShard(n + 1, shards)));
const sum = (of: keyof Counts) => counted.reduce((total, counts) => total + (counts?.[of] ?? 0), 0);
const ended = counted.every((counts) => counts !== undefined && counts.passed > 0);
if (!ended) process.stdout.write("\na process of the tests ended without a count\n");
process.stdout.write(
  `\n${sum("passed")} passed, ${sum("failed") + (ended ? 0 : 1)} failed, ${sum("skipped")} skipped\n`,
);
process.exitCode = ended && sum("failed") === 0 ? 0 : 1;
