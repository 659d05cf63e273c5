import { Failure } from "../domain/failure.ts";
import type { History } from "../domain/ports/history.ts";

/** Stands in place of the history where its operator turned it off. */
export function createNoHistory(): History {
  const off = async (): Promise<never> => {
    throw new Failure("bad-command", "Whoever hosts this bot has turned the history off.", { isRead: true });
  };
  return {
    players: { search: async () => [], find: async () => [] },
    cards: { card: off, page: off },
    rewind: { at: off, unrecorded: off },
    stats: { server: off, staff: off, cases: off, draw: off },
    privacy: { retention: off, setRetention: off, forget: off, export: off },
  };
}
