import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import { knownRefusal } from "../../domain/ports/command-permission.ts";
import type { ServiceHealth } from "../../domain/ports/service-health.ts";
import { isAutomatic, type RunOrigin, type RunPlan } from "../../domain/run.ts";

/** Why a run was not sent. */

interface Knowing {
  readonly health: Pick<ServiceHealth, "parked" | "commandPermission">;
  readonly clock: Pick<Clock, "nowMs">;
}

/** The service refuses the key, as far as is known without asking it. */
export function whyKeyRefused({ health }: Knowing, { request }: RunPlan): Failure | undefined {
  const parked = health.parked(request.binding.source);
  return parked && new Failure("key-rejected", parked.why);
}

/** The owner does not let this bot run commands, as far as is known without asking the service. */
export function whyNotPermitted({ health, clock }: Knowing, { request }: RunPlan): Failure | undefined {
  const permission = health.commandPermission(request.binding.source);
  const isRefused = permission.kind === "refused" && clock.nowMs() < permission.untilMs;
  return isRefused ? knownRefusal(permission.sinceMs) : undefined;
}

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
