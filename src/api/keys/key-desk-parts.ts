import type { Clock } from "../../domain/ports/clock.ts";
import type { AskedAgain } from "./asked-again.ts";
import type { KeyBudget } from "./budget.ts";
import type { BudgetWaits } from "./budget-waits.ts";
import type { KeyGuard } from "./key-guard.ts";
import type { KeyRecords } from "./key-records.ts";
import type { Wave } from "./wave.ts";

/** What the desk of keys stands on. */
export interface KeyDeskParts {
  readonly clock: Clock;
  readonly guard: KeyGuard;
  readonly budget: KeyBudget;
  readonly wave: Wave;
  readonly again: AskedAgain;
  readonly records: KeyRecords;
  readonly waits: BudgetWaits;
}
