import type { EmergencyCall, LogEntry, LogList, PlayerRef } from "./model.ts";

/** What two looks at a server differ in, as far as no log tells it. A journal is kept of each list that somebody wants. */

export const STATE_LISTS = ["emergencyCalls", "teams", "vehicles", "queue"] as const;
export type StateList = (typeof STATE_LISTS)[number];

export function isState(list: string): list is StateList {
  return STATE_LISTS.some((one) => one === list);
}

/** What journals are kept of: the logs, and what looks differ in. */
export type JournalList = LogList | StateList;

/** What feeds post as lines. */
export type FeedEntry = LogEntry | ChangeEntry;

interface ChangeWords {
  readonly list: StateList;
  readonly symbol: string;
  readonly words: string;
}

/** Every kind of change, with the words that follow the player's name. */
export const CHANGES = {
  team: { list: "teams", symbol: "🎽", words: "changed team" },
  spawned: { list: "vehicles", symbol: "🚗", words: "spawned" },
  despawned: { list: "vehicles", symbol: "🏁", words: "no longer has" },
  queued: { list: "queue", symbol: "🎫", words: "joined the queue" },
} as const satisfies Readonly<Record<string, ChangeWords>>;
export type ChangeKind = keyof typeof CHANGES;

/** Seconds are the service's. */
export interface ChangeEntry {
  readonly kind: "change";
  readonly what: ChangeKind;
  /** Of the look that showed it. */
  readonly atS: number;
  /** Of the last look before: it happened in between. */
  readonly fromS: number;
  readonly player: PlayerRef;
  /** What was before and what is now; or the one thing that came or went. */
  readonly values: readonly string[];
}

/** An emergency call began, got other units or words, or ended; its end is not later than `atS`. */
export interface CallEntry {
  readonly kind: "call";
  readonly step: "began" | "changed" | "ended";
  readonly atS: number;
  readonly fromS: number;
  readonly call: EmergencyCall;
  /** Who of the call's people was in the server then. */
  readonly people: readonly PlayerRef[];
}
