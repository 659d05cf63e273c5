import type { JournalList } from "./changes.ts";
import { type Escaped, markdownOfOurs } from "./escaped.ts";
import type { ListName } from "./model.ts";

/**
 * How much is too much. `count` of them within `withinS`; a call that waits for `withinS`; `count` players, absent: as many
 * as the server takes, or none.
 */
export interface AlertLimit {
  readonly count?: number;
  readonly withinS?: number;
}

/** All that a kind of alert is, beside the words of its messages (`src/discord/render/alert-message.ts`). */
interface AlertKindEntry {
  /** What people call it, within a sentence. */
  readonly name: string;
  /** How `/alert add` offers it. */
  readonly choice: string;
  /** What its threshold is: so many in a time, a time, or so many players and more, or fewer. */
  readonly measure: "rows" | "wait" | "most" | "least";
  readonly defaults: AlertLimit;
  /** Thresholds that are offered; the first one is taken where nothing is typed. */
  readonly offered: readonly [string, ...string[]];
  /** What may be typed. */
  readonly help: string;
  /** Fewer of them are no alert. */
  readonly least?: number;
  /** What the service is asked for. */
  readonly lists: readonly ListName[];
  /** The journal whose rows it counts. */
  readonly counts?: JournalList;
  /** What it counts that no journal has. */
  readonly ownRows?: "runs" | "outside";
  /** Players of some teams can be left out. */
  readonly leavesOutTeams?: true;
}

export const ALERT_TABLE = {
  kills: {
    name: "kills by one player",
    choice: "Many kills by one player",
    measure: "rows",
    defaults: { count: 5, withinS: 60 },
    offered: ["5 in 60 s", "3 in 30 s", "10 in 2 min"],
    help: "Give 2 to 50 kills within 10 s to 30 min.",
    // Where the one who kills, or waits, is stands in the list of players; it costs the service nothing more.
    lists: ["killLogs", "players"],
    counts: "killLogs",
    leavesOutTeams: true,
  },
  punishments: {
    name: "punishments by one staff member",
    choice: "Many punishments by one staff member",
    measure: "rows",
    defaults: { count: 5, withinS: 300 },
    offered: ["5 in 5 min", "3 in 1 min", "10 in 10 min"],
    help: "Give 2 to 50 punishments within 10 s to 30 min.",
    lists: ["commandLogs"],
    counts: "commandLogs",
    ownRows: "runs",
  },
  outside: {
    name: "commands from outside Marshal",
    choice: "Commands run outside Marshal",
    measure: "rows",
    defaults: { count: 1, withinS: 300 },
    offered: ["1 in 5 min", "3 in 10 min"],
    help: "Give 1 to 50 commands within 10 s to 30 min.",
    least: 1,
    lists: ["commandLogs"],
    ownRows: "outside",
  },
  calls: {
    name: "unanswered moderator calls",
    choice: "A moderator call that nobody answers",
    measure: "wait",
    defaults: { withinS: 300 },
    offered: ["5 min", "2 min", "10 min"],
    help: "Give how long a call may wait: 1 to 60 min.",
    lists: ["modCalls", "players"],
    counts: "modCalls",
  },
  teams: {
    name: "team changes of one player",
    choice: "A player who changes teams again and again",
    measure: "rows",
    defaults: { count: 5, withinS: 300 },
    offered: ["5 in 5 min", "3 in 1 min", "10 in 10 min"],
    help: "Give 2 to 50 changes within 10 s to 30 min.",
    lists: ["players"],
    counts: "teams",
  },
  full: {
    name: "the server fills up",
    choice: "The server fills up",
    measure: "most",
    defaults: {},
    offered: ["all places taken", "30 players"],
    help: "Give 1 to 500 players.",
    least: 1,
    // How many there are stands in every answer; the list itself costs the service nothing more.
    lists: ["players"],
  },
  empty: {
    name: "the server empties",
    choice: "The server empties",
    measure: "least",
    defaults: {},
    offered: ["0 players", "3 players"],
    help: "Give 0 to 500 players.",
    least: 0,
    lists: ["players"],
  },
} as const satisfies Readonly<Record<string, AlertKindEntry>>;

export type AlertKind = keyof typeof ALERT_TABLE;
export const ALERT_KINDS = Object.keys(ALERT_TABLE) as [AlertKind, ...AlertKind[]];

/** Its name at the beginning of a line. */
export function alertLabel(kind: AlertKind): Escaped {
  const { name } = ALERT_TABLE[kind];
  return markdownOfOurs(`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`);
}

export function alertKind(kind: AlertKind): AlertKindEntry {
  return ALERT_TABLE[kind];
}
