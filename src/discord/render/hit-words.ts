import { type Escaped, joined, md } from "../../domain/escaped.ts";
import type { ResolvedTarget, RunPlan } from "../../domain/run.ts";
import { cut, escapeMarkdown, inlineCode, inlineName } from "./escape.ts";

/** A command with the names of those whom it hit, where its text has only the beginning of them, or an id. Pure. */

const MOST_NAMES = 3;
const LONGEST_NAME = 40;

/** `:jail Turbo` (Turbo_1803) */
export function commandWithHits(
  text: string,
  longest: number,
  hit: readonly string[] | undefined = [],
): Escaped {
  const code = inlineCode(text, longest);
  const { names, more } = shownOf(hit);
  return names.length === 0 ? code : md`${code} (${joined(names.map(escapeMarkdown), ", ")}${more})`;
}

/** `:jail Turbo (Turbo_1803)`, as plain text. */
export function plainWithHits(text: string, hit: readonly string[] | undefined = []): string {
  const { names, more } = shownOf(hit);
  return names.length === 0 ? text : `${text} (${names.join(", ")}${more})`;
}

/** The exact text, alone on its line, and where it goes. */
export function commandLine(text: string, serverName: string, hit?: readonly string[]): Escaped {
  return md`${commandWithHits(text, 1_000, hit)}\non **${inlineName(serverName)}**`;
}

/** The same of a plan, with names in the place of ids: nobody knows a player by an id. */
export function planLine({
  request: { text, binding },
  targets,
}: Pick<RunPlan, "request" | "targets">): Escaped {
  const named = textWithNames(text, targets);
  const line = commandLine(named, binding.name);
  return named === text ? line : md`${line}\n-# Sent with the player's id, so it can't hit anybody else.`;
}

function textWithNames(text: string, targets: readonly ResolvedTarget[]): string {
  let from = /^:+\S+\s*/u.exec(text)?.[0].length ?? 0;
  let named = text.slice(0, from);
  for (const { text: target, players } of targets) {
    const at = text.indexOf(target, from);
    if (at < 0) break;
    const [only, ...more] = players;
    const isById = /^\d+$/u.test(target) && more.length === 0 && only?.id === Number(target);
    named += text.slice(from, at) + (isById ? only.name : target);
    from = at + target.length;
  }
  return named + text.slice(from);
}

function shownOf(hit: readonly string[]) {
  const names = hit.slice(0, MOST_NAMES).map((name) => cut(name, LONGEST_NAME));
  const left = hit.length - names.length;
  return { names, more: left === 0 ? md`` : md` and ${left} more` };
}
