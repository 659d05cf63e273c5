import { setImmediate } from "node:timers/promises";

/** Looks between two turns of the event loop: one takes some microseconds, and several counts may be made at once. */
const YIELD_EVERY_LOOKS = 100;

/**
 * Looks at each of tens of thousands of values, once, and lets people's commands come in between: they are those of the beginning,
 * each as it is when its turn has come.
 */
export async function lookAtEach<T>(values: Iterable<T>, look: (value: T) => void): Promise<void> {
  let looks = 0;
  for (const value of [...values]) {
    look(value);
    if (++looks % YIELD_EVERY_LOOKS === 0) await setImmediate();
  }
}

/** Counts once at a time: who asks while it is being counted gets what comes of that. */
export function oneCount<T>(count: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= count().finally(() => {
      running = undefined;
    });
    return running;
  };
}
