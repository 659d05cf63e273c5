import { CHANGES, type FeedEntry } from "../../domain/changes.ts";
import { type Escaped, joined, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { KillStreak } from "../../domain/ports/feed-renderer.ts";
import { cut, escapeMarkdown, inlineCode, inlineName, LONGEST_CODE, plainText } from "./escape.ts";

/** How one entry of a log reads. `posted-lines.ts` reads these lines back: what changes here is taught there. Pure. */

/** One symbol for each kind, of different shapes; each has a word beside it. */
export const SYMBOLS = { joined: "🟢", left: "🚪", kill: "💀", command: "⌨️", modCall: "🔔" } as const;

/** Of a team, a rank or a vehicle. */
export const LONGEST_VALUE = 100;
/** Two kills in a row happen in any fight; more are worth a word. */
const SHORTEST_STREAK = 3;

/** What the journal knows of an entry beyond its row. */
export interface EntryFacts {
  /** For a leave: how long they stayed. */
  readonly stayedS?: number | undefined;
  /** For a kill. */
  readonly streak?: KillStreak | undefined;
}

/** One entry as one line: local time, a symbol and a word for what happened, names in bold, no ids. */
export function entryLine(entry: FeedEntry, linked: boolean, facts: EntryFacts = {}): Escaped {
  const at = md`<t:${entry.atS}:T>`;
  switch (entry.kind) {
    case "join": {
      const who = person(entry.player, linked);
      return entry.joined
        ? md`${at} ${SYMBOLS.joined} ${who} joined`
        : md`${at} ${SYMBOLS.left} ${who} left${stay(facts.stayedS)}`;
    }
    case "kill": {
      const [killer, killed] = [person(entry.killer, linked), person(entry.killed, linked)];
      return md`${at} ${SYMBOLS.kill} ${killer} killed ${killed}${streakWords(facts.streak)}`;
    }
    case "command": {
      const code = inlineCode(entry.text, LONGEST_CODE);
      return md`${at} ${SYMBOLS.command} ${person(entry.player, linked)} ran ${code}`;
    }
    case "modCall": {
      const by = entry.moderator === undefined ? "" : md`, answered by ${person(entry.moderator, linked)}`;
      return md`${at} ${SYMBOLS.modCall} ${person(entry.caller, linked)} called a moderator${by}`;
    }
    case "change": {
      const { symbol, words } = CHANGES[entry.what];
      const values = entry.values.map((value) => inlineCode(value, LONGEST_VALUE));
      const what = values.length === 0 ? md`` : md` ${joined(values, " → ")}`;
      return md`${at} ${symbol} ${person(entry.player, linked)} ${words}${what}`;
    }
  }
}

/** ` after 12 min`, or nothing where it is not known. */
function stay(stayedS: number | undefined): Escaped {
  return stayedS === undefined ? md`` : md` after ${duration(stayedS)}`;
}

/** ` · 3rd in 40 s`, or nothing for a short one. */
export function streakWords(streak: KillStreak | undefined, longerThan = SHORTEST_STREAK - 1): Escaped {
  if (streak === undefined || streak.nth <= longerThan) return md``;
  return md` · ${ordinal(streak.nth)} in ${duration(streak.withinS)}`;
}

/** `1st`, `2nd`, `3rd`, `11th`, `21st` */
function ordinal(n: number): Escaped {
  const teens = n % 100 >= 11 && n % 100 <= 13;
  const ending = teens ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return markdownOfOurs(`${n}${ending}`);
}

/** A name in bold; linked to its profile where the style allows a link and an id is known. */
export function person(player: PlayerRef, linked: boolean): Escaped {
  const name = md`**${inlineName(player.name)}**`;
  return linked && player.id !== undefined
    ? md`[${name}](https://www.roblox.com/users/${player.id}/profile)`
    : name;
}

/**
 * `42 s`, `12 min`, `1 h 12 min`, `3 d 4 h`, rounded, in one piece: its spaces do not break a line on a phone.
 * Negative counts as nothing: clocks of two servers may differ.
 */
export function duration(seconds: number): Escaped {
  return markdownOfOurs(inWords(Math.max(0, Math.round(seconds))).replaceAll(" ", "\u00a0"));
}

function inWords(s: number): string {
  if (s < 60) return `${s} s`;
  const minutes = Math.round(s / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return inUnits(minutes, 60, ["h", "min"]);
  return inUnits(Math.round(s / 3_600), 24, ["d", "h"]);
}

function inUnits(count: number, each: number, [large, small]: readonly [string, string]): string {
  const rest = count % each;
  const whole = `${Math.floor(count / each)} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}

/** A line of someone else's prose, such as a note: escaped and cut. */
export function note(text: string, max: number): Escaped {
  return escapeMarkdown(cut(plainText(text), max));
}
