import { channelMention, type Escaped, joined, md, roleMention } from "../../domain/escaped.ts";
import { FEED_TABLE } from "../../domain/feed-kinds.ts";
import type { Binding, Feed } from "../../domain/guild.ts";
import type { Button, Card, Row } from "../../domain/message.ts";
import type { ChannelAccess } from "../../domain/ports/guilds.ts";
import { HOW_TO_MEND, isShut, obstacleIn } from "./channel-access.ts";
import { duration } from "./entry-line.ts";
import { cut, escapeMarkdown, inlineCode, inlineName, plainText } from "./escape.ts";
import { waitEndSecond } from "./fine-print.ts";

/** How a feed is doing, as `Feeds.status` tells it. */
export interface FeedHealth {
  readonly undelivered: number;
  readonly lateSinceMs?: number;
  readonly waitsForStore?: boolean;
  readonly waitsForFirstLook?: boolean;
  /** Nothing is read of its server until that is mended. */
  readonly isStill?: boolean;
  /** Of its channel. */
  readonly access?: ChannelAccess | undefined;
}

/** What is as it should be needs no word. */
const STATES = {
  live: { sign: "▶", word: "" },
  paused: { sign: "⏸", word: "paused" },
  parked: { sign: "⚠", word: "stopped" },
} as const satisfies Record<Feed["state"], { readonly sign: string; readonly word: string }>;

/** All feeds of a guild, numbered as the choices of `/feed` number them. */
export function feedListCard(
  feeds: readonly Feed[],
  bindings: readonly Binding[],
  healthOf: (feed: Feed) => FeedHealth,
): Card {
  const lines = feeds.map((feed, index) => {
    const health = healthOf(feed);
    const { sign, words } = stateText(feed, health);
    const [place = md``, ...others] = feedParts(feed, bindings);
    // Lines are what nearly every feed has: only what differs is worth a look.
    const rest = others.filter((part) => part !== "lines");
    const why = feed.state === "parked" || isShutOut(feed, health) ? whyText(feed, health) : "";
    const details = rest.length === 0 ? "" : md`\n-# ${joined(rest, " · ")}`;
    return md`**${index + 1}.** ${sign} ${place}${words}${why}${details}`;
  });
  const isWrong = (feed: Feed) => feed.state === "parked" || isShutOut(feed, healthOf(feed));
  if (feeds.some((feed) => isWrong(feed) && healthOf(feed).access?.kind === "missing"))
    lines.push(HOW_TO_MEND);
  const none = md`No feeds yet. Set up all logs with \`/setup start\`, or add one with \`/feed add\`.`;
  return {
    title: md`Log channels`,
    description: lines.length === 0 ? none : packed(lines, 4_000),
    color: feeds.some(isWrong) ? 0xb7791f : 0x4a6fa5,
  };
}

/** It has not met it yet, but nothing can be posted in its channel. */
function isShutOut({ state }: Feed, { access }: FeedHealth): boolean {
  return state === "live" && access !== undefined && isShut(access);
}

/** Why it stopped: what is missing in its channel now, or what was said when it stopped. */
function whyText({ channelId, parkedWhy }: Feed, { access }: FeedHealth): Escaped | "" {
  const isTelling = access?.kind === "missing" || access?.kind === "timed-out";
  if (access !== undefined && isShut(access) && (isTelling || parkedWhy === undefined))
    return md`\n⤷ ${obstacleIn(channelId, access)}`;
  return parkedWhy === undefined ? "" : md`\n⤷ ${escapeMarkdown(cut(parkedWhy, 200))}`;
}

const ROWS = 5;
const BUTTONS_IN_ROW = 5;

/**
 * A button for each feed that does not post, by its number in the list; what stopped comes before what is paused. Where
 * the channel was deleted only another one helps.
 */
export function resumeRows(feeds: readonly Feed[], isGone: (channelId: string) => boolean): readonly Row[] {
  const still = feeds.flatMap((feed, index) => (feed.state === "live" ? [] : [{ feed, number: index + 1 }]));
  const stopped = still.filter(({ feed }) => feed.state === "parked");
  const paused = still.filter(({ feed }) => feed.state === "paused");
  const all = [...stopped, ...paused].map(
    ({ feed, number }): Button => ({
      kind: "button",
      style: feed.state === "parked" ? "primary" : "secondary",
      ...(isGone(feed.channelId)
        ? { label: `Another channel for ${number}`, id: `guide:logs:${feed.bindingId}` }
        : { label: `Post ${number} again`, id: `feed-resume:${feed.id}` }),
    }),
  );
  // The step of the logs is the same one for each log of a server: two buttons may not share an id.
  const buttons = all.filter(({ id }, at) => all.findIndex((one) => one.id === id) === at);
  buttons.splice(ROWS * BUTTONS_IN_ROW);
  const rows: Row[] = [];
  for (let at = 0; at < buttons.length; at += BUTTONS_IN_ROW)
    rows.push(buttons.slice(at, at + BUTTONS_IN_ROW));
  return rows;
}

/** `kills in <#1> · Town · cards · team Police`: what a feed shows and where; the usual style goes without saying. */
export function feedText(feed: Feed, bindings: readonly Binding[]): Escaped {
  return joined(feedParts(feed, bindings), " · ");
}

function feedParts(feed: Feed, bindings: readonly Binding[]): Escaped[] {
  const server = bindings.find((binding) => binding.id === feed.bindingId)?.name;
  const parts = [md`${FEED_TABLE[feed.kind].name} in ${channelMention(feed.channelId)}`];
  if (server !== undefined && bindings.length > 1) parts.push(inlineName(server));
  const hasStyle = feed.kind !== "modCalls" && feed.kind !== "emergencyCalls";
  if (hasStyle && feed.style === "cards") parts.push(md`cards`);
  parts.push(...filterTexts(feed));
  if (feed.pingRoleId !== undefined) parts.push(md`pings ${roleMention(feed.pingRoleId)}`);
  if (feed.escalateAfterMs !== undefined) {
    parts.push(md`again when unclaimed for ${duration(feed.escalateAfterMs / 1_000)}`);
  }
  if (feed.silent) parts.push(md`silent`);
  return parts;
}

/** A choice of a feed: plain text, at most 100 characters, without mentions, which choices do not show. */
export function feedChoice(
  feed: Feed,
  {
    number,
    bindings,
    channelName,
  }: {
    readonly number: number;
    readonly bindings: readonly Binding[];
    /** Undefined: a thread, or a channel that is gone. */
    readonly channelName: string | undefined;
  },
): string {
  const server = bindings.find((binding) => binding.id === feed.bindingId)?.name ?? "";
  const where = channelName === undefined ? "" : ` · #${plainText(channelName)}`;
  const state = feed.state === "live" ? "" : ` · ${STATES[feed.state].word}`;
  const named = bindings.length > 1 ? ` · ${plainText(server)}` : "";
  return cut(`${number}. ${FEED_TABLE[feed.kind].name}${where}${state}${named}`, 100);
}

function filterTexts({ filter }: Feed): Escaped[] {
  const texts: Escaped[] = [];
  const list = (word: "team" | "player" | "command", values: readonly string[] | undefined) => {
    if (values === undefined || values.length === 0) return;
    texts.push(
      md`${word} ${joined(
        values.map((value) => inlineCode(value, 40)),
        " ",
      )}`,
    );
  };
  list("team", filter.teams);
  list("player", filter.players);
  list("command", filter.verbs);
  return texts;
}

/** Of a log whose server can't be read: nobody has to start it again. */
export const PAUSED_UNTIL_READ = md`paused until the server can be read`;

/** Marshal could not write or read what the feed needs; nothing is for people to do but to know. */
const WAITS_FOR_STORE = "Marshal's database is not working. It tries again by itself";

/** What `/feed add` and `/feed resume` say of a feed that is stored and could not be opened yet. */
export function notOpenText(said: Escaped): Escaped {
  return md`⏳ Saved, but not posting yet: ${said}. ${WAITS_FOR_STORE}, and \`/feed list\` says when it is live.`;
}

/** Where a feed begins that has no log to begin from yet; `haltUntilMs`: nothing is asked before. */
export function firstLookText(haltUntilMs: number | undefined): Escaped {
  const when =
    haltUntilMs === undefined
      ? md``
      : md` The game service asked Marshal to wait, so that is after ${waitEndSecond(haltUntilMs)}.`;
  return md`-# It starts when Marshal next reads the server. Nothing from before that is posted.${when}`;
}

function stateText(feed: Feed, health: FeedHealth): { readonly sign: Escaped; readonly words: Escaped } {
  const { sign, word } = STATES[feed.state];
  if (feed.state !== "live") return { sign: md`${sign}`, words: md` · ${word}` };
  if (isShutOut(feed, health)) return { sign: md`${STATES.parked.sign}`, words: healthText(health) };
  if (health.isStill === true) return { sign: md`${STATES.paused.sign}`, words: md` · ${PAUSED_UNTIL_READ}` };
  return health.waitsForStore === true
    ? { sign: md`⏳`, words: md` · not posting yet\n⤷ ${WAITS_FOR_STORE}` }
    : { sign: md`${sign}`, words: healthText(health) };
}

function healthText({ undelivered, lateSinceMs, waitsForFirstLook }: FeedHealth): Escaped {
  if (waitsForFirstLook === true) return md` · starts when the server is next read`;
  const waiting =
    undelivered === 0 ? md`` : md` · ${escapeMarkdown(undelivered.toLocaleString("en"))} waiting`;
  return lateSinceMs === undefined
    ? waiting
    : md`${waiting} · fell behind <t:${Math.floor(lateSinceMs / 1_000)}:R>`;
}

function packed(lines: readonly Escaped[], room: number): Escaped {
  let text = md``;
  for (const [index, line] of lines.entries()) {
    const longer = text === "" ? line : md`${text}\n${line}`;
    if (longer.length > room - 40) return md`${text}\n… and ${lines.length - index} more`;
    text = longer;
  }
  return text;
}
