import {
  type APIGuildMember,
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  type CommandInteractionOption,
  ComponentType,
  type GuildMember,
  type Interaction,
  type Message,
  type ModalSubmitInteraction,
  PermissionFlagsBits,
  PermissionsBitField,
} from "discord.js";
import { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { FormValues, NamedPerson, NamedRole, Options } from "../command.ts";
import { failureBody } from "../render/errors.ts";
import type { AnswerRests } from "./answer-rests.ts";
import type { Incoming, IncomingPress } from "./incoming.ts";
import { createInteractionResponder } from "./interaction-responder.ts";

/** Reads an interaction of discord.js as plain values. Undefined for kinds that we never register. */
export function readInteraction(interaction: Interaction, rests: AnswerRests): Incoming | undefined {
  const actor = actorOf(interaction);
  if (actor === undefined) return undefined;
  const answers = createInteractionResponder(rests, interaction);
  const { id } = interaction;
  if (interaction.isChatInputCommand()) {
    const { commandName: command, options } = interaction;
    return {
      id,
      kind: "command",
      command,
      path: pathOf(interaction),
      actor,
      answers,
      options: readOptions(options.data, actor.guildId, interaction.appPermissions),
    };
  }
  if (interaction.isAutocomplete()) {
    const { name, value } = interaction.options.getFocused(true);
    return {
      kind: "typing",
      command: interaction.commandName,
      path: pathOf(interaction),
      actor,
      answers,
      option: name,
      typed: String(value),
      options: readOptions(interaction.options.data, actor.guildId, interaction.appPermissions),
    };
  }
  const press = {
    id,
    kind: "press",
    actor,
    answers,
    values: [],
    form: EMPTY_FORM,
    messageId: undefined,
    messageOf: undefined,
  } as const;
  if (interaction.isMessageComponent()) {
    const values = "values" in interaction ? interaction.values : [];
    return { ...press, customId: interaction.customId, values, ...pressedOn(interaction.message) };
  }
  if (interaction.isModalSubmit()) {
    const on = interaction.message === null ? {} : pressedOn(interaction.message);
    return { ...press, customId: interaction.customId, form: readForm(interaction), ...on };
  }
  return undefined;
}

function pressedOn({ id, interactionMetadata }: Message): Pick<IncomingPress, "messageId" | "messageOf"> {
  return { messageId: id, messageOf: interactionMetadata?.id };
}

/** Answers outside a guild, where no command works: without an answer Discord would show a failure. */
export async function answerOutsideGuild(interaction: Interaction, rests: AnswerRests): Promise<void> {
  if (interaction.isAutocomplete()) return createInteractionResponder(rests, interaction).choices([]);
  const failure = new Failure("denied", "Marshal works in Discord servers, not in direct messages.");
  const body = failureBody(failure, { reference: interaction.id });
  await createInteractionResponder(rests, interaction).replyPrivately(body);
}

function actorOf(interaction: Interaction): Actor | undefined {
  const { guildId, channelId, member, user } = interaction;
  if (guildId === null || channelId === null || member === null) return undefined;
  return {
    userId: user.id,
    userName: user.username,
    guildId,
    channelId,
    roleIds: roleIdsOf(member, guildId),
    manageGuild: interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild) ?? false,
    askedAtMs: interaction.createdTimestamp,
  };
}

function pathOf({ options }: ChatInputCommandInteraction | AutocompleteInteraction): string {
  return [options.getSubcommandGroup(false), options.getSubcommand(false)]
    .filter((part) => part !== null)
    .join(" ");
}

/** Options of the innermost sub-command. */
function innermostOptions(data: readonly CommandInteractionOption[]): readonly CommandInteractionOption[] {
  const inner = data[0]?.options;
  return inner === undefined ? data : innermostOptions(inner);
}

function readOptions(
  data: readonly CommandInteractionOption[],
  guildId: string,
  own: Readonly<PermissionsBitField>,
): Options {
  const given = new Map(innermostOptions(data).map((option) => [option.name, option]));
  function typedValue(name: string, of: "string" | "number" | "boolean", required?: boolean) {
    const value = given.get(name)?.value;
    if (value === undefined && !required) return undefined;
    if (typeof value !== of) throw new TypeError(`option "${name}" is ${typeof value}, not ${of}`);
    return value;
  }
  const string = (name: string, required?: boolean) => {
    const value = typedValue(name, "string", required);
    return value === undefined ? undefined : String(value);
  };
  const number = (name: string, required?: boolean) => {
    const value = typedValue(name, "number", required);
    return value === undefined ? undefined : Number(value);
  };
  const boolean = (name: string) => {
    const value = typedValue(name, "boolean");
    return value === undefined ? undefined : value === true;
  };
  // Overloads promise a value where it is required; typedValue has thrown where there is none.
  return {
    string,
    number,
    boolean,
    id: string,
    person: (name) => personOf(given.get(name), guildId),
    role: (name) => roleOf(given.get(name), own, guildId),
  } as Options;
}

function roleOf(
  option: CommandInteractionOption | undefined,
  own: Readonly<PermissionsBitField>,
  guildId: string,
): NamedRole | undefined {
  if (!option?.role) return undefined;
  const { id, mentionable } = option.role;
  // Its id is the guild's. Every option that takes a role is for a ping, and Marshal pings nobody by the hundred.
  if (id === guildId) {
    throw new Failure("bad-command", "Marshal never pings @everyone. Choose a role.");
  }
  return { roleId: id, pingable: mentionable || own.has(PermissionFlagsBits.MentionEveryone) };
}

function personOf(option: CommandInteractionOption | undefined, guildId: string): NamedPerson | undefined {
  if (option?.user === undefined) return undefined;
  const { user, member } = option;
  const person = { userId: user.id, userName: user.username };
  if (!member) return { ...person, roleIds: [], manageGuild: false };
  const permissions =
    typeof member.permissions === "string"
      ? new PermissionsBitField(BigInt(member.permissions))
      : member.permissions;
  return {
    ...person,
    roleIds: roleIdsOf(member, guildId),
    manageGuild: permissions.has(PermissionFlagsBits.ManageGuild),
  };
}

/** Leaves out @everyone, whose id is the guild's: a tier for it would make every member staff. */
function roleIdsOf(
  member: Pick<APIGuildMember, "roles"> | Pick<GuildMember, "roles">,
  guildId: string,
): string[] {
  const roles = "cache" in member.roles ? [...member.roles.cache.keys()] : member.roles;
  return roles.filter((id) => id !== guildId);
}

const EMPTY_FORM: FormValues = { text: () => "", chosen: () => [] };

function readForm(interaction: ModalSubmitInteraction): FormValues {
  const { fields } = interaction.fields;
  return {
    text(id) {
      const field = fields.get(id);
      return field?.type === ComponentType.TextInput ? field.value : "";
    },
    chosen(id) {
      const field = fields.get(id);
      return field !== undefined && "values" in field ? field.values : [];
    },
  };
}
