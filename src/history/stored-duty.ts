import type { DutyStore } from "../domain/ports/duty-store.ts";
import type { Call } from "./cases/stored-cases.ts";

/** What duty keeps in the database of the history, by its named questions. */
export function storedDuty(call: Call): DutyStore {
  return {
    rows: (wanted) => call("duty.rows", wanted),
    write: (change) => call("duty.write", change),
    facts: (wanted) => call("duty.facts", wanted),
    calls: (wanted) => call("duty.calls", wanted),
    unreadS: (wanted) => call("duty.unreadS", wanted),
    guilds: () => call("duty.guilds", {}),
  };
}
