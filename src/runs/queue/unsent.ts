import { Failure } from "../../domain/failure.ts";
import { isAutomatic, type RunOrigin } from "../../domain/run.ts";

/** Why a run was not sent. */

/** The check right before sending failed. */
export function notChecked(cause: unknown): Failure {
  return new Failure("paused", "Marshal could not check the permissions, so nothing was sent.", { cause });
}

/** Nothing is sent that the audit does not hold. */
export function notAudited(cause: unknown): Failure {
  return new Failure("store", "Marshal could not write its audit log, so nothing was sent.", { cause });
}

/** It waited for too long. */
export function expiredUnsent(origin: RunOrigin): Failure {
  const words = isAutomatic(origin)
    ? "Other commands came first for 2 minutes, so it was skipped."
    : "It waited 10 minutes and was not sent.";
  return new Failure("expired", words);
}
