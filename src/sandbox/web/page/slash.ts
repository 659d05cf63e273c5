import type { CommandView, OptionView } from "../protocol.ts";

/** A line that was written out: "/run command text: :h hello server: River City". Pure. */
export interface ParsedLine {
  readonly command: CommandView;
  /** By the option's name; as it was written. */
  readonly values: ReadonlyMap<string, string>;
  /** Words that belong to no option, since the command has none. */
  readonly tooMuch?: string;
}

/** The command whose name begins the line; of two that do, the longer. */
function commandOf(line: string, commands: readonly CommandView[]): CommandView | undefined {
  const written = line.replace(/^\//, "").trimStart();
  return commands
    .filter((command) => written === command.line || written.startsWith(`${command.line} `))
    .toSorted((a, b) => b.line.length - a.line.length)[0];
}

/** Reads names of options with a colon; words without a name go to the first option that must be given. */
export function parseLine(line: string, commands: readonly CommandView[]): ParsedLine | undefined {
  const command = commandOf(line, commands);
  if (command === undefined) return undefined;
  const rest = line.replace(/^\//, "").trimStart().slice(command.line.length).trim();
  const values = new Map<string, string>();
  const names = command.options.map(({ name }) => name);
  if (rest === "") return { command, values };
  const marks = namesIn(rest, names);
  const loose = rest.slice(0, marks[0]?.at ?? rest.length).trim();
  const first = command.options.find(({ required }) => required) ?? command.options[0];
  if (first === undefined) return { command, values, tooMuch: loose };
  if (loose !== "") values.set(first.name, loose);
  for (const [index, { name, at }] of marks.entries()) {
    const end = marks[index + 1]?.at ?? rest.length;
    values.set(name, rest.slice(at + name.length + 1, end).trim());
  }
  return { command, values };
}

/** Why a line is no command, in words: a subcommand that does not exist, one that is missing, or another name. */
export function whyUnknown(line: string, commands: readonly CommandView[]): string {
  const [name = "", ...rest] = line.replace(/^\//, "").trim().split(/\s+/);
  // The longest beginning that commands share: "/run preset nonsense" is about /run preset.
  const known = [name, `${name} ${rest[0] ?? ""}`].findLast((start) =>
    commands.some((command) => command.line.startsWith(`${start} `)),
  );
  if (known === undefined)
    return name === ""
      ? "Type the name of a command after the /."
      : `There is no command /${name} for you here. Type / to see all.`;
  const depth = known.split(" ").length;
  const words = commands
    .filter((command) => command.line.startsWith(`${known} `))
    .map((command) => command.line.split(" ")[depth] ?? "");
  const typed = [name, ...rest][depth];
  const wrong = typed === undefined ? "needs a subcommand" : `has no subcommand "${typed}"`;
  return `/${known} ${wrong}: ${[...new Set(words)].join(", ")}.`;
}

/** Where "name:" stands as a word of its own; each name counts once, so that a text may hold it again. */
function namesIn(
  rest: string,
  names: readonly string[],
): readonly { readonly name: string; readonly at: number }[] {
  return names
    .flatMap((name) => {
      const at = rest.startsWith(`${name}:`) ? 0 : rest.indexOf(` ${name}:`) + 1;
      return at === 0 && !rest.startsWith(`${name}:`) ? [] : [{ name, at }];
    })
    .toSorted((a, b) => a.at - b.at);
}

/** The commands that a beginning may mean, those that begin with it first. */
export function suggestions(typed: string, commands: readonly CommandView[]): readonly CommandView[] {
  const wanted = typed.replace(/^\//, "").toLowerCase().trim();
  const begins = commands.filter(({ line }) => line.startsWith(wanted));
  const holds = commands.filter(({ line }) => !line.startsWith(wanted) && line.includes(wanted));
  return [...begins, ...holds];
}

/** Those that must be given first, in the order of the command. */
export function missing(command: CommandView, given: ReadonlyMap<string, unknown>): OptionView | undefined {
  return command.options.find(({ name, required }) => required && !given.has(name));
}
