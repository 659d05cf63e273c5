import { type Escaped, md } from "../../domain/escaped.ts";

/** A command that an earlier refusal of the owner keeps from being sent: it may have been mended since. Pure. */

export const KNOWN_REFUSAL = {
  what: "The owner does not let Marshal run commands",
  next: "Someone with Manage Server can check again: `/setup start`, **Let Marshal run commands**.",
} as const;

export function notAskedAgain(knownSinceMs: number): Escaped {
  return md`Known since <t:${Math.floor(knownSinceMs / 1_000)}:f>. The game service was not asked again.`;
}
