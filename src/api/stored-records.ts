import { z } from "zod";
import type { SourceId } from "../domain/model.ts";
import type { StoredCommandPermission } from "./keys/command-permissions.ts";
import type { TakenKey } from "./keys/key-guard.ts";
import type { StoredBudget, StoredOpenRequests } from "./keys/key-records.ts";
import type { RejectedKey } from "./keys/rejected-keys.ts";
import type { StoredHalt } from "./limits/halt.ts";
import type { StoredRefusedRead } from "./limits/refused-reads.ts";

const halt = z.object({
  leftMs: z.number(),
  why: z.enum(["rate-limited", "blocked"]),
  message: z.string(),
  strikes: z.number(),
});

const rejected = z.object({
  atMs: z.number(),
  why: z.string(),
  parked: z.boolean(),
  doubted: z.boolean().optional(),
  undecided: z.boolean().optional(),
  confirmed: z.boolean().optional(),
  serviceCode: z.number().optional(),
});

const source = z.custom<SourceId>((value) => typeof value === "string" && value !== "");
const units = z.object({
  refusals: z.array(z.object({ ageMs: z.number(), guildId: z.string().optional() })),
  open: z.array(
    z.object({
      source,
      ageMs: z.number(),
      guildId: z.string().optional(),
      isSoft: z.boolean().optional(),
      isLone: z.boolean().optional(),
    }),
  ),
});
const wave = z.object({ id: z.string(), openedAgeMs: z.number(), lastAgeMs: z.number() });
const again = z.array(z.object({ source, leftMs: z.number() }));
const budget = units.extend({
  wave: wave.optional(),
  again: again.optional(),
  typed: z.array(z.object({ guildId: z.string(), ageMs: z.number() })).optional(),
  flightsOf: z.number().optional(),
  endedInOrder: z.boolean().optional(),
});
const openRequests = units.extend({ process: z.number().optional() });
const taken = z.object({ takenAtMs: z.number(), wave: z.string().optional() });

const refusedRead = z.object({
  leftMs: z.number(),
  untilMs: z.number(),
  times: z.number(),
  message: z.string(),
  serviceCode: z.number().optional(),
});

/** Checks a halt that was read from the store; throws on any other shape. */
export function parseHalt(value: unknown): StoredHalt {
  return halt.parse(value);
}

/** Checks a rejected key's record that was read from the store; throws on any other shape. */
export function parseRejected(value: unknown): RejectedKey {
  return rejected.parse(value);
}

/** Checks what was spent of the budget of bad keys; throws on any other shape. */
export function parseKeyBudget(value: unknown): StoredBudget {
  return budget.parse(value);
}

/** Checks the requests that a process had on their way; throws on any other shape. */
export function parseOpenRequests(value: unknown): StoredOpenRequests {
  return openRequests.parse(value);
}

/** Checks when a key was last taken; throws on any other shape. */
export function parseTakenKey(value: unknown): TakenKey {
  return taken.parse(value);
}

/** Checks why a server may not be read, as read from the store; throws on any other shape. */
export function parseRefusedRead(value: unknown): StoredRefusedRead {
  return refusedRead.parse(value);
}

const commandPermission = z.object({
  state: z.enum(["allowed", "refused"]),
  byCheck: z.boolean(),
  why: z.string(),
  serviceCode: z.number().optional(),
  sinceMs: z.number(),
  leftMs: z.number(),
  untilMs: z.number(),
});

/** Checks whose owner lets this host run commands, as read from the store; throws on any other shape. */
export function parseCommandPermission(value: unknown): StoredCommandPermission {
  return commandPermission.parse(value);
}
