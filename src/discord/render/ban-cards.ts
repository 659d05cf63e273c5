import type { AskedBan } from "../../domain/asked-ban.ts";
import type { BanEnd } from "../../domain/ban-end.ts";
import { type Escaped, joined, md, userMention } from "../../domain/escaped.ts";
import type { Button, CardField, MessageBody, Row } from "../../domain/message.ts";
import type { BanEndView } from "../../domain/ports/ban-ends.ts";
import { cut, cutLines, escapeMarkdown, inlineName, plainText } from "./escape.ts";
import { fitLines } from "./fit-lines.ts";
import { commandWithNames } from "./hit-words.ts";
import { profile } from "./server/view.ts";

/** How bans read that end by themselves. Pure. */

const COLOR = 0x3b6fd4;
const BANS_A_PAGE = 10;
const openList: Button = { kind: "button", style: "secondary", label: "Bans that end", id: "run-bans:0" };
/** Under a message that stays. */
const openBeside: Button = { ...openList, id: "run-bans-open" };

/** It ends nothing any more. */
export function banEndOver(end: BanEnd): MessageBody {
  const lines = [
    md`⏹ **The ban of ${playerOf(end)} no longer ends by itself.** ${whyOf(end)}`,
    md`-# It was meant to end <t:${seconds(end.endsAtMs)}:f>. Set by ${userMention(end.byId)} on **${inlineName(end.serverName)}**.`,
    md`**Next:** Unban them with \`:unban ${end.playerId}\` if they should play again.`,
  ];
  return { content: joined(lines, "\n"), rows: [[openBeside]] };
}

/** A Manager decides. */
export function banEndsHeld(ends: readonly BanEnd[], why: string): MessageBody {
  const [first, ...more] = ends;
  const whose =
    first === undefined || more.length > 0
      ? md`✋ **${ends.length} bans no longer end by themselves.**`
      : md`✋ **The ban of ${playerOf(first)} no longer ends by itself.**`;
  const lines = [
    md`${whose} ${escapeMarkdown(cut(why, 300))}`,
    md`**Next:** A Manager decides in \`/run bans\`. They stay banned until then.`,
  ];
  return { content: joined(lines, "\n"), rows: [[openBeside]] };
}

export interface BanListView {
  readonly views: readonly BanEndView[];
  /** Those that are asked for; shown on the first page. */
  readonly asked: readonly AskedBan[];
  /** From 0. */
  readonly page: number;
  readonly notice?: Escaped | undefined;
  /** The reader may ban on one of their servers. */
  readonly mayBan: boolean;
}

/** All bans that end, the next first; a menu opens one. */
export function banList({ views, asked, page, notice, mayBan }: BanListView): MessageBody {
  const last = Math.max(0, Math.ceil(views.length / BANS_A_PAGE) - 1);
  const at = Math.min(page, last);
  const here = views.slice(at * BANS_A_PAGE, (at + 1) * BANS_A_PAGE);
  const lines = here.map(({ end, waits }) => {
    const small = md`-# by ${userMention(end.byId)} on **${inlineName(end.serverName)}**`;
    return md`${inlineName(end.playerName)} · ${banStateOf({ end, waits })}\n${small}`;
  });
  const how = mayBan ? md` Give one an end with \`for:\` in \`/run command\`, or in the *Ban* form.` : md``;
  const empty = md`No ban ends by itself.${how}`;
  const turn = (label: string, to: number): Button => {
    return { kind: "button", style: "secondary", label, id: `run-bans:${to}` };
  };
  const turns = [...(at > 0 ? [turn("Back", at - 1)] : []), ...(at < last ? [turn("More", at + 1)] : [])];
  const options = here.map(({ end }) => ({
    label: cut(plainText(end.playerName), 100) || "-",
    value: end.id,
  }));
  return {
    ...(notice === undefined ? {} : { content: notice }),
    cards: [
      {
        title: last === 0 ? md`⏳ Bans that end` : md`⏳ Bans that end · page ${at + 1} of ${last + 1}`,
        description: lines.length === 0 ? empty : fitLines(lines, { max: 3_600 }),
        ...(at > 0 || asked.length === 0 ? {} : { fields: [askedField(asked)] }),
        color: COLOR,
      },
    ],
    rows: [
      ...(options.length === 0
        ? []
        : [[{ kind: "select", of: "string", id: "run-ban", placeholder: "Open one", options }] as const]),
      ...(at > 0 || asked.length === 0 ? [] : [askedRow(asked)]),
      ...(turns.length === 0 ? [] : [turns]),
    ],
  };
}

/** Discord shows so many in one menu. */
const MOST_ASKED = 25;

function askedField(asked: readonly AskedBan[]): CardField {
  const lines = asked.map(({ player, askerId, approval }) => {
    const how = approval === undefined ? md`nobody has approved it yet` : md`approved, waits for players`;
    return md`🔨 ${inlineName(player.name)} · asked by ${userMention(askerId)}, ${how}`;
  });
  return { name: md`Ban requests`, value: cutLines(lines, 1_000) };
}

function askedRow(asked: readonly AskedBan[]): Row {
  const options = asked.slice(0, MOST_ASKED).map(({ player, id }) => {
    return { label: cut(plainText(player.name), 100) || "-", value: id };
  });
  return [{ kind: "select", of: "string", id: "case-ban-open", placeholder: "Open a request", options }];
}

/** One ban that ends, with what can be done about it. */
export function banCard({ end, waits }: BanEndView): MessageBody {
  const player = { name: end.playerName, id: end.playerId };
  const lift = commandWithNames(`:unban ${end.playerId}`, 100, [player]);
  const lines = [
    banStateOf({ end, waits }),
    md`**Ban:** ${commandWithNames(end.text, 300, [player])} on **${inlineName(end.serverName)}**, <t:${seconds(end.sentAtMs)}:f>`,
    md`**Set by:** ${userMention(end.byId)}`,
    md`-# At its end Marshal sends ${lift} once, while somebody is in the server.`,
  ];
  const button = (style: Button["style"], label: string, id: string): Button => {
    return { kind: "button", style, label, id: `${id}:${end.id}` };
  };
  const buttons = [
    ...(end.state === "held" ? [button("primary", "Let it end", "run-ban-let")] : []),
    button("secondary", "Keep banned", "run-ban-keep"),
    button("secondary", "Unban now", "run-ban-lift"),
  ];
  return {
    cards: [{ title: md`⏳ Ban of ${playerOf(end)}`, description: joined(lines, "\n"), color: COLOR }],
    rows: [buttons, [openList]],
  };
}

/** "ends in 3 days"; what it waits for; why a Manager has to decide. */
export function banStateOf({ end, waits }: BanEndView): Escaped {
  const at = md`<t:${seconds(end.endsAtMs)}:R>`;
  switch (end.state) {
    case "sending":
      return md`📨 its ban is being sent`;
    case "lifting":
      return md`📨 being lifted, due ${at}`;
    case "held":
      return md`✋ **a Manager decides.** ${whyOf(end)} Due ${at}`;
    case "over":
      return md`⏹ over. ${whyOf(end)}`;
    case "armed":
      return waits === undefined ? md`ends ${at}` : md`due ${at}, waits: ${escapeMarkdown(waits)}`;
  }
}

function whyOf({ why = "" }: BanEnd): Escaped {
  return escapeMarkdown(cut(why, 300));
}

function playerOf({ playerName, playerId }: BanEnd): Escaped {
  return playerName === String(playerId) ? profile(playerId) : inlineName(playerName);
}

function seconds(atMs: number): number {
  return Math.floor(atMs / 1_000);
}
