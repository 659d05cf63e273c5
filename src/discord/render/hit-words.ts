import { type Escaped, joined, md } from "../../domain/escaped.ts";
import { cut, escapeMarkdown, inlineCode } from "./escape.ts";

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

function shownOf(hit: readonly string[]) {
  const names = hit.slice(0, MOST_NAMES).map((name) => cut(name, LONGEST_NAME));
  const left = hit.length - names.length;
  return { names, more: left === 0 ? md`` : md` and ${left} more` };
}
