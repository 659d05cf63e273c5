import type { Clock } from "./ports/clock.ts";

/** Whether the work ends within that time; it goes on either way. Rejects as the work does. */
export async function endsWithin(clock: Clock, work: Promise<unknown>, withinMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const cancel = clock.after(withinMs, () => late.resolve(false));
  try {
    return await Promise.race([work.then(() => true as const), late.promise]);
  } finally {
    cancel();
  }
}
