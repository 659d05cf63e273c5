import type { EmergencyCall, Player } from "../../domain/model.ts";

/** Calls of one server that wait for the store. A server has some twenty at a time. */
const MOST_WAITING = 500;

/** A call as an answer showed it. */
export interface SeenCall {
  readonly call: EmergencyCall;
  readonly players: readonly Player[];
  readonly seenAtMs: number;
  readonly endedAtMs?: number;
}

/** Where a card belongs. */
export interface CardPlace {
  readonly bindingId: string;
  readonly cardId: string;
}

/** Calls that nobody will see: more waited than are kept. Seconds of the service. */
export interface LostCalls {
  readonly count: number;
  readonly fromS: number;
  readonly toS: number;
}

/**
 * Emergency calls that were shown while the store could not write. No later answer need show them again, so they are
 * kept here, by linked server and card, and told when the store takes them.
 */
export class UnwrittenCalls {
  readonly #waiting = new Map<string, Map<string, SeenCall>>();
  /** By feed. */
  readonly #lost = new Map<string, LostCalls>();

  of(bindingId: string): readonly (readonly [cardId: string, seen: SeenCall])[] {
    return [...(this.#waiting.get(bindingId) ?? [])];
  }

  get(bindingId: string, cardId: string): SeenCall | undefined {
    return this.#waiting.get(bindingId)?.get(cardId);
  }

  /** Keeps a call; the oldest is lost to the feeds that `wants` names where too many wait. Returns that one. */
  keep(
    { bindingId, cardId }: CardPlace,
    seen: SeenCall,
    wants: (call: EmergencyCall) => readonly string[],
  ): EmergencyCall | undefined {
    const waiting = this.#waiting.get(bindingId) ?? new Map<string, SeenCall>();
    this.#waiting.set(bindingId, waiting.set(cardId, seen));
    const [oldest] = waiting;
    if (waiting.size <= MOST_WAITING || oldest === undefined) return undefined;

    const [oldestId, { call }] = oldest;
    waiting.delete(oldestId);
    for (const feedId of wants(call)) this.#noteLost(feedId, call.startedAtS);
    return call;
  }

  /** The store has it. */
  written(bindingId: string, cardId: string): void {
    const waiting = this.#waiting.get(bindingId);
    waiting?.delete(cardId);
    if (waiting?.size === 0) this.#waiting.delete(bindingId);
  }

  /** What a feed has lost since this was last asked. */
  takeLost(feedId: string): LostCalls | undefined {
    const lost = this.#lost.get(feedId);
    this.#lost.delete(feedId);
    return lost;
  }

  #noteLost(feedId: string, atS: number): void {
    const { count, fromS, toS } = this.#lost.get(feedId) ?? { count: 0, fromS: atS, toS: atS };
    this.#lost.set(feedId, { count: count + 1, fromS: Math.min(fromS, atS), toS: Math.max(toS, atS) });
  }
}
