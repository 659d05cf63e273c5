import type { PlayerRef } from "./model.ts";

/** Ranks of the game that follow roles of Discord. Times are epoch milliseconds. */

/** Lowest first. */
export const RANKS = ["helper", "mod", "admin"] as const;
export type Rank = (typeof RANKS)[number];

export const RANK_NAMES = {
  helper: "Helper",
  mod: "Moderator",
  admin: "Administrator",
} as const satisfies Readonly<Record<Rank, string>>;

/** The commands take ids, so they reach people who are not in the server. */
export function rankCommand(step: "raise" | "take", rank: Rank, playerId: number): string {
  return `:${step === "take" ? "un" : ""}${rank} ${playerId}`;
}

/** Undefined: of none. */
export function highestRank(ranks: Iterable<Rank>): Rank | undefined {
  return [...ranks].sort((a, b) => RANKS.indexOf(b) - RANKS.indexOf(a))[0];
}

export interface RankMapping {
  readonly roleId: string;
  readonly rank: Rank;
  /** A Manager confirmed the plan with it: until then it does nothing. */
  readonly isOn: boolean;
}

/**
 * wanted: a Manager confirmed it, and nothing was sent yet. raising, taking: a command was stored to be sent.
 * raised: the game answered.
 */
export const RAISED_STATES = ["wanted", "raising", "raised", "taking"] as const;
export type RaisedState = (typeof RAISED_STATES)[number];

/** Somebody whom Marshal raised, or is about to: stored before anything is sent. */
export interface Raised {
  readonly playerId: number;
  readonly name: string;
  readonly rank: Rank;
  readonly state: RaisedState;
  /** The run of the latest step. */
  readonly runId?: string;
  /** That run is over, and the game answered that it ran. */
  readonly isSure?: true;
  /** The list of staff has shown them with this rank since. */
  readonly isSeen?: true;
  /** A Manager confirmed what comes next: no limit and no earlier pause keeps it. */
  readonly isConfirmed?: true;
}

/** A rank was taken back, or that was being sent. */
export interface TakenBack {
  readonly runId: string;
  readonly playerId: number;
  readonly rank: Rank;
  readonly atMs: number;
  /** It counts towards those of ten minutes. */
  readonly isCounted: boolean;
}

export interface RankPause {
  /** Absent: Marshal itself. */
  readonly byId?: string;
  readonly atMs: number;
  readonly why?: string;
}

/** In whose name commands are sent: the Manager who confirmed last. */
export interface RankKeeper {
  readonly byId: string;
  readonly byName: string;
  /** Where they confirmed. */
  readonly channelId: string;
}

export interface RankEvent {
  readonly atMs: number;
  readonly player: Required<PlayerRef>;
  readonly rank: Rank;
  /** left: somebody else changed their rank in the game, and Marshal lets go of them. */
  readonly what: "raised" | "taken" | "left" | "dropped";
  readonly why?: string;
}
