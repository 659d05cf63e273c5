import type { MessageBody } from "../message.ts";

/** Where the answer to an interaction stands. The token lets anyone change that answer: it is stored sealed only. */
export interface AnswerPlace {
  readonly applicationId: string;
  readonly token: string;
  /** Until when Discord takes changes of it, epoch milliseconds. */
  readonly untilMs: number;
}

/**
 * The answers of runs that are not over yet, and of commands that take long, so that another process can complete them
 * after a kill.
 */
export interface RunAnswers {
  /** Keeps it, sealed, until it is forgotten or its time is over. */
  remember(run: { readonly guildId: string; readonly runId: string }, place: AnswerPlace): Promise<void>;
  forget(runId: string): Promise<void>;
  /** Every answer that an earlier process remembered; one whose time is over has no place. */
  all(): AsyncIterable<RememberedAnswer>;
}

export interface RememberedAnswer {
  readonly runId: string;
  readonly guildId: string;
  readonly place?: AnswerPlace;
}

/** Answers from outside the interaction that asked for them. */
export interface LateAnswers {
  /**
   * Completes an answer where it stands, also after an outage of Discord; false: Discord no longer takes that. Rejects with
   * Failure "expired" where the process stops before.
   */
  edit(place: AnswerPlace, body: MessageBody): Promise<boolean>;
  /** The same where it still shows "thinking..."; what else stands there is right, and stays. */
  replaceThinking(place: AnswerPlace, body: MessageBody): Promise<void>;
  /** By direct message, else in the channel where it was asked, else in the notice channel. Never rejects. */
  tell(
    asker: { readonly guildId: string; readonly userId: string; readonly channelId: string },
    body: MessageBody,
  ): Promise<void>;
}
