import { ApiError } from "./errors.ts";
import type { DiscordLimits } from "./settings.ts";
import type { Message } from "./types.ts";

/** Counts edits of old messages for each channel and refuses too many of them with 30046. */
export class OldEdits {
  readonly #limits: DiscordLimits;
  readonly #nowMs: () => number;
  readonly #windows = new Map<string, { readonly endsAtMs: number; used: number }>();

  constructor(limits: DiscordLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /** Discord sends this one with status 429 and a wait, unlike its other codes. */
  spend(message: Message): void {
    const { olderThanMs, limit, windowMs } = this.#limits.oldEdits;
    const nowMs = this.#nowMs();
    if (nowMs - message.createdAtMs <= olderThanMs) return;
    let window = this.#windows.get(message.channel.id);
    if (window === undefined || nowMs >= window.endsAtMs) {
      window = { endsAtMs: nowMs + windowMs, used: 0 };
      this.#windows.set(message.channel.id, window);
    }
    if (window.used < limit) {
      window.used++;
      return;
    }
    const waitSeconds = (window.endsAtMs - nowMs) / 1000;
    const text = "Maximum number of edits to messages older than 1 hour reached. Try again later.";
    const body = { message: text, code: 30046, retry_after: waitSeconds, global: false };
    throw new ApiError(429, body, { "Retry-After": String(waitSeconds), "X-RateLimit-Scope": "shared" });
  }
}
