import { z } from "zod";
import type { AlertRow } from "../domain/alert.ts";
import { type JournalList, STATE_LISTS } from "../domain/changes.ts";
import type { SinkRefusalReason } from "../domain/failure.ts";
import type { LogList } from "../domain/model.ts";
import type { Incident } from "./incidents.ts";
import { spreesOf, storedSprees, storedSpreesSchema } from "./stored-rows.ts";
import type { Level } from "./windows/levels.ts";
import { LATE_S, type Spree } from "./windows/sprees.ts";
import { callId, type WaitingCalls } from "./windows/waiting-calls.ts";

/** What is remembered of one linked server's alerts between its answers, and how it is stored. */

/** How far a log is counted: written with what was counted, so each row counts once. */
export interface LogMark {
  /** Of the journal that the number is of; empty: what is unread was not counted, whatever its number. */
  readonly lineage: string;
  /** The first number that was not counted. */
  readonly seq: number;
  /** The newest second that was. */
  readonly newestS: number;
}

/** What no log of the game tells: runs of members, and commands of others. */
const OWN_ROWS = ["runs", "outside"] as const;
export type OwnRows = (typeof OWN_ROWS)[number];

/** Rows that were counted, by their ids. */
export interface CountedIds {
  /** Rows at or below this second count no more. */
  readonly floorS: number;
  /** Of each its second. */
  readonly ids: ReadonlyMap<string, number>;
}

export interface RuleState {
  readonly sprees: Map<string, Spree<AlertRow>>;
  level?: Level | undefined;
  /** How often a level was posted: makes the key of its alert, since no row does. */
  told: number;
  /** Calls that nobody has answered; for alerts about them only. */
  waiting?: WaitingCalls | undefined;
  /** As an earlier version left it: calls that do not wait, of those that the log shows. */
  settled?: ReadonlySet<string> | undefined;
  incidents: Incident[];
  /** Why Discord refused its last message; the guild gets one notice of it. */
  refused?: SinkRefusalReason | undefined;
}

export interface ServerState {
  readonly guildId: string;
  readonly marks: Map<JournalList, LogMark>;
  readonly counted: Map<OwnRows, CountedIds>;
  /** By alert. */
  readonly rules: Map<string, RuleState>;
}

export function newState(guildId: string): ServerState {
  return { guildId, marks: new Map(), counted: new Map(), rules: new Map() };
}

const REASONS = [
  "gone",
  "message-gone",
  "no-access",
  "closed",
  "dm-closed",
  "form",
  "edit-limit",
  "no-history",
  "rejected",
  "unknown",
] as const satisfies readonly SinkRefusalReason[];

const person = z.object({
  name: z.string(),
  id: z.number().exactOptional(),
  userId: z.string().exactOptional(),
});
const row = z.object({
  atS: z.number(),
  other: person.exactOptional(),
  text: z.string().exactOptional(),
});
const entry = z.object({
  id: z.string(),
  who: person.exactOptional(),
  count: z.number(),
  firstS: z.number(),
  lastS: z.number(),
  rows: z.array(row).readonly(),
  victims: z
    .array(z.object({ name: z.string(), id: z.number().exactOptional(), deaths: z.int().positive() }))
    .readonly()
    .exactOptional(),
  callEnd: z
    .union([z.object({ kind: z.literal("answered"), by: person }), z.object({ kind: z.literal("taken") })])
    .exactOptional(),
  players: z.object({ current: z.number(), most: z.number() }).exactOptional(),
  endedS: z.number().exactOptional(),
});
const incident = z.object({
  key: z.string(),
  channelId: z.string(),
  moves: z.number().optional(),
  roleId: z.string().optional(),
  isSilent: z.boolean(),
  isLate: z.boolean(),
  isShared: z.boolean(),
  eventS: z.number(),
  eventAtMs: z.number().optional(),
  openedAtMs: z.number(),
  entries: z.array(entry),
  more: z.number(),
  version: z.number(),
  shown: z.number(),
  messageId: z.string().optional(),
  isMarked: z.boolean().optional(),
  postedAtMs: z.number().optional(),
  pingedUserIds: z.array(z.string()).readonly().optional(),
  isWithoutWords: z.boolean().optional(),
  isGone: z.boolean().optional(),
});
const ruleState = z.object({
  id: z.string(),
  sprees: storedSpreesSchema,
  level: z
    .object({
      isArmed: z.boolean(),
      seen: z.number(),
      awayS: z.number().exactOptional(),
      sinceS: z.number().exactOptional(),
      lastS: z.number().exactOptional(),
    })
    .optional(),
  told: z.number(),
  waiting: z.array(z.tuple([z.number(), z.string(), z.number().nullable()])).optional(),
  /** As an earlier version wrote it: the ids of calls that do not wait. */
  calls: z.array(z.string()).optional(),
  incidents: z.array(incident),
  refused: z.enum(REASONS).optional(),
});
const LISTS = [
  "joinLogs",
  "killLogs",
  "commandLogs",
  "modCalls",
  ...STATE_LISTS,
] as const satisfies readonly JournalList[];
const schema = z.object({
  guildId: z.string(),
  marks: z
    .array(
      z.object({ list: z.enum(LISTS), lineage: z.string(), seq: z.number(), newestS: z.number().nullable() }),
    )
    .default([]),
  counted: z
    .array(
      z.object({
        rows: z.enum(OWN_ROWS),
        floorS: z.number().nullable(),
        ids: z.array(z.tuple([z.string(), z.number()])),
      }),
    )
    .default([]),
  /** As an earlier version wrote it: up to which second which rows were counted. */
  seen: z
    .array(z.object({ stream: z.enum(["kills", "commands", ...OWN_ROWS]), floorS: z.number().nullable() }))
    .default([]),
  rules: z.array(ruleState),
});

export type StoredServerState = z.infer<typeof schema>;

/** For the store: checks on reading. */
export function parseServerState(value: unknown): StoredServerState {
  return schema.parse(value);
}

/** As it is stored: maps as lists. */
export function storedForm({ guildId, marks, counted, rules }: ServerState): StoredServerState {
  return {
    guildId,
    marks: Array.from(marks, ([list, { lineage, seq, newestS }]) => ({
      list,
      lineage,
      seq,
      newestS: finite(newestS),
    })),
    counted: Array.from(counted, ([rows, { floorS, ids }]) => ({
      rows,
      floorS: finite(floorS),
      ids: [...ids],
    })),
    seen: [],
    rules: Array.from(rules, ([id, { sprees, level, told, waiting, incidents, refused }]) => ({
      id,
      level,
      told,
      incidents,
      refused,
      sprees: storedSprees(sprees),
      waiting:
        waiting && Array.from(waiting.values(), ({ atS, caller }) => [atS, caller.name, caller.id ?? null]),
    })),
  };
}

function finite(second: number): number | null {
  return Number.isFinite(second) ? second : null;
}

export function fromStored({ guildId, marks, counted, seen, rules }: StoredServerState): ServerState {
  const none = Number.NEGATIVE_INFINITY;
  return {
    guildId,
    marks: new Map([
      ...seen.flatMap(({ stream, floorS }) => {
        const list = LIST_BEFORE[stream];
        const newestS = floorS === null ? none : floorS + LATE_S;
        return list === undefined ? [] : [[list, { lineage: "", seq: 0, newestS }] as const];
      }),
      ...marks.map(({ list, newestS, ...mark }) => [list, { ...mark, newestS: newestS ?? none }] as const),
    ]),
    counted: new Map(
      counted.map(({ rows, floorS, ids }) => [rows, { floorS: floorS ?? none, ids: new Map(ids) }]),
    ),
    rules: new Map(
      rules.map(({ id, sprees, waiting, calls, ...others }) => [
        id,
        {
          ...others,
          sprees: spreesOf(sprees),
          waiting: waiting && new Map(waiting.map(callOf)),
          ...(calls === undefined ? {} : { settled: new Set(calls) }),
        },
      ]),
    ),
  };
}

const LIST_BEFORE: Readonly<Partial<Record<string, LogList>>> = {
  kills: "killLogs",
  commands: "commandLogs",
};

function callOf([atS, name, id]: readonly [atS: number, name: string, id: number | null]) {
  const call = { atS, caller: id === null ? { name } : { name, id } };
  return [callId(call), call] as const;
}
