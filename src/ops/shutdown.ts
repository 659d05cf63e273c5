import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../log.ts";

export interface ShutdownOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Time limit for all steps together. A supervisor has to wait longer before it kills. @default 9_500 */
  readonly deadlineMs?: number | undefined;
  /** Ends the process. */
  exit(code: number): void;
}

const DEFAULTS = { deadlineMs: 9_500 } as const;
/** A terminal gives a Ctrl+C to all of its processes, and npm passes its own on: what is one press arrives twice. */
const ONE_PRESS_MS = 1_000;

export interface Step {
  readonly name: string;
  /** Time limit for this step, so that one that hangs leaves time for the later ones. */
  readonly withinMs: number;
  /** Neighbours of one group run together. @default a group of its own */
  readonly group?: string;
  /**
   * What its time is not enough for: "fails" the stop, or is "recorded", so that the next start goes on with it.
   * @default "fails"
   */
  readonly late?: "fails" | "recorded";
  /** Of the time for all, what earlier steps must leave to this one. @default 0 */
  readonly reservedMs?: number;
  run(): Promise<void> | void;
}

/**
 * Runs the steps of a stop in order. A step that fails or takes too long is logged, and the next one runs; a second
 * signal ends the process at once. `stop-order.ts` names the steps.
 */
export class Shutdown {
  readonly #options: ShutdownOptions;
  readonly #steps: (() => readonly Step[])[] = [];
  #stopping: Promise<void> | undefined;
  #first: { readonly name: string; readonly atMs: number } | undefined;

  constructor(options: ShutdownOptions) {
    this.#options = options;
  }

  /** Steps run in the order in which they were added. */
  add(step: Step): void {
    this.#steps.push(() => [step]);
  }

  /** Steps that are known only when the stop begins. */
  addThose(steps: () => readonly Step[]): void {
    this.#steps.push(steps);
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** For SIGTERM and SIGINT. */
  onSignal(name: string): void {
    const atMs = this.#options.clock.monotonicMs();
    const { name: before, atMs: firstMs } = this.#first ?? { atMs: Number.NEGATIVE_INFINITY };
    if (name === before && atMs - firstMs < ONE_PRESS_MS) return;
    this.#first ??= { name, atMs };
    if (this.#stopping !== undefined) {
      this.#options.log.warn({ signal: name }, "asked a second time: ending at once");
      this.#options.exit(1);
      return;
    }
    void this.stop(name);
  }

  /**
   * Runs the steps once, however often it is called, then ends the process: with `code`, or 1 when a step failed. Its begin and
   * end are logged at `level`.
   */
  stop(why: string, code = 0, level: "info" | "debug" = "info"): Promise<void> {
    this.#stopping ??= this.#run(why, code, level);
    return this.#stopping;
  }

  async #run(why: string, code: number, level: "info" | "debug"): Promise<void> {
    const { clock, log, deadlineMs = DEFAULTS.deadlineMs, exit } = this.#options;
    const endMs = clock.monotonicMs() + deadlineMs;
    let failed = false;
    log[level]({ why }, "stopping");
    const steps = this.#steps.flatMap((steps) => steps());
    for (const [from, group] of groupsOf(steps)) {
      const later = steps.slice(from + group.length);
      const reservedMs = later.reduce((sum, { reservedMs: ms = 0 }) => sum + ms, 0);
      const leftMs = endMs - reservedMs - clock.monotonicMs();
      const ended = await Promise.all(
        group.map((step) => this.#endsWithin(step, Math.min(step.withinMs, leftMs))),
      );
      if (ended.includes(false)) failed = true;
    }
    log[level]({ failed }, "stopped");
    exit(failed ? 1 : code);
  }

  async #endsWithin(step: Step, leftMs: number): Promise<boolean> {
    const { clock, log } = this.#options;
    // A step is begun even past the deadline, because closing the store takes no time and skipping it may lose writes.
    const timeUp = Promise.withResolvers<"late">();
    const cancel = clock.after(Math.max(0, leftMs), () => timeUp.resolve("late"));
    try {
      const ended = await Promise.race([Promise.resolve().then(() => step.run()), timeUp.promise]);
      if (ended !== "late") log.debug({ step: step.name }, "a step of the stop is done");
      else if (step.late === "recorded")
        log.info({ step: step.name }, "unfinished work continues at the next start");
      else log.error({ step: step.name, leftMs }, "a step of the stop took too long");
      return ended !== "late" || step.late === "recorded";
    } catch (error) {
      log.error({ step: step.name, err: error }, "a step of the stop failed");
      return false;
    } finally {
      cancel();
    }
  }
}

/** Steps that run together, each with the index of its first. */
function* groupsOf(steps: readonly Step[]): Generator<readonly [from: number, group: readonly Step[]]> {
  for (let from = 0; from < steps.length; ) {
    const name = steps[from]?.group;
    let to = from + 1;
    while (name !== undefined && steps[to]?.group === name) to += 1;
    yield [from, steps.slice(from, to)];
    from = to;
  }
}
