/**
 * The words of sessions: times at which a community plays together, announced in Discord. (The stay of one player in the
 * game is another thing: `PlayerSession` of the history.) Times are epoch milliseconds, of our clock.
 */

/** What a community has set up for the sessions of one server. */
export interface SessionSetup {
  /** Where all of it is posted. */
  readonly channelId: string;
  /** Pinged by a vote, a start, and when players are wanted. */
  readonly roleId?: string | undefined;
  /** Who holds it may do what Managers may, but for the set-up. */
  readonly hostRoleId?: string | undefined;
  /** So many votes are enough. */
  readonly needed: number;
  /** After a vote that failed the next one waits so long. */
  readonly cooldownMinutes: number;
  /** Said by the start. */
  readonly text?: string | undefined;
  readonly pictureUrl?: string | undefined;
}

/** started: by a session. missed: not enough came, or nobody started in time. */
export type VoteEnd = "started" | "missed" | "cancelled" | "unlinked" | "restored";

export interface SessionVote {
  readonly byId: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly needed: number;
  /** Each person once, in the order in which they came. */
  readonly voterIds: readonly string[];
  readonly end?: VoteEnd | undefined;
}

export interface SessionStart {
  readonly byId: string;
  readonly atMs: number;
  readonly text?: string | undefined;
  readonly pictureUrl?: string | undefined;
  /** Of those who voted, who is mentioned: they allowed it. */
  readonly mentionIds: readonly string[];
}

/** The server is full, or players are wanted. */
export interface SessionCall {
  readonly kind: "full" | "low";
  readonly byId: string;
  readonly atMs: number;
  readonly isPinging: boolean;
}

/** limit: nobody ended it for half a day. restored: the store was put back from a copy, and nobody knows when it ended. */
export type SessionEndWhy = "ended" | "cancelled" | "unlinked" | "limit" | "restored";

export interface SessionEnd {
  /** Absent: it ended by itself. */
  readonly byId?: string | undefined;
  readonly atMs: number;
  readonly why: SessionEndWhy;
}

/** What looks at the server showed while it was on. */
export interface SessionSeen {
  /** Most players at once. Absent: nothing was seen. */
  readonly peak?: number | undefined;
  /** Players with a rank. */
  readonly staffIds: readonly number[];
}

/** What the history says of the time. */
export interface SessionFigures {
  readonly calls: number;
  readonly answered: number;
  /** Answered calls of which it is known how long they waited. */
  readonly timed: number;
  readonly medianAnswerS?: number | undefined;
  /** How many of staff were there, on average. */
  readonly staff?: number | undefined;
  /** Seconds of which the number of players is known. */
  readonly knownS: number;
}

/** A session that is over. */
export interface PastSession {
  readonly id: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly peak?: number | undefined;
  /** How many of staff were seen. */
  readonly staffSeen: number;
  /** off: no history is kept. unknown: it did not answer. */
  readonly figures: SessionFigures | "off" | "unknown";
}

/** A vote, and the session that comes of it. */
export interface GameSession {
  readonly id: string;
  readonly guildId: string;
  readonly bindingId: string;
  readonly serverName: string;
  readonly channelId: string;
  readonly roleId?: string | undefined;
  readonly vote?: SessionVote | undefined;
  readonly start?: SessionStart | undefined;
  readonly calls: readonly SessionCall[];
  readonly end?: SessionEnd | undefined;
  readonly seen: SessionSeen;
  /** Said once it is over. */
  readonly past?: PastSession | undefined;
}

export type VoteState = "open" | "enough" | "over";

/** enough: it waits for somebody to start the session, also after its deadline. */
export function voteState({ untilMs, needed, voterIds, end }: SessionVote, nowMs: number): VoteState {
  if (end !== undefined) return "over";
  if (voterIds.length >= needed) return "enough";
  return nowMs < untilMs ? "open" : "over";
}

/** Votes count, and can be taken back, until the deadline. */
export function isVotable({ untilMs, end }: SessionVote, nowMs: number): boolean {
  return end === undefined && nowMs < untilMs;
}

/** On, and not over. */
export function isOn({ start, end }: Pick<GameSession, "start" | "end">): boolean {
  return start !== undefined && end === undefined;
}

/** Nobody can do anything with it any more. */
export function isOver({ vote, start, end }: Pick<GameSession, "vote" | "start" | "end">): boolean {
  return start === undefined ? vote?.end !== undefined : end !== undefined;
}
