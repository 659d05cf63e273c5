import type { GameAccount } from "../../domain/ports/game-accounts.ts";
import { isProven } from "../../domain/proven-account.ts";
import { highestRank, type Rank, type RankMapping } from "../../domain/rank.ts";

/** Which rank a player should have, by the roles of the member whom they are linked to. Pure. */

/** unknown: Discord has not shown this server's roles. */
export type RoleState = "there" | "deleted" | "unknown";

export type WantedRank =
  | { readonly kind: "rank"; readonly rank: Rank }
  /** unlinked: nobody is known to be this player. no-role: none of the roles. unconfirmed: one Manager's word is not enough for that rank. */
  | { readonly kind: "none"; readonly why: "unlinked" | "no-role" | "unconfirmed" }
  | { readonly kind: "unknown"; readonly why: "roles" | "role-deleted" };

export interface WantedBy {
  /** Who the player is. */
  readonly link: GameAccount | undefined;
  /** Undefined: nothing young is known of their roles. */
  readonly roleIds: readonly string[] | undefined;
  readonly mappings: readonly Pick<RankMapping, "roleId" | "rank">[];
  roleState(roleId: string): RoleState;
}

/** By the highest rank of their roles. A role that was deleted, or of which nothing is known, takes nothing from anybody. */
export function wantedRank({ link, roleIds, mappings, roleState }: WantedBy): WantedRank {
  if (link === undefined) return { kind: "none", why: "unlinked" };
  if (mappings.length === 0) return { kind: "none", why: "no-role" };
  if (roleIds === undefined || mappings.some(({ roleId }) => roleState(roleId) === "unknown"))
    return { kind: "unknown", why: "roles" };

  const held = mappings.filter(({ roleId }) => roleState(roleId) === "there" && roleIds.includes(roleId));
  const lost = mappings.filter(({ roleId }) => roleState(roleId) === "deleted").map(({ rank }) => rank);
  const best = highestRank(held.map(({ rank }) => rank));
  // They may have had the role that is gone.
  if (best === undefined || highestRank([best, ...lost]) !== best)
    if (lost.length > 0) return { kind: "unknown", why: "role-deleted" };
  if (best === undefined) return { kind: "none", why: "no-role" };
  if (best === "helper" || isProven(link)) return { kind: "rank", rank: best };
  return held.some(({ rank }) => rank === "helper")
    ? { kind: "rank", rank: "helper" }
    : { kind: "none", why: "unconfirmed" };
}
