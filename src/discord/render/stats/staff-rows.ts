import type { CaseCount, StaffStats } from "../../../domain/stats.ts";
import type { StaffRow } from "./staff-stats.ts";

/** Who is who among the figures of staff, the audit and the cases. Pure. */

/** Commands that Marshal sent. */
export interface MemberRuns {
  /** By member. */
  readonly runs: ReadonlyMap<string, number>;
  /** By name on Discord: the one member of the audit who has it. */
  readonly named: ReadonlyMap<string, string>;
}

interface Known extends MemberRuns {
  readonly stats: StaffStats;
  readonly cases: readonly CaseCount[];
  /** By player: the member. */
  readonly members: ReadonlyMap<number, string>;
}

/**
 * Players of staff first, then members who did something and are linked to none of these. A call that a member without
 * a game account claimed stands under their name on Discord, so it is put with what else they did.
 */
export function staffRows({ stats, cases, runs, named, members }: Known): readonly StaffRow[] {
  const linked = new Set(members.values());
  const ofPlayers = stats.staff.map((figures): StaffRow => {
    const { id: playerId, name } = figures.player;
    const claimer = named.get(name);
    const withoutAccount = claimer === undefined || linked.has(claimer) ? undefined : claimer;
    const userId = playerId === undefined ? withoutAccount : members.get(playerId);
    return {
      figures,
      ...(userId === undefined ? {} : { userId }),
      cases: casesOf(cases, { userId, playerId }),
      runs: userId === undefined ? 0 : (runs.get(userId) ?? 0),
    };
  });
  const shown = new Set(ofPlayers.map(({ userId }) => userId));
  const others = new Set([...runs.keys(), ...cases.flatMap(({ userId }) => userId ?? [])]);
  const ofMembers = [...others]
    .filter((userId) => !shown.has(userId))
    .map((userId) => ({
      userId,
      runs: runs.get(userId) ?? 0,
      cases: casesOf(cases, { userId, playerId: undefined }),
    }));
  return [...ofPlayers, ...ofMembers.toSorted((a, b) => b.runs + b.cases - (a.runs + a.cases))];
}

/** Those of a member, and of their player where nobody on Discord made them. */
export function casesOf(
  cases: readonly CaseCount[],
  who: { readonly userId: string | undefined; readonly playerId: number | undefined },
): number {
  return cases
    .filter(
      ({ userId, playerId }) =>
        (userId !== undefined && userId === who.userId) ||
        (userId === undefined && playerId !== undefined && playerId === who.playerId),
    )
    .reduce((sum, one) => sum + one.cases, 0);
}
