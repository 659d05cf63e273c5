import type { Step } from "./shutdown.ts";

/** How long a stop may take: what is being sent is finished, Discord has what it was promised. */
export const STOP_DEADLINE_MS = 12_000;
const RUNS_DEADLINE_MS = 5_000;
const INTERACTIONS_GRACE_MS = 2_000;
const LAST_ANSWERS_GRACE_MS = 1_000;

/** What is stopped, each part by its own method. */
export interface Stoppable {
  readonly discord: { quiet(graceMs: number): Promise<void>; stop(): Promise<void> };
  readonly readiness: { stop(): void };
  readonly retention: { stop(): void | Promise<void> };
  readonly watch: { stop(): Promise<void> };
  readonly runs: { stop(deadlineMs: number): Promise<void> };
  readonly feeds: { stop(): Promise<void> };
  readonly service: { close(): Promise<void> };
  readonly store: { close(): Promise<void> };
}

/**
 * People first, then polls, then what is on its way, then the ground below it. Each has more time than it takes where
 * it is given a grace of its own: a grace that is used up is no failure of the stop.
 */
export function stopOrder(parts: Stoppable): readonly Step[] {
  const { discord, readiness, retention, watch, runs, feeds, service, store } = parts;
  return [
    { name: "interactions", withinMs: 2_500, run: () => discord.quiet(INTERACTIONS_GRACE_MS) },
    { name: "readiness", withinMs: 500, run: () => readiness.stop() },
    { name: "retention", withinMs: 500, run: () => retention.stop() },
    { name: "watch", withinMs: 2_000, run: () => watch.stop() },
    { name: "runs", withinMs: RUNS_DEADLINE_MS + 500, run: () => runs.stop(RUNS_DEADLINE_MS) },
    // Runs that were told that they will not be sent still edit their answers.
    { name: "last answers", withinMs: 1_000, run: () => discord.quiet(LAST_ANSWERS_GRACE_MS) },
    { name: "feeds", withinMs: 3_000, run: () => feeds.stop() },
    { name: "discord", withinMs: 2_000, run: () => discord.stop() },
    // It listens a while for answers that the next process must know of: a 429 above all.
    { name: "service", withinMs: 3_500, run: () => service.close() },
    { name: "store", withinMs: 2_000, run: () => store.close() },
  ];
}
