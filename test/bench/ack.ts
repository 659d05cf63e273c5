import { type BenchResult, figure, quantile, table } from "./bench.ts";
import { BotWorld } from "./bot-world.ts";
import { Echo } from "./echo.ts";
import { onDuty } from "./on-duty.ts";
import { People } from "./people.ts";
import type { Counts } from "./service-process.ts";

export const name = "ack";

const GUILDS = 1_000;
/**
 * Of polls and of what people ask together (15 a second). More than 35 polls and those would need: on a machine that
 * stalls, the gate learns the end of a window late and uses only a half of it.
 */
const LIMIT_PER_S = 70;
const POLLS_PER_S = 35;
/** Far more than a thousand communities do: it is the number of measurements that needs it. */
const INTERACTIONS_PER_S = 30;
const WARM_MS = 6_000;
const MEASURED_MS = 36_000;
const P99_MS = 30;
const START_WITHIN_MS = 60_000;
const ECHO = "a bare process, asked as often";

/**
 * The time from an interaction to its first answer, as the emulated Discord sees it, while the real bot (a process of
 * its own, started as an operator would) polls a thousand servers, posts what it finds into their channels, and keeps
 * the shifts of all staff who play, with their roles and messages. The
 * emulated service is a third process; the emulated Discord and the people live in this one.
 */
export async function run(): Promise<BenchResult> {
  const world = await BotWorld.open({ guilds: GUILDS, perS: LIMIT_PER_S, isOnDuty: true });
  const { discord, service, communities } = world;
  const echo = await Echo.start();
  try {
    await world.startBot(START_WITHIN_MS);
    const crowd = new People(discord, communities, {
      perS: INTERACTIONS_PER_S,
      beside: () => echo.ask(),
    });
    await crowd.act(WARM_MS);
    const before = await service.counts();
    crowd.forget();
    echo.forget();
    const startMs = performance.now();
    await crowd.act(MEASURED_MS);
    const seconds = (performance.now() - startMs) / 1_000;
    const after = await service.counts();
    return report({ crowd, echo, seconds, before, after, errors: world.errors, onDuty: onDuty(communities) });
  } finally {
    echo.stop();
    await world.close();
  }
}

interface Measured {
  readonly crowd: People;
  readonly echo: Echo;
  readonly seconds: number;
  readonly before: Counts;
  readonly after: Counts;
  readonly errors: readonly string[];
  readonly onDuty: number;
}

function report({ crowd, echo, seconds, before, after, errors, onDuty }: Measured): BenchResult {
  const all = [...crowd.times.values()].flat();
  const figures = {
    guilds: GUILDS,
    pollsPerSecond: figure((after.polls - before.polls) / seconds, 1),
    p50Ms: figure(quantile(all, 0.5), 1),
    p99Ms: figure(quantile(all, 0.99), 1),
  };
  const failed = crowd.failures.length;
  const ok = figures.pollsPerSecond >= POLLS_PER_S && figures.p99Ms <= P99_MS && failed === 0 && onDuty > 0;
  const rows = [...crowd.times, [ECHO, echo.times] as const].map(([act, times]) => [
    act,
    times.length,
    ...[0.5, 0.9, 0.99, 1].map((part) => figure(quantile(times, part), 1)),
  ]);
  const lines = [
    `${all.length} interactions in ${figure(seconds, 1)} s, ${failed} without an answer; ` +
      `${crowd.posts} messages posted and ${crowd.edits} edited; ${after.commands - before.commands} commands ` +
      `sent; ${onDuty} people on duty; ${after.answers429} answers of 429, ${after.avoidable} avoidable`,
    ...table(["first answer, ms", "times", "p50", "p90", "p99", "longest"], rows),
    ...crowd.failures.slice(0, 5),
    ...errors.slice(0, 5),
  ];
  return { ok, figures, lines };
}
