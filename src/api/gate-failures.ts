import { Failure } from "../domain/failure.ts";
import type { ServerKey } from "../domain/server-key.ts";
import type { RejectedKey } from "./keys/rejected-keys.ts";

/** The failures that the gate itself gives to its callers. */

export function stopping(): Failure {
  return new Failure("expired", "Marshal is stopping.");
}

export function tooMany(): Failure {
  return new Failure("queue-full", "Too many requests wait for the service already.");
}

export function drained(retryAtMs: number): Failure {
  return new Failure("rate-limited", "Another program uses up this server's commands.", { retryAtMs });
}

export function parked(key: RejectedKey): Failure {
  const code = key.serviceCode === undefined ? {} : { serviceCode: key.serviceCode };
  return new Failure("key-rejected", key.why, code);
}

export function stillDoubted(): Failure {
  return new Failure("unreachable", "The service refused this key once and could not be asked again.");
}

/** A bare 403 on a command whose key works: the owner has not authorised it. */
export function unauthorised(failure: Failure): Failure {
  return new Failure("not-authorised", failure.message, { ran: "no" });
}

export function unlinked(): Failure {
  return new Failure("not-linked", "No guild has this server linked any more.");
}

/** The open key; throws where nobody has the server linked. */
export function linkedKey(key: ServerKey | undefined): ServerKey {
  if (key === undefined) throw unlinked();
  return key;
}

export function noLongerWanted(): Failure {
  return new Failure("expired", "It waited until whoever asked no longer stands for it.");
}

export function abortedBy(signal: AbortSignal, ran: "no" | "unknown"): Failure {
  const { reason } = signal;
  if (reason instanceof Failure) return new Failure(reason.code, reason.message, { ran, cause: reason });
  return new Failure("expired", "It was given up before the service answered.", { ran, cause: reason });
}

export function lost(error: unknown, ran: "no" | "unknown"): Failure {
  if (error instanceof Failure) return new Failure(error.code, error.message, { ran, cause: error.cause });
  return new Failure("unreachable", "The service could not be reached.", { ran, cause: error });
}

/** All of the budget of bad keys is spent, or held by requests that were never answered. */
export function keysSpent(retryAtMs: number): Failure {
  const words =
    "So many server keys were refused within an hour, or may have been, that Marshal asks nothing for now: going on could get this host banned.";
  return new Failure("rate-limited", words, { retryAtMs });
}

/** The last unit of the budget waits until the process has run for a while. */
export function killedOften(retryAtMs: number): Failure {
  const words = "Marshal was stopped abruptly several times and waits a moment before it asks again.";
  return new Failure("rate-limited", words, { retryAtMs });
}

/** Other keys were refused; this one waits for its turn. */
export function keyWaits(code: "rate-limited" | "denied", retryAtMs: number): Failure {
  const words =
    "The service refused several server keys within a short time, so Marshal asks the other servers one after the other; this one's turn has not come.";
  return new Failure(code, words, { retryAtMs });
}

/** The share of the budget for typed keys is spent. */
export function linkingWaits(where: string, retryAtMs: number): Failure {
  const words = `Too many wrong keys were tried ${where}; linking waits so that nobody is banned.`;
  return new Failure("denied", words, { retryAtMs });
}
