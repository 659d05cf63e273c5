import { Failure } from "./failure.ts";
import type { Binding } from "./guild.ts";
import type { ServerState } from "./model.ts";

/** The name of a linked server within its guild: short enough to be typed, and different from the others. */

const LONGEST_NAME = 40;
/** Invisible characters: two names that differ by them alone look the same. */
const UNSEEN = /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const BREAKS = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu;

interface Named {
  readonly name: string;
}

/** A name for a server that is linked now, from its own name: cut at a word, numbered where the guild has it already. */
export function uniqueName(serverName: string, others: readonly Named[]): string {
  const name = shortened(serverName) || "Server";
  if (isFree(name, others)) return name;
  for (let number = 2; ; number++) {
    const numbered = `${name} ${number}`;
    if (isFree(numbered, others)) return numbered;
  }
}

/** The name that somebody chose. Failure "bad-command" where nothing of it shows or another server has it. */
export function renamed(wanted: string, others: readonly Named[]): string {
  const name = clean(wanted);
  if (name === "") throw new Failure("bad-command", "A name needs letters or digits.");
  if ([...name].length > LONGEST_NAME) {
    throw new Failure("bad-command", `A name can have at most ${LONGEST_NAME} characters.`);
  }
  if (!isFree(name, others)) {
    throw new Failure("bad-command", "Another server here already has that name. Choose a different one.");
  }
  return name;
}

function isFree(name: string, others: readonly Named[]): boolean {
  const wanted = clean(name).toLowerCase();
  return others.every((one) => clean(one.name).toLowerCase() !== wanted);
}

function clean(text: string): string {
  return text.replace(BREAKS, " ").replace(UNSEEN, "").trim();
}

function shortened(text: string): string {
  const characters = [...clean(text)];
  if (characters.length <= LONGEST_NAME) return characters.join("");
  const start = characters.slice(0, LONGEST_NAME).join("");
  const wordEnd = start.lastIndexOf(" ");
  const kept = wordEnd > 0 ? start.slice(0, wordEnd) : start;
  return withoutEnd(kept) || kept.trim();
}

/** Without the marks at its end; read backwards, so that a long run of them is looked at once. */
function withoutEnd(text: string): string {
  const characters = [...text];
  while (/^[\s\p{P}|]$/u.test(characters.at(-1) ?? "")) characters.pop();
  return characters.join("");
}

/** The state under the name by which people here choose the server: two may have the same name in the game. */
export function underItsName(state: ServerState, { name }: Pick<Binding, "name">): ServerState {
  return { ...state, status: { ...state.status, name } };
}
