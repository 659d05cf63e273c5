import { lookAtEach } from "../../domain/counting.ts";
import type { SinkRefusal } from "../../domain/failure.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import { reasonInWords } from "../delivery/refusal-words.ts";
import { CardMessages, type CardMessagesPorts, type CardRef, type CardsOfMessages } from "./card-messages.ts";
import type { CardRecord, CardSlot } from "./card-records.ts";
import { CardsAtHand } from "./cards-at-hand.ts";
import { withPosted } from "./joined-calls.ts";

/** Time at hand: an answer or a unit may still come. Later acts on a card read the store. */
const REMEMBERED_MS = 6 * 3_600_000;
/** Time that the buttons of a card work; then its record goes. */
const CARD_LIFE_MS = 7 * 24 * 3_600_000;
const SWEEP_EVERY_MS = 6 * 3_600_000;

/** Cards that are at hand, and those of their messages that do not show the latest yet. */
export interface CardCounts {
  readonly cards: number;
  readonly unshown: number;
}

export interface CardBoardPorts extends CardMessagesPorts {
  readonly cards: Documents<CardRecord>;
  park(feedId: string, why: string): Promise<void>;
  warn(message: string, error: unknown): void;
}

/**
 * The cards of all guilds and the one rule of their messages: post once, then edit until shown = wanted. A change is
 * written before anything is shown; what a crash leaves unshown is shown after it. One file: every step of a message
 * reads the record anew and changes it under the same lock.
 */
export class CardBoard implements CardsOfMessages {
  readonly #ports: CardBoardPorts;
  readonly #changes = new KeyedMutex();
  readonly #cards = new CardsAtHand();
  /** By binding, or by guild where all of a guild's cards went: when. Older cards in the store go with the next sweep. */
  readonly #dropped = new Map<string, number>();
  readonly #messages: CardMessages;
  #cancelSweep: () => void = () => undefined;
  #isStopped = false;

  constructor(ports: CardBoardPorts) {
    this.#ports = ports;
    this.#messages = new CardMessages(ports, this);
  }

  /** Takes up what the last run left: unposted cards may stand in their channels already. */
  async start(): Promise<void> {
    await this.#sweep();
    for (const record of this.#cards.values()) this.#showAll(record, true);
    this.#sweepLater();
  }

  /** What is on its way is the outbox's. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelSweep();
  }

  /** Cards of a linked server that are at hand. */
  ofBinding(bindingId: string): CardRecord[] {
    return this.#cards.ofBinding(bindingId);
  }

  atHand(cardId: string): CardRecord | undefined {
    return this.#cards.get(cardId);
  }

  /** Every card that is at hand. */
  all(): MapIterator<CardRecord> {
    return this.#cards.values();
  }

  /**
   * Reads, changes, writes; changes of one card never interleave. `edit` answers the new record without its version
   * counted up, or undefined for no change. `what`: surroundings may be shown after what is news. Resolves with the
   * record as it then stands.
   */
  async change(
    cardId: string,
    edit: (record: CardRecord | undefined) => CardRecord | undefined,
    what: "news" | "surroundings" = "news",
  ): Promise<CardRecord | undefined> {
    return await this.#changes.take(cardId, async () => {
      const before = this.#cards.get(cardId) ?? (await this.#stored(cardId));
      const edited = edit(before);
      if (edited === undefined) {
        if (before !== undefined && !this.#cards.has(cardId)) {
          // The store has it and we do not: a write that failed was done all the same, and nobody shows the card.
          this.#cards.put(before);
          this.#showAll(before, true);
        }
        return before;
      }
      const known = before?.version ?? 0;
      const newsVersion = what === "news" ? known + 1 : (before?.newsVersion ?? known);
      const after = { ...edited, version: known + 1, newsVersion };
      await this.#ports.cards.set(cardId, after);
      this.#cards.put(after);
      this.#showAll(after, false);
      return after;
    });
  }

  /** A feed is gone or parked: its messages are left as they are. */
  async dropFeed(feedId: string): Promise<void> {
    for (const { id } of [...this.#cards.values()].filter((card) => feedId in card.slots)) {
      await this.patchSlot({ cardId: id, feedId }, { gone: true });
    }
  }

  /**
   * A guild is gone, or one of its servers is no longer linked: its cards are gone at once. Records that are no longer
   * at hand leave the store with the next sweep, because finding them means to read every card of every guild.
   */
  async drop(whose: { readonly guildId: string; readonly bindingId?: string }): Promise<void> {
    this.#dropped.set(whose.bindingId ?? whose.guildId, this.#ports.clock.nowMs());
    for (const card of [...this.#cards.values()]) {
      if (!this.#isDropped(card)) continue;
      this.#forget(card);
      await this.#ports.cards.delete(card.id);
    }
  }

  #isDropped({ guildId, bindingId, createdAtMs }: CardRecord): boolean {
    // A server that is linked again keeps its id, and its new cards are wanted.
    const atMs = Math.max(this.#dropped.get(guildId) ?? -1, this.#dropped.get(bindingId) ?? -1);
    return createdAtMs <= atMs;
  }

  async counts(): Promise<CardCounts> {
    let unshown = 0;
    await lookAtEach(this.#cards.values(), ({ slots, version }) => {
      for (const { gone, shown } of Object.values(slots)) if (gone !== true && shown < version) unshown += 1;
    });
    return { cards: this.#cards.size, unshown };
  }

  /** `isDoubtful`: an earlier process may have posted its messages. */
  #showAll(record: CardRecord, isDoubtful: boolean): void {
    if (this.#isStopped) return;
    for (const [feedId, slot] of Object.entries(record.slots)) {
      if (slot.gone === true || slot.shown >= record.version) continue;
      this.#messages.show({ cardId: record.id, feedId }, isDoubtful);
    }
  }

  async takeOver(cardId: string, calledAtS: readonly number[]): Promise<void> {
    await this.change(cardId, (card) => {
      if (card?.kind !== "modCall") return undefined;
      const calls = withPosted(card.calls, calledAtS);
      return calls === card.calls ? undefined : { ...card, calls };
    });
  }

  async onRefused({ cardId, feedId }: CardRef, refusal: SinkRefusal): Promise<"over" | "closed"> {
    // Discord archives a quiet thread by itself: no edit is taken there, but the next new message revives it.
    const isPosted = this.#cards.get(cardId)?.slots[feedId]?.messageId !== undefined;
    if (refusal.reason === "closed" && isPosted) return "closed";
    if (refusal.reason === "message-gone" && this.#owesCalls(cardId, feedId)) {
      await this.#changeSlot(cardId, feedId, withoutMessage);
      this.#messages.show({ cardId, feedId }, false);
      return "over";
    }
    // One caller's words must not end the feed for all others.
    if (refusal.reason === "form" && this.#hasWords(cardId, feedId)) {
      await this.patchSlot({ cardId, feedId }, { isWithoutWords: true });
      this.#messages.show({ cardId, feedId }, false);
      return "over";
    }
    // A deleted card is left deleted: somebody wanted it so. The feed itself goes on.
    await this.patchSlot({ cardId, feedId }, { gone: true });
    if (refusal.reason === "message-gone") return "over";
    await this.#ports.park(feedId, reasonInWords(refusal)).catch((failure: unknown) => {
      this.#ports.warn(`feed ${feedId} could not be parked`, failure);
    });
    return "over";
  }

  /** A call came that the message, deleted by somebody, has never shown. */
  #owesCalls(cardId: string, feedId: string): boolean {
    const record = this.#cards.get(cardId);
    return record?.kind === "modCall" && (record.slots[feedId]?.shownCalls ?? 0) < record.calls.length;
  }

  /** The message shows what somebody wrote, which may be what Discord refuses. */
  #hasWords(cardId: string, feedId: string): boolean {
    const record = this.#cards.get(cardId);
    if (record === undefined || record.slots[feedId]?.isWithoutWords === true) return false;
    if (record.kind === "modCall") return record.resolved?.note !== undefined;
    return record.call.description !== undefined || record.call.positionDescriptor !== undefined;
  }

  async patchSlot({ cardId, feedId }: CardRef, patch: Partial<CardSlot>): Promise<void> {
    await this.#changeSlot(cardId, feedId, (slot) => ({ ...slot, ...patch }));
  }

  /** What happened in Discord has happened, whether it can be written now or not: memory first, then the store. */
  async #changeSlot(cardId: string, feedId: string, change: (slot: CardSlot) => CardSlot): Promise<void> {
    await this.#changes.take(cardId, async () => {
      const record = this.#cards.get(cardId);
      const slot = record?.slots[feedId];
      if (record === undefined || slot === undefined) return;
      const after = { ...record, slots: { ...record.slots, [feedId]: change(slot) } };
      this.#cards.put(after);
      await this.#ports.cards.set(cardId, after).catch((error: unknown) => {
        this.#ports.warn(`card ${cardId} was shown but not written`, error);
      });
    });
  }

  async #stored(cardId: string): Promise<CardRecord | undefined> {
    const card = await this.#ports.cards.get(cardId);
    return card === undefined || this.#isDropped(card) ? undefined : card;
  }

  #forget(record: CardRecord): void {
    this.#cards.delete(record);
    this.#messages.forget(record);
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#ports.clock.after(SWEEP_EVERY_MS, () => {
      this.#sweep()
        .catch((error: unknown) => this.#ports.warn("old cards could not be swept", error))
        .finally(() => {
          if (!this.#isStopped) this.#sweepLater();
        });
    });
  }

  /** Deletes what is past its life, lets go of what is old and shown, takes up what is not at hand but should be. */
  async #sweep(): Promise<void> {
    const nowMs = this.#ports.clock.nowMs();
    const droppedBefore = [...this.#dropped];
    for await (const [id, stored] of this.#ports.cards.entries()) {
      const card = this.#cards.get(id) ?? stored;
      const ageMs = nowMs - card.createdAtMs;
      if (ageMs > CARD_LIFE_MS || this.#isDropped(card)) {
        await this.#ports.cards.delete(id);
        this.#forget(card);
      } else if (ageMs > REMEMBERED_MS && isShown(card) && !isGoingOn(card)) {
        this.#forget(card);
      } else if (!this.#cards.has(id)) {
        this.#cards.put(card);
      }
    }
    for (const [whose, atMs] of droppedBefore) {
      if (this.#dropped.get(whose) === atMs) this.#dropped.delete(whose);
    }
  }
}

/** The card is to be posted anew. */
function withoutMessage({ messageId: _, ...slot }: CardSlot): CardSlot {
  return { ...slot, shown: 0, shownCalls: 0, deletions: (slot.deletions ?? 0) + 1 };
}

/** An emergency call without an end: only a card that is at hand is ever ended. */
function isGoingOn(card: CardRecord): boolean {
  return card.kind === "emergency" && card.endedAtMs === undefined;
}

function isShown(card: CardRecord): boolean {
  return Object.values(card.slots).every((slot) => slot.gone === true || slot.shown >= card.version);
}
