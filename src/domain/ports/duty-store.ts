import type { PlayerSession } from "../history.ts";

/** Where duty keeps what it knows: beside the history, because it is made of the history's rows. */

export const DUTY_KINDS = [
  "setup",
  "mark",
  "link",
  "state",
  "shift",
  "role",
  "post",
  "leave",
  "correction",
  "result",
  "import",
  "still",
] as const;
export type DutyKind = (typeof DUTY_KINDS)[number];

/** One thing that is kept of duty. `body` is JSON; the other fields are what it is found by. */
export interface DutyRow {
  readonly guildId: string;
  readonly kind: DutyKind;
  /** Unique in its kind and guild. */
  readonly id: string;
  /** Empty: of nobody. */
  readonly userId: string;
  /** 0: of nobody. */
  readonly playerId: number;
  readonly fromS: number;
  /** Absent: it goes on. */
  readonly untilS?: number | undefined;
  readonly body: string;
}

export type DutyKey = Pick<DutyRow, "guildId" | "kind" | "id">;

/** What one question answers at most: the shifts of 270 people who work every day of a year. */
export const MOST_DUTY_ROWS = 100_000;

/** Rows of these kinds that touch the time; newest first where there is a limit, else oldest first. */
export interface DutyWanted {
  readonly guildId: string;
  readonly kinds: readonly DutyKind[];
  readonly userId?: string | undefined;
  readonly id?: string | undefined;
  /** Ended at or after it, or not at all. */
  readonly sinceS?: number | undefined;
  /** Begun before it. */
  readonly beforeS?: number | undefined;
  readonly isOpen?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** A command that a player typed in the game. */
export interface TypedRow {
  readonly id: string;
  readonly bindingId: string;
  readonly playerId: number;
  readonly atS: number;
  readonly text: string;
}

/** What the history knows of some players. */
export interface DutyFacts {
  /** `lookedS`: all of that server is known up to there. Absent: nobody has looked. */
  readonly servers: readonly {
    readonly bindingId: string;
    readonly lookedS?: number | undefined;
    /** The look before that one. */
    readonly lookedBeforeS?: number | undefined;
    /** It was unlinked. */
    readonly isEnded: boolean;
  }[];
  /** Those that reach into the time, oldest first. */
  readonly sessions: readonly (PlayerSession & { readonly playerId: number })[];
  /** What they typed that begins with `:log`, oldest first. */
  readonly typed: readonly TypedRow[];
}

/** Calls that a player answered in the game, or took on their cards. */
export interface AnsweredCalls {
  readonly playerId: number;
  /** When they were made. */
  readonly atS: number;
  readonly calls: number;
}

/** Every call rejects with a Failure: "store" while it cannot be read, "bad-command" where the history is off. */
export interface DutyStore {
  rows(wanted: DutyWanted): Promise<readonly DutyRow[]>;
  /** All or nothing. A row of the same key is replaced. */
  write(change: { readonly put?: readonly DutyRow[]; readonly drop?: readonly DutyKey[] }): Promise<void>;
  facts(wanted: {
    readonly guildId: string;
    readonly playerIds: readonly number[];
    readonly fromS: number;
  }): Promise<DutyFacts>;
  calls(wanted: {
    readonly guildId: string;
    readonly fromS: number;
    readonly untilS: number;
  }): Promise<readonly AnsweredCalls[]>;
  /** Seconds of a time in which none of a guild's servers was read, from when on the first of them is recorded. */
  unreadS(wanted: {
    readonly guildId: string;
    readonly fromS: number;
    readonly untilS: number;
  }): Promise<number>;
  /** The guilds that have set duty up. */
  guilds(): Promise<readonly string[]>;
}
