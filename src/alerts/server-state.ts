import { z } from "zod";
import type { AlertRow } from "../domain/alert.ts";
import type { SinkRefusalReason } from "../domain/failure.ts";
import type { Incident } from "./incidents.ts";
import {
  seenOf,
  spreesOf,
  storedSeen,
  storedSeenSchema,
  storedSprees,
  storedSpreesSchema,
} from "./stored-rows.ts";
import type { Level } from "./windows/levels.ts";
import type { SeenRows } from "./windows/seen-rows.ts";
import type { Spree } from "./windows/sprees.ts";
import { type KnownCalls, secondOf } from "./windows/waiting-calls.ts";

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
  isMarked: z.boolean().optional(),
  postedAtMs: z.number().optional(),
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
  calls: z
    .array(
      z.union([
        z.string(),
        // As the release before wrote it: with its second, which the id begins with.
        z.tuple([z.string(), z.number()]).transform(([id]) => id),
      ]),
    )
    .optional(),
  incidents: z.array(incident),
  refused: z.enum(REASONS).optional(),
});
const schema = z.object({
  guildId: z.string(),
  seen: z.array(
    z.object({
      stream: z.enum(STREAMS),
      floorS: z.number().nullable(),
      rows: storedSeenSchema,
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
  const stored: StoredServerState = { guildId, seen: [], rules: [] };
  for (const [stream, { floorS, seconds }] of seen) {
    const isFloor = Number.isFinite(floorS);
    stored.seen.push({ stream, floorS: isFloor ? floorS : null, rows: storedSeen(seconds) });
  }
  for (const [id, { sprees, level, told, calls, incidents, refused }] of rules) {
    stored.rules.push({
      id,
      level,
      told,
      incidents,
      refused,
      sprees: storedSprees(sprees),
      calls: calls === undefined ? undefined : [...calls.doneS.keys()],
    });
  }
  return stored;
}

export function fromStored({ guildId, seen, rules }: StoredServerState): ServerState {
  return {
    guildId,
    seen: new Map(
      seen.map(({ stream, floorS, rows }) => [
        stream,
        {
          floorS: floorS ?? Number.NEGATIVE_INFINITY,
          seconds: seenOf(rows),
        },
      ]),
    ),
    rules: new Map(
      rules.map(({ id, sprees, level, told, calls, incidents, refused }) => [
        id,
        {
          sprees: spreesOf(sprees),
          level,
          told,
          calls: calls === undefined ? undefined : { doneS: new Map(calls.map((id) => [id, secondOf(id)])) },
          incidents,
          refused,
        },
      ]),
    ),
  };
}
