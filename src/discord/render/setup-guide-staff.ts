import { type Escaped, joined, md, roleMention } from "../../domain/escaped.ts";
import type { Tier } from "../../domain/guild.ts";
import type { Row } from "../../domain/message.ts";
import { TIER_NAMES, TIERS_HIGHEST_FIRST } from "../../domain/tiers.ts";
import { cut, escapeMarkdown, plainText } from "./escape.ts";
import { button, type GuideView, type Walk } from "./setup-guide-parts.ts";

/** The step of the roles: who may run commands in the game. Pure. */

/** From the highest; so short that a phone shows them whole. */
const PLACEHOLDERS = {
  manager: "Managers: everything",
  administrator: "Administrators: bans, weather",
  moderator: "Moderators: kick, jail, pm",
  viewer: "Viewers: lists only",
} as const satisfies Record<Tier, string>;

const MOST_ROLES = 10;
/** Discord's limit for the choices of a menu. */
const MOST_CHOSEN = 25;

type RoleTiers = Readonly<Record<string, Tier>>;

function rolesOf(roleTiers: RoleTiers, tier: Tier): readonly string[] {
  return Object.entries(roleTiers).flatMap(([roleId, of]) => (of === tier ? [roleId] : []));
}

/** Those that hold it and that its menu has no room for: no choice there says anything of them. */
export function rolesNotShown(roleTiers: RoleTiers, tier: Tier): readonly string[] {
  return rolesOf(roleTiers, tier).slice(MOST_CHOSEN);
}

export function staffText({ mayRun, ownRole, permission, binding, settings }: GuideView): readonly Escaped[] {
  const roleTiers = settings.policies[binding?.id ?? ""]?.roleTiers ?? {};
  const rule = md`Only roles chosen here can run commands in the game. Each tier includes those below it.`;
  return [rule, ...chosenLines(roleTiers), ...ownLines({ mayRun, ownRole, permission, roleTiers })];
}

/** A menu with a choice no longer says which tier it is for. */
function chosenLines(roleTiers: RoleTiers): readonly Escaped[] {
  return TIERS_HIGHEST_FIRST.flatMap((tier) => {
    const roles = rolesOf(roleTiers, tier);
    if (roles.length === 0) return [];
    const mentions = roles.slice(0, MOST_ROLES).map(roleMention);
    return [md`✅ ${TIER_NAMES[tier]}s: ${joined(mentions, " ")}`];
  });
}

/** Whether the person who sets it up may run commands, and how they come to it. */
function ownLines({
  mayRun,
  ownRole,
  permission,
  roleTiers,
}: Pick<GuideView, "mayRun" | "ownRole" | "permission"> & {
  readonly roleTiers: RoleTiers;
}): readonly Escaped[] {
  if (mayRun) {
    if (permission.kind === "allowed") return [md`✅ You can run commands yourself.`];
    const owner =
      permission.kind === "refused"
        ? md`the server's owner does not let Marshal run commands`
        : md`Marshal may still need the permission of the server's owner`;
    return [md`Your role is enough to run commands, but ${owner}: see **Commands**.`];
  }
  if (ownRole === undefined) {
    return [
      md`⚠ You have no role yourself. Give yourself one in this Discord server's settings, then press **Check again**.`,
    ];
  }
  if (roleTiers[ownRole.id] !== undefined) return [];
  return [
    md`⚠ You can't run commands yet. **${myLabel(ownRole.name)}** lets everyone with ${roleMention(ownRole.id)} run everything.`,
  ];
}

export function staffRows({ binding, settings, mayRun, ownRole }: GuideView, walk: Walk): readonly Row[] {
  const id = binding?.id ?? "";
  const roleTiers = settings.policies[id]?.roleTiers ?? {};
  const selects = TIERS_HIGHEST_FIRST.map((tier): Row => {
    const held = rolesOf(roleTiers, tier);
    return [
      {
        kind: "select",
        of: "role",
        id: `guide-tier:${tier}:${id}`,
        placeholder: PLACEHOLDERS[tier],
        // More than fit were given with /staff: none of them may be lost by a choice that does not show them.
        minValues: 0,
        maxValues: Math.min(MOST_CHOSEN, Math.max(MOST_ROLES, held.length)),
        defaultIds: held.slice(0, MOST_CHOSEN),
      },
    ];
  });
  if (mayRun) return [...selects, walk()];
  return [
    ...selects,
    ownRole === undefined
      ? walk(button("Check again", `guide:staff:${id}`))
      : walk(button(labelOf(ownRole.name), `guide-mine:${ownRole.id}:${id}`, "primary")),
  ];
}

const LONGEST_ROLE = 40;

function labelOf(roleName: string): string {
  return `Give ${cut(plainText(roleName), LONGEST_ROLE)} full access`;
}

/** The button's words within a text. */
function myLabel(roleName: string): Escaped {
  return md`Give ${inlineRole(roleName)} full access`;
}

function inlineRole(roleName: string): Escaped {
  return escapeMarkdown(cut(plainText(roleName), LONGEST_ROLE));
}
