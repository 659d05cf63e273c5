import { Postponed, SinkRefusal } from "../../domain/failure.ts";

/** A refusal that says nothing we know may pass; after this many of one message (about four minutes) it will not. */
const REJECTIONS_BORNE = 8;

/** What Discord's refusals of one message mean for it. */
export class Refusals {
  #rejections = 0;

  /** Whether it is worth another attempt; undefined: Discord refuses for good. `atLeastMs`: the wait that Discord asks for. */
  mayPass(error: unknown): { readonly atLeastMs: number } | undefined {
    // A defect beneath us says nothing about the message.
    if (!(error instanceof SinkRefusal)) return { atLeastMs: 0 };
    const { reason, retryAfterMs } = error;
    const isBorne = reason === "rejected" && ++this.#rejections < REJECTIONS_BORNE;
    if (reason === "unknown" || retryAfterMs !== undefined || isBorne)
      return { atLeastMs: retryAfterMs ?? 0 };
    return undefined;
  }

  /** Postponed, or the refusal itself where Discord refuses for good. */
  asPostponed(error: unknown): unknown {
    const passing = this.mayPass(error);
    return passing === undefined
      ? error
      : new Postponed("it is tried again", passing.atLeastMs, { cause: error });
  }

  /** It was taken. */
  reset(): void {
    this.#rejections = 0;
  }
}

/** Whether the message may stand there all the same. What was never asked for did nothing. */
export function leavesDoubt(error: unknown): boolean {
  return !(error instanceof SinkRefusal) || (error.reason === "unknown" && error.request !== "none");
}
