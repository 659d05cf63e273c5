import { createHash } from "node:crypto";
import type { DiscordLimits, RouteLimit } from "./settings.ts";

interface Window {
  endsAtMs: number;
  used: number;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterMs: number;
  readonly global: boolean;
}

/** Buckets by route and major parameter, as Discord counts them, and the limit over all routes. */
export class RateLimits {
  readonly #limits: DiscordLimits;
  readonly #nowMs: () => number;
  readonly #windows = new Map<string, Window>();
  #global: Window = { endsAtMs: 0, used: 0 };

  constructor(limits: DiscordLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /** Spends one request. `route` is "METHOD /pattern"; interactions do not count against the global limit. */
  take(route: string, major: string, countsGlobally: boolean): Verdict {
    const nowMs = this.#nowMs();
    const rule = this.#limits.routes[route] ?? this.#limits.perRoute;
    const window = this.#window(`${route} ${major}`, rule, nowMs);
    if (countsGlobally && !this.#takeGlobal(nowMs)) {
      const retryAfterMs = Math.max(1, this.#global.endsAtMs - nowMs);
      return { allowed: false, headers: {}, retryAfterMs, global: true };
    }
    const allowed = window.used < rule.limit;
    if (allowed) window.used++;
    const resetAfterMs = Math.max(0, window.endsAtMs - nowMs);
    const headers = {
      "X-RateLimit-Limit": String(rule.limit),
      "X-RateLimit-Remaining": String(Math.max(0, rule.limit - window.used)),
      "X-RateLimit-Reset": (window.endsAtMs / 1000).toFixed(3),
      "X-RateLimit-Reset-After": (resetAfterMs / 1000).toFixed(3),
      "X-RateLimit-Bucket": createHash("sha256").update(route).digest("hex").slice(0, 32),
    };
    return { allowed, headers, retryAfterMs: Math.max(1, resetAfterMs), global: false };
  }

  #window(key: string, rule: RouteLimit, nowMs: number): Window {
    const known = this.#windows.get(key);
    if (known !== undefined && nowMs < known.endsAtMs) return known;
    // Interaction tokens make endless keys: drop what has ended before the map grows.
    if (this.#windows.size > 5_000)
      for (const [old, window] of this.#windows) if (nowMs >= window.endsAtMs) this.#windows.delete(old);
    const fresh = { endsAtMs: nowMs + rule.windowMs, used: 0 };
    this.#windows.set(key, fresh);
    return fresh;
  }

  /** For so long nothing is taken that counts. */
  refuseAll(forMs: number): void {
    this.#global = { endsAtMs: this.#nowMs() + forMs, used: Number.POSITIVE_INFINITY };
  }

  #takeGlobal(nowMs: number): boolean {
    const { globalPerSecond } = this.#limits;
    const limit = globalPerSecond <= 0 ? Number.POSITIVE_INFINITY : globalPerSecond;
    if (nowMs >= this.#global.endsAtMs) this.#global = { endsAtMs: nowMs + 1_000, used: 0 };
    if (this.#global.used >= limit) return false;
    this.#global.used++;
    return true;
  }
}

/** What Discord counts for each channel: messages sent, edits and reads apart. */
const CHANNEL_ROUTES = [
  "POST /channels/:id/messages",
  "PATCH /channels/:id/messages/:id",
  "DELETE /channels/:id/messages/:id",
  "GET /channels/:id/messages",
];
const PER_CHANNEL: RouteLimit = { limit: 5, windowMs: 5_000 };

/** Discord's own; `wide`: nothing meets a limit of requests unless it is set. */
export function defaultLimits(pace: "real" | "wide"): DiscordLimits {
  return {
    answerWithinMs: 3_000,
    tokenLivesMs: 15 * 60_000,
    nonceWindowMs: 5 * 60_000,
    oldEdits: { olderThanMs: 60 * 60_000, limit: 30, windowMs: 60 * 60_000 },
    publishedEdits: { limit: 3, windowMs: 60 * 60_000 },
    maxUploadBytes: 25 * 1024 * 1024,
    maxFileBytes: 10 * 1024 * 1024,
    perRoute: { limit: 1_000, windowMs: 1_000 },
    routes: pace === "real" ? Object.fromEntries(CHANNEL_ROUTES.map((route) => [route, PER_CHANNEL])) : {},
    globalPerSecond: pace === "real" ? 50 : 0,
    activeThreads: 1_000,
    shards: 1,
    identify: { total: 1_000, maxConcurrency: 16, everyMs: 5_000 },
  };
}
