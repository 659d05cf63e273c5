import { Failure } from "../src/domain/failure.ts";
import type { StaffPolicy, Tier } from "../src/domain/guild.ts";
import type { PlayerRef } from "../src/domain/model.ts";

/** How `/staff` changes a policy. Pure; each list has a limit, and a Failure says when it is reached. */

const MOST_PROTECTED = 200;
/** Of one server: roles with a tier, allowed and denied commands, each. */
const MOST_RULES = 200;
/** The list with one rule more. @throws Failure "bad-command" when it is full. */
export function withRule(
  rules: StaffPolicy["allowed"],
  roleId: string,
  verb: string,
): StaffPolicy["allowed"] {
  const others = withoutRule(rules, roleId, verb);
  if (others.length >= MOST_RULES) {
    throw new Failure(
      "bad-command",
      `This server has ${MOST_RULES} such permissions, the maximum. Remove one first.`,
    );
  }
  return [...others, { roleId, verb }];
}

/** @throws Failure "bad-command" when there are too many. */
export function withTier(policy: StaffPolicy, roleId: string, tier: Tier): StaffPolicy {
  const roleTiers = { ...policy.roleTiers, [roleId]: tier };
  if (Object.keys(roleTiers).length > MOST_RULES) {
    throw new Failure(
      "bad-command",
      `${MOST_RULES} roles have a tier on this server, the maximum. Remove one first.`,
    );
  }
  return { ...policy, roleTiers };
}

export function withoutRule(
  rules: StaffPolicy["allowed"],
  roleId: string,
  verb: string,
): StaffPolicy["allowed"] {
  return rules.filter((rule) => rule.roleId !== roleId || rule.verb !== verb);
}

/**
 * With one protected player more: the name as it is spelled in the game where that is known, else as typed.
 * @throws Failure "bad-command" when there are too many.
 */
export function withProtected(
  policy: StaffPolicy,
  typed: string,
  known: Required<PlayerRef> | undefined,
): StaffPolicy {
  const before = withoutProtected(policy, typed, known);
  if (before.protectedPlayers.length >= MOST_PROTECTED) {
    throw new Failure("bad-command", `${MOST_PROTECTED} players are protected, the maximum.`);
  }
  const isName = known !== undefined && isSame(known.name, typed);
  const entry = isName ? known.name : typed;
  const other = isName ? String(known.id) : known?.name;
  const alias = other === undefined ? {} : { [entry]: other };
  return {
    ...before,
    protectedPlayers: [...before.protectedPlayers, entry],
    protectedAliases: { ...before.protectedAliases, ...alias },
  };
}

/**
 * Without the entry, whichever of its two ways is given, in any case. One player may have two, of a time when nobody
 * knew that this name and that id are one: whoever is `known` has neither then.
 */
export function withoutProtected(
  policy: StaffPolicy,
  typed: string,
  known?: Required<PlayerRef>,
): StaffPolicy {
  const aliases = new Map(Object.entries(policy.protectedAliases ?? {}));
  const ways = known === undefined ? [typed] : [typed, known.name, String(known.id)];
  const isMeant = (entry: string) => ways.some((way) => isSame(entry, way));
  const others = policy.protectedPlayers.filter(
    (entry) => !isMeant(entry) && !isMeant(aliases.get(entry) ?? ""),
  );
  const kept = [...aliases].filter(([entry]) => others.includes(entry));
  return { ...policy, protectedPlayers: others, protectedAliases: Object.fromEntries(kept) };
}

/** Whether an entry means this player, by either of its two ways. */
export function isProtected(policy: StaffPolicy, player: Required<PlayerRef>): boolean {
  return (
    withoutProtected(policy, player.name, player).protectedPlayers.length < policy.protectedPlayers.length
  );
}

/** The game finds names in any case. */
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
