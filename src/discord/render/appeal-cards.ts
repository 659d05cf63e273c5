import type { Appeal, AppealDecision } from "../../domain/appeal.ts";
import { channelMention, type Escaped, joined, md, userMention } from "../../domain/escaped.ts";
import type { Attachment, Button, MessageBody, PostedMessage, Row } from "../../domain/message.ts";
import type { AppealPack, AppealRenderer } from "../../domain/ports/appeals.ts";
import { cut, escapeMarkdown, inlineName, plainText } from "./escape.ts";
import { markedUrl } from "./hidden-marks.ts";
import { RUN_COLORS } from "./plan-cards.ts";
import { caseCard } from "./players/case-card.ts";
import { caseLine } from "./players/case-words.ts";
import { refusedText } from "./refused-text.ts";
import { appealWithoutWords, leftOutLine } from "./words-left-out.ts";

/** How appeals read: the button, the message for staff, the talk, the answer. Pure. */

const LONGEST_WORDS = 1_000;
/** Discord takes 6,000 characters in all cards of a message; the rest is for titles and the server's name. */
const ROOM_OF_CARDS = 5_600;
const DECIDED = ["accepted", "refused"] as const;
/** How the line about the un-ban begins. */
const UNBAN_SIGNS = [
  ["🕊️", "ran"],
  ["⛔", "not-sent"],
  ["❔", "asked"],
] as const;

function appealButton(): MessageBody {
  const button: Button = { kind: "button", style: "primary", label: "Appeal", id: "appeal-open:" };
  return {
    cards: [
      {
        title: md`⚖️ Appeal a punishment`,
        description: md`Were you warned, kicked, jailed or banned in the game by mistake, or long ago? Tell the staff. Only they can read it. They answer you here or by direct message.`,
        color: RUN_COLORS.ask,
      },
    ],
    rows: [[button]],
  };
}

export const appealRenderer: AppealRenderer = {
  button: appealButton,
  card: (pack) => staffCard(pack.appeal.card.isWithoutWords === true ? appealWithoutWords(pack) : pack),
  // Cards of earlier versions show the id.
  isCard: (id, { cards, componentIds }) =>
    cards[0]?.footer === `Appeal ${id}` ||
    cards[0]?.url?.endsWith(`#${markOf(id)}`) === true ||
    componentIds.includes(`appeal-no:${id}`),
  decisionOn,
  talk: ({ userId }) => ({
    content: md`⚖️ ${userMention(userId)}, this is about your appeal. Only you and the staff can read this thread.`,
  }),
  decided: ({ userId, decision }) => ({
    content:
      decision?.outcome === "accepted"
        ? md`✅ ${userMention(userId)}: your appeal was accepted.`
        : md`⚪ ${userMention(userId)}: your appeal was refused. You can appeal again in 7 days.`,
  }),
  closed: (channelId, why) => ({
    content: md`⚠️ I can't post appeals in ${channelMention(channelId)}: ${refusedText(why, md`\`/setup appeals\``)}`,
  }),
};

/** For who appealed: the same words whatever is known of the account. */
export function appealSent(): MessageBody {
  return { content: md`✅ Sent. The staff will answer in a private thread here, or by direct message.` };
}

function markOf(id: string): string {
  return `appeal-${id}`;
}

function staffCard(pack: AppealPack): MessageBody {
  const { appeal, one, lift, evidence, earlier } = pack;
  const lines = [
    md`By ${userMention(appeal.userId)} <t:${seconds(appeal.atMs)}:R>`,
    accountLine(appeal),
    ...wordLines(appeal),
    ...leftOutLine(appeal.card),
    one === undefined
      ? md`This player has **no case** that counts.`
      : md`About **case ${one.number}**, below.`,
    ...(one !== undefined && evidence === undefined ? [md`-# Nothing was recorded around this case.`] : []),
    ...(earlier.length === 0
      ? []
      : [md``, md`**Other cases**`, ...earlier.map((other) => caseLine(other, { withTarget: false }))]),
    ...severalLines(one),
    ...decisionLines(appeal, appeal.player?.id),
  ];
  const description = joined(lines, "\n");
  const title = appeal.decision === undefined ? md`⚖️ Appeal` : md`⚖️ Appeal · ${appeal.decision.outcome}`;
  const card = {
    title,
    description,
    color: RUN_COLORS.ask,
    // Until then its buttons name it.
    ...(appeal.decision === undefined
      ? {}
      : { url: markedUrl({ guildId: appeal.guildId, channelId: appeal.card.channelId }, markOf(appeal.id)) }),
  };
  const about =
    one === undefined ? [] : (caseCard(one, { lift, room: ROOM_OF_CARDS - description.length }).cards ?? []);
  return {
    cards: [card, ...about],
    rows: rowsOf(pack),
    ...(evidence === undefined ? {} : { files: [fileOf(pack)] }),
  };
}

function accountLine({ player, typedName, provenBy }: Appeal): Escaped {
  const name = inlineName(player?.name ?? typedName);
  if (player === undefined) return md`Says they are **${name}**. Nobody with that name is known here.`;
  if (provenBy === undefined) return md`Says they are **${name}**. **Not proven yet.**`;
  return provenBy === "link"
    ? md`**${name}**, proven by their linked account.`
    : md`**${name}**, says ${userMention(provenBy)}.`;
}

function wordLines({ words }: Appeal): readonly Escaped[] {
  return cut(words, LONGEST_WORDS)
    .split(/\n+/)
    .map((line) => md`> ${escapeMarkdown(plainText(line))}`);
}

function severalLines(one: AppealPack["one"]): readonly Escaped[] {
  const count = one?.targets.length ?? 0;
  if (count < 2) return [];
  return [
    md`-# The case has ${count} players. Accepting lifts it for this one, and it stays for the others.`,
  ];
}

function decisionLines({ decision, threadId }: Appeal, playerId: number | undefined): readonly Escaped[] {
  const talk = threadId === undefined ? [] : [md`💬 ${channelMention(threadId)}`];
  if (decision === undefined) return [...talk];
  const { outcome, byId, atMs, isOwnCase, unban } = decision;
  const word = outcome === "accepted" ? md`✅ Accepted` : md`⚪ Refused`;
  const own = isOwnCase === true ? md`. They own this Discord server, and made the case.` : md``;
  const by = md`${word} by ${userMention(byId)} <t:${seconds(atMs)}:R>${own}`;
  const again = md`\`:unban ${playerId ?? 0}\``;
  const lift = {
    ran: md`🕊️ Unbanned in the game.`,
    "not-sent": md`⛔ **Still banned in the game.** Send ${again} with \`/run command\`.`,
    asked: md`❔ It is not known yet whether the unban ran. See \`/run history\`. If it is not there, send ${again}.`,
  };
  return [...talk, md``, by, ...(unban === undefined ? [] : [lift[unban]])];
}

function decisionOn({ cards }: Pick<PostedMessage, "cards">): AppealDecision | undefined {
  const { title, description = "" } = cards[0] ?? {};
  const outcome = DECIDED.find((word) => title?.endsWith(` · ${word}`));
  if (outcome === undefined) return undefined;
  const [line, byId = "", atS = 0] = /^. \w+ by <@!?(\w+)> <t:(\d+):R>/mu.exec(description) ?? [];
  const after = line === undefined ? "" : description.slice(description.indexOf(line));
  const unban = UNBAN_SIGNS.find(([sign]) => after.includes(`\n${sign} `))?.[1];
  return {
    outcome,
    byId,
    byName: "a member of staff",
    atMs: Number(atS) * 1_000,
    ...(unban === undefined ? {} : { unban }),
  };
}

function rowsOf({ appeal, one, evidence }: AppealPack): readonly Row[] {
  const button = (label: string, id: string, style: Button["style"] = "secondary"): Button => ({
    kind: "button",
    style,
    label,
    id,
  });
  const replay =
    one === undefined || evidence?.track === undefined ? [] : [button("Replay", `case-replay:${one.number}`)];
  if (appeal.decision !== undefined) return replay.length === 0 ? [] : [replay];
  const talk = button("Talk", `appeal-talk:${appeal.id}`, "primary");
  const theirs = button("It's their account", `appeal-theirs:${appeal.id}`);
  const accept = button("Accept", `appeal-yes:${appeal.id}`, "success");
  const refuse = button("Refuse", `appeal-no:${appeal.id}`, "danger");
  const yes = one === undefined ? [] : [appeal.provenBy === undefined ? theirs : accept];
  return [[talk, ...yes, refuse, ...replay]];
}

/** What the case keeps of the minutes around it. */
function fileOf({ one, evidence }: AppealPack): Attachment {
  return {
    name: `case-${one?.number ?? 0}.json`,
    data: JSON.stringify({ case: one, ...evidence }, undefined, 1),
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
