import type { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import type { Channel } from "../../src/sandbox/discord/types.ts";
import { addFeed, linkServer } from "../../src/sandbox/moves.ts";
import type { TownRecord } from "../../src/sandbox/service/town/record.ts";
import type { Stage } from "../../src/sandbox/stage.ts";
import { entryLinesOf } from "../support/entry-lines.ts";

/** The kinds whose channels can be held against the town's own record, entry by entry. */
export type Kind = "joins" | "kills" | "commands" | "modCalls";
export type Channels = Readonly<Record<Kind, Channel>>;
export type Lengths = Readonly<Record<Kind, number>>;

export interface Difference {
  readonly what: string;
  readonly due: number;
  /** Entries as text: in the record and not in the channel; in the channel more often than in the record. */
  readonly lost: readonly string[];
  readonly repeated: readonly string[];
}

/** Links the server of a stage and has each kind posted into a channel of its own. */
export async function addFeeds(stage: Stage): Promise<Channels> {
  const { cast } = stage;
  await linkServer(stage);
  const { joins, kills, modCalls } = cast.channels;
  const commands = cast.guild.addChannel({ name: "commands" });
  await addFeed(stage, "joins", joins);
  await addFeed(stage, "kills", kills);
  await addFeed(stage, "mod-calls", modCalls);
  await addFeed(stage, "commands", commands);
  return { joins, kills, commands, modCalls };
}

/** How many entries there are: what was before a feed began is not due. */
export function lengthsOf({ joins, kills, commands, modCalls }: TownRecord): Lengths {
  return { joins: joins.length, kills: kills.length, commands: commands.length, modCalls: modCalls.length };
}

/** Each entry as a text of its own on both sides; equal texts are counted, so that two in one second are two. */
export function differences(
  discord: EmulatedDiscord,
  record: TownRecord,
  channels: Channels,
  from: Lengths,
): readonly Difference[] {
  const lines = (channel: Channel, pattern: RegExp, entry: (hit: RegExpExecArray) => string): string[] =>
    discord
      .messages(channel)
      .flatMap(({ content }) => entryLinesOf(content))
      .flatMap((line) => {
        const hit = pattern.exec(line);
        return hit === null ? [] : [entry(hit)];
      });
  const joins = record.joins
    .slice(from.joins)
    .map(({ atS, join, player }) => `${atS} ${join ? "joined" : "left"} ${legible(nameOf(player))}`);
  const joinLine = /^<t:(\d+):T> (?:🟢|🚪) \*\*(.+)\*\* (joined|left)(?: (?:after |\()[^*]+)?$/u;
  const kills = record.kills
    .slice(from.kills)
    .map(({ atS, killer, killed }) => `${atS} ${nameOf(killer)} > ${nameOf(killed)}`);
  const killLine = /^<t:(\d+):T> 💀 \*\*(.+)\*\* killed \*\*(.+)\*\*(?: · \d+\w\w in [^*]+)?$/u;
  const commands = record.commands
    .slice(from.commands)
    .map(({ atS, player, remote, command }) =>
      [atS, remote ? "Remote Server" : nameOf(player), command.trim()].join(" "),
    );
  const commandLine = /^<t:(\d+):T> ⌨️ \*\*(.+?)\*\* ran `(.+)`$/u;
  return [
    difference(
      "joins and leaves",
      joins,
      lines(channels.joins, joinLine, ([, at, name, what]) => `${at} ${what} ${legible(read(name))}`),
    ),
    difference(
      "kills",
      kills,
      lines(channels.kills, killLine, ([, at, killer, killed]) => `${at} ${read(killer)} > ${read(killed)}`),
    ),
    difference(
      "commands",
      commands,
      lines(
        channels.commands,
        commandLine,
        ([, at, name, text]) => `${at} ${read(name)} ${read(text).trim()}`,
      ),
    ),
    difference(
      "moderator calls, each on one card with its final state",
      record.modCalls.slice(from.modCalls).map(({ atS, caller, moderator }) => {
        const state = moderator === undefined ? "open" : `answered by ${idOf(moderator)}`;
        return `${atS} ${idOf(caller)} ${state}`;
      }),
      cards(discord, channels.modCalls),
    ),
  ];
}

/** Notices that entries may be missing, in any of the channels. */
export function gapNotices(
  discord: EmulatedDiscord,
  channels: Readonly<Record<string, Channel>>,
): readonly string[] {
  return noticesIn(discord, channels, "⚠ Gap");
}

/** Messages in any of the channels that begin in this way. */
export function noticesIn(
  discord: EmulatedDiscord,
  channels: Readonly<Record<string, Channel>>,
  beginning: string,
): readonly string[] {
  return Object.values(channels)
    .flatMap((channel) => discord.messages(channel))
    .map(({ content }) => content)
    .filter((content) => content.startsWith(beginning));
}

/** Each call on a card, with who answered it. */
function cards(discord: EmulatedDiscord, channel: Channel): string[] {
  const embeds = discord.messages(channel).flatMap((message) => message.embeds);
  return embeds.flatMap(({ description = "" }) => {
    const lines = description.split("\n");
    const caller = profileIn(lines[0] ?? "");
    return lines.flatMap((line, at) => {
      const [, again, second] = / called (again )?<t:(\d+):T>/.exec(line) ?? [];
      if (second === undefined) return [];
      // Of the first call on a line of its own; the next line may as well be a further call with its answer.
      const answer =
        again === undefined ? /^🎮 Answered in the game by (.+)$/u : /answered in the game by (.+)$/;
      const [, by] = answer.exec(again === undefined ? (lines[at + 1] ?? "") : line) ?? [];
      return [`${second} ${caller} ${by === undefined ? "open" : `answered by ${profileIn(by)}`}`];
    });
  });
}

function profileIn(markdown: string): string | undefined {
  return /users\/(\d+)\/profile/.exec(markdown)?.[1];
}

function difference(what: string, due: readonly string[], shown: readonly string[]): Difference {
  const balance = new Map<string, number>();
  for (const entry of due) balance.set(entry, (balance.get(entry) ?? 0) - 1);
  for (const entry of shown) balance.set(entry, (balance.get(entry) ?? 0) + 1);
  const times = (count: number, entry: string) => Array.from({ length: Math.max(0, count) }, () => entry);
  return {
    what,
    due: due.length,
    lost: [...balance].flatMap(([entry, count]) => times(-count, entry)),
    repeated: [...balance].flatMap(([entry, count]) => times(count, entry)),
  };
}

function idOf(ref: string): string {
  return ref.slice(ref.lastIndexOf(":") + 1);
}

function nameOf(ref: string): string {
  const colon = ref.lastIndexOf(":");
  return colon < 0 ? ref : ref.slice(0, colon);
}

/** What of a name surely shows: a hostile one holds what no client draws, and long ones are cut. */
function legible(name: string): string {
  const seen = name.replace(/[^\p{L}\p{N}]/gu, "").slice(0, 20);
  return seen === "" ? "noname" : seen;
}

/** What a reader sees of Markdown that the bot escaped. */
function read(markdown = ""): string {
  return markdown
    .replaceAll("\u200b", "")
    .replaceAll("ˋ", "`")
    .replace(/\\([^0-9A-Za-z\s])/g, "$1");
}
