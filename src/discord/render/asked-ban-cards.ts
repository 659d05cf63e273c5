import { type AskedBan, type AskedBanEnd, askedText } from "../../domain/asked-ban.ts";
import { type Escaped, joined, md, roleMention, userMention } from "../../domain/escaped.ts";
import type { Button, Card, MessageBody } from "../../domain/message.ts";
import { cut, escapeMarkdown, inlineName } from "./escape.ts";
import { commandWithNames } from "./hit-words.ts";
import { RUN_COLORS } from "./plan-cards.ts";
import { wordsFor } from "./run-outcome-words.ts";

/** How a ban reads that somebody asked for. Pure. */

/** The question, for everybody in the channel; each press is checked. */
export function askedBanCard(asked: AskedBan, roleIds: readonly string[]): MessageBody {
  const { approval } = asked;
  const state =
    approval === undefined
      ? md`**Not sent yet.** ${approverWords(roleIds)}`
      : md`✅ Approved by ${userMention(approval.byId)}. It is sent when someone is in the server, until <t:${Math.floor(approval.atMs / 1_000) + 86_400}:f>.`;
  const yes: Button = {
    kind: "button",
    style: "danger",
    label: "Approve the ban",
    id: `case-ban-yes:${asked.id}`,
  };
  const no: Button = {
    kind: "button",
    style: "secondary",
    label: approval === undefined ? "Refuse" : "Withdraw",
    id: `case-ban-no:${asked.id}`,
  };
  return {
    cards: [requestCard(asked, state, RUN_COLORS.ask)],
    rows: [approval === undefined ? [yes, no] : [no]],
  };
}

function requestCard(asked: AskedBan, state: Escaped, color: number): Card {
  const { player, askerId, serverName, askedAtMs } = asked;
  const lines = [
    md`**${inlineName(player.name)}** on **${inlineName(serverName)}**`,
    md`Asked by ${userMention(askerId)} <t:${Math.floor(askedAtMs / 1_000)}:R>`,
    md`Sends ${commandWithNames(askedText(asked), 600, [player])}`,
    md``,
    state,
  ];
  return { title: md`🔨 Ban request`, description: joined(lines, "\n"), color };
}

/** Who may say yes. */
function approverWords(roleIds: readonly string[]): Escaped {
  if (roleIds.length === 0) return md`No role can ban on this server. Let one with \`/staff allow\`.`;
  const roles = joined(
    roleIds.slice(0, 10).map((id) => roleMention(id)),
    ", ",
  );
  return md`Anyone with ${roles} can approve it, but not the person who asked.`;
}

export function askedBanRefused({ player }: AskedBan, byId: string): MessageBody {
  return {
    content: md`⚪ The ban of ${inlineName(player.name)} was refused by ${userMention(byId)}.`,
    cards: [],
    rows: [],
  };
}

/** It was approved and is not sent any more. Whom nobody can ask for, nobody is advised to ask for. */
export function askedBanOver(
  { player, askerId }: AskedBan,
  why: string,
  { mayAskAgain }: { readonly mayAskAgain: boolean },
): MessageBody {
  const said = md`⛔ **The ban of ${inlineName(player.name)} was not sent.** ${escapeMarkdown(cut(why, 300))}`;
  const advice = mayAskAgain ? md` Ask again with \`/case ask\`.` : md``;
  return { content: joined([said, md`-# Asked by ${userMention(askerId)}.${advice}`], "\n") };
}

/** In the place of the card that said that it waits. */
export function askedBanEnded(asked: AskedBan, end: AskedBanEnd): MessageBody {
  const { title, color } =
    typeof end === "string"
      ? { title: md`⛔ It won't be sent. ${escapeMarkdown(cut(end, 300))}`, color: RUN_COLORS.failed }
      : "unsure" in end
        ? {
            title: md`❔ This request is closed. ${escapeMarkdown(cut(end.unsure, 300))}`,
            color: RUN_COLORS.ask,
          }
        : wordsFor(end);
  const by = asked.approval === undefined ? md`` : md`Approved by ${userMention(asked.approval.byId)}.\n`;
  return { cards: [requestCard(asked, md`${by}${title}`, color)], rows: [] };
}

/** Nobody knows whether it was answered or sent: it is closed. */
export function askedBanUnsure({ player, askerId }: AskedBan, why: string): MessageBody {
  const said = md`❔ **The ban request for ${inlineName(player.name)} is closed.** ${escapeMarkdown(cut(why, 300))}`;
  const next = md`-# Asked by ${userMention(askerId)}. If they are not banned and should be, ask again with \`/case ask\`.`;
  return { content: joined([said, next], "\n") };
}
