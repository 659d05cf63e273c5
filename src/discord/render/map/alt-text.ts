import type { Escaped } from "../../../domain/escaped.ts";
import { clockIn } from "../../../domain/time-zones.ts";
import { cut, plainText } from "../escape.ts";

const LONGEST_ALT = 900;

/**
 * Lines of a card for whoever hears a picture read out: Discord shows no Markdown and no times of its own there, so the
 * zone of times is said.
 */
export function altText(lines: readonly Escaped[], zone: string): string {
  const text = lines
    .join("\n")
    .replaceAll(/^(?:-# |#+ |> )/gmu, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/ ?\(<t:\d+:R>\)/gu, "")
    .replaceAll(/<t:(\d+):[a-zA-Z]>/gu, (_, atS: string) => secondIn(zone, Number(atS)))
    .replaceAll("**", "")
    .replaceAll(/\\(.)/gu, "$1");
  const zoneWords = lines.some((line) => /<t:\d+:[^R]>/u.test(line)) ? ` Times in ${zone}.` : "";
  return `${cut(plainText(text), LONGEST_ALT - zoneWords.length)}${zoneWords}`;
}

/** `20:01:30` */
function secondIn(zone: string, atS: number): string {
  return `${clockIn(zone, atS * 1_000).slice(-5)}:${String(atS % 60).padStart(2, "0")}`;
}
