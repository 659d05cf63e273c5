import { Failure } from "../domain/failure.ts";
import type { History } from "../domain/ports/history.ts";

/** Refuses what needs a history, in a bot whose operator keeps none. */
export async function off(): Promise<never> {
  throw new Failure("bad-command", "Marshal's host has turned recording off.", { isRead: true });
}

/** Stands in place of the history where its operator turned it off. */
export function createNoHistory(): History {
  return {
    players: { search: async () => [], find: async () => [], findAll: async () => [] },
    cards: { card: off, page: off },
    rewind: { at: off, unrecorded: off },
    stats: { server: off, staff: off, cases: off, draw: off },
    positions: { days: off, setDays: off, track: off, ofCase: off, hasReplay: async () => false },
    privacy: { retention: off, setRetention: off, forget: off, export: off },
  };
}
