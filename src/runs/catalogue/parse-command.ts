import { isMassWord } from "../../domain/command-hits.ts";
import { commandParts, targetsIn } from "../../domain/command-names.ts";
import { Failure } from "../../domain/failure.ts";
import type { ParsedCommand } from "../../domain/run.ts";
import { findVerb, leadsSomewhere, UNKNOWN_AIM } from "./verbs.ts";

/** Control characters, line breaks of every kind, marks that turn the direction of text, and halves of a character. */
const REFUSED_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

/**
 * Invisible characters. In free text they join emoji. In a verb or a name they make a text that looks like another one,
 * and a rule or a protection would miss it.
 */
const UNSEEN_CHARACTERS = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** A longer text is warned of; the game's own limit is not known (spec: Limits 9). */
export const WARNED_CHARACTERS = 500;

/**
 * Reads a command text, which is sent as it was typed. Pure.
 * @throws Failure "bad-command": no colon, no verb, control characters, invisible ones in a verb or a name, an empty
 * name among the targets.
 */
export function parseCommand(text: string): ParsedCommand {
  if (text === "") throw new Failure("bad-command", "There is no command. Write one like :h Welcome.");
  if (REFUSED_CHARACTERS.test(text)) {
    throw new Failure("bad-command", "The command has line breaks or invisible characters.");
  }
  if (!text.startsWith(":")) {
    // Discord takes a text of invisible characters alone; to suggest it with a colon would say nothing.
    const plain = text.trim();
    const isVerb = findVerb(/^\S*/u.exec(plain)?.[0]?.toLowerCase() ?? "") !== undefined;
    const said = isVerb ? `Did you mean :${plain}?` : `To say it to everyone, write :h ${plain}`;
    const meant = /[\p{L}\p{N}]/u.test(text) ? said : "Write one like :h Welcome.";
    throw new Failure("bad-command", `A command starts with a colon. ${meant}`);
  }
  // The game may skip further colons: "::kick" must not pass as a verb that no rule names.
  const [start = "", name] = /^:+([^\s:]\S*)?/u.exec(text) ?? [];
  if (name === undefined) throw new Failure("bad-command", nothingAfterColon(text));
  const typed = name.toLowerCase();
  const verb = findVerb(typed);
  const after = text.slice(start.length).trimStart();
  // An unknown verb may hit the players that its first word names, so that word is read as targets.
  const hits = verb === undefined || verb.args[0] === "targets";
  const [targets, rest] = hits ? splitTargets(after) : ["", after];
  const targetTexts = targets === "" ? [] : targets.split(",").map((part) => part.trim());
  if (UNSEEN_CHARACTERS.test(name) || targetTexts.some((target) => UNSEEN_CHARACTERS.test(target))) {
    throw new Failure("bad-command", "The command or a name has invisible characters. Type it again.");
  }
  if (targetTexts.includes("")) {
    // Names match by prefix, and an empty prefix matches everyone.
    throw new Failure("bad-command", "A name between the commas is empty. The game may read it as everyone.");
  }
  return {
    text,
    verb: verb?.verb ?? typed,
    known: verb !== undefined,
    tier: verb?.tier ?? "manager",
    danger: verb?.danger ?? "serious",
    ...(verb === undefined ? {} : { does: verb.does }),
    ...(verb === undefined || leadsSomewhere(verb) ? {} : { isInGameOnly: true as const }),
    ...(verb?.aim ?? UNKNOWN_AIM),
    targetTexts,
    mass: targetTexts.some(isMassWord),
    ...(rest === "" ? {} : { rest }),
  };
}

function nothingAfterColon(text: string): string {
  const apart = text.replace(/^[\s:]+/u, "");
  // A verb apart from its colon is none to the game.
  return /^[\p{L}\p{N}]/u.test(apart)
    ? `There is a space after the colon. Did you mean :${apart}?`
    : "There is nothing after the colon.";
}

/** The same command text with another name in the place of one of its targets. */
export function withTarget(text: string, from: string, to: string): string {
  const { start, targets, rest } = commandParts(text);
  const names = targets.split(",").map((part) => (part.trim() === from ? to : part.trim()));
  return `${start}${names.join(",")}${rest}`;
}

/** The name behind the targets of a verb such as :tp, or that of :to; undefined: the verb leads to nobody. */
export function goalText({ verb, rest }: Pick<ParsedCommand, "verb" | "rest">): string | undefined {
  const leads = findVerb(verb ?? "")?.args.includes("player") === true;
  return leads ? rest?.split(/\s+(?![^,]*,)/u)[0] : undefined;
}

/** The same command text with another name in the place of the one behind its targets. */
export function withGoal(text: string, to: string): string {
  const { start, targets, rest } = commandParts(text);
  return `${start}${targets}${rest.replace(/\S+/u, () => to)}`;
}

function splitTargets(after: string): readonly [targets: string, rest: string] {
  const targets = targetsIn(after);
  return [targets.trim(), after.slice(targets.length).trim()];
}
