import type { AlertEntry } from "../domain/alert.ts";
import type { Binding } from "../domain/guild.ts";
import type { PlayerLocation } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Snapshots } from "../domain/ports/snapshots.ts";

/** Older lists say nothing about where people are now. */
const LONGEST_AGE_MS = 120_000;

/** Where the one player is whom these entries tell of; undefined: there are several, or it is not known. */
export function locationOf(
  { snapshots, clock }: { readonly snapshots: Pick<Snapshots, "latest">; readonly clock: Clock },
  binding: Binding | undefined,
  entries: readonly AlertEntry[],
): PlayerLocation | undefined {
  const ids = new Set(entries.map(({ who }) => who?.id));
  const [id] = ids;
  const list = binding && snapshots.latest(binding.source)?.lists.players;
  if (id === undefined || ids.size !== 1 || list === undefined) return undefined;
  if (clock.nowMs() - list.atMs > LONGEST_AGE_MS) return undefined;
  return list.value.find(({ player }) => player.id === id)?.location;
}
