import type { JournalList } from "./changes.ts";
import { type Escaped, markdownOfOurs } from "./escaped.ts";
import type { ListName } from "./model.ts";

/** All that a kind of feed is: what is not said here is the same for every kind. */
interface FeedKindEntry {
  /** The journal that it reads. */
  readonly list: JournalList;
  /** What the service is asked for. */
  readonly demands: readonly ListName[];
  /** One message a call, which changes with it, in place of lines. */
  readonly onCards?: true;
  /** What people call it, within a sentence; at the beginning of a line the same with a capital. */
  readonly name: string;
  /** How `/feed add` calls it. */
  readonly option: string;
  /** Of the page of the guided set-up that shows it first. */
  readonly isCommon?: true;
  readonly color: number;
}

export const FEED_TABLE = {
  joins: {
    list: "joinLogs",
    demands: ["joinLogs"],
    name: "joins and leaves",
    option: "joins",
    isCommon: true,
    color: 0x4f8a5b,
  },
  kills: {
    list: "killLogs",
    demands: ["killLogs"],
    name: "kills",
    option: "kills",
    isCommon: true,
    color: 0xa23b3b,
  },
  modCalls: {
    list: "modCalls",
    demands: ["modCalls"],
    onCards: true,
    name: "moderator calls",
    option: "mod-calls",
    isCommon: true,
    color: 0xc98a1b,
  },
  commands: {
    list: "commandLogs",
    demands: ["commandLogs"],
    name: "commands",
    option: "commands",
    isCommon: true,
    color: 0x4a6fa5,
  },
  emergencyCalls: {
    list: "emergencyCalls",
    demands: ["emergencyCalls", "players"],
    onCards: true,
    name: "emergency calls",
    option: "emergency-calls",
    color: 0x8a4fa5,
  },
  team: { list: "teams", demands: ["players"], name: "team changes", option: "team", color: 0x2b8a8a },
  vehicles: {
    list: "vehicles",
    demands: ["vehicles"],
    name: "vehicles",
    option: "vehicles",
    color: 0x6b7f3a,
  },
  queue: { list: "queue", demands: ["queue"], name: "queue joins", option: "queue", color: 0x7a6a55 },
} as const satisfies Readonly<Record<string, FeedKindEntry>>;

export type FeedKind = keyof typeof FEED_TABLE;
export const FEED_KINDS = Object.keys(FEED_TABLE) as [FeedKind, ...FeedKind[]];

export function feedKind(kind: FeedKind): FeedKindEntry {
  return FEED_TABLE[kind];
}

/** Its name at the beginning of a line. */
export function feedLabel(kind: FeedKind): Escaped {
  const { name } = FEED_TABLE[kind];
  return markdownOfOurs(`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`);
}
