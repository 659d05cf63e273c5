import type { DutyType, Shift, Still } from "../duty.ts";
import type { Actor } from "../guild.ts";
import type { PlayerRef } from "../model.ts";

/** Somebody whose shift goes on. */
export interface OnDuty {
  readonly type: DutyType;
  readonly shift: Shift;
  /** Since when their break lasts; absent: none. */
  readonly breakFromS?: number | undefined;
  /** Where the last look showed them; absent: they were not in the game. */
  readonly bindingId?: string | undefined;
}

/** Staff whom the last look showed and who are not on duty. */
export interface IdleStaff {
  readonly player: PlayerRef;
  readonly bindingId: string;
  /** Absent: they have none; they are staff by a shift of the last days. */
  readonly rank?: string | undefined;
  /** Absent: nobody has linked this player. */
  readonly userId?: string | undefined;
}

export interface DutyNow {
  /** Who began first comes first. */
  readonly on: readonly OnDuty[];
  readonly idle: readonly IdleStaff[];
  /** All is known up to here; absent: nothing was looked at yet. */
  readonly knownS?: number | undefined;
}

export interface NewDutyType extends Omit<DutyType, "id" | "sinceS" | "untilS"> {}

/** Shifts that touch a time, with what is known of the one that goes on. */
export interface DutyShifts {
  readonly shifts: readonly Shift[];
  /** When no look showed a move of whoever was on them. */
  readonly stills: readonly Still[];
  readonly types: readonly DutyType[];
}

/** Who is on duty, and who was. @throws Failure "store" where the history does not answer, "bad-command" where it is off. */
export interface Duty {
  /** Those that can be started, in the order in which they count. */
  types(guildId: string): Promise<readonly DutyType[]>;
  /** @throws Failure "bad-command" where the name is taken or there are too many. */
  addType(guildId: string, type: NewDutyType): Promise<DutyType>;
  /** Ends its shifts. Undefined: there is no such type. */
  removeType(guildId: string, id: string): Promise<DutyType | undefined>;
  /** Who is on duty goes on. @throws Failure "bad-command" where they are not linked, or nobody more may be on. */
  start(actor: Actor, typeId: string | undefined): Promise<OnDuty>;
  /**
   * Begins a break, or ends the one that lasts; `isOnBreak`: what is to be, which changes nothing where it is so.
   * @throws Failure "bad-command" where they are not on duty, or their shift started by itself.
   */
  pause(actor: Actor, isOnBreak?: boolean): Promise<OnDuty>;
  /** @throws Failure "bad-command" where they are not on duty, or their shift started by itself. */
  end(actor: Actor): Promise<OnDuty>;
  now(guildId: string): Promise<DutyNow>;
  /** Newest first; of everybody where no member is named. */
  shifts(
    guildId: string,
    wanted: { readonly fromS: number; readonly untilS: number; readonly userId?: string | undefined },
  ): Promise<DutyShifts>;
}
