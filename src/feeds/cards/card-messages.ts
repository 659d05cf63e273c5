import { roleMention } from "../../domain/escaped.ts";
import type { SinkRefusal } from "../../domain/failure.ts";
import type { MessageBody, PostedMessage } from "../../domain/message.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { PostLine, Posts, Stands, WantedPost } from "../../domain/ports/posts.ts";
import { type DelayPorts, noteDelay } from "../delivery/delivered-figures.ts";
import { nonceOf } from "../delivery/nonce.ts";
import { calledAtS, isCardOf } from "./card-identity.ts";
import type { CardRecord, CardSlot } from "./card-records.ts";
import { isWaiting } from "./joined-calls.ts";

export interface CardMessagesPorts extends DelayPorts {
  readonly posts: Posts;
  readonly nonceKey: Uint8Array | string;
  readonly renderer: Pick<FeedRenderer, "keysOf" | "callKey" | "modCallOf">;
  /** How the process before ended. */
  readonly lastEnd: { readonly postedUpToS: number | undefined };
  render(record: CardRecord, slot: Pick<CardSlot, "isWithoutWords">): Promise<MessageBody>;
}

/** A ping is of no use any more after this time. */
export const PING_OF_USE_MS = 6 * 60 * 60_000;

/** The card's message in one feed's channel. */
export interface CardRef {
  readonly cardId: string;
  readonly feedId: string;
}

/** The board whose cards these are. */
export interface CardsOfMessages {
  atHand(cardId: string): CardRecord | undefined;
  ofBinding(bindingId: string): readonly CardRecord[];
  /** Written as far as the store takes it. */
  patchSlot(ref: CardRef, patch: Partial<CardSlot>): Promise<void>;
  /** Calls that the message shows, as a power cut may have made the record forget them. */
  takeOver(cardId: string, calledAtS: readonly number[]): Promise<void>;
  onRefused(ref: CardRef, refusal: SinkRefusal): Promise<"over" | "closed">;
}

/** The messages of cards: what each is to say now, and what becomes of its slot. */
export class CardMessages {
  readonly #ports: CardMessagesPorts;
  readonly #cards: CardsOfMessages;
  readonly #line: PostLine<CardRef>;
  /** Messages that an earlier process may have posted. */
  readonly #doubtful = new Set<string>();
  /** Messages of an earlier process that were read before they are edited. */
  readonly #read = new Set<string>();
  /** What each message says as it was last asked for. */
  readonly #said = new Map<string, Pick<CardSlot, "shown" | "shownCalls">>();

  constructor(ports: CardMessagesPorts, cards: CardsOfMessages) {
    this.#ports = ports;
    this.#cards = cards;
    this.#line = ports.posts.line<CardRef>({
      name: "the card of a call",
      classes: { post: "first", edit: "change" },
      keyOf,
      guildOf: ({ cardId }) => cards.atHand(cardId)?.guildId ?? cardId,
      wanted: (ref) => this.#wanted(ref),
      isMinor: (ref) => isMinor(cards.atHand(ref.cardId), ref.feedId),
      isIt: (ref, posted) => this.#isIt(ref, posted),
      onStands: (ref, stands) => this.#onStands(ref, stands),
      onSeen: (ref, posted) => this.#onSeen(ref, posted),
      onRefused: (ref, refusal) => cards.onRefused(ref, refusal),
    });
  }

  /** It is to say what its record says now. `isDoubtful`: an earlier process may have posted it. */
  show(ref: CardRef, isDoubtful: boolean): void {
    if (isDoubtful) this.#doubtful.add(keyOf(ref));
    this.#line.show(ref);
  }

  forget({ id, slots }: CardRecord): void {
    for (const feedId of Object.keys(slots)) {
      const key = keyOf({ cardId: id, feedId });
      this.#read.delete(key);
      this.#said.delete(key);
      this.#doubtful.delete(key);
    }
  }

  async #wanted(ref: CardRef): Promise<WantedPost | undefined> {
    const { nonceKey, lastEnd } = this.#ports;
    const record = this.#cards.atHand(ref.cardId);
    const slot = record?.slots[ref.feedId];
    if (record === undefined || slot === undefined || slot.gone || slot.shown >= record.version)
      return undefined;
    const body = await this.#ports.render(record, slot);
    this.#said.set(keyOf(ref), { shown: record.version, ...callsOn(record) });
    const round = slot.deletions === undefined ? [] : [slot.deletions];
    const firstAtS = calledAtS(record);
    const isLate = this.#ports.clock.nowMs() - record.createdAtMs > PING_OF_USE_MS;
    const { channelId, messageId, silent, pingRoleId, marked } = slot;
    return {
      channelId,
      messageId,
      nonce: nonceOf(nonceKey, record.id, ref.feedId, ...round),
      // An edit says the whole message again: the mention that pinged stays where it stood, and pings nobody twice.
      body: pingRoleId === undefined ? body : { ...body, content: roleMention(pingRoleId) },
      pingRoleIds: pingRoleId === undefined || isLate ? undefined : [pingRoleId],
      silent,
      isMarked: marked,
      isToBeRead: this.#mayShowMore(record, ref),
      isDoubtful: this.#doubtful.has(keyOf(ref)) || firstAtS <= (lastEnd.postedUpToS ?? 0),
      // The service's clock may run ahead of Discord's, and what was not seen was not posted.
      sinceMs: Math.min(firstAtS * 1_000, record.createdAtMs),
    };
  }

  /** An earlier life may have posted calls on it that a power cut made the store forget: an edit would take them away. */
  #mayShowMore(record: CardRecord, ref: CardRef): boolean {
    if (record.kind !== "modCall" || this.#read.has(keyOf(ref))) return false;
    return calledAtS(record) <= (this.#ports.lastEnd.postedUpToS ?? 0);
  }

  async #onSeen(ref: CardRef, posted: PostedMessage | undefined): Promise<void> {
    const calls = posted === undefined ? undefined : this.#ports.renderer.modCallOf(posted)?.calledAtS;
    await this.#cards.takeOver(ref.cardId, calls ?? []);
    this.#read.add(keyOf(ref));
  }

  #isIt({ cardId, feedId }: CardRef, found: PostedMessage): boolean {
    const record = this.#cards.atHand(cardId);
    if (record === undefined) return false;
    const isOthers = (other: CardRecord) =>
      other.id !== record.id && other.slots[feedId]?.messageId === found.messageId;
    return isCardOf(record, found) && !this.#cards.ofBinding(record.bindingId).some(isOthers);
  }

  async #onStands(ref: CardRef, { kind, messageId, isMarked }: Stands): Promise<void> {
    const record = this.#cards.atHand(ref.cardId);
    const said = this.#said.get(keyOf(ref));
    if (record === undefined || said === undefined) return;
    if (kind === "edited") return await this.#cards.patchSlot(ref, said);
    this.#doubtful.delete(keyOf(ref));
    if (record.slots[ref.feedId]?.deletions === undefined) this.#noteDelay(record);
    // A message from before a crash may show less than is wanted now: one edit more is harmless.
    const shown = kind === "found" ? { shown: 0 } : said;
    await this.#cards.patchSlot(ref, { messageId, ...shown, ...(isMarked ? { marked: true } : {}) });
  }

  #noteDelay(record: CardRecord): void {
    noteDelay(this.#ports, record.kind === "modCall" ? "modCalls" : "emergencyCalls", calledAtS(record));
  }
}

/** A new card of which nobody is wanted any more, and an edit that tells only what happens around the caller. */
function isMinor(record: CardRecord | undefined, feedId: string): boolean {
  const slot = record?.slots[feedId];
  if (slot?.messageId === undefined) return record?.kind === "modCall" && !isWaiting(record);
  return slot.shown >= (record?.newsVersion ?? record?.version ?? 0);
}

function keyOf({ cardId, feedId }: CardRef): string {
  return `${cardId} ${feedId}`;
}

function callsOn(record: CardRecord): { readonly shownCalls?: number } {
  return record.kind === "modCall" ? { shownCalls: record.calls.length } : {};
}
