import type { Actor, Binding } from "../guild.ts";
import type { PlayerRef } from "../model.ts";
import type { Raised, Rank, RankEvent, RankKeeper, RankMapping, RankPause } from "../rank.ts";

/** The ranks of one server. */
export interface RanksView {
  readonly bindingId: string;
  readonly mappings: readonly RankMapping[];
  readonly keeper: RankKeeper | undefined;
  readonly pause: RankPause | undefined;
  readonly raised: readonly Raised[];
  /** Whose rank somebody else took away in the game: they are not put back. */
  readonly left: readonly { readonly name: string; readonly rank: Rank }[];
  readonly events: readonly RankEvent[];
}

/** Why somebody would lose a rank. */
export type WhyTaken = "unlinked" | "no-role" | "unconfirmed" | "rise" | "lower";
/** Why nothing is done about somebody who has a role, or whom Marshal raised. */
export type WhyNotRanked =
  | "unconfirmed"
  | "owner"
  | "left"
  | "has-rank"
  | "roles"
  | "role-deleted"
  | "staff-list"
  | "answer";

export interface PlannedRank {
  readonly player: Required<PlayerRef>;
  readonly userId: string | undefined;
  readonly rank: Rank;
}

/** What would be done now, and what cannot be said. */
export interface RankPlan {
  readonly bindingId: string;
  /** Changes with what would be done: only what was shown is confirmed. */
  readonly key: string;
  readonly mappings: readonly RankMapping[];
  readonly keeper: RankKeeper | undefined;
  readonly pause: RankPause | undefined;
  readonly raise: readonly PlannedRank[];
  readonly take: readonly (PlannedRank & { readonly why: WhyTaken })[];
  /** Raised by Marshal, and as they should be. */
  readonly fits: readonly PlannedRank[];
  readonly notDone: readonly {
    readonly player: Required<PlayerRef>;
    readonly userId: string | undefined;
    readonly why: WhyNotRanked;
  }[];
  readonly known: {
    readonly linked: number;
    /** Of those, whose roles were looked at. */
    readonly read: number;
    /** How old the oldest of what was read is; undefined: nothing was. */
    readonly ageMs: number | undefined;
    /** Who plays and is linked to nobody. */
    readonly unlinked: readonly PlayerRef[];
  };
  /** Of the list of staff; undefined: it is not believed. */
  readonly staffAgeMs: number | undefined;
  /** Nearly everybody has one of the roles, or many would be raised: it is asked twice. */
  readonly isForMany: boolean;
}

/** Ranks that follow roles. Who may is the caller's to ask; all of it throws Failure "bad-command". */
export interface Ranks {
  list(guildId: string): readonly RanksView[];
  /** By itself it does nothing. @throws Failure "denied" where another community keeps the ranks of that server. */
  set(
    actor: Actor,
    binding: Binding,
    wish: { readonly roleId: string; readonly rank: Rank },
  ): Promise<RankMapping>;
  check(binding: Binding): Promise<RankPlan>;
  /** Does what this plan says, and keeps it so, in this person's name. @throws Failure "expired" where it says something else by now. */
  apply(actor: Actor, binding: Binding, key: string): Promise<RankPlan>;
  /** What would be done without this role. */
  checkUnset(binding: Binding, roleId: string): Promise<RankPlan>;
  /** @throws Failure "expired", as `apply` does. */
  unset(
    actor: Actor,
    binding: Binding,
    wish: { readonly roleId: string; readonly key: string },
  ): Promise<RankPlan>;
  /** Stops all of it, of all servers of the guild. Answers what stands there. */
  pause(actor: Actor): Promise<readonly RanksView[]>;
}
