import { z } from "zod";
import type { EmergencyCall, PlayerRef } from "../../domain/model.ts";

/** A card in one feed's channel: wanted is the record's version, shown is what the message says. */
export interface CardSlot {
  readonly channelId: string;
  readonly silent: boolean;
  /** Absent until it is known that the message stands. */
  readonly messageId?: string;
  readonly shown: number;
  /** Discord will not show or change it any more: deleted by someone, or the channel is closed. */
  readonly gone?: boolean;
  /** The message says that it may stand twice: it was sent where nothing may be read back. */
  readonly marked?: boolean;
  /** Pinged by the post. */
  readonly pingRoleId?: string;
  readonly escalateAfterMs?: number;
  readonly escalateRoleId?: string;
  readonly escalated?: boolean;
}

interface CardBase {
  readonly id: string;
  readonly guildId: string;
  readonly bindingId: string;
  /** Counts changes; a slot that shows less is brought up to it. */
  readonly version: number;
  /** When we first saw the call, our clock, epoch milliseconds. */
  readonly createdAtMs: number;
  /** By feed id. */
  readonly slots: Readonly<Record<string, CardSlot>>;
}

/** One moderator call of a guild: (caller, second, ordinal), the ordinal by the order of `seq`. */
export interface ModCallRecord extends CardBase {
  readonly kind: "modCall";
  readonly seq: number;
  readonly caller: PlayerRef;
  readonly atS: number;
  readonly answeredBy?: PlayerRef;
  /** The journal item that answered it: reading that item again changes nothing. */
  readonly answerSeq?: number;
  readonly claimedBy?: { readonly userId: string; readonly atMs: number };
  readonly resolved?: { readonly userId: string; readonly atMs: number; readonly note?: string };
  readonly escalated: boolean;
}

/** One emergency call of a guild: state of the game, as it was last seen. */
export interface EmergencyRecord extends CardBase {
  readonly kind: "emergency";
  readonly call: EmergencyCall;
  readonly callerName?: string;
  readonly unitNames: readonly string[];
  readonly endedAtMs?: number;
}

export type CardRecord = ModCallRecord | EmergencyRecord;

const player = z.object({ name: z.string(), id: z.number().exactOptional() });
const slot = z.object({
  channelId: z.string(),
  silent: z.boolean(),
  messageId: z.string().exactOptional(),
  shown: z.int(),
  gone: z.boolean().exactOptional(),
  marked: z.boolean().exactOptional(),
  pingRoleId: z.string().exactOptional(),
  escalateAfterMs: z.number().exactOptional(),
  escalateRoleId: z.string().exactOptional(),
  escalated: z.boolean().exactOptional(),
});
const base = {
  id: z.string(),
  guildId: z.string(),
  bindingId: z.string(),
  version: z.int(),
  createdAtMs: z.number(),
  slots: z.record(z.string(), slot),
};
const act = { userId: z.string(), atMs: z.number() };

const record = z.discriminatedUnion("kind", [
  z.object({
    ...base,
    kind: z.literal("modCall"),
    seq: z.int(),
    caller: player,
    atS: z.number(),
    answeredBy: player.exactOptional(),
    answerSeq: z.int().exactOptional(),
    claimedBy: z.object(act).exactOptional(),
    resolved: z.object({ ...act, note: z.string().exactOptional() }).exactOptional(),
    escalated: z.boolean(),
  }),
  z.object({
    ...base,
    kind: z.literal("emergency"),
    call: z.object({
      team: z.string(),
      callerId: z.number().exactOptional(),
      unitIds: z.array(z.number()),
      position: z.tuple([z.number(), z.number()]).exactOptional(),
      startedAtS: z.number(),
      callNumber: z.number(),
      description: z.string().exactOptional(),
      positionDescriptor: z.string().exactOptional(),
    }),
    callerName: z.string().exactOptional(),
    unitNames: z.array(z.string()),
    endedAtMs: z.number().exactOptional(),
  }),
]);

/** For `Documents<CardRecord>`, one document per card id. Throws on any other shape. */
export function parseCard(value: unknown): CardRecord {
  return record.parse(value);
}
