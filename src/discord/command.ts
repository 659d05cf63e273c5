import type { APIApplicationCommandBasicOption } from "discord.js";
import type { Escaped } from "../domain/escaped.ts";
import type { Failure } from "../domain/failure.ts";
import type { Actor } from "../domain/guild.ts";
import type { Button, MessageBody, SelectOption } from "../domain/message.ts";
import type { AnswerPlace } from "../domain/ports/run-answers.ts";
import type { Services } from "./services.ts";

/**
 * The contract of a slash command. A command is plain data and functions of plain values: `parse`
 * turns options into values, `execute` turns values and ports into a reply. Dispatch does the rest: the first
 * answer within 3 s, edits, errors, mentions. So a test needs neither Discord nor a mock.
 */

/** The first answer. It is declared because it goes out before store, queue or network are awaited. */
export type FirstAnswer = "ephemeral" | "public" | "update";

/** A message as the answer. Later replies of the same answer replace earlier ones as a whole. */
export interface Reply extends MessageBody {
  /** Only who asked sees it: after a public first answer that one is deleted and this follows up. */
  readonly ephemeral?: boolean;
  /** Beside a public answer: what only who asked may see. Sent once, as an ephemeral follow-up. */
  readonly aside?: MessageBody;
  /** An outcome that must reach people even after the token's 15 minutes: then it goes to the channel or by DM. */
  readonly important?: boolean;
}

/** One reply, or replies that follow each other: each one that is yielded edits the answer. */
export type Answer = Reply | Promise<Reply> | AsyncIterable<Reply>;

/** A modal. `id` is `action:argument` (at most 100): its submission is the action of that name. */
export interface Form {
  readonly id: string;
  /** At most 45 characters. */
  readonly title: string;
  /** Markdown above the fields. */
  readonly intro?: Escaped;
  /** One to five, of which the introduction counts as one. */
  readonly fields: readonly FormField[];
}

interface FieldBase {
  readonly id: string;
  /** At most 45 characters. */
  readonly label: string;
  /** At most 100 characters. */
  readonly description?: string;
  /** Default: true. */
  readonly required?: boolean;
  readonly placeholder?: string;
}

interface PickBase extends FieldBase {
  readonly minValues?: number;
  readonly maxValues?: number;
}

export type FormField =
  | (FieldBase & {
      readonly kind: "text";
      readonly long?: boolean;
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly value?: string;
    })
  | (PickBase & { readonly kind: "string"; readonly options: readonly SelectOption[] })
  | (PickBase & { readonly kind: "role" | "channel" | "user"; readonly defaultIds?: readonly string[] });

/** What was typed and chosen in a form. */
export interface FormValues {
  /** Empty when nothing was typed. */
  text(id: string): string;
  /** The chosen values, or ids of roles, channels, people. */
  chosen(id: string): readonly string[];
}

/** A person that an option names, as the interaction resolved them; not in the guild: no roles. */
export interface NamedPerson {
  readonly userId: string;
  readonly userName: string;
  readonly roleIds: readonly string[];
  readonly manageGuild: boolean;
}

/** A role that an option names. Discord pings one only if anyone may mention it, or the bot may mention everyone. */
export interface NamedRole {
  readonly roleId: string;
  /** By what the interaction says: of the role itself, and of this bot in the channel where it was typed. */
  readonly pingable: boolean;
}

/** The options of an invocation. A required one that is missing is a defect: Discord refuses to send it so. */
export interface Options {
  string(name: string, required: true): string;
  string(name: string): string | undefined;
  /** An INTEGER or NUMBER option. */
  number(name: string, required: true): number;
  number(name: string): number | undefined;
  boolean(name: string): boolean | undefined;
  /** The id of a USER, ROLE or CHANNEL option. */
  id(name: string, required: true): string;
  id(name: string): string | undefined;
  person(name: string): NamedPerson | undefined;
  role(name: string): NamedRole | undefined;
}

/** The reply that a command gave last. */
export interface LastReply {
  /** It stands where it belongs, or was sent as a message. */
  readonly isShown: boolean;
}

export interface Invocation<Args> {
  readonly actor: Actor;
  readonly args: Args;
  /** Aborted when the bot stops. */
  readonly signal: AbortSignal;
  /** Where the answer stands, should another process have to complete it. */
  readonly answer?: AnswerPlace;
  readonly lastReply?: LastReply;
  /** Stands in logs and under errors, so that a person can name what happened to them. */
  readonly reference: string;
}

/** A button pressed, a select chosen or a form submitted. */
export interface Press {
  readonly actor: Actor;
  /** Of the custom_id, what follows the first ":"; empty when there is none. */
  readonly argument: string;
  /** Of a select. */
  readonly values: readonly string[];
  /** Of a form; answers empty for buttons and selects. */
  readonly form: FormValues;
  /** The message that the button or select stands on, and the form was opened from. */
  readonly messageId: string | undefined;
  readonly signal: AbortSignal;
  /** Where the answer stands, should another process have to complete it. */
  readonly answer?: AnswerPlace;
  readonly lastReply?: LastReply;
  readonly reference: string;
}

/** Why the signal of an answer is aborted whose message a later press has changed. */
export class ChangedSince extends Error {
  constructor() {
    super("a later press changed the message");
  }
}

export interface Choice {
  /** At most 100 characters. */
  readonly name: string;
  /** At most 100 characters. */
  readonly value: string;
}

export interface Typing {
  readonly actor: Actor;
  /** The option that is being typed, and what stands in it. */
  readonly option: string;
  readonly typed: string;
  readonly options: Options;
}

/**
 * One thing that can be typed: a whole command or a sub-command of one.
 * Methods (not function properties) on purpose: their parameters are compared both ways, so that entries of
 * different `Args` fit into one list without a cast.
 */
interface EntryBase<Args> {
  readonly description: string;
  readonly options?: readonly APIApplicationCommandBasicOption[];
  /**
   * An option `server` names the one server that a command speaks of: where it is left out and there are several,
   * dispatch takes the default or asks, and `execute` sees the answer. True where it only narrows a search.
   */
  readonly serverIsFilter?: boolean;
  /** Pure. Throws Failure "bad-command" for what a person can mend. */
  parse(options: Options): Args;
  /** From what is in memory: no network. A throw or a late answer gives no choices. At most 25 are shown. */
  autocomplete?(typing: Typing, services: Services): readonly Choice[] | Promise<readonly Choice[]>;
}

export interface MessageEntry<Args> extends EntryBase<Args> {
  readonly first: "ephemeral" | "public";
  /** A picture follows later: its `signal` is aborted, too, when a press has changed the message meanwhile (`ChangedSince`). */
  readonly redraws?: boolean;
  /** Where the first answer depends on what was typed; `first` then only tells the usual one. */
  firstFor?(args: Args): "ephemeral" | "public";
  /** It sends commands to the game: its errors say whether one ran. */
  readonly runs?: boolean;
  /** The next step after a failure as a button, where there is one. */
  next?(failure: Failure, args: Args): Button | undefined;
  execute(invocation: Invocation<Args>, services: Services): Answer;
}

export interface FormEntry<Args> extends EntryBase<Args> {
  readonly first: "modal";
  /** At once: a form cannot follow another answer, so nothing may be awaited. A Failure is answered ephemerally. */
  form(invocation: Invocation<Args>, services: Services): Form;
}

export type Entry<Args = unknown> = MessageEntry<Args> | FormEntry<Args>;

/** Sub-commands of a sub-command: `/run preset add`. */
export interface Group {
  readonly description: string;
  readonly subcommands: Readonly<Record<string, Entry>>;
}

export interface MessageAction {
  /** "update": the message that was acted on is edited (its buttons stay until the reply replaces them). */
  readonly first: FirstAnswer;
  /** As of an entry. */
  readonly redraws?: boolean;
  /** Only for holders of Manage Guild: buttons outlive the permission of who got them. */
  readonly manageGuild?: boolean;
  /** It sends commands to the game: its errors say whether one ran. */
  readonly runs?: boolean;
  execute(press: Press, services: Services): Answer;
}

export interface FormAction {
  readonly first: "modal";
  readonly manageGuild?: boolean;
  form(press: Press, services: Services): Form;
}

export type Action = MessageAction | FormAction;

interface CommandBase {
  readonly name: string;
  readonly description: string;
  /** Shown to, and executed for, holders of Manage Guild only. Actions say so for themselves. */
  readonly manageGuild?: boolean;
  /** By the prefix of the custom_id before ":"; unique over all commands. */
  readonly actions?: Readonly<Record<string, Action>>;
}

interface SingleCommand extends CommandBase {
  readonly entry: Entry;
}

interface FamilyCommand extends CommandBase {
  readonly subcommands: Readonly<Record<string, Entry | Group>>;
}

export type Command = SingleCommand | FamilyCommand;

/** A command; its own type is kept, so that tests call `run.subcommands.command.execute(...)`. */
export function defineCommand<const C extends Command>(command: C): C {
  return command;
}

/** A sub-command, or the whole of a single command, that is answered by a message. */
export function defineEntry<Args>(entry: MessageEntry<Args>): MessageEntry<Args> {
  return entry;
}

/** A sub-command, or the whole of a single command, that is answered by a form. */
export function defineFormEntry<Args>(entry: FormEntry<Args>): FormEntry<Args> {
  return entry;
}

/** A button, select or form submission that is answered by a message. */
export function defineAction(action: MessageAction): MessageAction {
  return action;
}

/** A button or select that opens a form. */
export function defineFormAction(action: FormAction): FormAction {
  return action;
}
