import type { DutyType } from "../duty.ts";
import type { ReadTotals, RefusedLine } from "../duty-import.ts";
import type { Actor } from "../guild.ts";
import type { Correction, HoursImport, Leave, Quota, QuotaLine, QuotaPeriod, QuotaResult } from "../quota.ts";

/** What somebody did in a time. */
export interface BoardLine {
  readonly userId: string;
  readonly countedS: number;
  /** By how much more it may really have been. */
  readonly unsureS: number;
  readonly shifts: number;
  /** Calls that they answered in the game, or took on their cards. */
  readonly calls: number;
  /** Of it, in which no look showed a move for a quarter of an hour. */
  readonly stillS: number;
  /** Of `countedS`, what Managers added by hand. */
  readonly addedS: number;
  /** What Managers took by hand. */
  readonly takenS: number;
  /** Totals of another bot that are as of this time. */
  readonly importedS: number;
  /** Of this time: on a leave, or with less asked of them. */
  readonly leave?: Leave | undefined;
  /** The quota of the period in which the end of the time lies; the hardest, where several are theirs. */
  readonly quota?: QuotaLine | undefined;
  /** They hold the role that a type of duty asks for. */
  readonly isExpected: boolean;
}

export interface Board {
  /** In which its days are. */
  readonly zone: string;
  readonly fromS: number;
  readonly untilS: number;
  /** The most first. */
  readonly lines: readonly BoardLine[];
  readonly types: readonly DutyType[];
  /** Since when the quotas of the lines count, each period once. */
  readonly quotasFrom: readonly { readonly period: QuotaPeriod; readonly fromS: number }[];
}

/** A week in figures, without names: hours of others are private. */
export interface DutyWeek {
  readonly countedS: number;
  readonly people: number;
  readonly met: number;
  readonly notMet: number;
  /** In a period that went on after the week. */
  readonly notMetYet: number;
  readonly excused: number;
  /** At its end. */
  readonly onLeave: number;
}

export function weekOfBoard({ lines }: Board): DutyWeek {
  const having = (outcome: QuotaLine["outcome"]) =>
    lines.flatMap(({ quota }) => (quota?.outcome === outcome ? quota : []));
  const missing = having("not-met");
  const notMetYet = missing.filter(({ isRunning }) => isRunning === true).length;
  return {
    countedS: lines.reduce((sum, { countedS }) => sum + countedS, 0),
    people: lines.filter(({ countedS }) => countedS > 0).length,
    met: having("met").length,
    notMet: missing.length - notMetYet,
    notMetYet,
    excused: having("excused").length,
    onLeave: lines.filter(({ leave }) => leave?.percent === 0).length,
  };
}

/** What an import would do. */
export interface ImportPlan {
  /** With only what is new. */
  readonly planned: HoursImport;
  /** Of these totals, how many were imported before. */
  readonly known: number;
  readonly refused: readonly RefusedLine[];
}

export type NewQuota = Pick<Quota, "roleId" | "needS" | "period" | "typeId" | "channelId">;
export type NewLeave = Pick<Leave, "fromS" | "untilS" | "percent" | "reason">;
/** `isTold`: Managers get a message about it; of very many requests some only stand in the list. */
export interface AskedLeave extends Leave {
  readonly isTold: boolean;
}
export type NewCorrection = Pick<Correction, "userId" | "typeId" | "atS" | "seconds" | "reason">;

/** Hours, quotas and leave of staff. @throws Failure as `Duty` does. */
export interface Staffing {
  /** When the running period of the quotas began, the earliest of several. Undefined: there is no quota. */
  periodBegan(guildId: string): Promise<number | undefined>;
  board(guildId: string, span: { readonly fromS: number; readonly untilS: number }): Promise<Board>;
  /** In the order in which they were set. */
  quotas(guildId: string): Promise<readonly Quota[]>;
  /** One for each role and type: an earlier one is replaced. @throws Failure "bad-command" where there are too many. */
  setQuota(guildId: string, quota: NewQuota): Promise<Quota>;
  /** Undefined: there is no such quota. */
  removeQuota(guildId: string, id: string): Promise<Quota | undefined>;
  /** Keeps how everybody stands and begins anew. Undefined: there is no such quota. */
  resetQuota(guildId: string, id: string): Promise<QuotaResult | undefined>;
  /** Newest first. */
  results(guildId: string, limit: number): Promise<readonly QuotaResult[]>;
  /** @throws Failure "bad-command" where it overlaps another one, or is too long. */
  askLeave(actor: Actor, leave: NewLeave): Promise<AskedLeave>;
  /** Those that wait or are not over. */
  leaves(guildId: string): Promise<readonly Leave[]>;
  /** Undefined: it waits no more. @throws Failure "denied" for who asked. */
  decideLeave(actor: Actor, id: string, isApproved: boolean): Promise<Leave | undefined>;
  /** Ends what lasts, or takes back what waits. Undefined: there is none. */
  endLeave(actor: Actor, userId: string): Promise<Leave | undefined>;
  /** One's own waits for a second Manager, but for an owner. */
  correct(actor: Actor, correction: NewCorrection): Promise<Correction>;
  /** Undefined: it waits no more. @throws Failure "denied" for whose time it is. */
  confirm(actor: Actor, id: string): Promise<Correction | undefined>;
  /** Of what was read, what can be imported; nothing is yet. */
  planImport(actor: Actor, read: ReadTotals): Promise<ImportPlan>;
  /** Once, however often it is pressed. Undefined: there is no such plan any more. */
  doImport(actor: Actor, id: string): Promise<HoursImport | undefined>;
  /** Undefined: it was taken back already. */
  undoImport(actor: Actor, id: string): Promise<HoursImport | undefined>;
  /** Those that count, newest first. */
  imports(guildId: string): Promise<readonly HoursImport[]>;
  corrections(
    guildId: string,
    wanted: { readonly userId: string; readonly fromS: number; readonly untilS: number },
  ): Promise<readonly Correction[]>;
}
