import { Failure } from "../domain/failure.ts";
import type { Duty } from "../domain/ports/duty.ts";
import type { Staffing } from "../domain/ports/staffing.ts";

async function off(): Promise<never> {
  throw new Failure(
    "bad-command",
    "Duty needs Marshal's records, but Marshal's host has turned recording off.",
    {
      isRead: true,
    },
  );
}

/** What commands get where the operator of this bot keeps no history: each question says so. */
export const DUTY_OFF: Duty = {
  types: off,
  addType: off,
  removeType: off,
  start: off,
  pause: off,
  end: off,
  now: off,
  shifts: off,
};

export const STAFFING_OFF: Staffing = {
  board: off,
  periodBegan: off,
  quotas: off,
  setQuota: off,
  removeQuota: off,
  resetQuota: off,
  results: off,
  askLeave: off,
  leaves: off,
  decideLeave: off,
  endLeave: off,
  correct: off,
  confirm: off,
  corrections: off,
  planImport: off,
  doImport: off,
  undoImport: off,
  imports: off,
};
