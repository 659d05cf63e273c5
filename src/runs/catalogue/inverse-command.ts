import { isMassWord } from "../../domain/command-hits.ts";
import type { ParsedCommand, ResolvedTarget } from "../../domain/run.ts";
import { findVerb } from "./verbs.ts";

/**
 * The texts that together would undo a command; empty: nothing does. They have the exact names of this moment, because a
 * banned player matches no beginning of a name any more; and a verb that takes one name needs a text for each.
 */
export function inverseOf(command: ParsedCommand, targets: readonly ResolvedTarget[]): readonly string[] {
  const inverse = findVerb(findVerb(command.verb ?? "")?.inverse ?? "");
  if (inverse === undefined) return [];
  if (inverse.args[0] === "targets") {
    const names = command.targetTexts.flatMap((text) => {
      const found = targets.find((target) => target.text === text)?.players ?? [];
      const isForAll = isMassWord(text) && inverse.aim.finds === "present";
      return found.length === 0 || isForAll || /^\d+$/.test(text) ? [text] : found.map(({ name }) => name);
    });
    const each = [...new Set(names)];
    if (inverse.aim.takesOne) return each.map((name) => `:${inverse.verb} ${name}`);
    return each.length === 0 ? [] : [`:${inverse.verb} ${each.join(",")}`];
  }
  const rest = inverse.args.length > 0 && command.rest !== undefined ? ` ${command.rest}` : "";
  return [`:${inverse.verb}${rest}`];
}
