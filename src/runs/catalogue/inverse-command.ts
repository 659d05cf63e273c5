import type { ParsedCommand, ResolvedTarget } from "../../domain/run.ts";
import { findVerb } from "./verbs.ts";

/**
 * The text that would undo a command; undefined: nothing does. It has the exact names of this moment, because a banned
 * player matches no prefix any more.
 */
export function inverseOf(command: ParsedCommand, targets: readonly ResolvedTarget[]): string | undefined {
  const inverse = findVerb(findVerb(command.verb ?? "")?.inverse ?? "");
  if (inverse === undefined) return undefined;
  if (inverse.args[0] === "targets") {
    const names = command.targetTexts.flatMap((text) => {
      const found = targets.find((target) => target.text === text)?.players ?? [];
      const keep = found.length === 0 || /^(all|others|\d+)$/i.test(text);
      return keep ? [text] : found.map(({ name }) => name);
    });
    return names.length === 0 ? undefined : `:${inverse.verb} ${[...new Set(names)].join(",")}`;
  }
  const rest = inverse.args.length > 0 && command.rest !== undefined ? ` ${command.rest}` : "";
  return `:${inverse.verb}${rest}`;
}
