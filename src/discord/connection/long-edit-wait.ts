import type { RateLimitData } from "discord.js";

/** How long rest may hold an edit back; until then the later edits of the same channel wait too. */
const LONGEST_EDIT_WAIT_MS = 5_000;

/**
 * Whether a request is an edit that Discord makes wait for long. 30046 (too many edits of old messages) comes as a 429
 * with a wait of up to an hour, which rest would sit out. Such an edit is refused instead, so that its sender can back
 * off.
 */
export function isLongEditWait({ method, route, retryAfter, timeToReset }: RateLimitData): boolean {
  const isEdit = method === "PATCH" && route.startsWith("/channels/:id/messages");
  return isEdit && Math.max(retryAfter, timeToReset) > LONGEST_EDIT_WAIT_MS;
}
