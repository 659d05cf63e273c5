import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { ServiceEvent } from "../../domain/ports/service-health.ts";
import type { SharedLimits } from "../../domain/ports/shared-limits.ts";
import type { Log } from "../../log.ts";
import { AskedAgain } from "./asked-again.ts";
import { KeyBudget } from "./budget.ts";
import { BudgetWaits } from "./budget-waits.ts";
import { KeyDesk } from "./key-desk.ts";
import { KeyGuard } from "./key-guard.ts";
import { type KeyDocuments, KeyRecords } from "./key-records.ts";
import { Wave } from "./wave.ts";

export interface KeyDeskOptions {
  readonly documents: KeyDocuments;
  readonly clock: Clock;
  readonly log: Log | undefined;
  /** Requests with refused keys that this address risks in an hour. @default 9 */
  readonly badKeyBudget: number | undefined;
  /** Where several processes ask from one address. @default this one is alone */
  readonly shared?: SharedLimits | undefined;
  /** Whether somebody whom this process serves has this server linked. */
  readonly isOurs: (source: SourceId) => boolean;
  readonly onEvent: (event: ServiceEvent) => void;
}

const BAD_KEY_BUDGET = 9;
/** A wave is a quarter of the budget refused within minutes; two at least, since one key proves nothing. */
const WAVE_SHARE = 1 / 4;
const LEAST_WAVE = 2;
/** A ban is by address, whatever global key is sent. */
const IDENTITY = "address";

/** Builds what judges keys; nothing is read before `records.restore`. */
export function openDesk(options: KeyDeskOptions) {
  const { documents, clock, log, badKeyBudget = BAD_KEY_BUDGET, shared, isOurs } = options;
  const guard = new KeyGuard();
  const budget = new KeyBudget(badKeyBudget);
  const wave = new Wave(Math.max(LEAST_WAVE, Math.floor(badKeyBudget * WAVE_SHARE)));
  const again = new AskedAgain();
  const records = new KeyRecords({
    documents,
    identity: IDENTITY,
    clock,
    log,
    guard,
    budget,
    wave,
    again,
    shared,
    isOurs,
  });
  const waits = new BudgetWaits(() => options.onEvent({ kind: "budget-holds", most: badKeyBudget }));
  const desk = new KeyDesk({ clock, guard, budget, wave, again, records, waits });
  return { guard, budget, wave, records, desk };
}
