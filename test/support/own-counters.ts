import type { LimitSettings } from "../../src/sandbox/service/service.ts";
import { runLoad, World } from "./limit-run.ts";

export interface OwnCounters {
  readonly keys: number;
  readonly limit: number;
  readonly windowMs: number;
  readonly forMs: number;
  /** @default keys */
  readonly seed?: number;
  readonly limits?: Partial<LimitSettings>;
}

/** Polls twice the limit of servers that each have a counter of their own under one name, from the start of a process. */
export async function pollOwnCounters({ keys, limit, windowMs, forMs, seed = keys, limits }: OwnCounters) {
  // So many requests are under way here that the budget of an ordinary host would bound them.
  const world = new World({ seed, keys, badKeyBudget: 200, jitterMs: 20 });
  const perServer = Object.fromEntries(world.keyTexts.map((key) => [key, { limit, windowMs }]));
  Object.assign(world.service.limits, { ...limits, perServer });
  const most = (keys * limit * forMs) / windowMs;
  const load = { perSecond: (2_000 * most) / forMs, forMs, mostWaiting: Math.max(60, keys) };
  await runLoad(world.clock, load, (n) =>
    world.client.read(world.source(n % keys), [], { priority: "poll" }),
  );
  await world.close();
  const { requests, answers429, byStatus } = world.service.counts;
  return { requests, answers429, used: (byStatus.get(200) ?? 0) / most };
}
