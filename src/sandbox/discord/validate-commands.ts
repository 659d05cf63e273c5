import { type Path, Problems } from "./errors.ts";
import { boolean, defined, integer, isRecord, lengthOf, list, type Raw, required, text } from "./form.ts";
import type { Choice, Command, CommandOption } from "./wire.ts";

const namePattern = /^[-_'\p{L}\p{N}\p{Script=Devanagari}\p{Script=Thai}]{1,32}$/u;
const maxCommandCharacters = 8_000;

/** A command as a request defines it: all but ids and version. */
export type CommandForm = Omit<Command, "id" | "application_id" | "version" | "guild_id">;

/** Reads one command definition; `path` says where it stands in the body. */
export function readCommand(problems: Problems, raw: unknown, path: Path): CommandForm {
  const source = isRecord(raw) ? raw : {};
  const at = (name: string): Path => [...path, name];
  const type = integer(problems, source.type, at("type"), { min: 1, max: 4 }) ?? 1;
  const options = readOptions(problems, source.options, at("options"));
  const permissions = source.default_member_permissions;
  const command = defined({
    type,
    name:
      type === 1
        ? readName(problems, source.name, at("name"))
        : (text(problems, source.name, at("name"), { min: 1, max: 32, required: true }) ?? ""),
    description:
      type === 1
        ? (text(problems, source.description, at("description"), { min: 1, max: 100, required: true }) ?? "")
        : "",
    options,
    default_member_permissions:
      permissions === undefined || permissions === null ? null : String(permissions),
    dm_permission: boolean(problems, source.dm_permission, at("dm_permission")),
    nsfw: boolean(problems, source.nsfw, at("nsfw")) ?? false,
    contexts: source.contexts === null ? null : readNumbers(source.contexts),
    integration_types: readNumbers(source.integration_types) ?? [0],
  });
  if (command.default_member_permissions !== null && !/^\d+$/.test(command.default_member_permissions))
    problems.add(
      at("default_member_permissions"),
      "PERMISSION_TYPE_CONVERT",
      "Permissions must be a number.",
    );
  if (charactersOf(command.name, command.description, options) > maxCommandCharacters)
    problems.add(
      path,
      "APPLICATION_COMMAND_TOO_LARGE",
      `Command exceeds maximum size (${maxCommandCharacters})`,
    );
  return command;
}

/** Reads the whole list of a bulk overwrite. Throws 50035. */
export function readCommands(raw: unknown): readonly CommandForm[] {
  const problems = new Problems();
  const commands = (list(problems, raw, [], { max: 130 }) ?? []).map((item, index) =>
    readCommand(problems, item, [index]),
  );
  noDuplicates(
    problems,
    commands,
    [],
    "APPLICATION_COMMANDS_DUPLICATE_NAME",
    "Application command names must be unique",
  );
  problems.throwIfAny();
  return commands;
}

function readNumbers(raw: unknown): readonly number[] | undefined {
  return Array.isArray(raw) ? raw.filter((one) => typeof one === "number") : undefined;
}

function readName(problems: Problems, raw: unknown, path: Path): string {
  const name = text(problems, raw, path, { min: 1, max: 32, required: true });
  if (name === undefined) return "";
  if (!namePattern.test(name) || name !== name.toLowerCase())
    problems.add(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
  return name;
}

function readOptions(problems: Problems, raw: unknown, path: Path): readonly CommandOption[] | undefined {
  const items = list(problems, raw, path, { max: 25 });
  if (items === undefined) return undefined;
  const options = items.map((item, index) =>
    readOption(problems, isRecord(item) ? item : {}, [...path, index]),
  );
  noDuplicates(
    problems,
    options,
    path,
    "APPLICATION_COMMAND_OPTIONS_NAME_INVALID",
    "Option names must be unique",
  );
  const groups = options.filter((option) => option.type <= 2).length;
  if (groups > 0 && groups < options.length)
    problems.add(
      path,
      "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
      "Sub-command and sub-command group option types are mutually exclusive to all other types",
    );
  options.forEach((option, index) => {
    const earlier = options.slice(0, index);
    if (option.required === true && earlier.some((one) => one.type > 2 && one.required !== true))
      problems.add(
        [...path, index],
        "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
        "Required options must be placed before non-required options",
      );
  });
  return options;
}

function readOption(problems: Problems, raw: Raw, path: Path): CommandOption {
  const at = (name: string): Path => [...path, name];
  const type = integer(problems, raw.type, at("type"), { min: 1, max: 11, required: true }) ?? 3;
  const numeric = type === 4 || type === 10;
  const choices =
    type === 3 || numeric ? readChoices(problems, raw.choices, at("choices"), numeric) : undefined;
  const autocomplete = boolean(problems, raw.autocomplete, at("autocomplete"));
  if (autocomplete === true && (choices ?? []).length > 0)
    problems.add(
      at("autocomplete"),
      "APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE",
      "Options with autocomplete cannot have choices",
    );
  return defined({
    type,
    name: readName(problems, raw.name, at("name")),
    description:
      text(problems, raw.description, at("description"), { min: 1, max: 100, required: true }) ?? "",
    required: boolean(problems, raw.required, at("required")),
    autocomplete,
    choices,
    options: type <= 2 ? readOptions(problems, raw.options, at("options")) : undefined,
    channel_types: type === 7 ? readNumbers(raw.channel_types) : undefined,
    min_value: numeric && typeof raw.min_value === "number" ? raw.min_value : undefined,
    max_value: numeric && typeof raw.max_value === "number" ? raw.max_value : undefined,
    min_length:
      type === 3 ? integer(problems, raw.min_length, at("min_length"), { min: 0, max: 6000 }) : undefined,
    max_length:
      type === 3 ? integer(problems, raw.max_length, at("max_length"), { min: 1, max: 6000 }) : undefined,
  });
}

/** At most 25 choices; a name has 1 to 100 characters, a text value at most 100. Autocompletion answers with the same. */
export function readChoices(
  problems: Problems,
  raw: unknown,
  path: Path,
  numeric: boolean,
): readonly Choice[] | undefined {
  return list(problems, raw, path, { max: 25 })?.map((item, index) => {
    const source = isRecord(item) ? item : {};
    const name =
      text(problems, source.name, [...path, index, "name"], { min: 1, max: 100, required: true }) ?? "";
    const at = [...path, index, "value"];
    if (numeric && typeof source.value === "number") return { name, value: source.value };
    if (source.value === undefined) required(problems, at);
    return { name, value: text(problems, source.value, at, { max: 100 }) ?? "" };
  });
}

function noDuplicates(
  problems: Problems,
  named: readonly { readonly name: string }[],
  path: Path,
  code: string,
  message: string,
): void {
  const seen = new Set<string>();
  named.forEach((one, index) => {
    if (one.name !== "" && seen.has(one.name)) problems.add([...path, index, "name"], code, message);
    seen.add(one.name);
  });
}

function charactersOf(
  name: string,
  description: string,
  options: readonly CommandOption[] | undefined,
): number {
  let sum = lengthOf(name) + lengthOf(description);
  for (const option of options ?? []) {
    sum += charactersOf(option.name, option.description, option.options);
    for (const choice of option.choices ?? []) sum += lengthOf(choice.name) + lengthOf(String(choice.value));
  }
  return sum;
}
