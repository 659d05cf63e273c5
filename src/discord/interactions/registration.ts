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

/** Replaces all global commands of the application. Returns how many there are now. */
export async function register(
  rest: REST,
  applicationId: string,
  commands: readonly Command[],
): Promise<{ readonly count: number; readonly hash: string }> {
  const { definitions } = createCommandRegistry(commands);
  await rest.put(Routes.applicationCommands(applicationId), { body: definitions });
  return { count: definitions.length, hash: definitionsHash(definitions) };
}

export interface Registration {
  readonly rest: REST;
  readonly applicationId: string;
  readonly commands: readonly Command[];
  /** The hash of the definitions that were registered last, by application id. */
  readonly registered: Documents<string>;
}

/**
 * Registers the commands when they differ from those that were registered last. Discord allows few registrations a day,
 * and each makes clients reload. Returns whether it did.
 */
export async function registerWhenChanged({
  rest,
  applicationId,
  commands,
  registered,
}: Registration): Promise<boolean> {
  const hash = definitionsHash(createCommandRegistry(commands).definitions);
  if ((await registered.get(applicationId)) === hash) return false;
  await register(rest, applicationId, commands);
  await registered.set(applicationId, hash);
  return true;
}

/** The ids of the registered commands by name; none where Discord does not tell them: mentions are then plain text. */
export async function registeredIds(rest: REST, applicationId: string): Promise<ReadonlyMap<string, string>> {
  const found: unknown = await rest.get(Routes.applicationCommands(applicationId)).catch(() => []);
  const list: readonly unknown[] = Array.isArray(found) ? found : [];
  return new Map(list.filter(isNamed).map(({ name, id }) => [name, id]));
}

function isNamed(value: unknown): value is { readonly name: string; readonly id: string } {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    "id" in value &&
    typeof value.id === "string"
  );
}

/** For the store: checks a hash on reading. */
export function parseRegistered(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("a registered hash is not a string");
  return value;
}
