import {
  channelMention,
  type Escaped,
  joined,
  markdownOfOurs,
  md,
  roleMention,
  userMention,
} from "../../../domain/escaped.ts";
import type { Button, Card, MessageBody } from "../../../domain/message.ts";
import type { ServerState } from "../../../domain/model.ts";
import type { SessionRenderer } from "../../../domain/ports/session-renderer.ts";
import { type GameSession, isOn, isVotable, type SessionCall, voteState } from "../../../domain/session.ts";
import { escapeMarkdown, inlineName } from "../escape.ts";
import { refusedText } from "../refused-text.ts";
import { statusHeadline } from "../server/status.ts";
import { ageLine, isGameStaff } from "../server/view.ts";
import { summaryCard } from "./session-summary.ts";

/** How what sessions post of themselves reads. Pure. */

const COLORS = { on: 0x2d7d46, full: 0xc03d3d, low: 0xe0a100, vote: 0x3b6fd4, over: 0x80848e } as const;
const BAR = 10;
const RESTORED = md`Marshal's database was restored from an older copy`;
/** A card is edited once a minute; what is older says so. */
const STALE_AFTER_MS = 3 * 60_000;

export const sessionRenderer: SessionRenderer = {
  vote: voteMessage,
  card: startMessage,
  call: callMessage,
  summary: (session) =>
    session.past === undefined
      ? undefined
      : { cards: [{ ...summaryCard(session.past, session.serverName), url: urlOf(session, "summary") }] },
  isPost: (id, name, posted) => posted.cards.some(({ url }) => url?.endsWith(markOf(id, name)) === true),
  closed: ({ channelId, serverName }, why) => ({
    content: md`⚠ I can't post about the session on ${inlineName(serverName)} in ${channelMention(channelId)}: ${refusedText(why, md`\`/session setup\``)}`,
  }),
};

function voteMessage(session: GameSession, nowMs: number): MessageBody {
  const { id, vote, serverName } = session;
  if (vote === undefined) return {};
  const { needed, voterIds, untilMs, byId } = vote;
  const state = voteState(vote, nowMs);
  const votes = md`**${voterIds.length}** of **${needed}** votes`;
  const full = Math.min(BAR, Math.floor((voterIds.length / needed) * BAR));
  const bar = escapeMarkdown("▰".repeat(full) + "▱".repeat(BAR - full));
  const until = Math.floor(untilMs / 1_000);
  const lines = [
    md`${bar} ${votes}`,
    ...(state === "over" ? [voteEnding(session)] : []),
    ...(state === "enough" ? [md`✅ Enough. The session begins when staff start it.`] : []),
    ...(state === "open" ? [md`Open until <t:${until}:t> (<t:${until}:R>)`] : []),
    md`-# Asked by ${userMention(byId)}`,
  ];
  return {
    content: pingOf(session),
    cards: [
      {
        title: md`🗳 Vote: session on ${inlineName(serverName)}`,
        url: urlOf(session, "vote"),
        description: joined(lines, "\n"),
        color: state === "over" ? COLORS.over : COLORS.vote,
      },
    ],
    rows: isVotable(vote, nowMs) ? [voteButtons(id)] : [],
  };
}

/** What people press under a vote. */
function voteButtons(sessionId: string): readonly Button[] {
  return [{ kind: "button", style: "success", label: "I'm in", id: `session-in:${sessionId}` }];
}

function voteEnding({ vote, start }: GameSession): Escaped {
  if (start !== undefined) return md`✅ The session has started.`;
  switch (vote?.end) {
    case "cancelled":
      return md`The vote was cancelled.`;
    case "unlinked":
      return md`The vote is over: the server was unlinked.`;
    case "restored":
      return md`The vote is over: ${RESTORED}.`;
    default: {
      const isEnough = vote !== undefined && vote.voterIds.length >= vote.needed;
      return isEnough
        ? md`Enough voted, but nobody started in time.`
        : md`The vote is over: not enough votes.`;
    }
  }
}

function startMessage(session: GameSession, state: ServerState | undefined, nowMs: number): MessageBody {
  const { start, end, bindingId } = session;
  if (start === undefined) return {};
  const players: Button = {
    kind: "button",
    style: "secondary",
    label: "Players",
    id: `server-players:${bindingId}`,
  };
  const card: Card = {
    ...titleOf(session),
    url: urlOf(session, "card"),
    description: joined(isOn(session) ? onLines(session, state, nowMs) : overLines(session), "\n"),
    ...(start.pictureUrl === undefined ? {} : { imageUrl: start.pictureUrl }),
  };
  const mentions = start.mentionIds.map((userId) => userMention(userId));
  return {
    content: joined([pingOf(session), ...mentions], " "),
    cards: [card],
    rows: end === undefined ? [[players]] : [],
  };
}

function titleOf(session: GameSession): Pick<Card, "title" | "color"> {
  const name = inlineName(session.serverName);
  if (!isOn(session)) return { title: md`⚪ Session over: ${name}`, color: COLORS.over };
  switch (session.calls.at(-1)?.kind) {
    case "full":
      return { title: md`🔴 Session is full: ${name}`, color: COLORS.full };
    case "low":
      return { title: md`🟡 Players wanted: ${name}`, color: COLORS.low };
    default:
      return { title: md`🟢 Session: ${name}`, color: COLORS.on };
  }
}

function onLines({ start }: GameSession, state: ServerState | undefined, nowMs: number): readonly Escaped[] {
  if (start === undefined) return [];
  const fromS = Math.floor(start.atMs / 1_000);
  const players = state?.lists.players?.value;
  const staff =
    players === undefined ? [] : [md`🛡 **${players.filter(isGameStaff).length}** staff in the game`];
  const live =
    state === undefined
      ? [md`👥 Nothing was read from the server yet.`]
      : [
          statusHeadline(state),
          ...staff,
          ...(nowMs - state.statusAtMs < STALE_AFTER_MS ? [] : [ageLine(state.statusAtMs)]),
        ];
  return [
    ...ownText(start.text),
    md`Since <t:${fromS}:t> (<t:${fromS}:R>), started by ${userMention(start.byId)}`,
    ...live,
  ];
}

function overLines({ start, end }: GameSession): readonly Escaped[] {
  if (start === undefined || end === undefined) return [];
  const span = md`<t:${Math.floor(start.atMs / 1_000)}:t> to <t:${Math.floor(end.atMs / 1_000)}:t>`;
  switch (end.why) {
    case "cancelled":
      return [md`Cancelled.`];
    case "unlinked":
      return [md`${span}. The server was unlinked.`];
    case "restored":
      return [md`Nobody knows when it ended: ${RESTORED}.`];
    case "limit":
      return [md`${span}. Ended by itself after 12 hours.`];
    case "ended":
      return [span];
    default:
      return end.why satisfies never;
  }
}

function callMessage(session: GameSession, call: SessionCall, name: string): MessageBody {
  const { serverName } = session;
  const server = inlineName(serverName);
  const isFull = call.kind === "full";
  return {
    content: call.isPinging ? pingOf(session) : md``,
    cards: [
      {
        title: isFull ? md`🔴 ${server} is full` : md`🟡 Players wanted on ${server}`,
        url: urlOf(session, name),
        description: md`<t:${Math.floor(call.atMs / 1_000)}:R> · ${userMention(call.byId)}`,
        color: isFull ? COLORS.full : COLORS.low,
      },
    ],
  };
}

/** As it was typed; \n begins a line, because an option of a command has one line only. */
function ownText(text: string | undefined): readonly Escaped[] {
  if (text === undefined) return [];
  const lines = text.split("\\n").map((line) => escapeMarkdown(line));
  return [...lines, md``];
}

function pingOf({ roleId }: GameSession): Escaped {
  return roleId === undefined ? md`` : roleMention(roleId);
}

/** Its own channel. What follows the address names the message, so that it is found again. */
function urlOf({ id, guildId, channelId }: GameSession, name: string): Escaped {
  return markdownOfOurs(`https://discord.com/channels/${guildId}/${channelId}${markOf(id, name)}`);
}

function markOf(sessionId: string, name: string): string {
  return `#session-${sessionId}-${name}`;
}
