import type { PlayerRef } from "./model.ts";

/** Rules: what roles may have in the game. Times are epoch milliseconds. */

export const RULE_KINDS = ["team", "vehicle", "callsign", "name"] as const;
/** name: one that a command would read as everybody, as its author or as an id. */
export type RuleKind = (typeof RULE_KINDS)[number];

export const RULE_STEPS = ["pm", "load", "kick"] as const;
export type RuleStep = (typeof RULE_STEPS)[number];

export interface Rule {
  readonly id: string;
  readonly guildId: string;
  readonly bindingId: string;
  /** By which people name it; unique in its guild. */
  readonly number: number;
  readonly kind: RuleKind;
  /** A team, a vehicle, or the beginning of a callsign; empty for names. */
  readonly what: string;
  /** One of them is needed; none for names. */
  readonly roleIds: readonly string[];
  /** Where staff are told. */
  readonly channelId: string;
  readonly byId: string;
  /** Since when it has been watched; what was paused since does not count. */
  readonly createdAtMs: number;
  /** What is done beyond telling, in the name of the Manager who turned it on. @default nothing */
  readonly step?: { readonly kind: RuleStep; readonly byId: string; readonly byName: string };
  /** Why Marshal turned its step off. */
  readonly heldWhy?: string;
}

export interface RulePause {
  readonly byId: string;
  readonly atMs: number;
}

/** sent: it left. dropped: right before sending something spoke against it. would: no step was turned on. */
export interface RuleEvent {
  readonly atMs: number;
  readonly player: Required<PlayerRef>;
  readonly what: "told" | "would" | "sent" | "dropped";
  readonly why?: string;
  /** No answer came, or a kill cut it off: nobody knows whether it ran. */
  readonly isUnsure?: true;
}

/** A step that was claimed and whose outcome is not known yet. */
export interface StepUnderWay {
  readonly breachId: string;
  /** Of its row in the audit, which is written before it is sent; absent: an earlier version began it. */
  readonly runId?: string;
  readonly atMs: number;
  readonly player: Required<PlayerRef>;
}

/** What a rule has done and would have done, since it was made. */
export interface RuleRecord {
  readonly told: number;
  readonly would: number;
  readonly sent: number;
  /** Of those, how many got no answer; absent: none. */
  readonly unsure?: number;
  readonly dropped: number;
  /** The latest, oldest first. */
  readonly events: readonly RuleEvent[];
  /** None of them counts above yet. */
  readonly underWay?: readonly StepUnderWay[];
}

export const NO_RECORD: RuleRecord = { told: 0, would: 0, sent: 0, dropped: 0, events: [] };

/** `:load` and `:kick` wait for so long a record. */
export const RECORD_NEEDED_MS = 7 * 24 * 60 * 60_000;

/** Two rules of one thing that ask for different roles: a member may keep one only by breaking the other. */
export function contradicts(rule: Rule, other: Rule): boolean {
  if (rule.id === other.id || rule.bindingId !== other.bindingId || rule.kind !== other.kind) return false;
  const [a, b] = [rule.what.toLowerCase(), other.what.toLowerCase()];
  const meet = rule.kind === "callsign" ? a.startsWith(b) || b.startsWith(a) : a === b;
  const roles = new Set(rule.roleIds);
  const isSame = roles.size === other.roleIds.length && other.roleIds.every((id) => roles.has(id));
  return meet && !isSame;
}

/** How long a rule has been watched. */
export function recordedMs({ createdAtMs }: Rule, pause: RulePause | undefined, nowMs: number): number {
  return Math.max(0, (pause?.atMs ?? nowMs) - createdAtMs);
}
