import { type Escaped, joined, md, roleMention, userMention } from "../../domain/escaped.ts";
import type { Button, MessageBody } from "../../domain/message.ts";
import type { PlannedRank, RankPlan, WhyNotRanked, WhyTaken } from "../../domain/ports/ranks.ts";
import { RANK_NAMES } from "../../domain/rank.ts";
import { cutLines, escapeMarkdown, inlineName } from "./escape.ts";
import { mappingLine, stateLine } from "./rank-cards.ts";

/** How a plan of ranks reads, and what is asked before it is kept. Pure. */

const COLOR = 0x3b6fd4;
const LONGEST_LIST = 4_000;
const MOST_SHOWN = 15;

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

function knownLines(plan: RankPlan, { kind, nowMs }: PlanView): readonly Escaped[] {
  const { known, staffAgeMs } = plan;
  const verb = verbOf(plan);
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
      ? md`⏳ ${kind === "apply" && verb !== undefined ? md`**${verb}** comes when the game's staff list is certain` : md`The game's staff list is not certain yet`}: it has to read the same for 30 seconds, with players in the server and somebody on the list. Check again in a minute.`
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
        ...(confirm !== undefined && ask.kind === "apply" && { footer: keepsGoing(plan) }),
      },
    ],
    rows: [confirm === undefined ? [again] : [confirm, again], ...removeRows(plan, ask)],
  };
}

function keepsGoing({ keeper, pause }: RankPlan): string {
  const begins = keeper === undefined || pause !== undefined ? "Once it is on, it" : "It";
  return `${begins} keeps going: whoever gets the role gets the rank, and whoever loses it loses the rank.`;
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

/** What a press would do; undefined: ranks are on, all roles with them, and nothing would change. */
function verbOf({ keeper, pause, mappings, raise, take }: RankPlan) {
  if (keeper === undefined) return "Turn on";
  if (pause !== undefined) return "Resume";
  const added = mappings.filter(({ isOn }) => !isOn).length;
  if (added > 0) return added === 1 ? "Turn on the new role" : "Turn on the new roles";
  return raise.length + take.length === 0 ? undefined : "Confirm";
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
      const verb = verbOf(plan);
      if (verb === undefined) return undefined;
      const label = changes.length === 0 ? verb : `${verb}: ${changes.join(", ")}`;
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
