import { z } from "zod";
import { RULE_KINDS, RULE_STEPS, type Rule, type RulePause, type RuleRecord } from "../domain/rule.ts";

/** What is kept of rules: one document for each guild, and one for each server with rules. */

export interface GuildRules {
  readonly guildId: string;
  readonly rules: readonly Rule[];
  readonly pause?: RulePause | undefined;
  /** No number is given twice. */
  readonly lastNumber: number;
}

/** A rule that is broken, from when staff are told until an answer shows that it is over. */
export interface OpenBreach {
  readonly id: string;
  readonly ruleId: string;
  readonly playerId: number;
  readonly isTold?: boolean | undefined;
  /** It has counted as one that would have had a step, or has had one: written before that leaves. */
  readonly isStepped?: boolean | undefined;
}

export interface ServerRules {
  readonly guildId: string;
  readonly bindingId: string;
  readonly open: readonly OpenBreach[];
  /** By rule. */
  readonly records: Readonly<Record<string, RuleRecord>>;
}

const rule = z.object({
  id: z.string(),
  guildId: z.string(),
  bindingId: z.string(),
  number: z.number(),
  kind: z.enum(RULE_KINDS),
  what: z.string(),
  roleIds: z.array(z.string()),
  channelId: z.string(),
  byId: z.string(),
  createdAtMs: z.number(),
  step: z.object({ kind: z.enum(RULE_STEPS), byId: z.string(), byName: z.string() }).exactOptional(),
  heldWhy: z.string().exactOptional(),
});
const guildRules = z.object({
  guildId: z.string(),
  rules: z.array(rule),
  pause: z.object({ byId: z.string(), atMs: z.number() }).optional(),
  lastNumber: z.number(),
});
const player = z.object({ name: z.string(), id: z.number() });
const event = z.object({
  atMs: z.number(),
  player,
  what: z.enum(["told", "would", "sent", "dropped"]),
  why: z.string().exactOptional(),
  isUnsure: z.literal(true).exactOptional(),
});
const record = z.object({
  told: z.number(),
  would: z.number(),
  sent: z.number(),
  unsure: z.number().exactOptional(),
  dropped: z.number(),
  events: z.array(event),
  underWay: z
    .array(z.object({ breachId: z.string(), runId: z.string().exactOptional(), atMs: z.number(), player }))
    .exactOptional(),
});
const serverRules = z.object({
  guildId: z.string(),
  bindingId: z.string(),
  open: z.array(
    z.object({
      id: z.string(),
      ruleId: z.string(),
      playerId: z.number(),
      isTold: z.boolean().optional(),
      isStepped: z.boolean().optional(),
    }),
  ),
  records: z.record(z.string(), record),
});

/** For the store: checks on reading. */
export function parseGuildRules(value: unknown): GuildRules {
  return guildRules.parse(value);
}

/** For the store: checks on reading. */
export function parseServerRules(value: unknown): ServerRules {
  return serverRules.parse(value);
}
