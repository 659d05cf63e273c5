import { isAnswered, JOIN_WITHIN_S } from "../../domain/answered-calls.ts";
import type { ModCallEntry, PlayerRef } from "../../domain/model.ts";
import type { ModCallView } from "../../domain/ports/feed-renderer.ts";
import type { CardCall, CardRecord, ModCallRecord } from "./card-records.ts";

/** Which card a call stands on, and what a card holds of its calls. Pure. */

/** Calls on one card; the next begins another. */
const MOST_CALLS = 10;

/** Calls that a card shows: of one caller, each by its second. */
export interface NumberedCall {
  readonly seq: number;
  readonly atS: number;
}

/** The cards of one person's calls on a linked server, oldest first. */
export function cardsOfCaller(cards: readonly CardRecord[], caller: PlayerRef): ModCallRecord[] {
  return cards
    .filter((card) => card.kind === "modCall")
    .filter((card) => card.caller.name === caller.name && card.caller.id === caller.id)
    .sort((a, b) => a.createdAtMs - b.createdAtMs || firstSeq(a) - firstSeq(b));
}

/**
 * May this call join the card? Until it is answered, resolved, full or old, or its caller or a message of it is gone. One
 * that nobody has seen yet takes in what comes meanwhile, answered or not: a channel that takes less than it gets would
 * fall behind for as long as that goes on.
 */
export function mayJoin(card: ModCallRecord, { atS }: Pick<ModCallEntry, "atS">): boolean {
  const { calls, resolved, slots } = card;
  const [first] = calls;
  return (
    resolved === undefined &&
    (!isOver(card) || isUnposted(card)) &&
    calls.length < MOST_CALLS &&
    first !== undefined &&
    Math.abs(atS - first.atS) <= JOIN_WITHIN_S &&
    Object.values(slots).every(({ gone }) => gone !== true)
  );
}

/** Its calls need nobody any more: a further one is another matter. */
export function isOver({ calls, hasLeft }: ModCallRecord): boolean {
  return hasLeft === true || isAnswered(calls);
}

function isUnposted({ slots }: ModCallRecord): boolean {
  return Object.values(slots).every(({ messageId }) => messageId === undefined);
}

/** Nobody has taken the matter in hand. */
export function isWaiting(card: ModCallRecord): boolean {
  return card.claimedBy === undefined && card.resolved === undefined && !isAnswered(card.calls);
}

/** Since when nobody has it in hand, our clock: who let it go had it until then. */
export function waitsSinceMs({ calls, createdAtMs, releasedAtMs = 0 }: ModCallRecord): number {
  const calledMs = calls.findLast(({ anewAtMs }) => anewAtMs !== undefined)?.anewAtMs ?? createdAtMs;
  return Math.max(calledMs, releasedAtMs);
}

/** The card that shows this very call, or one that was read from a message and may be it; undefined: none does. */
export function cardHolding(cards: readonly ModCallRecord[], call: NumberedCall): ModCallRecord | undefined {
  return (
    cards.find((card) => card.calls.some((one) => one.seq === call.seq && one.atS === call.atS)) ??
    cards.find((card) => card.calls.some((one) => one.seq === undefined && one.atS === call.atS))
  );
}

/** How many calls of that second the cards show. */
export function countAt(cards: readonly Pick<ModCallRecord, "calls">[], atS: number): number {
  return cards.flatMap(({ calls }) => calls).filter((call) => call.atS === atS).length;
}

/** The calls with this one numbered among them, added with what `add` says of it; the same array where nothing changes. */
export function withCall(
  calls: readonly CardCall[],
  { seq, atS }: NumberedCall,
  add: Pick<CardCall, "anewAtMs"> | undefined,
): readonly CardCall[] {
  if (calls.some((call) => call.seq === seq && call.atS === atS)) return calls;
  const unnumbered = calls.findIndex((call) => call.seq === undefined && call.atS === atS);
  if (unnumbered >= 0) return calls.map((call, index) => (index === unnumbered ? { ...call, seq } : call));
  return add === undefined ? calls : [...calls, { atS, seq, ...add }];
}

/** The calls with those that a posted card shows beyond them, without a number until the journal tells them again. */
export function withPosted(calls: readonly CardCall[], postedAtS: readonly number[]): readonly CardCall[] {
  const left = [...calls];
  const missing = postedAtS.filter((atS) => {
    const known = left.findIndex((call) => call.atS === atS);
    if (known >= 0) left.splice(known, 1);
    return known < 0;
  });
  if (missing.length === 0) return calls;
  // In the order of the message: its first call is the card's first one.
  const all = [...calls, ...missing.map((atS) => ({ atS }))];
  const place = (call: CardCall) => {
    const index = postedAtS.indexOf(call.atS);
    return index < 0 ? postedAtS.length : index;
  };
  return all.sort((a, b) => place(a) - place(b));
}

/**
 * The card and the place on it of the lowest open call of that second; undefined where the answer is known already
 * (`answerSeq`) or no call is open.
 */
export function openCallAt(
  cards: readonly ModCallRecord[],
  { seq, atS }: NumberedCall,
): { readonly cardId: string; readonly index: number } | undefined {
  const same = cards.flatMap((card) =>
    card.calls.flatMap((call, index) => (call.atS === atS ? [{ cardId: card.id, call, index }] : [])),
  );
  if (same.some(({ call }) => call.answerSeq === seq)) return undefined;
  return same
    .filter(({ call }) => call.answeredBy === undefined)
    .sort((a, b) => numberOf(a.call) - numberOf(b.call) || a.index - b.index)[0];
}

/** Calls that the journal has not delivered again yet come after those that it has. */
function numberOf({ seq }: CardCall): number {
  return seq ?? Number.MAX_SAFE_INTEGER;
}

function firstSeq({ calls }: ModCallRecord): number {
  return calls[0]?.seq ?? 0;
}

/** What a card shows, from its record. */
export function modCallView(
  record: ModCallRecord,
  {
    serverName,
    ...also
  }: { readonly serverName: string | undefined } & Pick<ModCallView, "hasReplay" | "isWithoutWords">,
): ModCallView {
  const { id, caller, calls, claimedBy, resolved, escalated, situation } = record;
  return {
    cardId: id,
    caller,
    calls: calls.map(({ seq: _, answerSeq: __, ...call }) => call),
    escalated,
    ...also,
    ...(claimedBy === undefined ? {} : { claimedBy }),
    ...(resolved === undefined ? {} : { resolved }),
    ...(situation === undefined ? {} : { situation }),
    ...(serverName === undefined ? {} : { serverName }),
  };
}
