import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from "discord.js";
import type { Action, Command, Entry, Group } from "../command.ts";

/** The commands by what an interaction names: one list serves dispatch and registration. */
export interface CommandRegistry {
  entry(command: string, path: string): { readonly entry: Entry; readonly manageGuild: boolean } | undefined;
  /** Finds an action by a custom_id: its name stands before the first ":", its argument after it. */
  action(
    customId: string,
  ): { readonly action: Action; readonly argument: string; readonly name: string } | undefined;
  readonly definitions: readonly RESTPostAPIChatInputApplicationCommandsJSONBody[];
}

/** Throws where two commands or two actions have one name: the second could never be reached. */
export function createCommandRegistry(commands: readonly Command[]): CommandRegistry {
  const entries = new Map<string, { entry: Entry; manageGuild: boolean }>();
  const actions = new Map<string, Action>();
  for (const command of commands) {
    for (const [path, entry] of entriesOf(command)) {
      addOnce(entries, pathKey(command.name, path), { entry, manageGuild: command.manageGuild === true });
    }
    for (const [name, action] of Object.entries(command.actions ?? {})) addOnce(actions, name, action);
  }
  return {
    entry: (command, path) => entries.get(pathKey(command, path)),
    action(customId) {
      const colon = customId.indexOf(":");
      const name = colon < 0 ? customId : customId.slice(0, colon);
      const action = actions.get(name);
      return action && { action, name, argument: colon < 0 ? "" : customId.slice(colon + 1) };
    },
    definitions: commands.map(definition),
  };
}

function addOnce<T>(into: Map<string, T>, name: string, value: T): void {
  if (into.has(name)) throw new Error(`two commands or actions are named "${name}"`);
  into.set(name, value);
}

function pathKey(command: string, path: string): string {
  return path === "" ? command : `${command} ${path}`;
}

function* entriesOf(command: Command): Generator<readonly [path: string, entry: Entry]> {
  if ("entry" in command) {
    yield ["", command.entry];
    return;
  }
  for (const [name, part] of Object.entries(command.subcommands)) {
    if (!isGroup(part)) yield [name, part];
    else for (const [inner, entry] of Object.entries(part.subcommands)) yield [`${name} ${inner}`, entry];
  }
}

function isGroup(part: Entry | Group): part is Group {
  return "subcommands" in part;
}

function definition(command: Command): RESTPostAPIChatInputApplicationCommandsJSONBody {
  return {
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    description: command.description,
    default_member_permissions: command.manageGuild ? String(PermissionFlagsBits.ManageGuild) : null,
    contexts: [InteractionContextType.Guild],
    integration_types: [ApplicationIntegrationType.GuildInstall],
    options:
      "entry" in command
        ? basicOptions(command.entry)
        : Object.entries(command.subcommands).map(([name, part]) => subcommand(name, part)),
  };
}

function subcommand(name: string, part: Entry | Group): APIApplicationCommandOption {
  if (!isGroup(part)) {
    const { description } = part;
    return { type: ApplicationCommandOptionType.Subcommand, name, description, options: basicOptions(part) };
  }
  return {
    type: ApplicationCommandOptionType.SubcommandGroup,
    name,
    description: part.description,
    options: Object.entries(part.subcommands).map(([inner, entry]) => ({
      type: ApplicationCommandOptionType.Subcommand,
      name: inner,
      description: entry.description,
      options: basicOptions(entry),
    })),
  };
}

function basicOptions(entry: Entry): APIApplicationCommandBasicOption[] {
  return [...(entry.options ?? [])];
}
