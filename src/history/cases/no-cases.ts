import type { Cases } from "../../domain/ports/cases.ts";
import type { Watches } from "../../domain/ports/watches.ts";
import { off } from "../no-history.ts";

/** What commands get where the operator of this bot keeps no history: each question says so. */

export const CASES_OFF: Cases = {
  isKept: false,
  add: off,
  get: off,
  ofRun: off,
  liftOf: off,
  search: off,
  summary: off,
  edit: off,
  revoke: off,
  eraseOf: off,
  warnings: off,
};

export const WATCHES_OFF: Watches = { put: off, remove: off, of: off, list: off };
