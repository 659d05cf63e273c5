import { Failure } from "../../domain/failure.ts";
import type { Cases } from "../../domain/ports/cases.ts";
import type { Watches } from "../../domain/ports/watches.ts";

/** What commands get where the operator of this bot keeps no history: each question says so. */

const off = async (): Promise<never> => {
  throw new Failure("bad-command", "Whoever hosts this bot has turned the history off.", { isRead: true });
};

export const CASES_OFF: Cases = {
  isKept: false,
  add: off,
  get: off,
  ofRun: off,
  search: off,
  summary: off,
  edit: off,
  revoke: off,
  eraseOf: off,
  warnings: off,
};

export const WATCHES_OFF: Watches = { put: off, remove: off, of: off, list: off };
