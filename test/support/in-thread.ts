import { isMainThread, parentPort, Worker } from "node:worker_threads";

interface Call {
  readonly id: number;
  readonly module: string;
  readonly name: string;
  readonly args: readonly unknown[];
}
type Result = { readonly id: number } & ({ readonly value: unknown } | { readonly error: unknown });

let thread: Worker | undefined;
let calls = 0;
/** Those that wait for their result, by id. */
const waiting = new Map<number, PromiseWithResolvers<unknown>>();

/**
 * Calls a function that a module exports in a thread beside the tests; arguments and results are copied. node:test follows
 * each promise that is made in its own thread, which takes a third of the time of what makes millions of them.
 */
export function inThread<F extends (...args: never[]) => Promise<unknown>>(
  module: URL,
  name: string,
  ...args: Parameters<F>
): Promise<Awaited<ReturnType<F>>> {
  calls += 1;
  // The thread calls just this function; that is lost on the type checker only.
  return ask({ id: calls, module: module.href, name, args }) as Promise<Awaited<ReturnType<F>>>;
}

async function ask(call: Call): Promise<unknown> {
  thread ??= startThread();
  const there = thread;
  const result = Promise.withResolvers<unknown>();
  waiting.set(call.id, result);
  // Without a call it keeps no process alive.
  there.ref();
  there.postMessage(call);
  try {
    return await result.promise;
  } finally {
    waiting.delete(call.id);
    if (waiting.size === 0) there.unref();
  }
}

function startThread(): Worker {
  const started = new Worker(new URL(import.meta.url));
  const onEnd = (error: unknown) => {
    // After an error it also exits; another may have been started by then.
    if (thread !== started) return;
    thread = undefined;
    // What nobody waits for must not pass unseen.
    if (waiting.size === 0) throw error;
    for (const { reject } of waiting.values()) reject(error);
  };
  started.on("message", (result: Result) => {
    const asked = waiting.get(result.id);
    if ("error" in result) asked?.reject(result.error);
    else asked?.resolve(result.value);
  });
  started.once("error", onEnd);
  started.once("exit", () => onEnd(new Error("the thread of the tests has ended")));
  return started;
}

async function answer({ id, module, name, args }: Call): Promise<Result> {
  try {
    // biome-ignore lint/plugin: a test names the module; no import rule is about tests.
    const found: Readonly<Record<string, unknown>> = await import(module);
    const named = found[name];
    if (typeof named !== "function") throw new TypeError(`${module} exports no function ${name}`);
    return { id, value: await named(...args) };
  } catch (error) {
    return { id, error };
  }
}

if (!isMainThread)
  parentPort?.on("message", async (call: Call) => parentPort?.postMessage(await answer(call)));
