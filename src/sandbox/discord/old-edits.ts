import { ApiError, refuse } from "./errors.ts";
import type { DiscordLimits, RouteLimit } from "./settings.ts";
import type { Message } from "./types.ts";

/**
 * Counts edits of old messages for each channel and refuses too many of them with 30046; of a published message, which other
 * communities follow, with 20022.
 */
export class OldEdits {
  readonly #limits: DiscordLimits;
  readonly #nowMs: () => number;
  /** By channel, and by message where it is published. */
  readonly #windows = new Map<string, { readonly endsAtMs: number; used: number }>();

  constructor(limits: DiscordLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /** Discord sends 30046 with status 429 and a wait, unlike its other codes. */
  spend(message: Message): void {
    const { oldEdits, publishedEdits } = this.#limits;
    if (message.isPublished && this.#waitMs(message.id, publishedEdits) > 0) throw refuse("publishedEdits");
    if (this.#nowMs() - message.createdAtMs <= oldEdits.olderThanMs) return;
    const waitSeconds = this.#waitMs(message.channel.id, oldEdits) / 1000;
    if (waitSeconds === 0) return;
    const text = "Maximum number of edits to messages older than 1 hour reached. Try again later.";
    const body = { message: text, code: 30046, retry_after: waitSeconds, global: false };
    throw new ApiError(429, body, { "Retry-After": String(waitSeconds), "X-RateLimit-Scope": "shared" });
  }

  /** 0: one more fits into the window, and is counted. */
  #waitMs(key: string, { limit, windowMs }: RouteLimit): number {
    const nowMs = this.#nowMs();
    let window = this.#windows.get(key);
    if (window === undefined || nowMs >= window.endsAtMs) {
      window = { endsAtMs: nowMs + windowMs, used: 0 };
      this.#windows.set(key, window);
    }
    if (window.used >= limit) return window.endsAtMs - nowMs;
    window.used++;
    return 0;
  }
}
