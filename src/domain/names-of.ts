import type { PlayerRef, ServerState } from "./model.ts";

/** Names by id, as far as the players, the staff and the logs of this server tell them. */
export function namesOf({ lists }: ServerState): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  const logged: readonly PlayerRef[] = [
    ...(lists.joinLogs?.value ?? []).map(({ player }) => player),
    ...(lists.killLogs?.value ?? []).flatMap(({ killer, killed }) => [killer, killed]),
    ...(lists.commandLogs?.value ?? []).map(({ player }) => player),
    ...(lists.modCalls?.value ?? []).map(({ caller }) => caller),
  ];
  for (const { id, name } of logged) if (id !== undefined) names.set(id, name);
  const staff = lists.staff?.value;
  for (const group of staff === undefined ? [] : [staff.helpers, staff.mods, staff.admins]) {
    for (const [id, name] of group) names.set(id, name);
  }
  for (const { player } of lists.players?.value ?? []) {
    if (player.id !== undefined) names.set(player.id, player.name);
  }
  return names;
}
