import { Failure } from "../domain/failure.ts";
import { TOO_MANY_KEYS } from "../domain/key-lock.ts";
import type { ServerKey } from "../domain/server-key.ts";
import type { RejectedKey } from "./keys/rejected-keys.ts";

/** The failures that the gate itself gives to its callers. */

export function stopping(): Failure {
  return new Failure("expired", "Marshal is stopping.");
}

export function tooMany(): Failure {
  return new Failure("queue-full", "Too many requests are already waiting for the game service.");
}

export function drained(retryAtMs: number): Failure {
  return new Failure("rate-limited", "Another program is using up this server's command limit.", {
    retryAtMs,
  });
}

export function parked(key: RejectedKey): Failure {
  const code = key.serviceCode === undefined ? {} : { serviceCode: key.serviceCode };
  return new Failure("key-rejected", key.why, code);
}

/** The same failure, which names when asking again makes sense. */
export function again(failure: Failure, retryAtMs: number): Failure {
  const { code, message, ran, commandId, serviceCode } = failure;
  return new Failure(code, message, { ran, retryAtMs, commandId, serviceCode });
}

export function stillDoubted(): Failure {
  return new Failure("unreachable", "The game service refused this key once. Marshal could not ask again.");
}

/** A bare 403 on a command whose key works: the owner has not authorised it. */
export function unauthorised(failure: Failure): Failure {
  return new Failure("not-authorised", failure.message, { ran: "no" });
}

export function unlinked(): Failure {
  return new Failure("not-linked", "This server is no longer linked.");
}

/** The open key; throws where nobody has the server linked. */
export function linkedKey(key: ServerKey | undefined): ServerKey {
  if (key === undefined) throw unlinked();
  return key;
}

export function noLongerWanted(): Failure {
  return new Failure("expired", "It waited too long to be sent safely.");
}

export function abortedBy(signal: AbortSignal, ran: "no" | "unknown"): Failure {
  const { reason } = signal;
  if (reason instanceof Failure) return new Failure(reason.code, reason.message, { ran, cause: reason });
  return new Failure("expired", "Marshal gave up before the game service answered.", { ran, cause: reason });
}

export function lost(error: unknown, ran: "no" | "unknown"): Failure {
  if (error instanceof Failure) return new Failure(error.code, error.message, { ran, cause: error.cause });
  return new Failure("unreachable", "The connection failed, or no answer came in time.", {
    ran,
    cause: error,
  });
}

/** A command of which no byte was written: "no answer in time" would leave open whether it ran. */
export function notSent(error: unknown): Failure {
  const failure = lost(error, "no");
  if (failure.code !== "unreachable") return failure;
  return new Failure("unreachable", "Marshal could not send it.", { ran: "no", cause: failure.cause });
}

/** All of the budget of bad keys is spent, or held by requests that were never answered. */
export function keysSpent(retryAtMs: number): Failure {
  const words =
    "Too many server keys were refused in the last hour. Marshal has stopped asking for now, or this host could get banned.";
  return new Failure("rate-limited", words, { retryAtMs });
}

/** The last unit of the budget waits until the process has run for a while. */
export function killedOften(retryAtMs: number): Failure {
  const words = "Marshal crashed several times, so it waits a moment before it asks again.";
  return new Failure("rate-limited", words, { retryAtMs });
}

/** Other keys were refused; this one waits for its turn. */
export function keyWaits(code: "rate-limited" | "denied", retryAtMs: number): Failure {
  const words =
    "The game service refused several server keys, so Marshal checks the others one by one. This server is still waiting its turn.";
  return new Failure(code, words, { retryAtMs });
}

/** Requests with this key go unanswered while others are answered. */
export function unanswered(retryAtMs: number): Failure {
  const words = "The service does not answer for this server, though it answers for others.";
  return new Failure("unreachable", words, { retryAtMs });
}

/** The share of the budget for typed keys is spent. */
export function linkingWaits(retryAtMs: number): Failure {
  return new Failure("denied", TOO_MANY_KEYS, { retryAtMs });
}
