import { type Escaped, joined, markdownOfOurs, roleMention } from "../../domain/escaped.ts";
import { escapeMarkdown } from "./escape.ts";

/** Our own sentences that quote outside words: escaped, but for the timestamps and the roles that we put there. */

const TIMES = /(<t:\d+:[tTdDfFR]>)/;
const ROLES = /<@&(\d+)>/;

export function escapeButTimes(text: string): Escaped {
  return alternating(text, TIMES, markdownOfOurs);
}

/**
 * Mentions of exactly these roles stay, and show as their names; whatever else looks like a mention is somebody's
 * words and reads as it was written.
 */
export function escapeButRoles(text: string, roleIds: readonly string[]): Escaped {
  return alternating(text, ROLES, (id) =>
    roleIds.includes(id) ? roleMention(id) : escapeMarkdown(`<@&${id}>`),
  );
}

/** A sentence that begins with a mention of ours, or is nothing but one: `start` finds it. The rest is escaped. */
export function escapeAfter(text: string, start: RegExp): Escaped {
  const [mention = ""] = start.exec(text) ?? [];
  return joined([markdownOfOurs(mention), spaced(text.slice(mention.length))], "");
}

function alternating(text: string, kept: RegExp, keep: (part: string) => Escaped): Escaped {
  const parts = text.split(kept).map((part, index) => (index % 2 === 1 ? keep(part) : spaced(part)));
  return joined(parts, "");
}

/** escapeMarkdown trims; between kept parts the spaces matter. */
function spaced(part: string): Escaped {
  const inner = escapeMarkdown(part);
  if (inner === "") return markdownOfOurs(part === "" ? "" : " ");
  return markdownOfOurs(`${/^\s/.test(part) ? " " : ""}${inner}${/\s$/.test(part) ? " " : ""}`);
}
