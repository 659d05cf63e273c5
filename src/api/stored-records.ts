import { z } from "zod";
import type { RejectedKey } from "./keys/key-guard.ts";
import type { StoredHalt } from "./limits/halt.ts";

const halt = z.object({
  leftMs: z.number().optional(),
  untilMs: z.number().optional(),
  why: z.enum(["rate-limited", "blocked"]),
  message: z.string(),
  strikes: z.number(),
});

const rejected = z.object({
  atMs: z.number(),
  why: z.string(),
  parked: z.boolean(),
  doubted: z.boolean().optional(),
  serviceCode: z.number().optional(),
  guildId: z.string().optional(),
});

/** Checks a halt that was read from the store; throws on any other shape. */
export function parseHalt(value: unknown): StoredHalt {
  const { leftMs, untilMs, ...rest } = halt.parse(value);
  if (leftMs === undefined && untilMs === undefined) throw new TypeError("a halt without a wait");
  return { ...rest, leftMs, untilMs };
}

/** Checks a rejected key's record that was read from the store; throws on any other shape. */
export function parseRejected(value: unknown): RejectedKey {
  const { serviceCode, guildId, doubted, ...rest } = rejected.parse(value);
  return {
    ...rest,
    ...(doubted === undefined ? {} : { doubted }),
    ...(serviceCode === undefined ? {} : { serviceCode }),
    ...(guildId === undefined ? {} : { guildId }),
  };
}
