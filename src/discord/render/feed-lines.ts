import { CHANGES, type FeedEntry } from "../../domain/changes.ts";
import { type Escaped, joined, md } from "../../domain/escaped.ts";
import { FEED_TABLE, feedKind } from "../../domain/feed-kinds.ts";
import type { Feed } from "../../domain/guild.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { LineContext } from "../../domain/ports/feed-renderer.ts";
import { type EntryFacts, entryLine } from "./entry-line.ts";
import { cut, escapeMarkdown, inlineName, plainText } from "./escape.ts";
import { stretchesOf } from "./feed-bursts.ts";
import { digestName } from "./feed-keys.ts";
import { type Burst, foldedBurst } from "./folded-burst.ts";

/** Discord's 2,000 and 4,096, less room for a mark that is added later ("possibly repeated"). */
const CONTENT_ROOM = 1_900;
const DESCRIPTION_ROOM = 3_900;
/** More never fit one message: the shortest line has some 25 characters. */
const MOST_LINES = 160;

/**
 * As many leading entries as one message holds, measured as Discord measures. `lines`: content. `cards`: an embed, with
 * names linked to profiles. `taken` is at least 1. A burst (kills by one player, many joins at once) is folded under a
 * heading that counts it, and still tells each entry.
 */
export function renderLines(
  feed: Feed,
  entries: readonly FeedEntry[],
  context: LineContext,
): { readonly body: MessageBody; readonly taken: number } {
  const linked = feed.style === "cards";
  const room = linked ? DESCRIPTION_ROOM : CONTENT_ROOM;
  // Several servers may share a channel: then each message says whose it is, once, instead of each line.
  let text: Escaped =
    context.serverName === undefined || linked ? md`` : md`-# ${inlineName(context.serverName)}`;
  let taken = 0;
  const ahead = entries.slice(0, MOST_LINES);
  for (const { from, to, burst } of stretchesOf(ahead)) {
    const part = { entries: ahead.slice(from, to), factsOf: factsFrom(context, from), linked };
    const left = room - text.length - 1;
    const whole = burst ? foldedBurst(part, left) : undefined;
    const fitting = whole !== undefined && whole.count > 0 ? whole : fittingLines(part, left);
    if (fitting.count > 0) text = text === "" ? fitting.text : md`${text}\n${fitting.text}`;
    taken += fitting.count;
    if (fitting.count < to - from) break;
  }
  const [first] = entries;
  if (taken === 0 && first !== undefined) {
    const only = entryLine(first, linked, factsFrom(context, 0)(0));
    text = text === "" ? only : md`${text}\n${only}`;
    taken = 1;
  }
  if (!linked) return { body: { content: text }, taken };
  const author = context.serverName === undefined ? {} : { author: cut(plainText(context.serverName), 200) };
  return { body: { cards: [{ ...author, description: text, color: feedKind(feed.kind).color }] }, taken };
}

function factsFrom({ stayedS, streaks }: LineContext, from: number): (index: number) => EntryFacts {
  return (index) => ({ stayedS: stayedS.get(from + index), streak: streaks?.get(from + index) });
}

/** As many of the first entries as fit, one line each. */
function fittingLines(
  { entries, factsOf, linked }: Burst,
  room: number,
): { readonly text: Escaped; readonly count: number } {
  const lines: Escaped[] = [];
  let size = -1;
  for (const [index, entry] of entries.entries()) {
    const line = entryLine(entry, linked, factsOf(index));
    size += line.length + 1;
    if (size > room) break;
    lines.push(line);
  }
  return { text: joined(lines, "\n"), count: lines.length };
}

/**
 * Many entries as one message: the text says how many and from when to when, the file holds every one of them
 * (a backlog past 2,000, or a batch that Discord refused for its form).
 */
export function renderDigest(
  feed: Feed,
  entries: readonly FeedEntry[],
  why: "backlog" | "refused",
): MessageBody {
  const times = entries.map((entry) => entry.atS);
  const fromS = times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const toS = times.reduce((a, b) => Math.max(a, b), 0);
  const reason =
    why === "backlog"
      ? "Too much piled up to post line by line"
      : "Discord refused these entries as a message";
  const span = entries.length === 0 ? "" : md` from <t:${fromS}:f> to <t:${toS}:f>`;
  const number = escapeMarkdown(entries.length.toLocaleString("en"));
  const count = md`${number} ${entries.length === 1 ? "entry" : "entries"}`;
  return {
    content: md`⚠ **${count}**${span}: ${FEED_TABLE[feed.kind].name}. ${reason}. All of them are in the attached file.`,
    files: [
      {
        name: digestName(feed.kind, entries, { fromS: entries.length === 0 ? 0 : fromS, toS }),
        data: entries.map((entry) => `${fileLine(entry)}\n`).join(""),
        description: `${count}, one a line, times in UTC`,
      },
    ],
  };
}

function fileLine(entry: FeedEntry): string {
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
    case "change":
      return [at, fileName(entry.player), CHANGES[entry.what].words, ...entry.values.map(plainText)].join(
        "\t",
      );
  }
}

function fileName(player: PlayerRef): string {
  return player.id === undefined ? plainText(player.name) : `${plainText(player.name)} (${player.id})`;
}
