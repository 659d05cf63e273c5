import { type Escaped, md, roleMention } from "../../domain/escaped.ts";
import type { Tier } from "../../domain/guild.ts";
import type { Row } from "../../domain/message.ts";
import { TIERS_HIGHEST_FIRST } from "../../domain/tiers.ts";
import { cut, escapeMarkdown, plainText } from "./escape.ts";
import { button, type GuideView, type Walk } from "./setup-guide-parts.ts";

/** The step of the roles: who may run commands in the game. Pure. */

/** From the highest. */
const PLACEHOLDERS = {
  manager: "Managers: everything",
  administrator: "Administrators: also bans, time, weather, fires",
  moderator: "Moderators: kick, jail, pm, messages, calls",
  viewer: "Viewers: lists only",
} as const satisfies Record<Tier, string>;

const MOST_ROLES = 10;

export function staffText({ mayRun, ownRole, binding, settings }: GuideView): readonly Escaped[] {
  const rule = md`Managing this Discord server lets nobody run commands in the game: a role must. Each tier may do what the ones below it may.`;
  if (mayRun) return [rule, md`✅ You may run commands yourself.`];
  if (ownRole === undefined) {
    return [
      rule,
      md`⚠ You hold no role yourself. Give yourself one in the settings of this Discord server, then press **Check again**.`,
    ];
  }
  const held = settings.policies[binding?.id ?? ""]?.roleTiers[ownRole.id];
  if (held !== undefined) return [rule];
  return [
    rule,
    md`⚠ You may not run any yet. **${myLabel(ownRole.name)}** lets everyone with ${roleMention(ownRole.id)} run everything, you among them.`,
  ];
}

export function staffRows({ binding, settings, mayRun, ownRole }: GuideView, walk: Walk): readonly Row[] {
  const id = binding?.id ?? "";
  const roleTiers = Object.entries(settings.policies[id]?.roleTiers ?? {});
  const selects = TIERS_HIGHEST_FIRST.map((tier): Row => {
    const held = roleTiers.filter(([, of]) => of === tier).map(([roleId]) => roleId);
    return [
      {
        ...{ kind: "select", of: "role", id: `guide-tier:${tier}:${id}`, placeholder: PLACEHOLDERS[tier] },
        // More than fit were given with /staff: none of them may be lost by a choice that does not show them.
        ...{ minValues: 0, maxValues: Math.min(25, Math.max(MOST_ROLES, held.length)) },
        defaultIds: held.slice(0, 25),
      },
    ];
  });
  if (mayRun) return [...selects, walk()];
  return [
    ...selects,
    ownRole === undefined
      ? walk(button("Check again", `guide:staff:${id}`))
      : walk(button(labelOf(ownRole.name), `guide-mine:${ownRole.id}:${id}`)),
  ];
}

const LONGEST_ROLE = 40;

function labelOf(roleName: string): string {
  return `Make ${cut(plainText(roleName), LONGEST_ROLE)} Managers`;
}

/** The button's words within a text. */
function myLabel(roleName: string): Escaped {
  return md`Make ${inlineRole(roleName)} Managers`;
}

function inlineRole(roleName: string): Escaped {
  return escapeMarkdown(cut(plainText(roleName), LONGEST_ROLE));
}
