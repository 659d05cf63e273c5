import { type Escaped, markdownOfOurs, md } from "../../../domain/escaped.ts";
import { duration } from "../entry-line.ts";

/** Words and numbers of figures. Pure. */

/** The times that can be asked for, in days. `short` is for buttons: four of them fit one row of a phone. */
export const PERIODS = [
  { days: 1, label: "24 hours", short: "24 h" },
  { days: 7, label: "7 days", short: "7 d" },
  { days: 30, label: "30 days", short: "30 d" },
  { days: 90, label: "90 days", short: "90 d" },
] as const;
export type PeriodDays = (typeof PERIODS)[number]["days"];

/** `24 hours`, `7 days` */
export function periodWords(days: PeriodDays) {
  return PERIODS.find((period) => period.days === days)?.label ?? "24 hours";
}

export const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** `8.4`, `23`, `1,204`: tenths say nothing of a crowd. */
export function amount(value: number): Escaped {
  return count(value >= 10 ? Math.round(value) : Math.round(value * 10) / 10);
}

/** `**1** join` */
export function joinsWords(joins: number): Escaped {
  return joins === 1 ? md`**1** join` : md`**${count(joins)}** joins`;
}

/** `1,204` */
export function count(value: number): Escaped {
  return markdownOfOurs(value.toLocaleString("en-US"));
}

/** `12 h 30 min`: seconds matter only below a minute. */
export function lasting(seconds: number): Escaped {
  if (seconds < 60) return duration(seconds);
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return duration(minutes * 60);
  if (minutes >= 100 * 60) return md`${Math.round(minutes / 60)} h`;
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return rest === 0 ? md`${hours} h` : md`${hours} h ${rest} min`;
}

/** Fewer answers than this are counted without comparing their times. */
export const FEW_CALLS = 10;
