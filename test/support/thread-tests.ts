import * as node from "node:test";
import { isMainThread } from "node:worker_threads";
import { inThread } from "./in-thread.ts";

type Work = () => Promise<void> | void;
type Options = Pick<node.TestOptions, "skip" | "timeout" | "concurrency">;

/** In the thread: what each test and hook does, by its file and place. */
const works = new Map<string, Work>();
const SELF = new URL(import.meta.url);

/**
 * `describe`, `test` and hooks for a file whose tests make very many promises: they run in a thread beside node:test, which
 * follows each promise of its own thread. With it they take up to four times as long. `file` is the file's own
 * `import.meta.url`; it is loaded in the thread once more. What needs the context of a test stays with node:test.
 */
export function threadTests(file: string) {
  let path: readonly string[] = [file];
  const seen = new Map<string, number>();

  /** Keeps the work in the thread; elsewhere it is asked for there. */
  function placed(name: string, work: Work): Work {
    const place = [...path, name].join(" > ");
    const times = (seen.get(place) ?? 0) + 1;
    seen.set(place, times);
    const key = `${place} ${times}`;
    if (!isMainThread) works.set(key, work);
    return () => inThread<typeof runPlaced>(SELF, "runPlaced", file, key);
  }

  function describe(title: string, ...given: readonly [() => void] | readonly [Options, () => void]): void {
    const [options, body] = given.length === 1 ? [{}, given[0]] : given;
    const own = [...path, title];
    const inside = () => {
      const outer = path;
      path = own;
      body();
      path = outer;
    };
    if (isMainThread) void node.describe(title, options, inside);
    else inside();
  }

  function test(title: string, work: Work): void {
    const run = placed(title, work);
    if (isMainThread) void node.test(title, run);
  }

  /** What is done once before or after the tests of a describe. */
  const hook = (name: string, register: (run: Work) => void) => (work: Work) => {
    const run = placed(name, work);
    if (isMainThread) register(run);
  };

  return { describe, test, before: hook("before", node.before), after: hook("after", node.after) };
}

/** Runs one test or hook of a file, in the thread. */
export async function runPlaced(file: string, key: string): Promise<void> {
  // biome-ignore lint/plugin: a test names its own file; no import rule is about tests.
  await import(file);
  const work = works.get(key);
  if (work === undefined) throw new Error(`the file names no such test in the thread: ${key}`);
  await work();
}
