import { Failure } from "../src/domain/failure.ts";
import type { StaffPolicy, Tier } from "../src/domain/guild.ts";
import type { PlayerRef } from "../src/domain/model.ts";

/** How `/staff` changes a policy. Pure; every list has an end, which is said when it is met. */

const MOST_PROTECTED = 200;
/** Of one server: roles with a tier, allowed and denied commands, each. */
const MOST_RULES = 200;
/** The list with one rule more. @throws Failure "bad-command" when it is full. */
export function withRule(
  rules: StaffPolicy["allowed"],
  roleId: string,
  verb: string,
): StaffPolicy["allowed"] {
  const others = without(rules, roleId, verb);
  if (others.length >= MOST_RULES) {
    throw new Failure(
      "bad-command",
      `There are ${MOST_RULES} such rules on this server already; lift some first.`,
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
      `${MOST_RULES} roles have a tier on this server already; take one away first.`,
    );
  }
  return { ...policy, roleTiers };
}

export function without(rules: StaffPolicy["allowed"], roleId: string, verb: string): StaffPolicy["allowed"] {
  return rules.filter((rule) => rule.roleId !== roleId || rule.verb !== verb);
}

/** @throws Failure "bad-command" when there are too many. */
export function protecting(
  policy: StaffPolicy,
  player: string,
  known: Required<PlayerRef> | undefined,
): StaffPolicy {
  const before = unprotecting(policy, player);
  if (before.protectedPlayers.length >= MOST_PROTECTED) {
    throw new Failure("bad-command", `${MOST_PROTECTED} players are protected already.`);
  }
  const name = known?.name.toLowerCase();
  const other = name === player ? String(known?.id) : name;
  const alias = other === undefined ? {} : { [player]: other };
  return {
    ...before,
    protectedPlayers: [...before.protectedPlayers, player],
    protectedAliases: { ...before.protectedAliases, ...alias },
  };
}

/** Without the entry, whichever of its two ways is given. */
export function unprotecting(policy: StaffPolicy, player: string): StaffPolicy {
  const aliases = policy.protectedAliases ?? {};
  const others = policy.protectedPlayers.filter((entry) => entry !== player && aliases[entry] !== player);
  const kept = Object.entries(aliases).filter(([entry]) => others.includes(entry));
  return { ...policy, protectedPlayers: others, protectedAliases: Object.fromEntries(kept) };
}
