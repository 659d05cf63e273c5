import { isSelf } from "../../domain/command-hits.ts";
import { Failure } from "../../domain/failure.ts";
import { namesLike } from "../../domain/near-names.ts";
import type { ParsedCommand } from "../../domain/run.ts";
import { goalText } from "./parse-command.ts";
import { FIRE_KINDS, findVerb, inGameOnly, leadsSomewhere, type Verb } from "./verbs.ts";

/** Verbs that act on their author and on nobody else. */
const TAKE_NOBODY: ReadonlySet<string> = new Set(["tocar", "toatv"]);

/**
 * Throws Failure "bad-command" for a verb without the player or the message that it needs, with more players than it
 * takes, or with `me`, whom a remote command does not have: the game would refuse it, do nothing, or hit others than
 * were meant.
 */
export function refuseTargetCount(command: ParsedCommand): void {
  const verb = findVerb(command.verb ?? "");
  if (verb === undefined) return;
  const word = /^:+\S+/u.exec(command.text)?.[0] ?? `:${verb.verb}`;
  const why =
    whyNotThesePlayers(command, verb, word) ??
    whyNotWithoutPlayer(command, verb, word) ??
    whyNotWithoutMessage(command, verb, word);
  if (why !== undefined) throw new Failure("bad-command", why);
}

/** For somebody who may run the verb. @throws Failure "bad-command" for a kind of fire that the game does not have */
export function refuseFireKind({ text, verb, rest }: ParsedCommand): void {
  const kind = rest?.split(/\s/u)[0]?.toLowerCase();
  const isFire = findVerb(verb ?? "")?.args[0] === "fire";
  if (!isFire || kind === undefined || FIRE_KINDS.includes(kind)) return;
  const word = /^:+\S+/u.exec(text)?.[0] ?? `:${verb}`;
  const near = namesLike(kind, FIRE_KINDS);
  const kinds = [...new Set([...near, ...FIRE_KINDS])].join(", ");
  const why =
    near[0] === undefined
      ? `${word} needs a kind of fire: ${kinds}.`
      : `Did you mean ${word} ${near[0]}? Kinds of fire: ${kinds}.`;
  throw new Failure("bad-command", why);
}

function whyNotThesePlayers(command: ParsedCommand, verb: Verb, word: string): string | undefined {
  const { targetTexts, rest } = command;
  if (TAKE_NOBODY.has(verb.verb))
    return rest === undefined ? undefined : `${word} takes no player. ${inGameOnly(verb.verb, "It")}`;
  const goal = goalText(command) ?? "";
  if ((command.takesOne && targetTexts.length > 1) || goal.includes(",")) {
    return verb.args[0] === "targets" && verb.args[1] === "player"
      ? `${word} takes one player to go to.`
      : `${word} takes one player. Send it once for each.`;
  }
  return [...targetTexts, goal].some(isSelf)
    ? `Marshal sends commands from outside the game, so nobody is "me". Write the player's name.`
    : undefined;
}

function whyNotWithoutPlayer({ targetTexts, rest }: ParsedCommand, verb: Verb, word: string) {
  const [first, second] = verb.args;
  const isNamed = first === "targets" ? targetTexts.length > 0 : rest !== undefined;
  const needsFirst = (first === "targets" || first === "player") && !isNamed;
  if (!needsFirst && (second !== "player" || rest !== undefined)) return undefined;
  // With one it would do nothing either.
  if (!leadsSomewhere(verb)) return inGameOnly(verb.verb, word);
  const what = needsFirst ? "a player" : "a second player";
  return `${word} needs ${what}. Write it like ${[word, ...exampleOf(verb)].join(" ")}`;
}

function whyNotWithoutMessage({ rest }: ParsedCommand, { args }: Verb, word: string): string | undefined {
  if (args.at(-1) === "message" && rest === undefined) {
    return `${word} needs a message${args[0] === "targets" ? " after the name" : ""}.`;
  }
  return undefined;
}

function exampleOf({ args }: Verb): readonly string[] {
  return args.map((argument, index) => {
    if (argument === "player") return index === 0 ? "Alice" : "Bob";
    if (argument === "targets") return "Alice";
    return argument === "text" ? "reason" : argument;
  });
}
