import { Failure } from "../../domain/failure.ts";
import type { SourceId } from "../../domain/model.ts";

const HOUR_MS = 3_600_000;
const FIRST_WAIT_MS = HOUR_MS;
const LONGEST_WAIT_MS = 24 * HOUR_MS;

interface RefusedRead {
  readonly failure: Failure;
  readonly times: number;
  /** Monotonic milliseconds. */
  readonly askAgainMs: number;
}

/** A refusal as kept over a restart. */
export interface StoredRefusedRead {
  /** What was left of the wait when it was written. */
  readonly leftMs: number;
  /** When the wait is over, epoch milliseconds. */
  readonly untilMs: number;
  readonly times: number;
  readonly message: string;
  readonly serviceCode?: number | undefined;
}

/**
 * Servers whose key is good and which the service does not let us read all the same (403 with another code than those
 * of keys). Callers that get 403 several times are to stop (spec: Errors 4), so such a server is asked again after an
 * hour, then after twice as long each time, up to a day. Monotonic time comes in by arguments.
 */
export class RefusedReads {
  readonly #refused = new Map<SourceId, RefusedRead>();

  /** Why a read is not sent now, and how long until it may be; undefined when it may be sent. */
  standing(
    source: SourceId,
    nowMs: number,
  ): { readonly failure: Failure; readonly leftMs: number } | undefined {
    const known = this.#refused.get(source);
    if (known === undefined || nowMs >= known.askAgainMs) return undefined;
    return { failure: known.failure, leftMs: known.askAgainMs - nowMs };
  }

  /** The service refused a read. True: for the first time, so its guilds get a notice. */
  onRefused(source: SourceId, failure: Failure, nowMs: number): boolean {
    const times = (this.#refused.get(source)?.times ?? 0) + 1;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(20, times - 1));
    this.#refused.set(source, { failure, times, askAgainMs: nowMs + waitMs });
    return times === 1;
  }

  /** It was read, or its key was linked again or is not used any more. True: it had been refused. */
  forget(source: SourceId): boolean {
    return this.#refused.delete(source);
  }

  /** What is to be kept of it; undefined where it is read. */
  stored(
    source: SourceId,
    now: { readonly ms: number; readonly wallMs: number },
  ): StoredRefusedRead | undefined {
    const known = this.#refused.get(source);
    if (known === undefined) return undefined;
    const { message, serviceCode } = known.failure;
    const leftMs = Math.max(0, known.askAgainMs - now.ms);
    return { leftMs, untilMs: now.wallMs + leftMs, times: known.times, message, serviceCode };
  }

  /**
   * What an earlier process was refused. A wall clock that was set back since then makes the wait no longer; one that was
   * set forward may cost a read too early, which speaks against no key.
   */
  restore(
    source: SourceId,
    { leftMs, untilMs, times, message, serviceCode }: StoredRefusedRead,
    now: { readonly ms: number; readonly wallMs: number },
  ): void {
    const details = { isRead: true, ...(serviceCode === undefined ? {} : { serviceCode }) };
    const failure = new Failure("read-refused", message, details);
    const waitMs = Math.min(leftMs, Math.max(0, untilMs - now.wallMs), LONGEST_WAIT_MS);
    this.#refused.set(source, { failure, times, askAgainMs: now.ms + waitMs });
  }
}
