import { z } from "zod";
import type { EmergencyCall, PlayerRef } from "../../domain/model.ts";
import type { CallSituation } from "../../domain/ports/feed-renderer.ts";

/** A card in one feed's channel: wanted is the record's version, shown is what the message says. */
export interface CardSlot {
  readonly channelId: string;
  readonly silent: boolean;
  /** Absent until it is known that the message stands. */
  readonly messageId?: string;
  readonly shown: number;
  /** How many of the card's calls the message surely shows. Absent: none. */
  readonly shownCalls?: number;
  /** Counts the messages of this card that were deleted before they showed all of its calls. */
  readonly deletions?: number;
  /** Discord will not show or change it any more: deleted by someone, or the channel is closed. */
  readonly gone?: boolean;
  /** The message says that it may stand twice: it was sent where nothing may be read back. */
  readonly marked?: boolean;
  /** Discord refuses what people wrote on it: the message leaves that out. */
  readonly isWithoutWords?: boolean;
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
  /** The version of the last change that was more than what happens around. Absent: of none that is known. */
  readonly newsVersion?: number;
  /** When we first saw the call, our clock, epoch milliseconds. */
  readonly createdAtMs: number;
  /** By feed id. */
  readonly slots: Readonly<Record<string, CardSlot>>;
}

/** One call among those on a card. */
export interface CardCall {
  readonly atS: number;
  /** Its number in the journal; absent: it was read from a message that a power cut had made the store forget. */
  readonly seq?: number;
  readonly answeredBy?: PlayerRef;
  /** When it joined a card of which no message stood yet and whose calls before it were over, our clock. */
  readonly anewAtMs?: number;
  /** The journal item that answered it: reading that item again changes nothing. */
  readonly answerSeq?: number;
  /** Who answered was on duty then. */
  readonly isOnDuty?: boolean;
}

/** Moderator calls of one person that are one matter. */
export interface ModCallRecord extends CardBase {
  readonly kind: "modCall";
  readonly caller: PlayerRef;
  /** At least one; the first one gave the card its id. */
  readonly calls: readonly CardCall[];
  /** When somebody claimed it, or resolved it, is by the service's clock, as the calls are. */
  readonly claimedBy?: {
    readonly userId: string;
    readonly userName?: string;
    readonly atMs: number;
    readonly isOnDuty?: boolean;
  };
  /** When the last of those who claimed it let it go, our clock. */
  readonly releasedAtMs?: number;
  readonly resolved?: {
    readonly userId: string;
    readonly userName?: string;
    readonly atMs: number;
    readonly note?: string;
  };
  readonly escalated: boolean;
  readonly situation?: CallSituation;
  /** The caller was gone at some moment since: a further call is another matter. */
  readonly hasLeft?: boolean;
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
  shownCalls: z.int().exactOptional(),
  deletions: z.int().exactOptional(),
  gone: z.boolean().exactOptional(),
  marked: z.boolean().exactOptional(),
  isWithoutWords: z.boolean().exactOptional(),
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
  newsVersion: z.int().exactOptional(),
  createdAtMs: z.number(),
  slots: z.record(z.string(), slot),
};
const act = { userId: z.string(), userName: z.string().exactOptional(), atMs: z.number() };

const cardCall = z.object({
  atS: z.number(),
  seq: z.int().exactOptional(),
  answeredBy: player.exactOptional(),
  anewAtMs: z.number().exactOptional(),
  isOnDuty: z.boolean().exactOptional(),
  answerSeq: z.int().exactOptional(),
});
const situation = z.object({
  caller: z
    .object({
      team: z.string(),
      wantedStars: z.number(),
      postal: z.string().exactOptional(),
      street: z.string().exactOptional(),
      isStaff: z.boolean().exactOptional(),
    })
    .exactOptional(),
  left: z.boolean().exactOptional(),
  staff: z
    .array(player.extend({ away: z.enum(["together", "close", "near", "far"]).exactOptional() }))
    .exactOptional(),
  near: z.array(player).exactOptional(),
  kills: z.array(z.object({ atS: z.number(), other: player, what: z.enum(["killed", "died"]) })),
});

const record = z.discriminatedUnion("kind", [
  z.object({
    ...base,
    kind: z.literal("modCall"),
    caller: player,
    calls: z.tuple([cardCall], cardCall),
    claimedBy: z.object({ ...act, isOnDuty: z.boolean().exactOptional() }).exactOptional(),
    releasedAtMs: z.number().exactOptional(),
    resolved: z.object({ ...act, note: z.string().exactOptional() }).exactOptional(),
    escalated: z.boolean(),
    situation: situation.exactOptional(),
    hasLeft: z.boolean().exactOptional(),
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
