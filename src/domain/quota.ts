import type { ImportedTotal } from "./duty-import.ts";

/** The words of quotas and leave: what staff are asked for, and when they are excused. Times are epoch seconds. */

export const QUOTA_PERIODS = ["week", "fortnight", "month"] as const;
export type QuotaPeriod = (typeof QUOTA_PERIODS)[number];

/** So much duty within each period, of everybody who holds the role. */
export interface Quota {
  readonly id: string;
  readonly roleId: string;
  readonly needS: number;
  readonly period: QuotaPeriod;
  /** Only shifts of this type count. @default all */
  readonly typeId?: string | undefined;
  /** Where its list is posted at each reset. */
  readonly channelId?: string | undefined;
  /** Nothing before counts: it was set, or reset by hand. */
  readonly sinceS: number;
}

/** Somebody is away, or does less, from `fromS` to `untilS`. */
export interface Leave {
  readonly id: string;
  readonly userId: string;
  readonly fromS: number;
  readonly untilS: number;
  /** What is asked of them meanwhile, of 100: 0 is leave. */
  readonly percent: number;
  readonly reason: string;
  readonly state: "asked" | "approved" | "denied" | "ended";
  /** Who approved, denied or ended it. */
  readonly byId?: string | undefined;
}

/** Whether a leave excuses, or excused until it was ended. */
export function isExcusing({ state }: Leave): boolean {
  return state === "approved" || state === "ended";
}

/** Time that a Manager added or took, with a reason. */
export interface Correction {
  readonly id: string;
  readonly userId: string;
  readonly typeId: string;
  /** When the time was. */
  readonly atS: number;
  readonly seconds: number;
  readonly reason: string;
  readonly byId: string;
  /** Of a correction of one's own time: the second Manager. Until then it does not count. */
  readonly confirmedBy?: string | undefined;
  /** An owner, who has nobody above: counts without a second Manager. */
  readonly isOwner?: boolean | undefined;
  /** A total that another bot had kept: shown as imported, and counts towards no quota. */
  readonly importId?: string | undefined;
}

/** Totals that came together. Once it is undone nothing of it is left. */
export interface HoursImport {
  readonly id: string;
  readonly byId: string;
  readonly atS: number;
  readonly state: "planned" | "done" | "undone";
  readonly totals: readonly ImportedTotal[];
}

export type QuotaOutcome = "met" | "not-met" | "excused";

/** How somebody stands with a quota. */
export interface QuotaLine {
  readonly userId: string;
  readonly countedS: number;
  /** By how much more it may really have been. */
  readonly unsureS: number;
  /** After leave and joining in the middle. */
  readonly needS: number;
  /** When they were linked, where that was in the middle of the period: they are asked for less. */
  readonly linkedS?: number | undefined;
  /** They were on leave, for the whole of it or a part. */
  readonly isOnLeave?: boolean | undefined;
  /** The least percent that was asked of them for the whole of it or a part, where that was less than all and no leave. */
  readonly reducedTo?: number | undefined;
  /** Of `countedS`, what Managers added by hand. */
  readonly addedS?: number | undefined;
  /** What Managers took by hand. */
  readonly takenS?: number | undefined;
  readonly outcome: QuotaOutcome;
  /** The period goes on after the time that is counted. */
  readonly isRunning?: boolean | undefined;
}

/** A period that is over, and who met it. */
export interface QuotaResult {
  readonly quotaId: string;
  readonly fromS: number;
  readonly untilS: number;
  readonly lines: readonly QuotaLine[];
  /** Seconds of it in which no server was read, where they are many: what was worked then is not known. */
  readonly unreadS?: number | undefined;
}

/** Whether a correction counts. */
export function isCounting(correction: Correction): boolean {
  return correction.importId === undefined && !isWaiting(correction);
}

/** Of one's own time, and no second Manager has confirmed it. */
export function isWaiting({ userId, byId, confirmedBy, isOwner, importId }: Correction): boolean {
  return importId === undefined && userId === byId && confirmedBy === undefined && isOwner !== true;
}
