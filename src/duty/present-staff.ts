import type { Bindings } from "../domain/ports/bindings.ts";
import type { IdleStaff } from "../domain/ports/duty.ts";
import type { Snapshots } from "../domain/ports/snapshots.ts";

/** Who is in the game by the last looks: from memory, nothing is asked. */

export interface PresentPorts {
  readonly bindings: Pick<Bindings, "linkedOf">;
  readonly snapshots: Pick<Snapshots, "latest">;
}

/** The rank of everybody who has none. */
const NO_RANK = "Normal";

/** The server on which the last look showed a player. */
export function placeOf(
  { bindings, snapshots }: PresentPorts,
  guildId: string,
  playerId: number,
): string | undefined {
  return bindings
    .linkedOf(guildId)
    .find(({ source }) =>
      snapshots.latest(source)?.lists.players?.value.some(({ player }) => player.id === playerId),
    )?.id;
}

/**
 * Players with a rank, on any server, and the members to whom they belong. A member without one is staff if they worked
 * lately: to read the roles of everybody who plays would take Discord seconds.
 */
export function idleStaff(
  { bindings, snapshots }: PresentPorts,
  guildId: string,
  {
    userOf,
    workedLately,
  }: { readonly userOf: ReadonlyMap<number, string>; readonly workedLately: ReadonlySet<string> },
): readonly IdleStaff[] {
  return bindings.linkedOf(guildId).flatMap(({ id: bindingId, source }) => {
    const players = snapshots.latest(source)?.lists.players?.value ?? [];
    return players.flatMap(({ player, permission }): readonly IdleStaff[] => {
      const userId = player.id === undefined ? undefined : userOf.get(player.id);
      if (permission !== "" && permission !== NO_RANK)
        return [{ player, bindingId, rank: permission, userId }];
      return userId !== undefined && workedLately.has(userId) ? [{ player, bindingId, userId }] : [];
    });
  });
}
