import { isState } from "../../domain/changes.ts";
import { channelMention, type Escaped, md } from "../../domain/escaped.ts";
import { FEED_TABLE, type FeedKind, feedKind } from "../../domain/feed-kinds.ts";
import type { Card, MessageBody, PostedMessage } from "../../domain/message.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import { duration } from "./entry-line.ts";
import { escapeMarkdown, inlineName } from "./escape.ts";

type Gap = Parameters<FeedRenderer["gap"]>[1];

/** Entries that nobody can get any more: the log moved on between two polls, or began anew. */
export function gapNotice(kind: FeedKind, { fromS, toS, isRestart }: Gap): MessageBody {
  const span = fromS === undefined ? md`before <t:${toS}:T>` : md`between <t:${fromS}:T> and <t:${toS}:T>`;
  const why = isState(feedKind(kind).list)
    ? md`Marshal was not looking`
    : isRestart === true
      ? md`the game server restarted`
      : md`the game's log had already moved on`;
  return { content: md`⚠ Gap: ${FEED_TABLE[kind].name} ${span} may be missing: ${why}.` };
}

/** Said once when a feed falls behind; what it holds back follows by itself. */
export function lateNotice(kind: FeedKind, sinceMs: number): MessageBody {
  const since = Math.floor(sinceMs / 1_000);
  return {
    content: md`⏳ Late: ${FEED_TABLE[kind].name} fell behind at <t:${since}:T> (<t:${since}:R>). They will catch up.`,
  };
}

/** Several servers may share a channel: under the same heading as their lines. */
export function ofServer(body: MessageBody, serverName: string | undefined): MessageBody {
  if (serverName === undefined) return body;
  return { ...body, content: md`-# ${inlineName(serverName)}\n${body.content ?? ""}` };
}

const MARKS = {
  unreadable: md`-# Possibly repeated: Marshal can't read this channel's history.`,
  "in-file": md`-# Possibly repeated: a file above may already have some of these.`,
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

/** Whether a message of ours says that it may stand there twice. */
export function isPossiblyRepeated({ content, cards }: PostedMessage): boolean {
  return [content, cards[0]?.description ?? ""].some((text) => text.includes(MARKS.unreadable));
}

/** Under a notice that comes long after it was given. */
export function lateGiven(body: MessageBody, sinceMs: number): MessageBody {
  const late = md`-# Late: this is from <t:${Math.floor(sinceMs / 1_000)}:f>.`;
  return { ...body, content: body.content === undefined ? late : md`${body.content}\n${late}` };
}

/** For a community that has asked for more messages than Discord takes. */
export function tooManyWaitNotice(): MessageBody {
  return {
    content: md`⚠ Too many messages from this server are waiting for Discord. Marshal saves newer ones and posts them after its next start.`,
  };
}

/** For the person who configured a feed that has stopped: what happened, and what to do. */
export function parkedNotice(
  kind: FeedKind,
  { channelId, why, goesOn }: Parameters<FeedRenderer["parked"]>[1],
): MessageBody {
  const mend =
    goesOn === "by-itself"
      ? md`\`/diagnose\` shows what is missing. Once fixed, it continues by itself.`
      : md`Fix it with the button in \`/diagnose\`.`;
  return {
    content: md`⏸ The log of ${FEED_TABLE[kind].name} in ${channelMention(channelId)} has stopped: ${escapeMarkdown(why)}. ${mend} What happens until then won't be posted there.`,
  };
}

/** A feed that had stopped goes on by itself. */
export function goesOnNotice(kind: FeedKind, channelId: string): MessageBody {
  return {
    content: md`▶ The log of ${FEED_TABLE[kind].name} in ${channelMention(channelId)} is back. What happened in between is not posted.`,
  };
}

/** What `/feed test` posts. */
export function testNotice(kind: FeedKind, serverName: string | undefined): MessageBody {
  const of = serverName === undefined ? "" : md` of ${inlineName(serverName)}`;
  return { content: md`✅ Test: ${FEED_TABLE[kind].name}${of} will be posted here.` };
}

/** A second ping for a call that nobody has claimed; a reply to its card, since edits notify no one. */
export function escalationNotice(callerName: string, waitedMs: number): MessageBody {
  return { content: md`${UNCLAIMED}${duration(waitedMs / 1_000)}${stillWaiting(callerName)}` };
}

export function isEscalationNotice(callerName: string, { content }: Pick<PostedMessage, "content">): boolean {
  return content.includes(UNCLAIMED) && content.trim().endsWith(stillWaiting(callerName));
}

const UNCLAIMED = md`⏰ Unclaimed for `;

function stillWaiting(callerName: string): Escaped {
  return md`: **${inlineName(callerName)}** is still waiting for a moderator.`;
}

/** Entries that could be posted neither as lines nor as a file: said, so that nothing is dropped in silence. */
export function unpostableNotice(
  kind: FeedKind,
  { count, fromS, toS }: Parameters<FeedRenderer["unpostable"]>[1],
): MessageBody {
  return {
    content: md`⚠ Discord refused ${count} of the ${FEED_TABLE[kind].name} from <t:${fromS}:T> to <t:${toS}:T>, as text and as a file.`,
  };
}
