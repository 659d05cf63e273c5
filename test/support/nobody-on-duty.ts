import { DutyRoster } from "../../src/domain/duty-roster.ts";

/** What wings ask of duty, where a test has none. */
export const NOBODY_ON_DUTY = {
  roster: new DutyRoster({ monotonicMs: () => 0 }),
  whoToPing: async () => [],
  tracked: new Set<string>(),
} as const;
