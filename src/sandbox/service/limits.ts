/** A number of requests in a window. */
export interface Rate {
  limit: number;
  windowMs: number;
}

/** Every number of the service's limits. All may be changed while it runs. Times in milliseconds. */
export interface LimitSettings {
  /** The global limit of one address (spec: Limits 1). The real number is not published. */
  global: Rate;
  /** The same for an address that sends a known global key: higher (spec: Limits 1, Authentication 3). */
  application: Rate;
  /** The command bucket (spec: Limits 3). */
  command: Rate;
  /** "The number varies per server": a key listed here has a counter of its own under the same bucket name. */
  perServer: Record<string, Rate>;
  /** Whether a window opens with its first request or on multiples of its length. */
  align: "first-request" | "clock";
  /** How `X-RateLimit-Reset` becomes whole seconds. `floor` names a second in which the window may still run. */
  resetRounding: "ceil" | "floor";
  /** How often an answer names a reset that is a second off, early or late: several nodes behind one address. */
  resetWobble: number;
  /** How often an answer names a reset that is `farResetMs` too late. */
  farReset: number;
  farResetMs: number;
  /** What follows the names of the app-wide counters: their names change, the counters stay. */
  nameSuffix: string;
  /** Where waits carry fractions of a second: in `retry_after`, also in `Retry-After`, or nowhere (rounded up). */
  fractions: "none" | "body" | "both";
  /** So many requests in `strikeWindowMs` that came inside a told wait bring the invalid-request block. */
  blockAfter: number;
  strikeWindowMs: number;
  blockMs: number;
  /** So many requests inside that block bring the block page of the network. */
  pageAfter: number;
  pageMs: number;
  /** So many requests with invalid keys from one address in `badKeyWindowMs` ban it (spec: Authentication 5). */
  banAfter: number;
  badKeyWindowMs: number;
  banMs: number;
}

const HOUR_MS = 3_600_000;

/** The defaults: the published command window; the rest, which is not published, on the careful side. */
export function defaultLimits(strictSpec: boolean): LimitSettings {
  return {
    global: { limit: 10, windowMs: 1_000 },
    application: { limit: 35, windowMs: 1_000 },
    command: { limit: 1, windowMs: 5_000 },
    perServer: {},
    align: "first-request",
    resetRounding: "ceil",
    resetWobble: 0,
    farReset: 0,
    farResetMs: 90_000,
    nameSuffix: "",
    fractions: strictSpec ? "none" : "both",
    blockAfter: 10,
    strikeWindowMs: 60_000,
    blockMs: 4 * HOUR_MS,
    pageAfter: 30,
    pageMs: 24 * HOUR_MS,
    banAfter: 10,
    badKeyWindowMs: HOUR_MS,
    banMs: 24 * HOUR_MS,
  };
}

/** What a bucket says about one request. */
export interface Spent {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

interface Window {
  startMs: number;
  used: number;
}

const PRUNE_ABOVE = 20_000;

/** Fixed windows by name. A refused request spends nothing and does not prolong the window. */
export class Limiter {
  readonly #windows = new Map<string, Window>();

  /** Spends one from the counter `name` under `rate`. */
  spend(name: string, rate: Rate, align: LimitSettings["align"], nowMs: number): Spent {
    let window = this.#windows.get(name);
    if (!window || nowMs >= window.startMs + rate.windowMs || nowMs < window.startMs) {
      if (this.#windows.size > PRUNE_ABOVE) this.#prune(nowMs);
      const startMs = align === "clock" ? Math.floor(nowMs / rate.windowMs) * rate.windowMs : nowMs;
      window = { startMs, used: 0 };
      this.#windows.set(name, window);
    }
    const allowed = window.used < rate.limit;
    if (allowed) window.used += 1;
    return {
      allowed,
      limit: rate.limit,
      remaining: Math.max(0, rate.limit - window.used),
      resetMs: window.startMs + rate.windowMs,
    };
  }

  /** Forgets every window, as if the service had been quiet for long. */
  clear(): void {
    this.#windows.clear();
  }

  #prune(nowMs: number): void {
    for (const [name, window] of this.#windows)
      if (nowMs - window.startMs > HOUR_MS) this.#windows.delete(name);
  }
}
