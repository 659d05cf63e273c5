import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../log.ts";

export interface ShutdownOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** For all steps together; what a supervisor waits before it kills has to be longer. */
  readonly deadlineMs: number;
  /** Ends the process. */
  exit(code: number): void;
}

export interface Step {
  readonly name: string;
  /** At most so long for this step, so that one that hangs leaves time for those after it. */
  readonly withinMs: number;
  run(): Promise<void> | void;
}

/**
 * Stops the bot in order: new work first, the store last. A step that fails or takes too long is logged and the next
 * one goes on; a second signal ends the process at once.
 */
export class Shutdown {
  readonly #options: ShutdownOptions;
  readonly #steps: Step[] = [];
  #stopping: Promise<void> | undefined;

  constructor(options: ShutdownOptions) {
    this.#options = options;
  }

  /** Steps run in the order in which they were added. */
  add(step: Step): void {
    this.#steps.push(step);
  }

  /** For main's SIGTERM and SIGINT. */
  signal(name: string): void {
    if (this.#stopping !== undefined) {
      this.#options.log.warn({ signal: name }, "asked a second time: ending at once");
      this.#options.exit(1);
      return;
    }
    void this.stop(name);
  }

  /** Runs the steps once, whoever asks, and ends the process: code 0, or 1 when a step failed or `code` says so. */
  stop(why: string, code = 0): Promise<void> {
    this.#stopping ??= this.#run(why, code);
    return this.#stopping;
  }

  async #run(why: string, code: number): Promise<void> {
    const { clock, log, deadlineMs, exit } = this.#options;
    const endMs = clock.monotonicMs() + deadlineMs;
    let failed = false;
    log.info({ why }, "stopping");
    for (const step of this.#steps) {
      const leftMs = Math.min(step.withinMs, endMs - clock.monotonicMs());
      if (await this.#done(step, leftMs)) log.debug({ step: step.name }, "a step of the stop is done");
      else failed = true;
    }
    log.info({ failed }, "stopped");
    exit(failed ? 1 : code);
  }

  async #done(step: Step, leftMs: number): Promise<boolean> {
    const { clock, log } = this.#options;
    // Even past the deadline a step is begun: closing the store takes no time, and not closing it may cost some.
    const timeUp = Promise.withResolvers<"late">();
    const cancel = clock.after(Math.max(0, leftMs), () => timeUp.resolve("late"));
    try {
      const ended = await Promise.race([Promise.resolve().then(() => step.run()), timeUp.promise]);
      if (ended === "late") log.error({ step: step.name, leftMs }, "a step of the stop took too long");
      return ended !== "late";
    } catch (error) {
      log.error({ step: step.name, err: error }, "a step of the stop failed");
      return false;
    } finally {
      cancel();
    }
  }
}
