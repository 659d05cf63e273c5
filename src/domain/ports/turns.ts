/** Discord allows a bot so many requests a second; each request of ours but an answer to a person waits for its turn. */

/**
 * run: roles of somebody who wants a command run. round: roles that are given or taken, and members that are looked
 * through, four a second at most. first: a message that somebody waits for (receipt, card, alert, notice). batch: entries
 * of a log channel, of which the more wait, the sooner. change: an edit that says something new. refresh: an edit that
 * keeps something current, and summaries.
 */
export type TurnClass = "run" | "round" | "first" | "batch" | "change" | "refresh";

export interface TurnWanted {
  readonly class: TurnClass;
  readonly channelId: string;
  /** On whose behalf. @default whose channel it is, where that is known; else the channel counts for itself */
  readonly guildId?: string | undefined;
  /** Discord counts them apart. */
  readonly request: "send" | "edit" | "read";
  /** An earlier attempt had no answer: while Discord is away only such posts try. */
  readonly isInDoubt?: boolean | undefined;
  /** It goes after the others of its guild and class. Asked at each turn, since what is known may change meanwhile. */
  isMinor?(): boolean;
  /**
   * Of a batch: when its waiting entries arrived, oldest first, monotonic milliseconds; of more than thirty only those
   * that came first need to be named. Asked at each turn, so it costs little.
   */
  waiting?(): readonly number[];
}

/** taken: Discord answered, be it with a refusal. unanswered: it did not. unused: no request was made. */
export type TurnOutcome = "taken" | "unanswered" | "unused";

export interface Turn {
  /** To be called once, when the request has ended. */
  done(outcome: TurnOutcome): void;
}

/** Who waits for a turn; told once, in a microtask of its own. */
export interface TurnWaiter {
  readonly signal?: AbortSignal | undefined;
  resolve(turn: Turn): void;
  /** With the signal's reason, or with Failure "expired" where the process stops before. */
  reject(reason: unknown): void;
}

export interface Turns {
  /** For the thousands that may wait for hours: nothing is held of each but what is given here. */
  ask(wanted: TurnWanted, waiter: TurnWaiter): void;
  /**
   * Resolves when its turn has come. Rejects with the signal's reason, or with Failure "expired" where the process stops
   * before: the turn is withdrawn, and nothing was asked of Discord.
   */
  take(wanted: TurnWanted, signal?: AbortSignal): Promise<Turn>;
}
