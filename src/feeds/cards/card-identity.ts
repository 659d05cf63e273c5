import { createHmac } from "node:crypto";
import type { PostedMessage } from "../../domain/message.ts";
import type { EmergencyCall, ModCallEntry } from "../../domain/model.ts";
import type { CardRecord } from "./card-records.ts";

/** Where a call belongs. */
interface CallPlace {
  readonly guildId: string;
  readonly bindingId: string;
}

/**
 * The id of a moderator call's card, made from the call itself, so that it is the same after a restart, in each feed of
 * the guild, and after a power cut. `ordinal` counts calls of one person in one second.
 */
export function modCallCardId(
  nonceKey: Uint8Array | string,
  { guildId, bindingId }: CallPlace,
  { call, ordinal }: { readonly call: ModCallEntry; readonly ordinal: number },
): string {
  return hashed(nonceKey, [guildId, bindingId, textOf(call), ordinal], 16);
}

/** Who called and when. Ids made of it stand in channels and in the store: it stays as it is. */
function textOf({ atS, caller: { id, name } }: ModCallEntry): string {
  return `modCall ${atS} ${id ?? ""}~${name.length}:${name}`;
}

/** The id of an emergency call's card, made from the call itself. */
export function emergencyCardId(
  nonceKey: Uint8Array | string,
  bindingId: string,
  call: Pick<EmergencyCall, "callNumber" | "startedAtS">,
): string {
  return hashed(nonceKey, ["emergency", bindingId, call.callNumber, call.startedAtS], 12);
}

/** When the first call of a card was made, epoch seconds of the service: its card cannot stand anywhere before. */
export function calledAtS(card: CardRecord): number {
  return card.kind === "modCall" ? Math.min(...card.calls.map(({ atS }) => atS)) : card.call.startedAtS;
}

/** Is this message of ours the card of that call? The ids of its buttons say so; cards of earlier versions show it. */
export function isCardOf(card: CardRecord, posted: PostedMessage): boolean {
  return JSON.stringify([posted.cards, posted.componentIds]).includes(card.id);
}

function hashed(key: Uint8Array | string, parts: readonly (string | number)[], length: number): string {
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest("hex").slice(0, length);
}
