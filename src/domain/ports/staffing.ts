import type { DutyType } from "../duty.ts";
import type { Actor } from "../guild.ts";
import type { Correction, Leave, Quota, QuotaLine, QuotaResult } from "../quota.ts";

/** What somebody did in a time. */
export interface BoardLine {
  readonly userId: string;
  readonly countedS: number;
  /** By how much more it may really have been. */
  readonly unsureS: number;
  readonly shifts: number;
  /** Calls that they answered in the game. */
  readonly calls: number;
  /** Of this time: on a leave, or with less asked of them. */
  readonly leave?: Leave | undefined;
  /** The quota of the period in which the end of the time lies; the hardest, where several are theirs. */
  readonly quota?: QuotaLine | undefined;
}

export interface Board {
  readonly fromS: number;
  readonly untilS: number;
  /** The most first. */
  readonly lines: readonly BoardLine[];
  readonly types: readonly DutyType[];
}

/** A week in figures, without names: hours of others are private. */
export interface DutyWeek {
  readonly countedS: number;
  readonly people: number;
  readonly met: number;
  readonly notMet: number;
  readonly excused: number;
  /** At its end. */
  readonly onLeave: number;
}

export function weekOfBoard({ lines }: Board): DutyWeek {
  const having = (outcome: QuotaLine["outcome"]) =>
    lines.filter(({ quota }) => quota?.outcome === outcome).length;
  return {
    countedS: lines.reduce((sum, { countedS }) => sum + countedS, 0),
    people: lines.filter(({ countedS }) => countedS > 0).length,
    met: having("met"),
    notMet: having("not-met"),
    excused: having("excused"),
    onLeave: lines.filter(({ leave }) => leave?.percent === 0).length,
  };
}

export type NewQuota = Pick<Quota, "roleId" | "needS" | "period" | "typeId" | "channelId">;
export type NewLeave = Pick<Leave, "fromS" | "untilS" | "percent" | "reason">;
export type NewCorrection = Pick<Correction, "userId" | "typeId" | "atS" | "seconds" | "reason">;

/** Hours, quotas and leave of staff. @throws Failure as `Duty` does. */
export interface Staffing {
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
  askLeave(actor: Actor, leave: NewLeave): Promise<Leave>;
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
  corrections(
    guildId: string,
    wanted: { readonly userId: string; readonly fromS: number; readonly untilS: number },
  ): Promise<readonly Correction[]>;
}
