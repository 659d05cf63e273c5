import type { WhoToPing } from "../../domain/duty-roster.ts";
import { joined, roleMention, userMention } from "../../domain/escaped.ts";
import type { PostedMessage } from "../../domain/message.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { PostLine, Posts, WantedPost } from "../../domain/ports/posts.ts";
import { nonceOf } from "../delivery/nonce.ts";
import type { CardBoard } from "./card-board.ts";
import { calledAtS } from "./card-identity.ts";
import { type CardRef, PING_OF_USE_MS } from "./card-messages.ts";
import type { ModCallRecord } from "./card-records.ts";
import { isWaiting, waitsSinceMs } from "./joined-calls.ts";

export interface EscalationPorts {
  readonly posts: Posts;
  readonly clock: Clock;
  readonly board: CardBoard;
  readonly renderer: FeedRenderer;
  readonly whoToPing: WhoToPing;
  readonly nonceKey: Uint8Array | string;
  /** How the process before ended. */
  readonly lastEnd: { readonly postedUpToS: number | undefined };
}

/** Pings staff a second time for a call that nobody has taken in hand. */
export class CallEscalations {
  readonly #ports: EscalationPorts;
  /** By card and feed. */
  readonly #timers = new Map<string, () => void>();
  readonly #line: PostLine<CardRef>;
  /** By card and feed: it mentions somebody, as it was asked for last. */
  readonly #pings = new Set<string>();
  /** By card and feed: an earlier process may have posted it. */
  readonly #inherited = new Set<string>();
  #isStopped = false;

  constructor(ports: EscalationPorts) {
    this.#ports = ports;
    this.#line = ports.posts.line<CardRef>({
      name: "the second ping of a call",
      classes: { post: "first", edit: "change" },
      keyOf,
      guildOf: ({ cardId }) => ports.board.atHand(cardId)?.guildId ?? cardId,
      wanted: (ref) => this.#wanted(ref),
      isIt: (ref, posted) => this.#isIt(ref, posted),
      onStands: (ref, { kind }) => this.#end(ref, kind === "found" || this.#pings.has(keyOf(ref))),
      // The card itself meets the same refusal and parks the feed; here there is nothing to add.
      onRefused: async (ref) => {
        await this.#end(ref, false);
        return "over";
      },
    });
  }

  /** Pings nobody more; what waits is left to the next process. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  /**
   * Sets the timers of a card that nobody has in hand: anew where it was let go, or a further call made it wait anew.
   * `isInherited`: of an earlier process.
   */
  watch(card: ModCallRecord, isInherited = false): void {
    for (const [feedId, slot] of Object.entries(card.slots)) {
      if (slot.escalateAfterMs === undefined || slot.escalated === true || slot.gone === true) continue;
      const ref = { cardId: card.id, feedId };
      const key = keyOf(ref);
      if (!isWaiting(card) || this.#isStopped) continue;
      if (isInherited) this.#inherited.add(key);
      const waitedMs = Math.max(0, this.#ports.clock.nowMs() - waitsSinceMs(card));
      const delayMs = Math.max(0, slot.escalateAfterMs - waitedMs);
      this.#timers.get(key)?.();
      const cancel = this.#ports.clock.after(delayMs, () => {
        this.#timers.delete(key);
        this.#line.show(ref);
      });
      this.#timers.set(key, cancel);
    }
  }

  /** Written once it stands, so that no card says that staff were pinged who were not. */
  async #end(ref: CardRef, isPing: boolean): Promise<void> {
    await this.#ports.board.change(ref.cardId, (card) => {
      const slot = card?.slots[ref.feedId];
      if (card?.kind !== "modCall" || slot === undefined || slot.escalated === true) return undefined;
      const slots = { ...card.slots, [ref.feedId]: { ...slot, escalated: true } };
      return { ...card, escalated: card.escalated || isPing, slots };
    });
    this.#pings.delete(keyOf(ref));
    this.#inherited.delete(keyOf(ref));
  }

  /** Its words change with the time that the call has waited; the card that it answers stood before it. */
  #isIt(ref: CardRef, posted: PostedMessage): boolean {
    const { board, renderer } = this.#ports;
    const record = board.atHand(ref.cardId);
    const cardMessageId = record?.slots[ref.feedId]?.messageId;
    if (record?.kind !== "modCall") return false;
    const isBefore = BigInt(posted.messageId) < BigInt(cardMessageId ?? 0);
    return !isBefore && renderer.isEscalation(record.caller.name, posted);
  }

  /** Of no use where somebody has taken the call in hand before its turn came. */
  async #wanted(ref: CardRef): Promise<WantedPost | undefined> {
    const { board, clock, renderer, nonceKey, lastEnd, whoToPing } = this.#ports;
    const { cardId, feedId } = ref;
    const record = board.atHand(cardId);
    const slot = record?.slots[feedId];
    if (record?.kind !== "modCall" || slot === undefined) return undefined;
    if (!isStillWaiting(record) || slot.gone === true || slot.escalated === true) return undefined;
    const waitedMs = clock.nowMs() - waitsSinceMs(record);
    const ping = waitedMs > PING_OF_USE_MS ? undefined : slot.escalateRoleId;
    const body = renderer.escalation(record.caller.name, waitedMs);
    const words = body.content === undefined ? [] : [body.content];
    const people = ping === undefined ? [] : await whoToPing(record.guildId);
    const pinged =
      people.length === 0 && ping !== undefined ? [roleMention(ping)] : people.map((one) => userMention(one));
    const content = pinged.length === 0 ? body.content : joined([...pinged, ...words], " ");
    if (pinged.length > 0) this.#pings.add(keyOf(ref));
    else this.#pings.delete(keyOf(ref));
    const firstAtS = calledAtS(record);
    return {
      channelId: slot.channelId,
      nonce: nonceOf(nonceKey, record.id, feedId, "escalation"),
      body: { ...body, ...(content === undefined ? {} : { content }) },
      pingRoleIds: ping === undefined || people.length > 0 ? undefined : [ping],
      pingUserIds: people,
      replyToMessageId: slot.messageId,
      isDoubtful: this.#inherited.has(keyOf(ref)) || firstAtS <= (lastEnd.postedUpToS ?? 0),
      sinceMs: Math.min(firstAtS * 1_000, record.createdAtMs),
    };
  }
}

function keyOf({ cardId, feedId }: CardRef): string {
  return `${cardId} ${feedId}`;
}

/** Nobody has taken it in hand, and its caller is there: else the words would not be true. */
function isStillWaiting(card: ModCallRecord): boolean {
  return isWaiting(card) && card.situation?.left !== true;
}
