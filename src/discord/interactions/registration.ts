import { createHash } from "node:crypto";
import { type REST, Routes } from "discord.js";
import type { Documents } from "../../domain/ports/documents.ts";
import type { Command } from "../command.ts";
import { type CommandRegistry, createCommandRegistry } from "./command-registry.ts";

type Definitions = CommandRegistry["definitions"];

/** The hash of a list of commands as Discord gets it; a changed list has another hash. */
export function definitionsHash(definitions: Definitions): string {
  return createHash("sha256").update(JSON.stringify(definitions)).digest("hex");
}

/** The application that a token belongs to. */
export async function ownApplicationId(rest: REST): Promise<string> {
  const found = await rest.get(Routes.currentApplication());
  if (typeof found === "object" && found !== null && "id" in found && typeof found.id === "string")
    return found.id;
  throw new TypeError("Discord did not say which application the token belongs to");
}

/** A command as Discord has it. */
interface RegisteredCommand {
  readonly name: string;
  readonly id: string;
  /** Another one after each change. */
  readonly version?: unknown;
}

/** Replaces all global commands of the application. Returns what Discord has now, and the hash of what it was given. */
export async function register(
  rest: REST,
  applicationId: string,
  commands: readonly Command[],
): Promise<{ readonly now: readonly RegisteredCommand[]; readonly hash: string }> {
  const { definitions } = createCommandRegistry(commands);
  const answer = await rest.put(Routes.applicationCommands(applicationId), { body: definitions });
  return { now: commandsIn(answer), hash: definitionsHash(definitions) };
}

export interface Registration {
  readonly rest: REST;
  readonly applicationId: string;
  readonly commands: readonly Command[];
  /** What Discord has, by `registeredCommands`. */
  readonly found: readonly RegisteredCommand[] | undefined;
  /** The mark of what was registered last, by application id. */
  readonly registered: Documents<string>;
}

/**
 * Registers the commands when they differ from those that were registered last, or when Discord has others by now: a store that was
 * put back does not know what a newer version registered. Discord allows few registrations a day, and each makes clients reload.
 * Returns what Discord has then; undefined where nothing had changed.
 */
export async function registerWhenChanged({
  rest,
  applicationId,
  commands,
  found,
  registered,
}: Registration): Promise<readonly RegisteredCommand[] | undefined> {
  const hash = definitionsHash(createCommandRegistry(commands).definitions);
  const mark = (await registered.get(applicationId)) ?? "";
  if (found === undefined ? mark.startsWith(hash) : mark === markOf(hash, found)) return undefined;
  const { now } = await register(rest, applicationId, commands);
  await registered.set(applicationId, markOf(hash, now));
  return now;
}

/** The registered commands; undefined where Discord does not tell them. */
export async function registeredCommands(
  rest: REST,
  applicationId: string,
): Promise<readonly RegisteredCommand[] | undefined> {
  return await rest.get(Routes.applicationCommands(applicationId)).then(commandsIn, () => undefined);
}

/** Of what was given, and of what Discord made of it. */
function markOf(hash: string, commands: readonly RegisteredCommand[]): string {
  const list = commands.map(({ id, version }) => `${id}:${version}`).sort();
  return `${hash} ${createHash("sha256").update(list.join()).digest("hex")}`;
}

function commandsIn(answer: unknown): readonly RegisteredCommand[] {
  return (Array.isArray(answer) ? answer : []).filter(isNamed);
}

function isNamed(value: unknown): value is RegisteredCommand {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    "id" in value &&
    typeof value.id === "string"
  );
}

/** For the store: checks a mark on reading. */
export function parseRegistered(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("a mark of registered commands is not a string");
  return value;
}
