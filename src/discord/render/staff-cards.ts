import { type Escaped, joined, md, roleMention, userMention } from "../../domain/escaped.ts";
import { type Binding, CALLS_RIGHT, type StaffPolicy, type Tier, type VerbRule } from "../../domain/guild.ts";
import type { Card } from "../../domain/message.ts";
import type { MeantCommand } from "../../domain/ports/command-catalogue.ts";
import type { GameAccount } from "../../domain/ports/game-accounts.ts";
import type { Decision } from "../../domain/run.ts";
import { TIER_NAMES, TIERS_HIGHEST_FIRST } from "../../domain/tiers.ts";
import { cutLines, escapeMarkdown, inlineCode, inlineName } from "./escape.ts";
import { accountsField } from "./me-cards.ts";
import { escapeButRoles } from "./own-markup.ts";
import { profile } from "./server/view.ts";

/** How `/staff` reads. Pure. */

export function staffCard(binding: Binding, policy: StaffPolicy, accounts: readonly GameAccount[]): Card {
  const extra = (name: Escaped, list: readonly VerbRule[]) =>
    list.length === 0 ? [] : [{ name, value: rules(list) }];
  const held = TIERS_HIGHEST_FIRST.map((tier) => ({
    tier,
    roleIds: Object.entries(policy.roleTiers).flatMap(([id, of]) => (of === tier ? [id] : [])),
  })).filter(({ roleIds }) => roleIds.length > 0);
  return {
    title: md`Staff of ${inlineName(binding.name)}`,
    description:
      held.length === 0
        ? md`No role has a tier, so nobody can run commands. Give one with \`/staff allow\`.`
        : joined(
            held.map((one) => tierLine(one, ROOM_FOR_TIERS / held.length)),
            "\n",
          ),
    color: 0x3b6fd4,
    fields: [
      ...extra(md`Also allowed, whatever the tier`, policy.allowed),
      ...extra(md`Denied, whatever the tier`, policy.denied),
      {
        name: md`Protected players`,
        value: protectedNames(policy),
      },
      accountsField(accounts),
    ],
  };
}

/** Of the 6,000 characters of a card; its fields hold a thousand each. */
const ROOM_FOR_TIERS = 1_600;
const LONGEST_MENTION = 25;
const ROOM_FOR_COUNT = 15;

/** A tier with its roles; of more than have room it says how many there are. */
function tierLine(
  { tier, roleIds }: { readonly tier: Tier; readonly roleIds: readonly string[] },
  room: number,
): Escaped {
  const head = md`**${TIER_NAMES[tier]}**`;
  const most = Math.floor((room - head.length - ROOM_FOR_COUNT) / LONGEST_MENTION);
  const left = roleIds.length - most;
  const more = left > 0 ? md` and ${left} more` : md``;
  return md`${head} ${joined(roleIds.slice(0, most).map(roleMention), " ")}${more}`;
}

/** As many as a field holds. */
function protectedNames({ protectedPlayers, protectedAliases = {} }: StaffPolicy): Escaped {
  if (protectedPlayers.length === 0) return md`None. Add one with \`/staff protect\`.`;
  const shown = protectedPlayers.map((entry) => protectedName(entry, protectedAliases[entry]));
  return cutLines(shown, 1_000);
}

/** Of a name and an id, in either order, or one of them: the name, with the id behind its link. */
export function protectedName(entry: string, other: string | undefined): Escaped {
  const id = [entry, other].find((one) => one !== undefined && /^\d+$/.test(one));
  const name = [entry, other].find((one) => one !== undefined && one !== id);
  return id === undefined ? inlineName(entry) : profile(Number(id), name);
}

function rules(list: readonly VerbRule[]): Escaped {
  const lines = list.map(({ roleId, verb }) => md`${roleMention(roleId)} ${rightText(verb)}`);
  return cutLines(lines, 1_000);
}

/** What a rule is about: a verb as it is typed, or the calls. */
export function rightText(verb: string): Escaped {
  return verb === CALLS_RIGHT ? md`moderator calls` : inlineCode(`:${verb}`);
}

/** What a verb that Marshal does not know may have been meant to be: a line, or two, or none. */
export function meantLines({ meant, instead }: MeantCommand): readonly Escaped[] {
  return [
    ...(meant === undefined ? [] : [md`Did you mean ${inlineCode(meant, 500)}?`]),
    ...(instead === undefined ? [] : [escapeMarkdown(instead)]),
  ];
}

export interface Checked {
  readonly userId: string;
  readonly command: string;
  readonly binding: Binding;
  readonly decision: Decision;
  /** The roles of the person who was checked. */
  readonly roleIds: readonly string[];
  readonly meant: MeantCommand;
}

export function checkCard({ userId, command, binding, decision, roleIds, meant }: Checked): Card {
  if (!decision.allowed && decision.isSlip === true) {
    // Nobody may run what does not exist, so nothing is said of this person's rights.
    return {
      title: md`❔ Not a command`,
      description: joined([escapeMarkdown(decision.why), ...meantLines(meant)], "\n"),
      color: 0xe0a100,
    };
  }
  return {
    title: decision.allowed ? md`✅ They can run this` : md`⛔ They can't run this`,
    description: joined(
      [
        md`${userMention(userId)} ${decision.allowed ? "can" : "can't"} run ${inlineCode(command, 500)}`,
        md`on **${inlineName(binding.name)}**`,
        "",
        md`**Why:** ${escapeButRoles(decision.why, roleIds)}`,
        ...meantLines(meant),
      ],
      "\n",
    ),
    color: decision.allowed ? 0x2d7d46 : 0xd83c3e,
  };
}
