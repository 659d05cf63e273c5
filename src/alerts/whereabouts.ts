import type { AlertEntry } from "../domain/alert.ts";
import type { Binding } from "../domain/guild.ts";
import type { PlayerLocation } from "../domain/model.ts";
import type { Whereabouts } from "../domain/ports/alert-renderer.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Snapshots } from "../domain/ports/snapshots.ts";

/** Older lists say nothing about where people are now. */
const LONGEST_AGE_MS = 120_000;

/** Where those are now whom these entries tell of, as far as a young list of players says. */
export function whereaboutsOf(
  { snapshots, clock }: { readonly snapshots: Pick<Snapshots, "latest">; readonly clock: Clock },
  binding: Binding | undefined,
  entries: readonly AlertEntry[],
): Whereabouts {
  const list = binding && snapshots.latest(binding.source)?.lists.players;
  if (list === undefined || clock.nowMs() - list.atMs > LONGEST_AGE_MS) return NOWHERE;
  const present = new Map(list.value.map(({ player, location }) => [player.id, location]));
  const ids = new Set(entries.flatMap(({ who }) => who?.id ?? []));
  return {
    locations: new Map([...ids].flatMap((id) => onlyKnown(id, present.get(id)))),
    leftIds: new Set([...ids].filter((id) => !present.has(id))),
  };
}

const NOWHERE: Whereabouts = { locations: new Map(), leftIds: new Set() };

function onlyKnown(id: number, location: PlayerLocation | undefined): [number, PlayerLocation][] {
  return location === undefined ? [] : [[id, location]];
}
