import type { Case, Watch } from "../../../domain/case.ts";
import {
  channelMention,
  type Escaped,
  joined,
  markdownOfOurs,
  md,
  roleMention,
  userMention,
} from "../../../domain/escaped.ts";
import type { MessageBody, PostedMessage } from "../../../domain/message.ts";
import type { CaseRenderer, WatchAlertView } from "../../../domain/ports/case-renderer.ts";
import { note, person } from "../entry-line.ts";
import { cut, cutLines, inlineName, plainText, shownName } from "../escape.ts";
import { WORDS_LEFT_OUT } from "../fine-print.ts";
import { markIn } from "../hidden-marks.ts";
import { refusedText } from "../refused-text.ts";
import { caseWithoutWords, watchWithoutWords } from "../words-left-out.ts";
import { type CaseView, caseCard, caseNumberOf, erasedCaseCard } from "./case-card.ts";
import { playerButtons } from "./player-buttons.ts";

/** The watchlist, and the message when somebody on it joins. Pure. */

const MARK = /^player-open:[^/]*\/\d+\/([\w-]{1,40})$/;
/** Posts of earlier versions show the key. */
const FOOTER = /^Watched · ([\w-]{1,40})$/;

/** `👁 watched until 3 December by @Mo: asks for money` */
export function watchText(watch: Watch): Escaped {
  const { byId, reason } = watch;
  const why = reason === undefined ? md`` : md`: ${note(reason, 200)}`;
  return md`👁 Watched${untilText(watch)} by ${userMention(byId)}${why}`;
}

/** To the person who has just begun it. */
export function watchBegun(watch: Watch): Escaped {
  const { name, reason } = watch;
  const why = reason === undefined ? md`` : md`\n> ${note(reason, 200)}`;
  return md`✅ **${inlineName(name)}** is now watched${untilText(watch)}.${why}`;
}

function untilText({ untilMs }: Watch): Escaped {
  return untilMs === undefined ? md`` : md` until <t:${Math.floor(untilMs / 1_000)}:f>`;
}

/** A feed may post all joins elsewhere. The command is for those who manage the Discord server. */
export function noChannelLine(manages: boolean): Escaped {
  const how = manages
    ? md`Set a channel with \`/setup watches channel:\`.`
    : md`Someone with Manage Server can set a channel: \`/setup watches\`.`;
  return md`Joins of watched players are not posted anywhere yet. ${how}`;
}

/** All who are watched; one select ends a watch. */
export function watchList(
  watches: readonly Watch[],
  { alertChannelId, manages }: { readonly alertChannelId: string | undefined; readonly manages: boolean },
): MessageBody {
  const lines = watches.map((watch) => {
    const { name, playerId, byId, atMs, untilMs, reason } = watch;
    const until = untilMs === undefined ? md`` : md` · until <t:${Math.floor(untilMs / 1_000)}:f>`;
    const why = reason === undefined ? md`` : md` · ${note(reason, 100)}`;
    const who = person({ name, id: playerId }, true);
    return md`${who} · by ${userMention(byId)} <t:${Math.floor(atMs / 1_000)}:R>${until}${why}`;
  });
  const where =
    alertChannelId === undefined
      ? md`-# ${noChannelLine(manages)}`
      : md`-# Joins of watched players are posted in ${channelMention(alertChannelId)}.`;
  const options = watches.slice(0, 25).map(({ name, playerId }) => ({
    label: cut(`End the watch of ${plainText(shownName(name))}`, 100),
    value: String(playerId),
  }));
  const found = lines.length === 0 ? md`Nobody is watched.` : cutLines(lines, 3_800);
  return {
    cards: [
      {
        title: md`👁 Watchlist · ${watches.length}`,
        description: joined([found, where], "\n"),
        color: 0x4a6fa5,
      },
    ],
    rows:
      options.length === 0
        ? []
        : [[{ kind: "select", of: "string", id: "watch-end", placeholder: "End a watch", options }]],
  };
}

function watchAlert(view: WatchAlertView): MessageBody {
  const { watch, player, bindingId, serverName, joinedAtS, key, pingRoleId, earlierJoins } = view;
  const was = watch.name === player.name ? md`` : md`\nWatched as ${person({ name: watch.name }, false)}`;
  const joins = earlierJoins === 1 ? md`1 join` : md`${earlierJoins} joins`;
  const more = earlierJoins === 0 ? md`` : md`\n-# ${joins} before this one were not posted.`;
  const leftOut = view.isWithoutWords === true ? md`\n${WORDS_LEFT_OUT}` : md``;
  const late = view.isLate ? md`\n-# Late: this could not be posted earlier.` : md``;
  return {
    ...(pingRoleId === undefined ? {} : { content: roleMention(pingRoleId) }),
    cards: [
      {
        author: cut(plainText(serverName), 200),
        title: md`👁 A watched player joined`,
        description: md`${person(player, true)} joined <t:${joinedAtS}:T> (<t:${joinedAtS}:R>)${was}\n${watchText(watch)}${leftOut}${more}${late}`,
        color: 0xb7791f,
      },
    ],
    rows: [
      ...playerButtons({ bindingId, playerId: player.id, name: player.name, inGame: true, isWatched: true }, [
        {
          kind: "button",
          style: "secondary",
          label: "Player",
          emoji: "👤",
          id: `player-open:${bindingId}/${player.id}/${key}`,
        },
      ]),
    ],
  };
}

function cutCard(one: Case, { lift, ...view }: CaseView): MessageBody {
  const body = caseCard(caseWithoutWords(one), { ...view, lift: lift && caseWithoutWords(lift) });
  const [card] = body.cards ?? [];
  return {
    ...body,
    cards: [{ ...card, description: joined([card?.description ?? md``, WORDS_LEFT_OUT], "\n") }],
  };
}

function alertKeyOf({
  cards,
  componentIds,
}: Pick<PostedMessage, "cards" | "componentIds">): string | undefined {
  return markIn(componentIds, MARK) ?? FOOTER.exec(cards[0]?.footer ?? "")?.[1];
}

export const caseRenderer: CaseRenderer = {
  card: ({ one, ...view }) => (one.card?.isWithoutWords === true ? cutCard : caseCard)(one, view),
  erased: erasedCaseCard,
  notErased: ({ guildId, channelId, messageId }, number) => {
    const link = markdownOfOurs(`https://discord.com/channels/${guildId}/${channelId}/${messageId}`);
    return {
      content: md`⚠️ Case ${number} was erased, but Marshal can't change its card. Delete it by hand: ${link}`,
    };
  },
  numberOf: caseNumberOf,
  watchAlert: (view) => watchAlert(view.isWithoutWords === true ? watchWithoutWords(view) : view),
  alertKeyOf,
  full: (most) => ({
    content: md`⚠ ${most} cases are saved here, the maximum. New punishments get no case. \`/history forget\` erases a player's cases.`,
  }),
  closed: (what, channelId, why) => ({
    content:
      what === "cases"
        ? md`⚠️ I can't post cases in ${channelMention(channelId)}: ${refusedText(why, md`\`/setup cases\``)} They are still saved (\`/case search\`).`
        : md`⚠️ I can't post joins of watched players in ${channelMention(channelId)}: ${refusedText(why, md`\`/setup watches\``)}`,
  }),
};
