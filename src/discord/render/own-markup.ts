import { escapeMarkdown } from "./escape.ts";

/** Our own sentences that quote outside words: escaped, but for the timestamps and mentions that we put there. */

const times = /(<t:\d+:[tTdDfFR]>)/;
/** They never notify here (no message of ours but a mod call's may ping) and read as names. */
const mentions = /(<@&\d+>|<@\d+>|<#\d+>)/;

export function escapeButTimes(text: string): string {
  return escapeAround(text, times);
}

export function escapeButMentions(text: string): string {
  return escapeAround(text, mentions);
}

function escapeAround(text: string, kept: RegExp): string {
  return text
    .split(kept)
    .map((part, index) => (index % 2 === 1 ? part : spaced(part)))
    .join("");
}

/** escapeMarkdown trims; between kept parts the spaces matter. */
function spaced(part: string): string {
  const inner = escapeMarkdown(part);
  if (inner === "") return part === "" ? "" : " ";
  return `${/^\s/.test(part) ? " " : ""}${inner}${/\s$/.test(part) ? " " : ""}`;
}
