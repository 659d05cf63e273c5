import type { Actor } from "../../domain/guild.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { AnswerPlace } from "../../domain/ports/run-answers.ts";
import type { Choice, FirstAnswer, Form, FormValues, Options } from "../command.ts";

/** An interaction as dispatch sees it: plain values, and the ways to answer it. */
export type Incoming = IncomingCommand | IncomingPress | IncomingTyping;

interface IncomingBase {
  readonly actor: Actor;
  readonly answers: InteractionResponder;
}

export interface IncomingCommand extends IncomingBase {
  readonly kind: "command";
  readonly id: string;
  readonly command: string;
  /** `status`, `preset add`; empty for a single command. */
  readonly path: string;
  readonly options: Options;
}

export interface IncomingPress extends IncomingBase {
  readonly kind: "press";
  readonly id: string;
  readonly customId: string;
  readonly values: readonly string[];
  readonly form: FormValues;
  /** The message with the button or select; a form that was opened by a slash command has none. */
  readonly messageId: string | undefined;
  /** The interaction whose answer that message is; undefined: it is a message of its own. */
  readonly messageOf: string | undefined;
}

export interface IncomingTyping extends IncomingBase {
  readonly kind: "typing";
  readonly command: string;
  readonly path: string;
  readonly option: string;
  readonly typed: string;
  readonly options: Options;
}

/** How long an answer can be changed: Discord's 15 minutes, less the time that an edit may take. */
export const TOKEN_LIVES_MS = 15 * 60_000 - 5_000;

/** The answer itself, or one of its follow-ups by message id. */
export type Target = "@original" | (string & {});

/** Ways to answer. Each rejects with AnswerRefused when Discord does not take it. */
export interface InteractionResponder {
  /** Where the answer is, so that another process can complete it. */
  readonly place: AnswerPlace;
  /** The first answer, due within 3 s. It shows "thinking", or nothing for "update". */
  defer(first: FirstAnswer): Promise<void>;
  form(form: Form): Promise<void>;
  /** A first answer that only the person who asked sees. */
  replyPrivately(body: MessageBody): Promise<void>;
  choices(choices: readonly Choice[]): Promise<void>;
  edit(body: MessageBody, target: Target): Promise<void>;
  remove(): Promise<void>;
  /** Adds a message that only the person who asked sees. Returns its id. */
  followUpPrivately(body: MessageBody): Promise<string>;
}

/**
 * late: the 3 s or the token's 15 min are over · taken: it was answered before · gone: the message was deleted, or its
 * channel · closed: its thread was archived or locked · words: Discord calls words or a link in it harmful · form: Discord found
 * the message malformed, a defect of ours · unknown: Discord failed or cannot be reached.
 */
export type AnswerRefusal = "late" | "taken" | "gone" | "closed" | "words" | "form" | "unknown";

export class AnswerRefused extends Error {
  readonly reason: AnswerRefusal;

  constructor(reason: AnswerRefusal, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "AnswerRefused";
    this.reason = reason;
  }
}
