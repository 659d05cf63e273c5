import type { AlertRule } from "../domain/alert.ts";
import type { CommandEntry, KillEntry, ModCallEntry, PlayerRef } from "../domain/model.ts";
import type { PlayerCount } from "./windows/levels.ts";

/** The input of the alerts of one server: what happened there, and what else is known of it. */

/** A command that a member sent through this bot, which the game's log shows as "Remote Server"'s. */
export interface MemberRun {
  readonly id: string;
  readonly atS: number;
  readonly userId: string;
  readonly userName: string;
  readonly text: string;
}

/** A row of "Remote Server" that no run accounts for, with its place among equal ones of its second. */
export interface OutsideRow {
  readonly atS: number;
  readonly text: string;
  readonly ordinal: number;
}

/** What a log of commands shows that may not have been counted. */
export interface CommandLog {
  /** The rows that punish somebody, later than the second up to which all is counted. */
  readonly punishing: readonly CommandEntry[];
  /** When the newest of all its rows was; 0: it shows none. */
  readonly newestS: number;
}

/** What has come to be known. A list that shows nothing new is left out; calls become due by time alone. */
export interface Facts {
  /** By the service's clock, epoch seconds. */
  readonly presentS: number;
  readonly nowMs: number;
  readonly kills?: readonly KillEntry[];
  readonly commands?: CommandLog;
  readonly runs?: readonly MemberRun[];
  readonly outside?: readonly OutsideRow[];
  readonly calls?: readonly ModCallEntry[];
  readonly players?: PlayerCount;
}

/** What else is known of a server and its guild. */
export interface Surroundings {
  isQuiet(rule: AlertRule): boolean;
  /** In lower case; undefined: not known, which counts. */
  teamOf(player: PlayerRef): string | undefined;
  /** The member whose account that is. */
  memberOf(player: PlayerRef): string | undefined;
  isTaken(call: ModCallEntry): boolean;
}

/** The service does not say which end of a log is new: its own times tell, as far as they differ. */
export function oldestFirst<T extends { readonly atS: number }>(rows: readonly T[]): readonly T[] {
  return (rows[0]?.atS ?? 0) > (rows.at(-1)?.atS ?? 0) ? rows.toReversed() : rows;
}
