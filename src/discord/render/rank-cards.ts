import { type Escaped, joined, md, roleMention, userMention } from "../../domain/escaped.ts";
import type { Button, MessageBody } from "../../domain/message.ts";
import type { RankedPlayer, RankRenderer } from "../../domain/ports/rank-renderer.ts";
import type { PlannedRank, RankPlan, RanksView, WhyNotRanked, WhyTaken } from "../../domain/ports/ranks.ts";
import { RANK_NAMES, type RankEvent, type RankMapping, type RankPause } from "../../domain/rank.ts";
import { cutLines, escapeMarkdown, inlineName } from "./escape.ts";

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
    content: md`⏸ Ranks on ${inlineName(serverName)} are paused. ${escapeMarkdown(why)} Nobody is raised, and no rank is taken back. Check the plan with /rank check, then resume with /rank apply.`,
  }),
  left: (serverName, { player, rank }, now) => ({
    content: md`Somebody changed the rank of **${inlineName(player.name)}** on ${inlineName(serverName)} in the game. Marshal gave them ${RANK_NAMES[rank]}; ${now === undefined ? md`they have none now` : md`they are ${RANK_NAMES[now]} now`}. Marshal leaves them alone from now on.`,
    rows: [[pauseButton]],
  }),
  stuck: (serverName, { player, rank }, why) => ({
    content: md`⚠ **${inlineName(player.name)}** lost the role, but is still ${RANK_NAMES[rank]} on ${inlineName(serverName)} after ten minutes.${why === undefined ? md`` : md` ${escapeMarkdown(why)}`} Marshal keeps trying. You can take it back in the game.`,
    rows: [[pauseButton]],
  }),
  unlinked: (serverName, raised) => ({
    content: md`${inlineName(serverName)} was unlinked. These people keep the rank that Marshal gave them:\n${cutLines(raised.map(rankedLine), 1_500)}\nTake it back in the game if they should not keep it.`,
  }),
};

function rankedLine({ player, rank }: RankedPlayer): Escaped {
  return md`- ${inlineName(player.name)}: ${RANK_NAMES[rank]}`;
}

function mappingLine({ roleId, rank, isOn }: RankMapping): Escaped {
  return md`${roleMention(roleId)} → ${RANK_NAMES[rank]}${isOn ? md`` : md` (new, not on yet)`}`;
}

function pauseLine({ byId, atMs, why }: RankPause): Escaped {
  const by = byId === undefined ? md`` : md` by ${userMention(byId)}`;
  const because = why === undefined ? md`` : md` ${escapeMarkdown(why)}`;
  return md`⏸ **Paused**${by} <t:${Math.floor(atMs / 1_000)}:R>.${because} /rank apply resumes it.`;
}

/** `kind`: of the plan above which it stands, if it does. */
function stateLine({ keeper, pause }: Pick<RankPlan, "keeper" | "pause">, kind?: PlanAsk["kind"]): Escaped {
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
  const because = why === undefined ? md`` : md`: ${escapeMarkdown(why)}`;
  return md`-# <t:${Math.floor(atMs / 1_000)}:R> ${inlineName(player.name)} (${RANK_NAMES[rank]}) ${EVENT_WORDS[what]}${because}`;
}

const TAKEN_WORDS: Readonly<Record<WhyTaken, string>> = {
  unlinked: "no longer linked",
  "no-role": "lost the role",
  unconfirmed: "linked by one Manager, not confirmed",
  rise: "gets a higher rank",
  lower: "gets a lower rank",
};
const NOT_DONE_WORDS: Readonly<Record<WhyNotRanked, string>> = {
  unconfirmed: "linked by one Manager: another Manager has to confirm it (/me show)",
  owner: "owner or co-owner",
  left: "somebody changed their rank in the game",
  "has-rank": "has a rank that Marshal did not give",
  roles: "their roles could not be read",
  "role-deleted": "a role was deleted, so it is not certain",
  "staff-list": "the game's staff list is not certain",
  answer: "a command is on its way",
};

function who({ player, userId }: Pick<PlannedRank, "player" | "userId">): Escaped {
  const name = inlineName(player.name);
  return userId === undefined ? name : md`${name} (${userMention(userId)})`;
}

function section(title: Escaped, rows: readonly Escaped[]): readonly Escaped[] {
  if (rows.length === 0) return [];
  const more = rows.length > MOST_SHOWN ? [md`- and ${rows.length - MOST_SHOWN} more`] : [];
  return [md`**${title}: ${rows.length}**`, ...rows.slice(0, MOST_SHOWN), ...more];
}

function planLines(plan: RankPlan): readonly Escaped[] {
  const { raise, take, fits, notDone } = plan;
  return [
    ...section(
      md`Would be raised`,
      raise.map((one) => md`- ${who(one)}: ${RANK_NAMES[one.rank]}`),
    ),
    ...section(
      md`Would lose a rank`,
      take.map((one) => md`- ${who(one)}: ${RANK_NAMES[one.rank]}, ${escapeMarkdown(TAKEN_WORDS[one.why])}`),
    ),
    ...(raise.length + take.length === 0 ? [md`Nobody's rank would change now.`] : []),
    ...(fits.length === 0 ? [] : [md`Already right: ${fits.length}`]),
    ...section(
      md`Left as they are`,
      notDone.map((one) => md`- ${who(one)}: ${escapeMarkdown(NOT_DONE_WORDS[one.why])}`),
    ),
  ];
}

function knownLines({ known, staffAgeMs }: RankPlan, { kind, nowMs }: PlanView): readonly Escaped[] {
  const { linked, read, ageMs, unlinked } = known;
  const ago = (ms: number) => md`<t:${Math.floor((nowMs - ms) / 1_000)}:R>`;
  const age = ageMs === undefined ? md`` : md`, the oldest ${ago(ageMs)}`;
  const names = unlinked.slice(0, 5).map(({ name }) => inlineName(name));
  const more = unlinked.length > names.length ? md` and ${unlinked.length - names.length} more` : md``;
  return [
    linked === 0
      ? md`-# No member has linked a game account yet (\`/me link\`), so nobody can be raised.`
      : md`-# Read the roles of ${read} of ${linked} linked members${age}.${read < linked ? md` The others follow when they play.` : md``}`,
    ...(unlinked.length === 0
      ? []
      : [md`-# Playing without a linked account, so never raised: ${joined(names, ", ")}${more}`]),
    staffAgeMs === undefined
      ? md`⏳ ${kind === "apply" ? md`**Turn on** comes when the game's staff list is certain` : md`The game's staff list is not certain yet`}: it has to read the same for 30 seconds, with players in the server and somebody on the list. Check again in a minute.`
      : md`-# The game's staff list was read ${ago(staffAgeMs)}.`,
  ];
}

export type PlanAsk =
  | { readonly kind: "look" }
  | { readonly kind: "apply" }
  /** What would be done without this role. */
  | { readonly kind: "unset"; readonly roleId: string };

export type PlanView = PlanAsk & {
  readonly serverName: string;
  readonly nowMs: number;
  /** Of its roles, those that were deleted: no option of a command can name them. @default none */
  readonly goneRoleIds?: readonly string[];
};

/** What would be done; with a press that does it, where that was asked for. */
export function rankPlanCard(plan: RankPlan, ask: PlanView): MessageBody {
  const { bindingId } = plan;
  const head =
    ask.kind === "unset"
      ? [md`Without ${roleMention(ask.roleId)}:`]
      : [stateLine(plan, ask.kind), ...plan.mappings.map(mappingLine)];
  const again: Button = {
    kind: "button",
    style: "secondary",
    label: "Check again",
    id:
      ask.kind === "unset" ? `rank-unset-again:${bindingId}:${ask.roleId}` : `rank-${ask.kind}:${bindingId}`,
  };
  const confirm = confirmButton(plan, ask);
  const shown = ask.kind === "unset" ? { ...plan, raise: [] } : plan;
  return {
    cards: [
      {
        title: md`Ranks on ${inlineName(ask.serverName)}`,
        description: cutLines([...head, ...planLines(shown), ...knownLines(plan, ask)], LONGEST_LIST),
        color: COLOR,
        ...(confirm !== undefined && {
          footer:
            "Once it is on, it keeps going: whoever gets the role gets the rank, and whoever loses it loses the rank.",
        }),
      },
    ],
    rows: [confirm === undefined ? [again] : [confirm, again], ...removeRows(plan, ask)],
  };
}

/** A row has five buttons; more follow once these are gone. */
function removeRows({ bindingId, mappings }: RankPlan, { goneRoleIds = [] }: PlanView): readonly Button[][] {
  const buttons = mappings
    .filter(({ roleId }) => goneRoleIds.includes(roleId))
    .slice(0, 5)
    .map(({ roleId, rank }, _, { length }): Button => {
      const which = length === 1 ? "" : ` (${RANK_NAMES[rank]})`;
      const label = `Remove the deleted role${which}`;
      return { kind: "button", style: "danger", label, id: `rank-unset-again:${bindingId}:${roleId}` };
    });
  return buttons.length === 0 ? [] : [buttons];
}

function confirmButton(plan: RankPlan, ask: PlanAsk): Button | undefined {
  const { bindingId, key, raise, take, staffAgeMs, isForMany } = plan;
  const kind = "button";
  switch (ask.kind) {
    case "look":
      return undefined;
    case "unset": {
      const label = take.length === 0 ? "Remove the role" : `Remove it, take back ${take.length}`;
      return { kind, style: "danger", label, id: `rank-unset:${bindingId}:${ask.roleId}:${key}` };
    }
    case "apply": {
      if (staffAgeMs === undefined) return undefined;
      const changes = [
        ...(raise.length === 0 ? [] : [`raise ${raise.length}`]),
        ...(take.length === 0 ? [] : [`take back ${take.length}`]),
      ];
      const label = changes.length === 0 ? "Turn on" : `Turn on: ${changes.join(", ")}`;
      const action = isForMany ? "rank-confirm-many" : "rank-confirm";
      return { kind, style: "danger", label, id: `${action}:${bindingId}:${key}` };
    }
    default:
      return ask satisfies never;
  }
}

/** The second question where many would be raised, or everybody has a role. */
export function rankForMany({ bindingId, key, raise }: RankPlan, serverName: string): MessageBody {
  const button: Button = {
    kind: "button",
    style: "danger",
    label: `Yes, raise ${raise.length}`,
    id: `rank-confirm:${bindingId}:${key}`,
  };
  return {
    content: md`⚠ **${raise.length} people would get a rank on ${inlineName(serverName)}.** That is a lot, or everyone whose roles Marshal knows. Whoever gets one of these roles later is raised too. Is that what you want?`,
    rows: [[button]],
  };
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
