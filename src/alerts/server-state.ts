import { z } from "zod";
import type { AlertRow } from "../domain/alert.ts";
import type { SinkRefusalReason } from "../domain/failure.ts";
import type { Incident } from "./incidents.ts";
import type { Level } from "./windows/levels.ts";
import type { SeenRows } from "./windows/seen-rows.ts";
import type { Spree } from "./windows/sprees.ts";
import type { KnownCalls } from "./windows/waiting-calls.ts";

/** What is remembered of one linked server's alerts between its answers, and how it is stored. */

/** Where rows come from; each is counted once, whatever number of alerts counts it. */
export const STREAMS = ["kills", "commands", "runs", "outside"] as const;
export type Stream = (typeof STREAMS)[number];

export interface RuleState {
  readonly sprees: Map<string, Spree<AlertRow>>;
  level?: Level | undefined;
  /** How often a level was posted: makes the key of its alert, since no row does. */
  told: number;
  calls?: KnownCalls | undefined;
  incidents: Incident[];
  /** Why Discord refused its last message; the guild gets one notice of it. */
  refused?: SinkRefusalReason | undefined;
}

export interface ServerState {
  readonly guildId: string;
  readonly seen: Map<Stream, SeenRows>;
  /** By alert. */
  readonly rules: Map<string, RuleState>;
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
  callEnd: z
    .union([z.object({ kind: z.literal("answered"), by: person }), z.object({ kind: z.literal("taken") })])
    .exactOptional(),
  players: z.object({ current: z.number(), most: z.number() }).exactOptional(),
  endedS: z.number().exactOptional(),
});
const incident = z.object({
  key: z.string(),
  channelId: z.string(),
  roleId: z.string().optional(),
  isSilent: z.boolean(),
  isLate: z.boolean(),
  isShared: z.boolean(),
  eventS: z.number(),
  openedAtMs: z.number(),
  entries: z.array(entry),
  more: z.number(),
  version: z.number(),
  shown: z.number(),
  messageId: z.string().optional(),
  isGone: z.boolean().optional(),
});
const ruleState = z.object({
  id: z.string(),
  sprees: z.array(
    z.object({
      subject: z.string(),
      rows: z.array(row),
      open: z.object({ firedAtS: z.number(), lastS: z.number() }).exactOptional(),
    }),
  ),
  level: z.object({ isArmed: z.boolean(), seen: z.number(), awayS: z.number().exactOptional() }).optional(),
  told: z.number(),
  calls: z.array(z.tuple([z.string(), z.number()])).optional(),
  incidents: z.array(incident),
  refused: z.enum(REASONS).optional(),
});
const schema = z.object({
  guildId: z.string(),
  seen: z.array(
    z.object({
      stream: z.enum(STREAMS),
      floorS: z.number().nullable(),
      rows: z.union([
        z.array(z.tuple([z.number(), z.string(), z.number()])),
        // As the release before wrote it: how often, by the second, a space and the identity.
        z.record(z.string(), z.number()).transform(listOfRows),
      ]),
    }),
  ),
  rules: z.array(ruleState),
});

export type StoredServerState = z.infer<typeof schema>;

/** For the store: checks on reading. */
export function parseServerState(value: unknown): StoredServerState {
  return schema.parse(value);
}

/** As it is stored: maps as lists. */
export function storedForm({ guildId, seen, rules }: ServerState): StoredServerState {
  return {
    guildId,
    seen: [...seen].map(([stream, { floorS, seconds }]) => ({
      stream,
      floorS: Number.isFinite(floorS) ? floorS : null,
      rows: storedRows(seconds),
    })),
    rules: [...rules].map(([id, { sprees, level, told, calls, incidents, refused }]) => ({
      id,
      level,
      told,
      incidents,
      refused,
      sprees: [...sprees].map(([subject, spree]) => ({ subject, ...spree })),
      calls: calls === undefined ? undefined : [...calls.doneS],
    })),
  };
}

export function fromStored({ guildId, seen, rules }: StoredServerState): ServerState {
  return {
    guildId,
    seen: new Map(
      seen.map(({ stream, floorS, rows }) => [
        stream,
        {
          floorS: floorS ?? Number.NEGATIVE_INFINITY,
          seconds: secondsOf(rows),
        },
      ]),
    ),
    rules: new Map(
      rules.map(({ id, sprees, level, told, calls, incidents, refused }) => [
        id,
        {
          sprees: new Map(sprees.map(({ subject, ...spree }) => [subject, spree])),
          level,
          told,
          calls: calls === undefined ? undefined : { doneS: new Map(calls) },
          incidents,
          refused,
        },
      ]),
    ),
  };
}

/** The second of a row, its identity, and how often it stands there. A list, since so many names of an object are slow. */
type StoredRow = [atS: number, identity: string, count: number];

function listOfRows(byKey: Readonly<Record<string, number>>): StoredRow[] {
  return Object.entries(byKey).map(([key, count]) => {
    const space = key.indexOf(" ");
    return [Number(key.slice(0, space)), key.slice(space + 1), count];
  });
}

function storedRows(seconds: SeenRows["seconds"]): StoredRow[] {
  const stored: StoredRow[] = [];
  for (const [atS, rows] of seconds) {
    for (const [identity, count] of rows) stored.push([atS, identity, count]);
  }
  return stored;
}

function secondsOf(stored: readonly StoredRow[]): SeenRows["seconds"] {
  const seconds = new Map<number, Map<string, number>>();
  for (const [atS, identity, count] of stored) {
    const rows = seconds.get(atS) ?? new Map<string, number>();
    seconds.set(atS, rows.set(identity, count));
  }
  return seconds;
}
