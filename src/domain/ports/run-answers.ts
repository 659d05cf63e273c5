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
  /** Keeps it, sealed, until it is forgotten or its time is over; again, where something of it has changed. */
  remember(run: Omit<RememberedAnswer, "place">, place: AnswerPlace): Promise<void>;
  forget(runId: string): Promise<void>;
  /** Every answer that an earlier process remembered; one whose time is over has no place. */
  all(): AsyncIterable<RememberedAnswer>;
}

export interface RememberedAnswer {
  readonly runId: string;
  readonly guildId: string;
  readonly place?: AnswerPlace;
  /** It shows the outcome; the case that the run becomes may be missing. */
  readonly isShown?: boolean | undefined;
}

/** Answers of runs that are over, where a later press changes what they may offer. */
export interface ShownAnswers {
  /** For as long as Discord takes changes of it. */
  keep(runId: string, place: AnswerPlace): void;
  /** Once, and only where it can still be changed; nobody waits for it. */
  edit(runId: string, body: MessageBody): void;
  /** It is answered: nothing more is to be changed. */
  forget(runId: string): void;
  /** What else is learned of the run does not bring its buttons back. */
  isEdited(runId: string): boolean;
}

/** left: it says already what it should · refused: Discord no longer takes a change of it. */
export type LateEdit = "edited" | "left" | "refused";

/** Answers from outside the interaction that asked for them. Each rejects with Failure "expired" where the process stops before. */
export interface LateAnswers {
  /** Completes an answer where it stands, also after an outage of Discord; leaves one that shows one of these texts, or has it in the id of a button. */
  edit(
    place: AnswerPlace,
    body: MessageBody,
    options?: { readonly unlessSaid?: readonly string[] | undefined },
  ): Promise<LateEdit>;
  /** The same where it still shows "thinking..."; what else stands there is right, and stays. */
  replaceThinking(place: AnswerPlace, body: MessageBody): Promise<void>;
}
