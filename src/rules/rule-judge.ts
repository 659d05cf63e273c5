import type { GameAccount } from "../domain/ports/game-accounts.ts";
import type { KnownRoles } from "../domain/ports/known-roles.ts";
import { isProven } from "../domain/proven-account.ts";
import type { Rule } from "../domain/rule.ts";
import { isAbout } from "./present.ts";
import type { RoleState } from "./ranks/wanted-rank.ts";
import type { Sighting } from "./sightings.ts";

/** Roles this young are enough to tell of. */
const TOLD_BY_MS = 10 * 60_000;

export interface JudgePorts {
  readonly roles: Pick<KnownRoles, "of">;
  readonly clock: { monotonicMs(): number };
  /** Whether the Discord server still has this role. */
  roleState(guildId: string, roleId: string): RoleState;
}

/** A rule that may be broken: it is about this player, who is linked where it asks for a role. */
export interface Candidate {
  readonly rule: Rule;
  readonly sighting: Sighting;
  readonly userId: string | undefined;
  /** The Manager on whose word alone that link rests. */
  readonly vouchedBy: string | undefined;
}

/** Who of those that were seen may break which rule. Who is not linked to a member never does. */
export function candidates(
  rules: readonly Rule[],
  sightings: ReadonlyMap<number, Sighting>,
  accounts: ReadonlyMap<number, GameAccount>,
): readonly Candidate[] {
  const found: Candidate[] = [];
  for (const sighting of sightings.values()) {
    for (const rule of rules) {
      if (!isAbout(rule, sighting.present)) continue;
      const account = accounts.get(sighting.present.player.id);
      if (rule.kind === "name") found.push({ rule, sighting, userId: undefined, vouchedBy: undefined });
      else if (account !== undefined)
        found.push({ rule, sighting, userId: account.userId, vouchedBy: onlyWordOf(account) });
    }
  }
  return found;
}

/**
 * Whose word for a link is not enough for what a rule does: `:load` and `:kick` run in the name of a Manager, who answers
 * for links of their own, and for no other's.
 */
export function unconfirmedBy({ step }: Rule, vouchedBy: string | undefined): string | undefined {
  return step === undefined || step.kind === "pm" || vouchedBy === step.byId ? undefined : vouchedBy;
}

/** The Manager on whose word alone a link rests; undefined: it is proven. */
export function onlyWordOf(account: GameAccount): string | undefined {
  return isProven(account) ? undefined : account.vouchedBy;
}

/** kept: they have a role that the rule asks for. unknown: nothing young is known of their roles, or whether a role is there. */
export function judge(
  { roles, clock, roleState }: JudgePorts,
  { rule: { guildId, roleIds }, userId }: Candidate,
): "broken" | "kept" | "unknown" {
  if (userId === undefined) return "broken";
  if (!roleIds.every((id) => roleState(guildId, id) === "there")) return "unknown";
  const held = roles.of(guildId, userId);
  if (held === undefined || clock.monotonicMs() - held.readAtMs > TOLD_BY_MS) return "unknown";
  return roleIds.some((id) => held.roleIds.includes(id)) ? "kept" : "broken";
}
