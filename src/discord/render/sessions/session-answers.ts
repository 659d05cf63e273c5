import { channelMention, type Escaped, joined, md, roleMention } from "../../../domain/escaped.ts";
import type { Button, MessageBody } from "../../../domain/message.ts";
import type { ServerStatus } from "../../../domain/model.ts";
import type { Announced, Called, VotePress } from "../../../domain/ports/sessions.ts";
import type { GameSession, SessionSetup } from "../../../domain/session.ts";
import { cut, escapeMarkdown, inlineName } from "../escape.ts";

/** How answers about sessions read. Pure. */

const COLOR = 0x3b6fd4;

/** A vote or a session has its message, or gets it. `more`: said below. */
export function announcedReply(
  { session, message }: Announced,
  what: "vote" | "start",
  more?: Escaped,
): MessageBody {
  const where = channelMention(session.channelId);
  const name = what === "vote" ? md`Vote` : md`Session`;
  const words =
    message === "posted"
      ? md`✅ ${name} posted in ${where}.`
      : md`⏳ Discord does not answer. The ${what === "vote" ? "vote" : "session"} follows in ${where} as soon as it does.`;
  const mentioned = session.start?.mentionIds.length ?? 0;
  const people = mentioned === 1 ? md`1 person who voted` : md`${mentioned} people who voted`;
  const lines = [
    words,
    ...(mentioned === 0 ? [] : [md`It mentions ${people}.`]),
    ...(more === undefined ? [] : [md``, more]),
  ];
  return { content: joined(lines, "\n") };
}

/** `status`: what the last look showed. */
export function calledReply(
  { announced, call }: Called,
  status: Pick<ServerStatus, "currentPlayers" | "maxPlayers"> | undefined,
): MessageBody {
  if (announced === undefined || call === undefined)
    return { content: md`Already posted: the server is full.` };
  const { session, message } = announced;
  const where = channelMention(session.channelId);
  const what = call.kind === "full" ? md`the server is full` : md`players wanted`;
  const ping =
    call.kind === "full" || session.roleId === undefined || call.isPinging
      ? md``
      : md` Without a ping: the last one was under 15 min ago.`;
  const doubt =
    call.kind === "full" && status !== undefined && status.currentPlayers < status.maxPlayers
      ? md` The last look showed ${status.currentPlayers} of ${status.maxPlayers} players.`
      : md``;
  return message === "posted"
    ? { content: md`✅ Posted in ${where}: ${what}.${ping}${doubt}` }
    : {
        content: md`⏳ Discord does not answer. It is posted in ${where} as soon as it does: ${what}.${ping}${doubt}`,
      };
}

export function endedReply({ channelId }: GameSession): MessageBody {
  return { content: md`✅ Session over. The summary follows in ${channelMention(channelId)}.` };
}

export function cancelledReply({ start }: GameSession): MessageBody {
  return {
    content:
      start === undefined
        ? md`✅ Vote cancelled.`
        : md`✅ Session cancelled. It does not count as a past session.`,
  };
}

/** For who pressed. `isMentioned`: they let Marshal mention them. */
export function pressReply({ session, kind }: VotePress, isMentioned: boolean): MessageBody {
  const { id, vote } = session;
  const votes = md`**${vote?.voterIds.length ?? 0}** of **${vote?.needed ?? 0}**`;
  const out: Button = {
    kind: "button",
    style: "secondary",
    label: "Take my vote back",
    id: `session-out:${id}`,
  };
  const mention: Button = {
    kind: "button",
    style: "primary",
    label: "Mention me at the start",
    id: `session-mention:${id}`,
  };
  switch (kind) {
    case "taken-back":
      return { content: md`✅ You took your vote back: ${votes}.`, rows: [] };
    case "none":
      return { content: md`You have not voted here.`, rows: [] };
    case "counted":
    case "already": {
      const head = kind === "counted" ? md`✅ You're in: ${votes}.` : md`Your vote counts: ${votes}.`;
      const told = isMentioned ? md`\n🔔 The start mentions you, if you are among the first 25.` : md``;
      return { content: md`${head}${told}`, rows: [isMentioned ? [out] : [mention, out]] };
    }
    default:
      return kind satisfies never;
  }
}

/** What is set up for the sessions of a server. */
export function setupCard(setup: SessionSetup | undefined, serverName: string): MessageBody {
  const title = md`Sessions on ${inlineName(serverName)}`;
  if (setup === undefined) {
    const description = md`Not set up yet. Start with \`/session setup channel:\`.`;
    return { cards: [{ title, description, color: COLOR }] };
  }
  const { channelId, roleId, hostRoleId, needed, cooldownMinutes, text, pictureUrl } = setup;
  const lines = [
    md`Posted in ${channelMention(channelId)}`,
    roleId === undefined ? md`No role is pinged` : md`Pings ${roleMention(roleId)}`,
    hostRoleId === undefined ? md`Run by Managers` : md`Run by Managers and ${roleMention(hostRoleId)}`,
    md`${needed === 1 ? md`**1** vote is` : md`**${needed}** votes are`} enough. After a failed vote, the next one has to wait ${cooldownMinutes} min`,
    text === undefined ? md`No text` : md`Text: ${escapeMarkdown(cut(text, 400))}`,
  ];
  const card = { title, description: joined(lines, "\n"), color: COLOR };
  return { cards: [pictureUrl === undefined ? card : { ...card, imageUrl: pictureUrl }] };
}
