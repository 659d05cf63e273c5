import type { Case, CaseDraft, CaseKind } from "../case.ts";
import type { Actor } from "../guild.ts";

export interface CaseFilter {
  /** Cases that name this player among their targets. */
  readonly playerId?: number;
  /** Beside the id, or without one: cases whose target is written so, in any case. */
  readonly playerName?: string;
  /** Of the staff: a member, or a player who did it in the game. */
  readonly userId?: string;
  readonly authorPlayerId?: number;
  readonly kind?: CaseKind;
  /** Only cases of these servers, and those of none. */
  readonly bindingIds?: readonly string[];
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Only cases with a smaller number: the next page. */
  readonly before?: number;
  readonly limit: number;
}

/** What stands against one player. */
export interface CaseSummary {
  /** Of those that count: revoked ones do not. */
  readonly counts: Readonly<Partial<Record<CaseKind, number>>>;
  /** Newest first, at most three. */
  readonly latest: readonly Case[];
}

export interface ErasedCases {
  /** How many named the player. */
  readonly cases: number;
}

export interface CaseChange {
  readonly reason?: string;
  /** Empty: none any more. */
  readonly evidence?: string;
  /** Only where it has no reason yet: else nothing changes. */
  readonly isFirstReason?: true;
}

/** The cases of a Discord server. @throws Failure "store" where the history is off or does not answer. */
export interface Cases {
  /** False where the operator of this bot keeps no history. */
  readonly isKept: boolean;
  /** A note or warning that somebody wrote; posted in the case channel. */
  add(draft: CaseDraft): Promise<Case>;
  get(guildId: string, number: number): Promise<Case | undefined>;
  /** The case that came of a run of ours; undefined: none, or not yet. */
  ofRun(guildId: string, runId: string): Promise<Case | undefined>;
  /** The case that lifted the ban of this one; undefined: none that is known, or it is no ban of one player. */
  liftOf(one: Case): Promise<Case | undefined>;
  /** Newest first. */
  search(guildId: string, filter: CaseFilter): Promise<readonly Case[]>;
  summary(guildId: string, playerId: number, of?: Pick<CaseFilter, "bindingIds">): Promise<CaseSummary>;
  /** What stood there before stays in its history. Undefined: there is no such case. */
  edit(actor: Actor, number: number, change: CaseChange): Promise<Case | undefined>;
  /** It stays, struck out, and counts no more. Undefined: there is no such case. */
  revoke(
    by: Pick<Actor, "guildId" | "userId">,
    number: number,
    why: string | undefined,
  ): Promise<Case | undefined>;
  /** Takes a player out of all cases that name them; those that name nobody else go, and their cards say so. */
  eraseOf(guildId: string, playerId: number): Promise<ErasedCases>;
  /**
   * Warnings of a player that count: not revoked, of the last 30 days, on the server of that case or on none; where the
   * case is of no server, those of none.
   */
  warnings(of: Pick<Case, "guildId" | "bindingId">, playerId: number): Promise<number>;
}
