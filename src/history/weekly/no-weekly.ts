import type { WeeklySummaries } from "../../domain/ports/weekly.ts";
import { off } from "../no-history.ts";

/** Where no history is kept there is nothing to sum up. */
export const WEEKLY_OFF: WeeklySummaries = { of: off, set: off, turnOff: off };
