import { BackOff } from "../../domain/back-off.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";

/**
 * What a loop does for its subject, and how that hears of it. One object for all loops of a kind: functions of each loop's
 * own would take more memory than the loop.
 */
export interface LoopWork<Subject> {
  /** Everything that there is to do now. */
  pass(subject: Subject): Promise<void>;
  /** A pass failed. Returns how many milliseconds the next one waits at least, which may be none. Never throws. */
  onFailed(subject: Subject, error: unknown): number | "at once";
  onBusy(subject: Subject): void;
  onIdle(subject: Subject): void;
}

interface LoopTiming {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Does its work whenever it is woken, one pass at a time; a failed pass is repeated after a wait that grows. It holds
 * no timer and no promise while nobody wakes it.
 */
export class WakeLoop<Subject> {
  readonly #subject: Subject;
  readonly #work: LoopWork<Subject>;
  readonly #timing: LoopTiming;
  /** From a failure until something is done. */
  #backOff: BackOff | undefined;
  /** Only while a pass runs: one of them takes more memory than the rest of a loop, and most loops rest. */
  #controller: AbortController | undefined;
  #endWhy: Error | undefined;
  #woken = false;
  #running: Promise<void> | undefined;

  /** `timing` is kept, not copied: many loops may share it. */
  constructor(subject: Subject, work: LoopWork<Subject>, timing: LoopTiming) {
    this.#subject = subject;
    this.#work = work;
    this.#timing = timing;
  }

  /** Aborted once the loop shall end. For use within a pass; a later pass has another one. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#endWhy !== undefined) this.#controller.abort(this.#endWhy);
    return this.#controller.signal;
  }

  /** A pass is under way. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** There may be something to do. Returns at once. */
  wake(): void {
    this.#woken = true;
    if (this.#running !== undefined || this.#endWhy !== undefined) return;
    this.#work.onBusy(this.#subject);
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      this.#controller = undefined;
      this.#work.onIdle(this.#subject);
      // Woken between the last look and here: nobody else would notice.
      if (this.#woken) this.wake();
    });
  }

  /** Something was done, so the next failure is the first one. */
  progressed(): void {
    this.#backOff = undefined;
  }

  /** No pass begins any more; the one that runs finds the signal aborted. */
  end(why: string): void {
    this.#endWhy ??= new Error(why);
    this.#controller?.abort(this.#endWhy);
  }

  /** Resolves when the pass that runs, if any, is over. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#woken && this.#endWhy === undefined) {
      this.#woken = false;
      try {
        await this.#work.pass(this.#subject);
        this.#backOff = undefined;
      } catch (error) {
        if (this.#endWhy !== undefined) return;
        this.#woken = true;
        const waitMs = this.#work.onFailed(this.#subject, error);
        if (waitMs === "at once") continue;
        this.#backOff ??= new BackOff(this.#timing.clock, this.#timing.random);
        await this.#backOff.wait(this.signal, waitMs).catch(() => undefined);
      }
    }
  }
}
