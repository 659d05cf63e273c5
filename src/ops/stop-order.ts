import type { Step } from "./shutdown.ts";

/** A command that is being sent has this long to get its answer. */
const RUNS_DEADLINE_MS = 3_500;
const INTERACTIONS_GRACE_MS = 1_500;
const LAST_ANSWERS_GRACE_MS = 1_000;
/** Time limit for a message that is on its way to Discord. */
const POSTS_MS = 3_000;
/** The feeds then still write which of them have to be looked through. */
const UNDER_WAY_MS = 2_500;

/** The parts that are stopped, each by its own method. */
export interface Stoppable {
  readonly starting: { stop(): Promise<void> };
  readonly discord: { quiet(graceMs: number): Promise<void>; stop(): Promise<void> };
  readonly readiness: { stop(): void };
  readonly heldKeys: { stop(): void };
  readonly retention: { stop(): void | Promise<void> };
  readonly watch: { stop(): Promise<void> };
  /** Guilds that are being linked or forgotten. */
  readonly lifecycle: { settled(): Promise<void> };
  readonly runs: { stop(deadlineMs: number): Promise<void> };
  readonly outbox: { stop(): Promise<void> };
  readonly feeds: { stop(withinMs: number): Promise<void> };
  readonly panels: { stop(): void };
  readonly duty: { stop(): Promise<void> };
  readonly sessions: { stop(): Promise<void> };
  readonly rules: { stop(): Promise<void> };
  readonly appeals: { stop(): void };
  /** `stopPosts`: what of it is on its way into channels; `stop`: the database. */
  readonly history: { stopPosts(): Promise<void>; stop(): Promise<void> };
  readonly service: { close(): Promise<void> };
  readonly store: { close(): Promise<void> };
}

/**
 * The steps of a stop: first new work of people, then polls, then requests and messages under way, the store last. A
 * step with a grace of its own has a limit above that grace, because a grace that is used up is no failure. What waits
 * for Discord is recorded, and a Discord that is behind must take no time from what has to be written. All together are
 * limited by the deadline in `shutdown.ts`.
 */
export function stopOrder(parts: Stoppable): readonly Step[] {
  const {
    starting,
    discord,
    readiness,
    heldKeys,
    retention,
    watch,
    lifecycle,
    runs,
    outbox,
    feeds,
    panels,
    duty,
    sessions,
    rules,
    appeals,
    history,
    service,
    store,
  } = parts;
  const post = { withinMs: POSTS_MS, group: "under way", late: "recorded" } as const;
  return [
    // What ends first must not be begun after it; a step that hangs is ended by the closing of the store.
    { name: "start", withinMs: 1_500, late: "recorded", run: () => starting.stop() },
    { name: "interactions", withinMs: 2_000, run: () => discord.quiet(INTERACTIONS_GRACE_MS) },
    { name: "readiness", withinMs: 500, run: () => readiness.stop() },
    { name: "held keys", withinMs: 500, run: () => heldKeys.stop() },
    { name: "retention", withinMs: 500, run: () => retention.stop() },
    { name: "watch", withinMs: 2_000, run: () => watch.stop() },
    // A removal that does not end is taken up by the next start.
    { name: "guilds", ...post, run: () => lifecycle.settled() },
    {
      name: "runs",
      withinMs: RUNS_DEADLINE_MS + 500,
      group: "under way",
      run: () => runs.stop(RUNS_DEADLINE_MS),
    },
    // What waits for its turn goes on with the next process.
    { name: "outbox", ...post, run: () => outbox.stop() },
    { name: "feeds", ...post, run: () => feeds.stop(UNDER_WAY_MS) },
    { name: "panels", ...post, run: async () => panels.stop() },
    { name: "duty", ...post, run: () => duty.stop() },
    { name: "sessions", ...post, run: () => sessions.stop() },
    { name: "rules", ...post, run: () => rules.stop() },
    { name: "appeals", ...post, run: () => appeals.stop() },
    { name: "cases and summaries", ...post, run: () => history.stopPosts() },
    // Runs that end unsent in the steps before still edit their answers.
    {
      name: "last answers",
      withinMs: 1_500,
      late: "recorded",
      run: () => discord.quiet(LAST_ANSWERS_GRACE_MS),
    },
    { name: "history", withinMs: 3_500, group: "close", reservedMs: 1_500, run: () => history.stop() },
    { name: "discord", withinMs: 1_000, group: "close", late: "recorded", run: () => discord.stop() },
    // The client still waits for answers that the next process must know of, above all a 429.
    { name: "service", withinMs: 3_500, group: "close", run: () => service.close() },
    { name: "store", withinMs: 2_000, reservedMs: 1_000, run: () => store.close() },
  ];
}
