import type { Failure } from "../../domain/failure.ts";
import type { Button } from "../../domain/message.ts";
import type { Answer, Entry, FirstAnswer, Invocation, MessageEntry, Options } from "../command.ts";
import type { Services } from "../services.ts";

const OPTION = "server";

/** The work that follows the first answer. */
export interface AnswerJob {
  readonly first: FirstAnswer;
  readonly work: () => Answer;
  readonly next: (failure: Failure) => Button | undefined;
  /** It sends commands to the game. */
  readonly runs?: boolean | undefined;
}

/** A command as it was typed. */
export interface TypedCommand {
  readonly entry: MessageEntry<unknown>;
  readonly options: Options;
  /** What an execution gets besides its arguments. */
  readonly on: Omit<Invocation<unknown>, "args">;
  /** The next step after a failure where the command itself names none. */
  readonly next: (failure: Failure, serverId: string | undefined) => Button | undefined;
}

interface JobParts {
  readonly services: Services;
  readonly typed: TypedCommand;
  readonly args: unknown;
  readonly first: FirstAnswer;
  readonly serverId: string | undefined;
}

/** The job of a command whose arguments are known. */
export function jobOf({ services, typed, args, first, serverId }: JobParts): AnswerJob {
  const { entry, on, next } = typed;
  return {
    first,
    work: () => entry.execute({ ...on, args }, services),
    next: (failure) => entry.next?.(failure, args) ?? next(failure, serverId),
    runs: entry.runs,
  };
}

/** A command with an option `server` is about one server, unless the option only narrows a search. */
export function needsServer(entry: Entry): boolean {
  if (entry.first === "modal" || entry.serverIsFilter === true) return false;
  return (entry.options ?? []).some(({ name }) => name === OPTION);
}

/** The server that the person named. */
export function givenServer(entry: Entry, options: Options): string | undefined {
  return needsServer(entry) ? options.string(OPTION) : undefined;
}

/** Who sees the first answer. */
export function firstOf(entry: MessageEntry<unknown>, args: unknown): "ephemeral" | "public" {
  return entry.firstFor?.(args) ?? entry.first;
}

/** The same options with that server. */
export function withServer(options: Options, bindingId: string): Options {
  const string = (name: string, required?: true) =>
    name === OPTION ? bindingId : required ? options.string(name, true) : options.string(name);
  // The overloads of `string` promise a value where it is required; the options below keep that promise.
  return { ...options, string: string as Options["string"] };
}
