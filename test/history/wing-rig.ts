import { systemClock, systemRandom } from "../../src/clock.ts";
import { createHistory, type HistoryParts } from "../../src/history/create-history.ts";
import type { Log } from "../../src/log.ts";
import { VirtualClock } from "../support/clock.ts";
import { memoryJournal } from "../support/memory-journal.ts";

export const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

/** A history that nobody feeds, but where `more` does. */
export function wingAt(
  url: string,
  log: Log,
  more: Partial<Pick<HistoryParts, "journal" | "bindings" | "demands" | "mapImage">> = {},
) {
  return createHistory({
    journal: more.journal ?? memoryJournal({ clock: new VirtualClock() }),
    url,
    mapImage: more.mapImage,
    markKey: new Uint8Array(32),
    bindings: more.bindings ?? { async *all() {}, list: async () => [] },
    demands: more.demands ?? { put: () => undefined },
    tracked: new Set<string>(),
    isOurs: () => true,
    read: () => undefined,
    harmless: [],
    callsOnCards: () => [],
    accountOf: async () => undefined,
    metrics: { count: () => undefined, observe: () => undefined },
    clock: systemClock,
    random: systemRandom,
    log,
  });
}
