import { channelMention, md } from "../../domain/escaped.ts";
import type { FeedKind } from "../../domain/guild.ts";
import type { Card, MessageBody } from "../../domain/message.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import { duration } from "./entry-line.ts";
import { escapeMarkdown, inlineName } from "./escape.ts";
import { FEED_NAMES } from "./feed-names.ts";

/** Entries that nobody can get any more: the log moved on between two polls. */
export function gapNotice(kind: FeedKind, fromS: number | undefined, toS: number): MessageBody {
  const span = fromS === undefined ? md`before <t:${toS}:T>` : md`between <t:${fromS}:T> and <t:${toS}:T>`;
  return { content: md`⚠ Gap: ${FEED_NAMES[kind]} ${span} may be missing. The game's log had moved on.` };
}

/** Said once when a feed falls behind; what it holds back follows by itself. */
export function lateNotice(kind: FeedKind, sinceMs: number): MessageBody {
  const since = Math.floor(sinceMs / 1_000);
  return {
    content: md`⏳ Late: ${FEED_NAMES[kind]} have not been up to date since <t:${since}:T> (<t:${since}:R>). They follow as soon as possible.`,
  };
}

const MARKS = {
  unreadable: md`-# Possibly repeated: Marshal may not read this channel's history and cannot tell.`,
  "in-file": md`-# Possibly repeated: a file above may hold some of these already.`,
};

/** Marks a message whose entries may stand there already: the channel cannot be read, or a file in it may hold them. */
export function possiblyRepeated(
  body: MessageBody,
  why: Parameters<FeedRenderer["possiblyRepeated"]>[1] = "unreadable",
): MessageBody {
  const mark = MARKS[why];
  const [first, ...rest] = body.cards ?? [];
  if (first === undefined) {
    return { ...body, content: body.content === undefined ? mark : md`${body.content}\n${mark}` };
  }
  const marked: Card = { ...first, description: md`${first.description ?? ""}\n${mark}` };
  return { ...body, cards: [marked, ...rest] };
}

/** For the person who configured a feed that has stopped: what happened, and what to do. */
export function parkedNotice(
  kind: FeedKind,
  { channelId, why, goesOn }: Parameters<FeedRenderer["parked"]>[1],
): MessageBody {
  const mend =
    goesOn === "by-itself"
      ? md`\`/diagnose\` shows what is missing; once that is there, it goes on by itself.`
      : md`\`/diagnose\` has the button that mends it.`;
  return {
    content: md`⏸ The log of ${FEED_NAMES[kind]} in ${channelMention(channelId)} has stopped: ${escapeMarkdown(why)}. ${mend}`,
  };
}

/** A feed that had stopped goes on by itself. */
export function goesOnNotice(kind: FeedKind, channelId: string): MessageBody {
  return {
    content: md`▶ The log of ${FEED_NAMES[kind]} in ${channelMention(channelId)} goes on. What happened meanwhile is not posted there.`,
  };
}

/** What `/feed test` posts. */
export function testNotice(kind: FeedKind, serverName: string | undefined): MessageBody {
  const of = serverName === undefined ? "" : md` of ${inlineName(serverName)}`;
  return { content: md`✅ Test: ${FEED_NAMES[kind]}${of} will be posted here.` };
}

/** A second ping for a call that nobody has claimed; a reply to its card, since edits notify no one. */
export function escalationNotice(callerName: string, waitedMs: number): MessageBody {
  return {
    content: md`⏰ Unclaimed for ${duration(waitedMs / 1_000)}: **${inlineName(callerName)}** still waits for a moderator.`,
  };
}

/** Entries that could be posted neither as lines nor as a file: said, so that nothing is dropped in silence. */
export function unpostableNotice(
  kind: FeedKind,
  { count, fromS, toS }: Parameters<FeedRenderer["unpostable"]>[1],
): MessageBody {
  return {
    content: md`⚠ Discord refused ${count} of the ${FEED_NAMES[kind]} from <t:${fromS}:T> to <t:${toS}:T>, as text and as a file.`,
  };
}

/** Emergency calls that nobody sees any more; their cards were owed to a store that took nothing. */
export function unwrittenNotice(count: number, fromS: number, toS: number): MessageBody {
  return {
    content: md`⚠ ${count} emergency ${count === 1 ? "call" : "calls"} between <t:${fromS}:T> and <t:${toS}:T> ${count === 1 ? "is" : "are"} missing here: Marshal could not write to its own store, and more calls waited for it than it holds.`,
  };
}
