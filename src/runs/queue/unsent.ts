import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import { knownRefusal } from "../../domain/ports/command-permission.ts";
import { HALTED, haltAt, type ServiceHealth } from "../../domain/ports/service-health.ts";
import { isAutomatic, type RunOrigin, type RunPlan, type RunRecord } from "../../domain/run.ts";
import type { AutomaticShare } from "./automatic-share.ts";

/** Why a run was not sent. */

/** A run that has waited this long is not sent: a stale ban is worse than none. */
const EXPIRES_AFTER_MS = 10 * 60_000;
/** The same for a run of a schedule, which people meant for that very minute; the end of a ban is asked for anew. */
const SCHEDULED_EXPIRES_AFTER_MS = 2 * 60_000;

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

export function expiresAfterMs(origin: RunOrigin): number {
  return isAutomatic(origin) ? SCHEDULED_EXPIRES_AFTER_MS : EXPIRES_AFTER_MS;
}

interface Waited extends Pick<Knowing, "clock"> {
  readonly health: Pick<ServiceHealth, "halt">;
  readonly share: Pick<AutomaticShare, "inMs">;
}

/** It waited for too long. */
export function expiredUnsent({ health, clock, share }: Waited, { origin, source }: RunRecord): Failure {
  if (!isAutomatic(origin)) return new Failure("expired", "It waited 10 minutes and was not sent.");
  const halt = haltAt(health, clock.nowMs());
  const others = share.inMs(source) > 0 ? "Other commands came first for 2 minutes" : undefined;
  const held = halt === undefined ? undefined : HALTED[halt.why];
  const why = held ?? others ?? "It could not be sent within 2 minutes";
  return new Failure("expired", `${why}, so it was skipped.`);
}
