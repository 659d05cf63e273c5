import { stripVTControlCharacters } from "node:util";
import type { Guild, Message } from "./discord/types.ts";
import type { Component, Embed } from "./discord/wire.ts";

/** Messages of the emulated Discord as lines for a terminal; pure. */

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** `22 November 2026` */
function dateOf(at: Date): string {
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
}

/** `<t:S:style>` as Discord would show it, roughly: relative for R, a date where the style has one. */
function timestamps(text: string, nowMs: number): string {
  return text.replace(/<t:(-?\d+)(?::([tTdDfFR]))?>/g, (_, seconds: string, style: string | undefined) => {
    const at = new Date(Number(seconds) * 1_000);
    if (style === "R") {
      const deltaS = Math.round((at.getTime() - nowMs) / 1_000);
      return deltaS > 0 ? `in ${deltaS} s` : `${-deltaS} s ago`;
    }
    const minute = `${two(at.getHours())}:${two(at.getMinutes())}`;
    if (style === "D") return dateOf(at);
    if (style === "f" || style === "F") return `${dateOf(at)} ${minute}`;
    return style === "t" ? minute : `${minute}:${two(at.getSeconds())}`;
  });
}

/** Mentions as the names that Discord shows. */
function mentions(text: string, guild: Guild | undefined): string {
  return text
    .replace(/<@&(\d+)>/g, (raw, id: string) =>
      atName(guild?.roles.find((role) => role.id === id)?.name, raw),
    )
    .replace(/<@!?(\d+)>/g, (raw, id: string) =>
      atName(guild?.members.find((one) => one.id === id)?.displayName, raw),
    )
    .replace(/<#(\d+)>/g, (raw, id: string) => {
      const channel = guild?.channels.find((one) => one.id === id);
      return channel === undefined ? raw : `#${channel.name}`;
    });
}

function atName(name: string | undefined, raw: string): string {
  return name === undefined ? raw : `@${name}`;
}

/** Discord's marks for bold, code, small print and links are left out; a mark that was escaped stays. */
function plain(text: string, { guild, nowMs }: Setting): string {
  const bare = mentions(timestamps(text, nowMs), guild)
    .replace(/(?<!\\)\[([^\]]*)\]\(https?:[^)\s]*\)/g, "$1")
    .replace(/(?<!\\)(\*\*|`)/g, "")
    .replace(/^(-#|#{1,3}|>) /, "");
  const unescaped = bare.replace(/\\([^A-Za-z0-9\s])/g, "$1");
  // A hostile name may hold terminal escapes or zero-width marks: a terminal obeys them where Discord does not.
  return stripVTControlCharacters(unescaped).replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069]/g, "");
}

interface Setting {
  readonly guild: Guild | undefined;
  readonly nowMs: number;
}

function embedText(embed: Embed): string {
  const fields = (embed.fields ?? []).map(({ name, value }) => `${name}: ${value}`);
  const picture = embed.image === undefined ? undefined : `(picture) ${embed.image.description ?? ""}`;
  const parts = [embed.author?.name, embed.title, embed.description, ...fields, picture, embed.footer?.text];
  return parts.filter((part) => part !== undefined).join("\n");
}

function componentText(component: Component): string {
  if (component.type === 2) return `[${component.label ?? component.emoji?.name ?? ""}]`;
  return `[${component.placeholder ?? "choose"} ▾]`;
}

/** What a person sees of a message: content, embeds behind a bar, buttons in brackets, files. */
export function messageLines(message: Message, nowMs: number): string[] {
  const setting = { guild: message.channel.guild, nowMs };
  const lines = (text: string) =>
    text
      .split("\n")
      .map((line) => plain(line, setting).trimEnd())
      .filter((line) => line !== "");
  const rows = message.components.map((row) => (row.components ?? []).map(componentText).join(" "));
  const files = message.attachments.map((file) => `(file) ${file.filename}, ${file.size} bytes`);
  return [
    ...lines(message.content),
    ...message.embeds.flatMap((embed) => lines(embedText(embed)).map((line) => `│ ${line}`)),
    ...[...rows, ...files].flatMap(lines),
  ];
}
