import { Failure } from "../../domain/failure.ts";
import type { ParsedCommand } from "../../domain/run.ts";
import { findVerb, type Verb } from "./verbs.ts";

/** Throws Failure "bad-command" for a verb without the player that it needs; the game would refuse it, or hit another. */
export function refuseMissingTarget(command: ParsedCommand): void {
  const verb = findVerb(command.verb ?? "");
  const [first, second] = verb?.args ?? [];
  if (verb === undefined) return;
  const named = first === "targets" ? command.targetTexts.length > 0 : command.rest !== undefined;
  const needsFirst = first === "targets" || first === "player";
  if ((needsFirst && !named) || (second === "player" && command.rest === undefined)) {
    const which = needsFirst && !named ? "no player" : "no second player";
    const word = /^:+\S+/u.exec(command.text)?.[0] ?? `:${verb.verb}`;
    throw new Failure(
      "bad-command",
      `${word} names ${which}. Write it like ${[word, ...exampleOf(verb)].join(" ")}`,
    );
  }
}

function exampleOf({ args }: Verb): readonly string[] {
  return args.map((argument, index) => {
    if (argument === "player") return index === 0 ? "Alice" : "Bob";
    return argument === "targets" ? "Alice" : argument;
  });
}
