import { type Escaped, joined, markdownOfOurs, md } from "../../domain/escaped.ts";

/**
 * Outside text made safe for a Discord message. Names of players, command texts and answers of the
 * service pass through here, so that nothing in them pings, links, formats, spoofs a line or breaks one.
 */

/** What a client draws as nothing, or reorders the line by: controls, zero-width, direction marks, lone halves of pairs. */
const UNSEEN = /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const BREAKS_OR_SPACES = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Stacked marks draw over the lines above and below; three in a row occur in real writing. */
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * One line of plain text: for places where Discord shows no Markdown (footers, labels, file names, choices).
 * Line breaks and controls become one space, invisible characters go.
 */
export function plainText(text: string): string {
  return text
    .replace(BREAKS_OR_SPACES, " ")
    .replace(UNSEEN, "")
    .replace(STACKED_MARKS, "$1")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** At most `max` UTF-16 units, as Discord counts; a pair is never halved. A cut is shown by an ellipsis. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  let kept = "";
  for (const point of text) {
    if (kept.length + point.length > max - 1) break;
    kept += point;
  }
  return `${kept}…`;
}

/** Whole lines only, at most `max` units together; ends with an ellipsis where lines are left out. */
export function cutLines(lines: readonly Escaped[], max: number): Escaped {
  const kept: Escaped[] = [];
  let length = 0;
  for (const line of lines) {
    if (length + line.length + 1 > max - 2) return joined([...kept, "…"], "\n");
    kept.push(line);
    length += line.length + 1;
  }
  return joined(kept, "\n");
}

/**
 * One line of Markdown that reads exactly as `text` does. A backslash stops formatting, links, `<...>` forms and
 * `:emoji:`; Discord looks for mentions in the raw text, backslash or not, so an `@` is parted from what follows by
 * a zero-width space.
 */
export function escapeMarkdown(text: string): Escaped {
  const escaped = plainText(text)
    .replace(/[\\*_~`|<>[\]()#:/]/g, "\\$&")
    .replace(/@/g, "@\u200b")
    .replace(/^[-+]/, "\\$&")
    .replace(/^(\d+)\./, "$1\\.");
  return markdownOfOurs(escaped);
}

/** Stands for a name of which nothing can be shown. */
const NO_NAME = "(no name)";

/** What a reader sees of a name: cut, without what is invisible, never empty. Not escaped. */
export function shownName(text: string): string {
  const name = cut(plainText(text), 60);
  return name === "" ? NO_NAME : name;
}

/** A name within a line, without formatting of its own. Right-to-left writing is isolated, or it would reorder the line. */
export function inlineName(text: string): Escaped {
  const name = shownName(text);
  const escaped = escapeMarkdown(name);
  return RIGHT_TO_LEFT.test(name) ? md`\u2068${escaped}\u2069` : escaped;
}

/** Escaping can double a text; twice this and the rest of a line still fit one message. */
export const LONGEST_CODE = 800;

/** What a reader sees of a text in a code span: on one line, cut, with another sign for the backtick. */
export function shownCode(text: string, max = LONGEST_CODE): string {
  return cut(plainText(text), max).replace(/`/g, "ˋ");
}

/** Text in a code span, cut to `max`. Nothing is formatted within one, but mentions and invites are found in raw text. */
export function inlineCode(text: string, max = 200): Escaped {
  const line = shownCode(text, max)
    .replace(/@/g, "@\u200b")
    .replace(/\/(?=\S)/g, "/\u200b");
  return markdownOfOurs(line === "" ? "` `" : `\`${line}\``);
}
