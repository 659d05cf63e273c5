import { stripVTControlCharacters } from "node:util";
import type { Message } from "./discord/types.ts";
import type { Component, Embed } from "./discord/wire.ts";

/** Messages of the emulated Discord as lines for a terminal; pure. */

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** `<t:S:style>` as Discord would show it, roughly: relative for R, else the time of day. */
function timestamps(text: string, nowMs: number): string {
  return text.replace(/<t:(-?\d+)(?::([tTdDfFR]))?>/g, (_, seconds: string, style: string | undefined) => {
    const at = new Date(Number(seconds) * 1_000);
    if (style === "R") {
      const deltaS = Math.round((at.getTime() - nowMs) / 1_000);
      return deltaS > 0 ? `in ${deltaS} s` : `${-deltaS} s ago`;
    }
    return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  });
}

/** Markdown's escapes are for Discord; in a terminal they would only be in the way. */
function plain(text: string, nowMs: number): string {
  const unescaped = timestamps(text, nowMs).replace(/\\([^A-Za-z0-9\s])/g, "$1");
  // A hostile name may hold terminal escapes or zero-width marks: a terminal obeys them where Discord does not.
  return stripVTControlCharacters(unescaped).replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069]/g, "");
}

function embedLines(embed: Embed): string[] {
  const fields = (embed.fields ?? []).map(({ name, value }) => `${name}: ${value}`);
  const parts = [embed.author?.name, embed.title, embed.description, ...fields, embed.footer?.text];
  return parts.flatMap((part) => (part === undefined ? [] : part.split("\n"))).map((line) => `│ ${line}`);
}

function componentText(component: Component): string {
  if (component.type === 2) return `[${component.label ?? component.emoji?.name ?? ""}]`;
  return `[${component.placeholder ?? "choose"} ▾]`;
}

/** What a person sees of a message: content, embeds behind a bar, buttons in brackets, files. */
export function messageLines(message: Message, nowMs: number): string[] {
  const rows = message.components.map((row) => (row.components ?? []).map(componentText).join(" "));
  const files = message.attachments.map((file) => `(file) ${file.filename}, ${file.size} bytes`);
  return [
    ...(message.content === "" ? [] : message.content.split("\n")),
    ...message.embeds.flatMap(embedLines),
    ...rows,
    ...files,
  ]
    .map((line) => plain(line, nowMs).trimEnd())
    .filter((line) => line !== "");
}
