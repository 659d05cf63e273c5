import { type Binding, CALLS_RIGHT, type StaffPolicy, type Tier, type VerbRule } from "../../domain/guild.ts";
import type { Card } from "../../domain/message.ts";
import type { Decision } from "../../domain/run.ts";
import { tierLabels } from "./audit-rows.ts";
import { cut, inlineCode, inlineName } from "./escape.ts";
import { escapeButMentions } from "./own-markup.ts";

/** How `/staff` reads. Pure. */

const tiers: readonly Tier[] = ["manager", "administrator", "moderator", "viewer"];

export function staffCard(binding: Binding, policy: StaffPolicy): Card {
  const extra = (name: string, list: readonly VerbRule[]) =>
    list.length === 0 ? [] : [{ name, value: rules(list) }];
  const held = tiers.flatMap((tier) => {
    const roles = Object.entries(policy.roleTiers).filter(([, of]) => of === tier);
    if (roles.length === 0) return [];
    return [`**${tierLabels[tier]}** ${roles.map(([id]) => `<@&${id}>`).join(" ")}`];
  });
  return {
    title: `Staff of ${inlineName(binding.name)}`,
    description:
      cut(held.join("\n"), 2_000) ||
      "No role has a tier: nobody may run commands. Give one with `/staff allow`.",
    color: 0x3b6fd4,
    fields: [
      ...extra("Also allowed, whatever the tier", policy.allowed),
      ...extra("Denied, whatever the tier", policy.denied),
      {
        name: "Protected: nobody may target them",
        value: cut(policy.protectedPlayers.map((name) => inlineCode(name)).join(" "), 1_000) || "No player",
      },
    ],
  };
}

function rules(list: readonly VerbRule[]): string {
  const lines = list.map(({ roleId, verb }) => `<@&${roleId}> ${rightText(verb)}`);
  return cut(lines.join("\n"), 1_000);
}

/** What a rule is about: a verb as it is typed, or the calls. */
export function rightText(verb: string): string {
  return verb === CALLS_RIGHT ? "moderator calls" : inlineCode(`:${verb}`);
}

export interface Checked {
  readonly userId: string;
  readonly command: string;
  readonly binding: Binding;
  readonly decision: Decision;
}

export function checkCard({ userId, command, binding, decision }: Checked): Card {
  return {
    title: decision.allowed ? "✅ They may run this" : "⛔ They may not run this",
    description: [
      `<@${userId}> ${decision.allowed ? "may" : "may not"} run ${inlineCode(command, 500)}`,
      `on **${inlineName(binding.name)}**`,
      "",
      `**Why:** ${escapeButMentions(decision.why)}`,
    ].join("\n"),
    color: decision.allowed ? 0x2d7d46 : 0xd83c3e,
  };
}
