import type { ServiceCounts } from "./counts.ts";
import type { Fate } from "./faults.ts";
import { pathOf, type ServiceRequest, type ServiceResponse } from "./wire.ts";

interface ErrorCall {
  readonly request: ServiceRequest;
  readonly fate: Fate;
  readonly nowMs: number;
  readonly key: string | undefined;
}

/** Waits that errors of the service name for a route and a key, and who asks inside them. */
export class ErrorWaits {
  readonly #counts: ServiceCounts;
  readonly #waits = new Map<string, { readonly fromMs: number; readonly untilMs: number }>();

  constructor(counts: ServiceCounts) {
    this.#counts = counts;
  }

  /** The answer as it leaves: a 500 or 503 in JSON names the wait of the faults in force. */
  tell({ request, fate, nowMs, key = "" }: ErrorCall, answer: ServiceResponse): ServiceResponse {
    const name = `${request.method} ${pathOf(request.path)} ${key}`;
    const wait = this.#waits.get(name);
    const sentAtMs = request.sentAtMs ?? nowMs;
    if (wait !== undefined && sentAtMs > wait.fromMs && sentAtMs < wait.untilMs)
      this.#counts.earlyAfterError += 1;

    const seconds = Math.ceil(fate.settings.errorRetryAfterMs / 1_000);
    const isJson = answer.headers["content-type"]?.includes("json") === true;
    if (seconds === 0 || !isJson || (answer.status !== 500 && answer.status !== 503)) return answer;
    const fromMs = request.readableAtMs ?? nowMs;
    this.#waits.set(name, { fromMs, untilMs: nowMs + seconds * 1_000 });
    return { ...answer, headers: { ...answer.headers, "retry-after": String(seconds) } };
  }
}
