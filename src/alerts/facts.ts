import type { AlertRule, CallEnd } from "../domain/alert.ts";
import type { ChangeEntry } from "../domain/changes.ts";
import type { CommandEntry, KillEntry, ModCallEntry, PlayerRef } from "../domain/model.ts";
import type { AnswerItem } from "../domain/ports/journal.ts";
import type { PlayerCount } from "./windows/levels.ts";

/** The input of the alerts of one server: what happened there, and what else is known of it. */

/** A command that a member sent through this bot, which the game's log shows as "Remote Server"'s. */
export interface MemberRun {
  readonly id: string;
  /** By our clock. */
  readonly atS: number;
  readonly userId: string;
  readonly userName: string;
  readonly text: string;
  /** The one whom it hit, where its text has only the beginning of the name, or an id. */
  readonly hit?: PlayerRef;
}

/** A row of "Remote Server" that no run accounts for, with its place among equal ones of its second. */
export interface OutsideRow {
  readonly atS: number;
  readonly text: string;
  readonly ordinal: number;
}

/** What has come to be known. Rows are new ones, each once; calls become due by time alone. */
export interface Facts {
  /** By the service's clock, epoch seconds. */
  readonly presentS: number;
  readonly nowMs: number;
  readonly kills?: readonly KillEntry[];
  /** Commands that punish somebody. */
  readonly punishing?: readonly CommandEntry[];
  readonly called?: readonly ModCallEntry[];
  readonly answered?: readonly AnswerItem["entry"][];
  readonly changes?: readonly ChangeEntry[];
  readonly runs?: readonly MemberRun[];
  /** How far the clock that dates rows is ahead of ours, which dates runs. @default 0 */
  readonly serviceAheadS?: number;
  readonly outside?: readonly OutsideRow[];
  /** All calls that the game's log shows now. */
  readonly calls?: readonly ModCallEntry[];
  readonly players?: PlayerCount;
}

/** What else is known of a server and its guild. */
export interface Surroundings {
  /** When this process began, by our clock. */
  readonly startedMs: number;
  isQuiet(rule: AlertRule): boolean;
  /** In lower case; undefined: not known, which counts. */
  teamOf(player: PlayerRef): string | undefined;
  /** The member whose account that is. */
  memberOf(player: PlayerRef): string | undefined;
  /** How a call ended by its card, where it has one. */
  callEndOf(call: Pick<ModCallEntry, "caller" | "atS">): CallEnd | undefined;
  /** A card shows the call, and nobody has it in hand there. */
  isFree(call: Pick<ModCallEntry, "caller" | "atS">): boolean;
}
