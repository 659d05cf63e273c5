import type { Failure } from "../../domain/failure.ts";

/** When a run that was not sent may be tried again: after a time, or when its lane is woken. */
export type NextTry = { readonly kind: "again"; readonly inMs: number } | { readonly kind: "when-woken" };

/** The result of an attempt. */
export type AttemptResult = { readonly kind: "over" } | NextTry;

/** Wait after a 429 that names no time. */
const UNNAMED_WAIT_MS = 5_000;
/** Wait after Marshal itself was held back: the lease of this process is being renewed. */
const PAUSED_WAIT_MS = 1_000;
/** Wait after a run was held back right before its first byte. */
const RECHECK_AFTER_MS = 250;

export interface RefusedAttempt {
  readonly failure: Failure;
  /** Wall time, in which the service gives its times. */
  readonly nowMs: number;
  /** Until when nothing may be sent at all, epoch milliseconds. */
  readonly haltUntilMs: number | undefined;
  /** Until the run expires. */
  readonly leftMs: number;
}

/** Only a command that certainly did not run is sent again (spec: Limits 5), and only before it expires. Pure. */
export function nextAttempt({ failure, nowMs, haltUntilMs, leftMs }: RefusedAttempt): AttemptResult {
  if (failure.ran !== "no") return { kind: "over" };
  const inMs = waitAfter(failure, nowMs, haltUntilMs);
  return inMs === undefined || leftMs <= 0 || inMs >= leftMs ? { kind: "over" } : { kind: "again", inMs };
}

function waitAfter(failure: Failure, nowMs: number, haltUntilMs: number | undefined): number | undefined {
  switch (failure.code) {
    case "expired":
      // It was held back right before its first byte: checked anew, never in a tight loop.
      return RECHECK_AFTER_MS;
    case "paused":
      return PAUSED_WAIT_MS;
    case "rate-limited":
    case "blocked":
      return Math.max(0, (failure.retryAtMs ?? nowMs + UNNAMED_WAIT_MS) - nowMs, (haltUntilMs ?? 0) - nowMs);
    default:
      return undefined;
  }
}
