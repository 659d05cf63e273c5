import { BackOff } from "../../domain/back-off.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";

/** What a loop does, and who hears of it. */
export interface LoopWork {
  /** Everything that there is to do now. */
  pass(): Promise<void>;
  /** A pass failed. Returns how many milliseconds the next one waits at least, which may be none. Never throws. */
  onFailed(error: unknown): number | "at once";
  onBusy(): void;
  onIdle(): void;
}

/**
 * Does its work whenever it is woken, one pass at a time; a failed pass is repeated after a wait that grows. It holds
 * no timer and no promise while nobody wakes it.
 */
export class WakeLoop {
  readonly #work: LoopWork;
  readonly #backOff: BackOff;
  /** Only while a pass runs: one of them takes more memory than the rest of a loop, and most loops rest. */
  #controller: AbortController | undefined;
  #endWhy: Error | undefined;
  #woken = false;
  #running: Promise<void> | undefined;

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }, work: LoopWork) {
    this.#work = work;
    this.#backOff = new BackOff(clock, random);
  }

  /** Aborted once the loop shall end. For use within a pass; a later pass has another one. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#endWhy !== undefined) this.#controller.abort(this.#endWhy);
    return this.#controller.signal;
  }

  /** There may be something to do. Returns at once. */
  wake(): void {
    this.#woken = true;
    if (this.#running !== undefined || this.#endWhy !== undefined) return;
    this.#work.onBusy();
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      this.#controller = undefined;
      this.#work.onIdle();
      // Woken between the last look and here: nobody else would notice.
      if (this.#woken) this.wake();
    });
  }

  /** Something was done, so the next failure is the first one. */
  progressed(): void {
    this.#backOff.reset();
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
        await this.#work.pass();
        this.#backOff.reset();
      } catch (error) {
        if (this.#endWhy !== undefined) return;
        this.#woken = true;
        const waitMs = this.#work.onFailed(error);
        if (waitMs !== "at once") await this.#backOff.wait(this.signal, waitMs).catch(() => undefined);
      }
    }
  }
}
