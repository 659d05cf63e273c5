import { type Escaped, joined, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { Feed, FeedKind } from "../../domain/guild.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { LogEntry, PlayerRef } from "../../domain/model.ts";
import type { LineContext } from "../../domain/ports/feed-renderer.ts";
import { cut, escapeMarkdown, inlineCode, inlineName, LONGEST_CODE, plainText } from "./escape.ts";
import { isBurst, spanS, stretchesOf } from "./feed-bursts.ts";
import { digestName } from "./feed-keys.ts";
import { feedNames } from "./feed-names.ts";

/** Discord's 2,000 and 4,096, less room for a mark that is added later ("possibly repeated"). */
const contentRoom = 1_900;
const descriptionRoom = 3_900;
/** More never fit one message: the shortest line has some 25 characters. */
const mostLines = 160;

const colors: Record<FeedKind, number> = {
  joins: 0x4f8a5b,
  kills: 0xa23b3b,
  modCalls: 0xc98a1b,
  commands: 0x4a6fa5,
  emergencyCalls: 0x8a4fa5,
};

/**
 * As many leading entries as one message holds, one line each, measured as Discord measures.
 * `lines`: content. `cards`: an embed, with names linked to profiles. `taken` is at least 1.
 * A burst (kills by one player, many joins at once) is quoted under a heading that sums it up; its lines stay
 * whole, since staff quote single ones as evidence.
 */
export function renderLines(
  feed: Feed,
  entries: readonly LogEntry[],
  context: LineContext,
): { readonly body: MessageBody; readonly taken: number } {
  const cards = feed.style === "cards";
  const room = cards ? descriptionRoom : contentRoom;
  const line = (entry: LogEntry, index: number) => entryLine(entry, cards, context.stayedS.get(index));
  // Several servers may share a channel: then each message says whose it is, once, instead of each line.
  let text: Escaped =
    context.serverName === undefined || cards ? md`` : md`-# ${inlineName(context.serverName)}`;
  let taken = 0;
  const ahead = entries.slice(0, mostLines);
  for (const { from, to, burst } of stretchesOf(ahead)) {
    const part = ahead.slice(from, to);
    const lines = part.map((entry, index) => line(entry, from + index));
    const left = room - text.length - 1;
    const fitting = fittingLines(part, lines, burst, cards, left);
    if (fitting.count > 0) text = text === "" ? fitting.text : md`${text}\n${fitting.text}`;
    taken += fitting.count;
    if (fitting.count < part.length) break;
  }
  if (taken === 0) {
    const [first] = entries;
    const only = first === undefined ? md`` : line(first, 0);
    text = text === "" ? only : md`${text}\n${only}`;
    taken = 1;
  }
  if (!cards) return { body: { content: text }, taken };
  const author = context.serverName === undefined ? {} : { author: cut(plainText(context.serverName), 200) };
  return { body: { cards: [{ ...author, description: text, color: colors[feed.kind] }] }, taken };
}

/** The longest beginning of a stretch that fits: with its heading while it is a burst, else plain. */
function fittingLines(
  part: readonly LogEntry[],
  lines: readonly Escaped[],
  burst: boolean,
  linked: boolean,
  room: number,
): { readonly text: Escaped; readonly count: number } {
  let size = -1;
  let count = 0;
  for (const line of lines) {
    size += line.length + 1;
    if (size > room) break;
    count += 1;
  }
  for (; count > 0; count -= 1) {
    const shown = part.slice(0, count);
    const text =
      burst && isBurst(shown)
        ? joined([burstHeading(shown, linked), ...lines.slice(0, count).map((line) => md`> ${line}`)], "\n")
        : joined(lines.slice(0, count), "\n");
    if (text.length <= room) return { text, count };
  }
  return { text: md``, count: 0 };
}

/** `6 kills by Ann in 12 s`: what a moderator would have to count. */
function burstHeading(entries: readonly LogEntry[], linked: boolean): Escaped {
  const time = md`in ${duration(spanS(entries))}`;
  const [first] = entries;
  switch (first?.kind) {
    case "kill":
      return md`**${entries.length} kills** by ${person(first.killer, linked)} ${time}`;
    case "command":
      return md`**${entries.length} commands** by ${person(first.player, linked)} ${time}`;
    default: {
      const came = entries.filter((entry) => entry.kind === "join" && entry.joined).length;
      const left = entries.length - came;
      const counts = [...(came > 0 ? [md`${came} joined`] : []), ...(left > 0 ? [md`${left} left`] : [])];
      return md`**${joined(counts, ", ")}** ${time}`;
    }
  }
}

/** One entry as one line: local time, a symbol and a word for what happened, names in bold. */
export function entryLine(entry: LogEntry, linked: boolean, stayedS?: number): Escaped {
  const at = md`<t:${entry.atS}:T>`;
  switch (entry.kind) {
    case "join": {
      // The id stands where a moderator may need it: a player who has left can only be banned by it.
      const id = entry.player.id === undefined || linked ? "" : md` \`${entry.player.id}\``;
      const stayed = stayedS === undefined ? "" : md` after ${duration(stayedS)}`;
      const what = entry.joined ? "joined" : md`left${stayed}`;
      return md`${at} ${entry.joined ? "`+`" : "`−`"} ${person(entry.player, linked)} ${what}${id}`;
    }
    case "kill":
      return md`${at} \`×\` ${person(entry.killer, linked)} killed ${person(entry.killed, linked)}`;
    case "command":
      return md`${at} \`>\` ${person(entry.player, linked)} ran ${inlineCode(entry.text, LONGEST_CODE)}`;
    case "modCall": {
      const by = entry.moderator === undefined ? "" : md`, answered by ${person(entry.moderator, linked)}`;
      return md`${at} \`!\` ${person(entry.caller, linked)} called a moderator${by}`;
    }
  }
}

/** A name in bold; linked to its profile where the style allows a link and an id is known. */
export function person(player: PlayerRef, linked: boolean): Escaped {
  const name = md`**${inlineName(player.name)}**`;
  return linked && player.id !== undefined
    ? md`[${name}](https://www.roblox.com/users/${player.id}/profile)`
    : name;
}

/**
 * `42 s`, `12 min`, `1 h 12 min`, `3 d 4 h`, in one piece: its spaces do not break a line on a phone.
 * Negative counts as nothing: clocks of two servers may differ.
 */
export function duration(seconds: number): Escaped {
  return markdownOfOurs(inWords(Math.max(0, Math.round(seconds))).replaceAll(" ", "\u00a0"));
}

function inWords(s: number): string {
  if (s < 60) return `${s} s`;
  const minutes = Math.floor(s / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  const restMinutes = minutes % 60;
  if (hours < 24) return restMinutes === 0 ? `${hours} h` : `${hours} h ${restMinutes} min`;
  const restHours = hours % 24;
  const days = Math.floor(hours / 24);
  return restHours === 0 ? `${days} d` : `${days} d ${restHours} h`;
}

/**
 * Many entries as one message: the text says how many and from when to when, the file holds every one of them
 * (a backlog past 2,000, or a batch that Discord refused for its form).
 */
export function renderDigest(
  feed: Feed,
  entries: readonly LogEntry[],
  why: "backlog" | "refused",
): MessageBody {
  const times = entries.map((entry) => entry.atS);
  const fromS = times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const toS = times.reduce((a, b) => Math.max(a, b), 0);
  const reason =
    why === "backlog"
      ? "Too much had piled up to post line by line"
      : "Discord refused these entries as a message";
  const span = entries.length === 0 ? "" : md` from <t:${fromS}:f> to <t:${toS}:T>`;
  const number = escapeMarkdown(entries.length.toLocaleString("en"));
  const count = md`${number} ${entries.length === 1 ? "entry" : "entries"}`;
  return {
    content: md`⚠ **${count}**${span}: ${feedNames[feed.kind]}. ${reason}; all of them are in the attached file.`,
    files: [
      {
        name: digestName(feed.kind, entries, entries.length === 0 ? 0 : fromS, toS),
        data: entries.map((entry) => `${fileLine(entry)}\n`).join(""),
        description: `${count}, one a line, times in UTC`,
      },
    ],
  };
}

function fileLine(entry: LogEntry): string {
  const at = new Date(entry.atS * 1_000).toISOString().replace(".000Z", "Z");
  switch (entry.kind) {
    case "join":
      return `${at}\t${fileName(entry.player)}\t${entry.joined ? "joined" : "left"}`;
    case "kill":
      return `${at}\t${fileName(entry.killer)}\tkilled\t${fileName(entry.killed)}`;
    case "command":
      return `${at}\t${fileName(entry.player)}\tran\t${plainText(entry.text)}`;
    case "modCall":
      return `${at}\t${fileName(entry.caller)}\tcalled a moderator`;
  }
}

function fileName(player: PlayerRef): string {
  return player.id === undefined ? plainText(player.name) : `${plainText(player.name)} (${player.id})`;
}

/** A line of someone else's prose, such as a note: escaped and cut. */
export function note(text: string, max: number): Escaped {
  return escapeMarkdown(cut(plainText(text), max));
}
