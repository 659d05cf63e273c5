import {
  type Case,
  type CaseAuthor,
  type CaseKind,
  type CaseTarget,
  isByHand,
} from "../../../domain/case.ts";
import { type Escaped, joined, md, userMention } from "../../../domain/escaped.ts";
import { person } from "../entry-line.ts";
import { cut, inlineCode, inlineName, plainText, shownName } from "../escape.ts";

/** The words of cases that several cards share. Pure. */

export const KINDS = {
  note: { symbol: "📝", word: "Note", small: "note" },
  warning: { symbol: "⚠️", word: "Warning", small: "warning" },
  kick: { symbol: "👢", word: "Kick", small: "kick" },
  ban: { symbol: "🔨", word: "Ban", small: "ban" },
  jail: { symbol: "⛓️", word: "Jail", small: "jail" },
  unban: { symbol: "🕊️", word: "Unban", small: "unban" },
} as const satisfies Readonly<
  Record<CaseKind, { readonly symbol: string; readonly word: string; readonly small: string }>
>;

/** `ban`, or `ban written by hand` where nothing shows that one was given. */
export function kindSmall(one: Pick<Case, "kind" | "origin">) {
  const { small } = KINDS[one.kind];
  return isByHand(one) ? (`${small} written by hand` as const) : small;
}

/** A player with a link to the profile; what names nobody as it was typed. */
function targetText({ name, playerId }: CaseTarget): Escaped {
  return playerId === undefined ? inlineCode(name, 60) : person({ name, id: playerId }, true);
}

/** At most this many by name, the others counted. */
export function targetsText({ targets, mass }: Pick<Case, "targets" | "mass">, most: number): Escaped {
  const shown = targets.slice(0, most).map(targetText);
  const left = targets.length - shown.length;
  const names = joined([...shown, ...(left === 0 ? [] : [md`${left} more`])], ", ");
  if (!mass) return names;
  const count = targets.length === 1 ? md`1 player` : md`${targets.length} players`;
  return md`**Everyone** (${count}): ${names}`;
}

/** The same on one plain line, for choices. */
export function targetsPlain({ targets, mass }: Pick<Case, "targets" | "mass">): string {
  if (mass) return "everyone";
  const [first] = targets;
  const more = targets.length > 1 ? ` and ${targets.length - 1} more` : "";
  return `${cut(plainText(shownName(first?.name ?? "")), 40)}${more}`;
}

/** The member where one is known, else the player. */
export function authorText({ userId, playerId, name }: CaseAuthor): Escaped {
  if (userId !== undefined) return userMention(userId);
  return person({ name, ...(playerId === undefined ? {} : { id: playerId }) }, true);
}

/** `**#12** 👢 kick · **Ann** · by @Mo 3 days ago · cop baiting`, struck where it was revoked. */
export function caseLine(one: Case, options: { readonly withTarget: boolean }): Escaped {
  const parts = [
    md`**#${one.number}** ${KINDS[one.kind].symbol} ${kindSmall(one)}`,
    ...(options.withTarget ? [targetsText(one, 1)] : []),
    md`by ${authorText(one.author)} <t:${Math.floor(one.atMs / 1_000)}:R>`,
    ...(one.reason === undefined ? [] : [inlineReason(one.reason)]),
    ...(one.undone === undefined ? [] : [md`↩️ undone`]),
    ...doubt(one),
  ];
  const line = joined(parts, " · ");
  return one.revoked === undefined ? line : md`~~${line}~~ revoked`;
}

/** Of a command of which nobody knows whether it ran. */
function doubt({ receipt }: Case): readonly Escaped[] {
  if (receipt?.answer?.kind !== "unknown" || receipt.log === "seen" || receipt.log === "row") return [];
  return [receipt.log === "not-seen" ? md`❔ probably did not run` : md`❔ may have run`];
}

function inlineReason(reason: string): Escaped {
  return md`“${inlineName(reason)}”`;
}
