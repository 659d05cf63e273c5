import { SinkRefusal } from "../../domain/failure.ts";

/** Discord remembers a nonce for minutes only; past this age an attempt may have been forgotten. */
export const NONCE_TRUSTED_MS = 120_000;

/** A refusal that says nothing we know may pass; after this many (about four minutes) it will not. */
const REJECTIONS_BORNE = 8;

/** Trying again makes sense, after `afterMs` where Discord named a time. */
export class TryAgain extends Error {
  readonly afterMs: number | undefined;

  constructor(cause: SinkRefusal) {
    super(cause.message, { cause });
    this.afterMs = cause.retryAfterMs;
  }
}

/** What is known of the attempts to send one message. Times are monotonic. */
export class Attempts {
  #unknownSinceMs: number | undefined;
  #rejections = 0;
  #wasForgotten = false;

  /** An attempt may have done its work without an answer. */
  get unknown(): boolean {
    return this.#unknownSinceMs !== undefined;
  }

  /** Discord may have forgotten the nonce of an attempt whose outcome is not known. */
  isForgotten(nowMs: number): boolean {
    return this.#unknownSinceMs !== undefined && nowMs - this.#unknownSinceMs >= NONCE_TRUSTED_MS;
  }

  /** An earlier attempt may have done its work so long ago that Discord has forgotten its nonce. */
  get wasForgotten(): boolean {
    return this.#wasForgotten;
  }

  /** The channel was read, or may not be: the attempts so far are settled as well as they can be. */
  lookedBack(nowMs: number): void {
    this.#wasForgotten ||= this.isForgotten(nowMs);
    this.#unknownSinceMs = undefined;
  }

  /**
   * A send failed that began at `startedMs`. Throws TryAgain, or the SinkRefusal where Discord refuses for good. A
   * defect beneath us says nothing about whether the message arrived, so it counts as no answer.
   */
  onSendFailed(error: unknown, startedMs: number): never {
    const refusal =
      error instanceof SinkRefusal ? error : new SinkRefusal("unknown", "the send failed", { cause: error });
    // What was never asked for did nothing.
    if (refusal.reason === "unknown" && refusal.request !== "none") this.#unknownSinceMs ??= startedMs;
    throw this.retryOrGiveUp(refusal);
  }

  /** TryAgain for a refusal that may pass, else the refusal itself. */
  retryOrGiveUp(refusal: SinkRefusal): TryAgain | SinkRefusal {
    if (refusal.reason === "unknown" || refusal.retryAfterMs !== undefined) return new TryAgain(refusal);
    if (refusal.reason === "rejected" && ++this.#rejections < REJECTIONS_BORNE) return new TryAgain(refusal);
    return refusal;
  }
}
