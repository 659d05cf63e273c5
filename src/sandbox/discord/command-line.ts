/** What a person types after "/": found among the registered commands and checked as Discord's client checks it. */
import { isThread } from "./channel.ts";
import { partialMemberJson, roleJson, userJson } from "./serialize.ts";
import type { Channel, Guild, Member, Value } from "./types.ts";
import { ChannelKind, type Command, type CommandOption } from "./wire.ts";
import type { World } from "./world.ts";

export type Options = Readonly<Record<string, Value>>;

export interface Resolved {
  readonly users: Record<string, unknown>;
  readonly members: Record<string, unknown>;
  readonly roles: Record<string, unknown>;
  readonly channels: Record<string, unknown>;
}

/** The `data` of an interaction. */
export interface CommandData {
  readonly id: string;
  readonly type: number;
  readonly name: string;
  readonly guild_id?: string;
  readonly options: readonly unknown[];
  readonly resolved?: Partial<Resolved>;
}

/** The commands that a member is shown in a channel: a guild's own before global ones, by permissions and context. */
export function visibleCommands(world: World, member: Member, channel: Channel): readonly Command[] {
  const guild = channel.guild;
  if (guild === undefined || !guild.hasBot || !member.may("ViewChannel", channel)) return [];
  if (!member.may("UseApplicationCommands", channel)) return [];
  const own = world.commands.get(guild.id) ?? [];
  const global = (world.commands.get("") ?? []).filter((one) => !own.some((other) => sameName(one, other)));
  return [...own, ...global].filter((command) => {
    const inGuilds = command.contexts?.includes(0) ?? true;
    return command.type === 1 && inGuilds && allows(command, member, channel);
  });
}

function sameName(a: Command, b: Command): boolean {
  return a.name === b.name && a.type === b.type;
}

function allows(command: Command, member: Member, channel: Channel): boolean {
  if (command.default_member_permissions === null || member.may("Administrator", channel)) return true;
  const needed = BigInt(command.default_member_permissions);
  // "0" means: for administrators only.
  return needed !== 0n && (member.permissionsIn(channel) & needed) === needed;
}

/** Turns "server status" and its options into the data of an interaction. Throws on what the client would not send. */
export function commandData(
  world: World,
  member: Member,
  channel: Channel,
  line: string,
  values: Options,
  focused?: string,
): CommandData {
  const [name, ...path] = line.trim().replace(/^\//, "").split(/\s+/);
  const command = visibleCommands(world, member, channel).find((one) => one.name === name);
  if (command === undefined)
    throw new Error(`/${name ?? ""} is ${whyNot(world, channel, name)} to ${member.displayName}`);
  const resolved: Resolved = { users: {}, members: {}, roles: {}, channels: {} };
  const reader = new OptionReader(world, channel, resolved, focused);
  const options = reader.walk(command.options ?? [], path, values, `/${line}`);
  const filled = Object.entries(resolved).filter(([, entries]) => Object.keys(entries).length > 0);
  return {
    id: command.id,
    type: command.type,
    name: command.name,
    ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }),
    options,
    ...(filled.length === 0 ? {} : { resolved: Object.fromEntries(filled) }),
  };
}

function whyNot(world: World, channel: Channel, name: string | undefined): string {
  const known = [...(world.commands.get("") ?? []), ...(world.commands.get(channel.guild?.id ?? "") ?? [])];
  return known.some((one) => one.name === name) ? "not visible" : "not a registered command, so unknown";
}

class OptionReader {
  readonly #world: World;
  readonly #channel: Channel;
  readonly #resolved: Resolved;
  readonly #focused: string | undefined;

  constructor(world: World, channel: Channel, resolved: Resolved, focused: string | undefined) {
    this.#world = world;
    this.#channel = channel;
    this.#resolved = resolved;
    this.#focused = focused;
  }

  walk(
    defined: readonly CommandOption[],
    path: readonly string[],
    values: Options,
    line: string,
  ): readonly unknown[] {
    const isParent = defined.some((option) => option.type <= 2);
    if (!isParent && path.length === 0) return this.#leaves(defined, values, line);
    const next = defined.find((option) => option.type <= 2 && option.name === path[0]);
    if (next === undefined) throw new Error(`${line}: there is no sub-command ${path[0] ?? "(none given)"}`);
    const options = this.walk(next.options ?? [], path.slice(1), values, line);
    return [{ type: next.type, name: next.name, options }];
  }

  #leaves(defined: readonly CommandOption[], values: Options, line: string): readonly unknown[] {
    for (const name of Object.keys(values)) {
      if (!defined.some((option) => option.name === name)) throw new Error(`${line} has no option ${name}`);
    }
    // While someone still types, required options may be missing.
    const isTyping = this.#focused !== undefined;
    return defined.flatMap((option) => {
      const value = values[option.name];
      if (value !== undefined) return [this.#leaf(option, value, line)];
      if (option.required === true && !isTyping) throw new Error(`${line} needs the option ${option.name}`);
      if (this.#focused === option.name) return [this.#leaf(option, "", line)];
      return [];
    });
  }

  #leaf(option: CommandOption, value: Value, line: string): unknown {
    const base = { type: option.type, name: option.name };
    if (this.#focused === option.name) {
      if (option.autocomplete !== true) throw new Error(`${line}: ${option.name} has no autocompletion`);
      return { ...base, value: String(value), focused: true };
    }
    return { ...base, value: this.#read(option, value, `${line} ${option.name}`) };
  }

  #read(option: CommandOption, value: Value, where: string): string | number | boolean {
    switch (option.type) {
      case 3:
        return readText(option, value, where);
      case 4:
      case 10:
        return readNumber(option, value, where);
      case 5:
        if (typeof value !== "boolean") throw new Error(`${where} is a yes or no`);
        return value;
      default:
        return resolveId(this.#world, this.#channel, this.#resolved, option, value, where);
    }
  }
}

function readText(option: CommandOption, value: Value, where: string): string {
  if (typeof value !== "string") throw new Error(`${where} is a text`);
  const length = [...value].length;
  if (length < (option.min_length ?? 0) || length > (option.max_length ?? 6000))
    throw new Error(
      `${where} must have ${option.min_length ?? 0} to ${option.max_length ?? 6000} characters`,
    );
  return chosen(option, value, where);
}

function readNumber(option: CommandOption, value: Value, where: string): number {
  if (typeof value !== "number") throw new Error(`${where} is a number`);
  if (option.type === 4 && !Number.isInteger(value)) throw new Error(`${where} is a whole number`);
  if (value < (option.min_value ?? -Infinity) || value > (option.max_value ?? Infinity))
    throw new Error(`${where} is out of range`);
  return chosen(option, value, where);
}

/** A choice may be named by its name or its value; the value is sent. */
function chosen<T extends string | number>(option: CommandOption, value: T, where: string): T {
  const choices = option.choices ?? [];
  if (choices.length === 0) return value;
  const found = choices.find((choice) => choice.value === value || choice.name === value);
  if (found === undefined || typeof found.value !== typeof value)
    throw new Error(`${where}: ${value} is not one of its choices`);
  return found.value as T;
}

interface Wanted {
  readonly type: number;
  readonly channel_types?: readonly number[] | undefined;
}

/** Notes a user, role or channel in `resolved` and gives its id. Types as in command options: 6 user, 7 channel, 8 role, 9 user or role. */
export function resolveId(
  world: World,
  channel: Channel,
  resolved: Resolved,
  wanted: Wanted,
  value: Value,
  where: string,
): string {
  const id = typeof value === "object" ? value.id : String(value);
  const guild = channel.guild;
  if (guild === undefined) throw new Error(`${where}: only in a guild`);
  if (wanted.type === 7) return resolveChannel(resolved, guild, wanted, id, where);
  const role = wanted.type === 8 || wanted.type === 9 ? guild.roles.find((one) => one.id === id) : undefined;
  if (role !== undefined) {
    resolved.roles[id] = roleJson(role);
    return id;
  }
  const user = wanted.type === 6 || wanted.type === 9 ? world.users.get(id) : undefined;
  if (user === undefined) throw new Error(`${where}: there is no such role or user: ${id}`);
  resolved.users[id] = userJson(user);
  const member = guild.members.find((one) => one.id === id);
  if (member !== undefined) resolved.members[id] = partialMemberJson(member, channel);
  return id;
}

function resolveChannel(resolved: Resolved, guild: Guild, wanted: Wanted, id: string, where: string): string {
  const found = guild.channels.find((one) => one.id === id);
  if (found === undefined) throw new Error(`${where}: there is no channel ${id}`);
  const type = ChannelKind[found.type];
  const types = wanted.channel_types ?? [];
  if (types.length > 0 && !types.includes(type))
    throw new Error(`${where}: #${found.name} has the wrong type`);
  resolved.channels[id] = {
    id,
    type,
    name: found.name,
    parent_id: found.parent?.id ?? null,
    permissions: String(guild.bot.permissionsIn(found)),
    ...(isThread(found)
      ? { thread_metadata: { archived: found.archived, locked: found.locked, auto_archive_duration: 4320 } }
      : {}),
  };
  return id;
}
