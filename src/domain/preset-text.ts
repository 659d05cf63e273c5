import { Failure } from "./failure.ts";
import type { Preset } from "./guild.ts";

/** The text of a preset: its placeholders, and the command that it becomes. Pure. */

const PLACEHOLDERS = ["player", "text", "number"] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** The placeholders of a text, each once. @throws Failure "bad-command" for one that there is not. */
export function placeholdersOf(preset: string): readonly Placeholder[] {
  const found = new Set<Placeholder>();
  for (const [, name] of preset.matchAll(/\{([^{}]*)\}/g)) {
    const known = PLACEHOLDERS.find((one) => one === name);
    if (known === undefined) {
      throw new Failure("bad-command", `{${name}} is not a placeholder. Use {player}, {text} or {number}.`);
    }
    found.add(known);
  }
  return [...found];
}

/** The command text with its values. @throws Failure "bad-command" when one is missing or not of its type. */
export function fillPreset(preset: string, values: Readonly<Partial<Record<Placeholder, string>>>): string {
  for (const name of placeholdersOf(preset)) {
    if (values[name] === undefined)
      throw new Failure("bad-command", `This preset needs ${name}:. Run it with /run preset use.`);
  }
  const { player } = values;
  if (player !== undefined && /\s/.test(player)) {
    // A space would make the rest of it the next argument.
    throw new Failure("bad-command", "A player's name has no spaces. Separate several with commas.");
  }
  // One pass: what a value holds is never taken for a placeholder.
  return preset.replace(/\{(player|text|number)\}/g, (whole, name: Placeholder) => values[name] ?? whole);
}

/** The text as far as its verb: whom it hits is not known before it is filled in. */
export function verbOf({ text: preset }: Preset): string {
  return /^:*\S*/u.exec(preset)?.[0] ?? preset;
}

/** The preset of that name, in any case. `next`: what else to do. @throws Failure "bad-command" */
export function presetNamed(all: readonly Preset[], name: string, next = nextWords(all, name)): Preset {
  const preset = all.find((one) => isNamed(one, name));
  if (preset === undefined) throw new Failure("bad-command", `There is no preset "${name}". ${next}`);
  return preset;
}

function nextWords(all: readonly Preset[], name: string): string {
  if (name.startsWith(":")) return "Send a command with /run command.";
  return all.length === 0
    ? "None are saved yet. A Manager can add one with /run preset save."
    : "/run preset list shows them.";
}

export function isNamed({ name }: Preset, wanted: string): boolean {
  return name.toLowerCase() === wanted.toLowerCase();
}
