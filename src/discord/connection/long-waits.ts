import type { RateLimitData } from "discord.js";

/** How long rest may hold an edit back; until then the later edits of the same channel wait too. */
const LONGEST_EDIT_WAIT_MS = 5_000;
/**
 * How long it may hold a read or a new message back, in all waits of one try. A try before the wait may have been stored, and Discord knows a message by its
 * nonce for two minutes only: sent again after that it would stand there twice. A read keeps its turn, and a stop waits for it.
 */
const LONGEST_OTHER_WAIT_MS = 20_000;

/**
 * Whether Discord makes a message wait for so long that its sender has to decide anew. For edits that is 30046 (too many
 * edits of old messages), a 429 with a wait of up to an hour, which rest would sit out. `waitedMs`: what it has waited before.
 */
export function isLongWait(
  { method, route, retryAfter, timeToReset }: RateLimitData,
  waitedMs: number,
): boolean {
  if (!route.startsWith("/channels/:id/messages")) return false;
  const waitMs = Math.max(retryAfter, timeToReset);
  if (method === "PATCH") return waitMs > LONGEST_EDIT_WAIT_MS;
  return (method === "POST" || method === "GET") && waitedMs + waitMs > LONGEST_OTHER_WAIT_MS;
}
