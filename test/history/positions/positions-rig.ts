import type { PlayerLocation, PlayerRef, Snapshot } from "../../../src/domain/model.ts";
import { setDays } from "../../../src/history/positions/position-settings.ts";
import { track } from "../../../src/history/positions/read-positions.ts";
import { BINDING, GUILD, type HistoryRig, START_S, snapshotOf } from "../rig.ts";

export const at = (s: number) => START_S + s;
export const DAY_S = 86_400;

export type Places = readonly (readonly [player: PlayerRef, location: PlayerLocation | undefined])[];

/** An answer with everybody at a place. */
export function seen(places: Places, atS: number): Snapshot {
  const snapshot = snapshotOf({ players: places.map(([player]) => player) }, atS);
  const players = (snapshot.lists.players ?? []).map((player, index) => {
    const location = places[index]?.[1];
    return location === undefined ? player : { ...player, location };
  });
  return { ...snapshot, lists: { ...snapshot.lists, players } };
}

export async function on(rig: HistoryRig): Promise<void> {
  await rig.take(seen([], at(1)));
  await setDays(rig.context, { guildId: GUILD, days: 2 });
}

/** By name and second: where the database has them. */
export async function shown({ context }: HistoryRig, guildId = GUILD, bindingId = BINDING) {
  const found = await track(context, { guildId, bindingId, fromS: 0, toS: at(10 * DAY_S) });
  return found.players.flatMap(({ player, spots }) =>
    spots.flatMap((spot, index) =>
      spot === null ? [] : [`${player.name} ${(found.looksS[index] ?? 0) - START_S} ${spot.x},${spot.z}`],
    ),
  );
}

export async function rowsOf({ context }: HistoryRig): Promise<number> {
  return (await context.db.selectFrom("positions").selectAll().execute()).length;
}

export function kickOf(player: Required<PlayerRef>, atS: number) {
  return {
    draft: {
      guildId: GUILD,
      kind: "kick",
      bindingId: BINDING,
      targets: [{ name: player.name, playerId: player.id }],
      mass: false,
      author: { name: "Mona" },
      atMs: atS * 1_000,
    },
    card: undefined,
    most: 100,
  } as const;
}
