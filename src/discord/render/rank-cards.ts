import { type Escaped, md, roleMention, userMention } from "../../domain/escaped.ts";
import type { Button, MessageBody } from "../../domain/message.ts";
import type { RankedPlayer, RankRenderer } from "../../domain/ports/rank-renderer.ts";
import type { RankPlan, RanksView } from "../../domain/ports/ranks.ts";
import { RANK_NAMES, type RankEvent, type RankMapping, type RankPause } from "../../domain/rank.ts";
import { cutLines, inlineName } from "./escape.ts";
import { escapeAfter } from "./own-markup.ts";

/** How ranks read. Pure. */

const COLOR = 0x3b6fd4;
const LONGEST_LIST = 4_000;
const MOST_SHOWN = 15;

const pauseButton: Button = {
  kind: "button",
  style: "secondary",
  label: "Pause ranks",
  id: "rank-pause",
};

export const rankRenderer: RankRenderer = {
  paused: (serverName, { why = "" }) => ({
    content: md`⏸ Ranks on ${inlineName(serverName)} are paused. ${reason(why)} Nobody is raised, and no rank is taken back. Check the plan with /rank check, then resume with /rank apply.`,
  }),
  left: (serverName, { player, rank }, now) => ({
    content: md`Somebody changed the rank of **${inlineName(player.name)}** on ${inlineName(serverName)} in the game. Marshal gave them ${RANK_NAMES[rank]}; ${now === undefined ? md`they have none now` : md`they are ${RANK_NAMES[now]} now`}. Marshal leaves them alone from now on.`,
    rows: [[pauseButton]],
  }),
  stuck: (serverName, { player, rank }, why) => ({
    content: md`⚠ **${inlineName(player.name)}** lost the role, but is still ${RANK_NAMES[rank]} on ${inlineName(serverName)} after ten minutes.${why === undefined ? md`` : md` ${reason(why)}`} Marshal keeps trying. You can take it back in the game.`,
    rows: [[pauseButton]],
  }),
  unlinked: (serverName, raised) => ({
    content: md`${inlineName(serverName)} was unlinked. These people keep the rank that Marshal gave them:\n${cutLines(raised.map(rankedLine), 1_500)}\nTake it back in the game if they should not keep it.`,
  }),
};

/** It may begin with the role that may not run the command. */
function reason(why: string): Escaped {
  return escapeAfter(why, /^<@&\d+>/);
}

function rankedLine({ player, rank }: RankedPlayer): Escaped {
  return md`- ${inlineName(player.name)}: ${RANK_NAMES[rank]}`;
}

export function mappingLine({ roleId, rank, isOn }: RankMapping): Escaped {
  return md`${roleMention(roleId)} → ${RANK_NAMES[rank]}${isOn ? md`` : md` (new, not on yet)`}`;
}

function pauseLine({ byId, atMs, why }: RankPause): Escaped {
  const by = byId === undefined ? md`` : md` by ${userMention(byId)}`;
  const because = why === undefined ? md`` : md` ${reason(why)}`;
  return md`⏸ **Paused**${by} <t:${Math.floor(atMs / 1_000)}:R>.${because} /rank apply resumes it.`;
}

/** `kind`: of the plan above which it stands, if it does. */
export function stateLine(
  { keeper, pause }: Pick<RankPlan, "keeper" | "pause">,
  kind?: "look" | "apply" | "unset",
): Escaped {
  if (keeper === undefined)
    return kind === "apply"
      ? md`**Off.** Nobody is raised until a Manager turns it on here.`
      : md`**Off.** Nobody is raised until a Manager turns it on with /rank apply.`;
  return pause === undefined ? md`**On**, turned on by ${userMention(keeper.byId)}.` : pauseLine(pause);
}

/** The answer to /rank set. */
export function rankSet(mapping: RankMapping, serverName: string): MessageBody {
  return {
    content: md`✅ ${roleMention(mapping.roleId)} → ${RANK_NAMES[mapping.rank]} on ${inlineName(serverName)}. Nothing happens yet: /rank check shows who would be raised, /rank apply turns it on.`,
  };
}

export function rankList(
  views: readonly RanksView[],
  serverNameOf: (bindingId: string) => string,
): MessageBody {
  if (views.length === 0) return { content: md`No role gives a rank in the game. Start with /rank set.` };
  const lines = views.flatMap((view) => [
    ...(views.length === 1 ? [] : [md`**${inlineName(serverNameOf(view.bindingId))}**`]),
    stateLine(view),
    ...view.mappings.map(mappingLine),
    ...raisedLines(view),
    ...view.events.toReversed().slice(0, MOST_SHOWN).map(eventLine),
  ]);
  const isOn = views.some(({ keeper, pause }) => keeper !== undefined && pause === undefined);
  return {
    cards: [{ title: md`Ranks by role`, description: cutLines(lines, LONGEST_LIST), color: COLOR }],
    rows: isOn ? [[pauseButton]] : [],
  };
}

function raisedLines({ raised, left }: RanksView): readonly Escaped[] {
  const has = raised.filter(({ state }) => state !== "wanted");
  return [
    md`Raised by Marshal: ${has.length}. Left alone, because somebody changed their rank in the game: ${left.length}.`,
    ...has.slice(0, MOST_SHOWN).map(({ name, rank }) => md`- ${inlineName(name)}: ${RANK_NAMES[rank]}`),
    ...(has.length > MOST_SHOWN ? [md`- and ${has.length - MOST_SHOWN} more`] : []),
  ];
}

const EVENT_WORDS: Readonly<Record<RankEvent["what"], Escaped>> = {
  raised: md`raised`,
  taken: md`taken back`,
  left: md`changed by somebody in the game`,
  dropped: md`not sent`,
};

function eventLine({ atMs, player, rank, what, why }: RankEvent): Escaped {
  const because = why === undefined ? md`` : md`: ${reason(why)}`;
  return md`-# <t:${Math.floor(atMs / 1_000)}:R> ${inlineName(player.name)} (${RANK_NAMES[rank]}) ${EVENT_WORDS[what]}${because}`;
}

export function rankApplied({ raise, take }: RankPlan, serverName: string): MessageBody {
  const now =
    raise.length + take.length === 0
      ? md`Nobody's rank changes now.`
      : md`Raising ${raise.length}, taking back ${take.length}. At most every fourth command on this server is for ranks.`;
  return {
    content: md`✅ Ranks on ${inlineName(serverName)} follow the roles. ${now} See the progress with /rank list.`,
    rows: [[pauseButton]],
  };
}

export function rankUnset(roleId: string, { take }: RankPlan): MessageBody {
  const now =
    take.length === 0
      ? md`Nobody loses a rank.`
      : md`Taking back ${take.length}. See the progress with /rank list.`;
  return { content: md`🗑 ${roleMention(roleId)} no longer gives a rank. ${now}` };
}

export function rankPaused(views: readonly RanksView[]): MessageBody {
  return {
    content: views.some(({ keeper }) => keeper !== undefined)
      ? md`⏸ Ranks are paused. Nobody is raised, and no rank is taken back. /rank apply shows the plan and resumes them.`
      : md`Ranks are off: nobody confirmed a plan.`,
  };
}

/** In one line, for the audit. */
export function rankMappingText({ roleId, rank }: Omit<RankMapping, "isOn">, serverName: string): string {
  return `<@&${roleId}> → ${RANK_NAMES[rank]} on ${serverName}`;
}
