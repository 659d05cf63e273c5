import type { Step } from "./shutdown.ts";

/** A command that is being sent has this long to get its answer. */
const RUNS_DEADLINE_MS = 5_000;
const INTERACTIONS_GRACE_MS = 2_000;
const LAST_ANSWERS_GRACE_MS = 1_000;

/** The parts that are stopped, each by its own method. */
export interface Stoppable {
  readonly discord: { quiet(graceMs: number): Promise<void>; stop(): Promise<void> };
  readonly readiness: { stop(): void };
  readonly heldKeys: { stop(): void };
  readonly retention: { stop(): void | Promise<void> };
  readonly watch: { stop(): Promise<void> };
  readonly runs: { stop(deadlineMs: number): Promise<void> };
  readonly feeds: { stop(): Promise<void> };
  readonly panels: { stop(): Promise<void> };
  readonly alerts: { stop(): Promise<void> };
  readonly history: { stop(): Promise<void> };
  readonly service: { close(): Promise<void> };
  readonly store: { close(): Promise<void> };
}

/**
 * The steps of a stop: first new work of people, then polls, then requests and messages under way, the store last. A
 * step with a grace of its own has a limit above that grace, because a grace that is used up is no failure. All
 * together are limited by the deadline in `shutdown.ts`.
 */
export function stopOrder(parts: Stoppable): readonly Step[] {
  const {
    discord,
    readiness,
    heldKeys,
    retention,
    watch,
    runs,
    feeds,
    panels,
    alerts,
    history,
    service,
    store,
  } = parts;
  return [
    { name: "interactions", withinMs: 2_500, run: () => discord.quiet(INTERACTIONS_GRACE_MS) },
    { name: "readiness", withinMs: 500, run: () => readiness.stop() },
    { name: "held keys", withinMs: 500, run: () => heldKeys.stop() },
    { name: "retention", withinMs: 500, run: () => retention.stop() },
    { name: "watch", withinMs: 2_000, run: () => watch.stop() },
    { name: "runs", withinMs: RUNS_DEADLINE_MS + 500, run: () => runs.stop(RUNS_DEADLINE_MS) },
    // Runs that end unsent in the step before still edit their answers.
    { name: "last answers", withinMs: 1_000, run: () => discord.quiet(LAST_ANSWERS_GRACE_MS) },
    { name: "feeds", withinMs: 3_000, run: () => feeds.stop() },
    { name: "panels", withinMs: 1_500, run: () => panels.stop() },
    { name: "alerts", withinMs: 1_500, run: () => alerts.stop() },
    { name: "history", withinMs: 3_500, run: () => history.stop() },
    { name: "discord", withinMs: 2_000, run: () => discord.stop() },
    // The client still waits for answers that the next process must know of, above all a 429.
    { name: "service", withinMs: 3_500, run: () => service.close() },
    { name: "store", withinMs: 2_000, run: () => store.close() },
  ];
}
