import { Failure } from "./failure.ts";
import { type Now, spanOf, throughOf } from "./moment.ts";

/** Bans that end by themselves. */

/** How long a ban lasts from its sending, or until which moment; milliseconds, epoch milliseconds. */
export type BanTerm = { readonly lastsMs: number } | { readonly untilMs: number };

/** Why a Manager has to decide about an end: nothing is sent for it before. */
export const HELD_FOR = [
  /** Nobody knows whether its ban ran: an un-ban could lift an earlier ban of somebody else. */
  "ban-unknown",
  /** Nobody knows whether a later ban of the player ran. */
  "later-unknown",
  /** Its server was unlinked, so nobody read its log meanwhile. */
  "unlinked",
  /** Rows of the log are missing: a later ban may stand among them. */
  "log-lost",
  /** Nobody knows whether its un-ban ran. */
  "lift-unknown",
  /** The game refused it several times, or somebody took its un-ban out of the queue. */
  "refused",
  /** They were banned before it, by a ban that has not ended: an un-ban would lift that too. */
  "earlier-ban",
] as const;

export interface BanEnd {
  /** The id of the run that banned. */
  readonly id: string;
  readonly guildId: string;
  readonly bindingId: string;
  readonly serverName: string;
  readonly playerId: number;
  /** As they were called then. */
  readonly playerName: string;
  /** Who set it. */
  readonly byId: string;
  readonly byName: string;
  readonly channelId: string;
  /** The command as it was sent. */
  readonly text: string;
  /** From when on it may have run, by the service's clock where that is known, epoch milliseconds. */
  readonly sentAtMs: number;
  /** When it had run at the latest, by the same clock; absent until it is known that it did. */
  readonly ranByMs?: number;
  /** By the same clock. */
  readonly endsAtMs: number;
  /** It is to last so long from when it ran; absent: until that moment. */
  readonly lastsMs?: number;
  /**
   * sending: its ban is about to be sent, or was when the process ended · armed: it ran · lifting: claimed, before its
   * un-ban is sent · held: a Manager decides · over: it ends nothing any more, and that is being told.
   */
  readonly state: "sending" | "armed" | "lifting" | "held" | "over";
  readonly heldFor?: (typeof HELD_FOR)[number];
  /** Why it is held or over, in words. */
  readonly why?: string;
  /** The second of its own row in the game's log. */
  readonly ownRowS?: number;
  /** The run that un-bans. */
  readonly liftId?: string;
  /** Un-bans that surely did not run although they were sent. */
  readonly tries: number;
  /** A ban of the same player that is being sent. */
  readonly laterId?: string;
  /** Rows of the log after its ban may be missing. */
  readonly isLogLost?: true;
  /** A Manager has decided that it lifts what they were banned for before, too. */
  readonly liftsEarlier?: true;
}

const SHORTEST_MS = 60_000;
const LONGEST_MS = 366 * 24 * 60 * 60_000;
const RANGE = "A ban ends after 1 minute at least and a year at most. Leave it out for a ban without an end.";

/**
 * Reads for how long, or until when, somebody is banned: "7 days", "12 h", "fri 20:00", "2026-12-01", which is its last day.
 * @throws Failure "bad-command" for what cannot be read, is over, or too far ahead.
 */
export function banTermOf(typed: string, now: Now): BanTerm {
  const lastsMs = spanOf(typed);
  const inMs = lastsMs ?? throughOf(typed, now) - now.nowMs;
  if (inMs < SHORTEST_MS || inMs > LONGEST_MS) throw new Failure("bad-command", RANGE);
  return lastsMs === undefined ? { untilMs: now.nowMs + inMs } : { lastsMs };
}

/** When a ban that is sent at that moment ends. */
export function endOf(term: BanTerm, sentAtMs: number): number {
  return "untilMs" in term ? term.untilMs : sentAtMs + term.lastsMs;
}
