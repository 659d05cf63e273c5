import { once } from "node:events";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

interface Call {
  readonly module: string;
  readonly name: string;
  readonly args: readonly unknown[];
}
type Result = { readonly value: unknown } | { readonly error: unknown };

let thread: Worker | undefined;
let calls: Promise<unknown> = Promise.resolve();

/**
 * Calls a function that a module exports in a thread beside the tests; arguments and results are copied. node:test follows
 * each promise that is made in its own thread, which takes a third of the time of what makes millions of them.
 */
export function inThread<F extends (...args: never[]) => Promise<unknown>>(
  module: URL,
  name: string,
  ...args: Parameters<F>
): Promise<Awaited<ReturnType<F>>> {
  const call = calls.then(() => ask({ module: module.href, name, args }));
  calls = call.catch(() => undefined);
  // The thread calls just this function; that is lost on the type checker only.
  return call as Promise<Awaited<ReturnType<F>>>;
}

async function ask(call: Call): Promise<unknown> {
  thread ??= new Worker(new URL(import.meta.url));
  // Without a call it keeps no process alive.
  thread.ref();
  try {
    thread.postMessage(call);
    const [result]: [Result] = await (once(thread, "message") as Promise<[Result]>);
    if ("error" in result) throw result.error;
    return result.value;
  } finally {
    thread.unref();
  }
}

async function answer({ module, name, args }: Call): Promise<Result> {
  try {
    // biome-ignore lint/plugin: a test names the module; no import rule is about tests.
    const found: Readonly<Record<string, unknown>> = await import(module);
    const named = found[name];
    if (typeof named !== "function") throw new TypeError(`${module} exports no function ${name}`);
    return { value: await named(...args) };
  } catch (error) {
    return { error };
  }
}

if (!isMainThread)
  parentPort?.on("message", async (call: Call) => parentPort?.postMessage(await answer(call)));
