import type { CardRecord } from "./card-records.ts";

/** Cards in memory, by id and by linked server. */
export class CardsAtHand {
  readonly #byId = new Map<string, CardRecord>();
  readonly #byBinding = new Map<string, Map<string, CardRecord>>();

  get size(): number {
    return this.#byId.size;
  }

  get(cardId: string): CardRecord | undefined {
    return this.#byId.get(cardId);
  }

  has(cardId: string): boolean {
    return this.#byId.has(cardId);
  }

  values(): MapIterator<CardRecord> {
    return this.#byId.values();
  }

  ofBinding(bindingId: string): CardRecord[] {
    return [...(this.#byBinding.get(bindingId)?.values() ?? [])];
  }

  put(card: CardRecord): void {
    this.#byId.set(card.id, card);
    const ofBinding = this.#byBinding.get(card.bindingId) ?? new Map<string, CardRecord>();
    this.#byBinding.set(card.bindingId, ofBinding.set(card.id, card));
  }

  delete({ id, bindingId }: CardRecord): void {
    this.#byId.delete(id);
    const ofBinding = this.#byBinding.get(bindingId);
    ofBinding?.delete(id);
    if (ofBinding?.size === 0) this.#byBinding.delete(bindingId);
  }
}
