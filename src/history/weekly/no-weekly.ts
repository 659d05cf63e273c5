import { Failure } from "../../domain/failure.ts";
import type { WeeklySummaries } from "../../domain/ports/weekly.ts";

const off = async (): Promise<never> => {
  throw new Failure("bad-command", "Whoever hosts this bot has turned the history off.", { isRead: true });
};

/** Where no history is kept there is nothing to sum up. */
export const WEEKLY_OFF: WeeklySummaries = { of: off, set: off, turnOff: off };
