import type { AlertKind, AlertLimit } from "./alert-kinds.ts";
import type { PlayerRef } from "./model.ts";

/** What a guild wants to be alerted to: rules that people set up, and what happened by them. */

/** Minutes of the day in the guild's time zone, from 0; where `from` is the later one they reach over midnight. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** One alert that a guild has set up on a linked server. */
export interface AlertRule extends AlertLimit {
  readonly id: string;
  readonly guildId: string;
  readonly bindingId: string;
  readonly kind: AlertKind;
  readonly channelId: string;
  /** Pinged by a new message, never by an edit. */
  readonly roleId?: string;
  /** Then nobody is pinged, and messages come without a sound. */
  readonly quiet?: QuietHours;
  /** Kills by players of these teams do not count. */
  readonly withoutTeams?: readonly string[];
  readonly createdBy: string;
  readonly createdAtMs: number;
}

/** Who did it: a player, a member of the Discord server, or somebody who is both. */
export interface AlertPerson extends PlayerRef {
  readonly userId?: string;
}

/** One thing that was counted. */
export interface AlertRow {
  readonly atS: number;
  /** Of a kill: who was killed. Of a command: the one whom it hit, where its text does not say that. */
  readonly other?: PlayerRef;
  /** Of a command. */
  readonly text?: string;
}

/** Somebody who was killed, and how often. */
export interface AlertVictim extends PlayerRef {
  readonly deaths: number;
}

/** How a call that had waited for too long ended: a moderator answered it in the game, or staff took it on its card. */
export type CallEnd = { readonly kind: "answered"; readonly by: PlayerRef } | { readonly kind: "taken" };

/** One person, or one call, or one state of the server, that an alert tells of. */
export interface AlertEntry {
  readonly who?: AlertPerson;
  /** How many were counted, in all. */
  readonly count: number;
  /** Of the first and the last of them, epoch seconds. */
  readonly firstS: number;
  readonly lastS: number;
  /** The latest of them, oldest first; none of kills. */
  readonly rows: readonly AlertRow[];
  /** Of kills: who was killed, in the order of their first death. Of very many the first are there. */
  readonly victims?: readonly AlertVictim[];
  readonly callEnd?: CallEnd;
  /** Full, empty: how many players there were. */
  readonly players?: { readonly current: number; readonly most: number };
  /** Full, empty: when it was seen so last. */
  readonly endedS?: number;
}
