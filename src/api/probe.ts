import type { KeyErrands, KeyQuestion } from "./keys/key-errands.ts";
import type { KeyGuard } from "./keys/key-guard.ts";
import type { Job } from "./limits/in-flight.ts";

export interface ProbeParts {
  readonly guard: KeyGuard;
  readonly errands: KeyErrands;
  readonly waiting: () => readonly Job[];
  /** Asks with a GET, as the probe. */
  readonly ask: (question: KeyQuestion) => Promise<unknown>;
}

/** The one request that goes after a halt: its answer says whether the service listens to us again. */
export class Probe {
  readonly #parts: ProbeParts;
  #isOut = false;

  constructor(parts: ProbeParts) {
    this.#parts = parts;
  }

  /** Sends it unless it is on its way. */
  send(): void {
    if (!this.#isOut) void this.#ask();
  }

  /** It was refused: the next one may go when the halt that follows is over. */
  onRefused(): void {
    this.#isOut = false;
  }

  async #ask(): Promise<void> {
    const { errands, ask } = this.#parts;
    this.#isOut = true;
    try {
      const question = (await errands.keyForProbe()) ?? this.#ofWaiting();
      if (question !== undefined) await ask(question);
    } catch {
      // The gate has taken in its answer, or that there was none, like that of any request.
    } finally {
      this.#isOut = false;
    }
  }

  /** Where no key was taken yet: that of a request that waits. */
  #ofWaiting(): KeyQuestion | undefined {
    const { guard, waiting } = this.#parts;
    const waiter = waiting().find((job) => !guard.isDoubtful(job.exchange.source));
    if (waiter === undefined) return undefined;
    const { source, key, proving, typedBy } = waiter.exchange;
    return { source, key, proving, typedBy };
  }
}
