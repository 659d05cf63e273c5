import type { WhoToPing } from "../../domain/duty-roster.ts";
import { joined, roleMention, userMention } from "../../domain/escaped.ts";
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
  warn(message: string, error: unknown): void;
}

/** Pings staff a second time for a call that nobody has taken in hand. */
export class CallEscalations {
  readonly #ports: EscalationPorts;
  /** By card and feed. */
  readonly #timers = new Map<string, () => void>();
  readonly #line: PostLine<CardRef>;
  /** What was asked to be posted, by card and feed: the words change with the time that the call has waited. */
  readonly #said = new Map<string, Set<string>>();
  readonly #underWay = new Set<Promise<void>>();
  #isStopped = false;

  constructor(ports: EscalationPorts) {
    this.#ports = ports;
    const keyOf = ({ cardId, feedId }: CardRef) => `${cardId} ${feedId}`;
    this.#line = ports.posts.line<CardRef>({
      name: "the second ping of a call",
      classes: { post: "first", edit: "change" },
      keyOf,
      guildOf: ({ cardId }) => ports.board.atHand(cardId)?.guildId ?? cardId,
      wanted: (ref) => this.#wanted(ref),
      isIt: (ref, { content }) => this.#said.get(keyOf(ref))?.has(content.trim()) === true,
      onStands: async (ref) => void this.#said.delete(keyOf(ref)),
      // The card itself meets the same refusal and parks the feed; here there is nothing to add.
      onRefused: async (ref) => {
        this.#said.delete(keyOf(ref));
        return "over";
      },
    });
  }

  /** Ends after what is being written. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    await Promise.allSettled(this.#underWay);
  }

  /** Sets the timers of a card that nobody has taken yet. */
  watch(card: ModCallRecord): void {
    for (const [feedId, slot] of Object.entries(card.slots)) {
      if (slot.escalateAfterMs === undefined || slot.escalated === true || slot.gone === true) continue;
      const key = `${card.id} ${feedId}`;
      if (!isWaiting(card) || this.#timers.has(key) || this.#isStopped) continue;
      const waitedMs = Math.max(0, this.#ports.clock.nowMs() - waitsSinceMs(card));
      const delayMs = Math.max(0, slot.escalateAfterMs - waitedMs);
      const cancel = this.#ports.clock.after(delayMs, () => {
        this.#timers.delete(key);
        const run = this.#escalate(card.id, feedId).catch((error: unknown) => {
          if (!this.#isStopped) this.#ports.warn(`card ${card.id} was not escalated`, error);
        });
        this.#underWay.add(run);
        run.finally(() => this.#underWay.delete(run));
      });
      this.#timers.set(key, cancel);
    }
  }

  /** Written first: staff are pinged once or, if we crash right here, not at all. The card shows it either way. */
  async #escalate(cardId: string, feedId: string): Promise<void> {
    let isMine = false;
    await this.#ports.board.change(cardId, (card) => {
      const slot = card?.slots[feedId];
      if (card?.kind !== "modCall" || slot === undefined || slot.escalated === true) return undefined;
      if (!isStillWaiting(card) || slot.gone === true) return undefined;
      isMine = true;
      return { ...card, escalated: true, slots: { ...card.slots, [feedId]: { ...slot, escalated: true } } };
    });
    if (!isMine) return;
    this.#said.set(`${cardId} ${feedId}`, new Set());
    this.#line.show({ cardId, feedId });
  }

  /** Of no use where somebody has taken the call in hand before its turn came. */
  async #wanted({ cardId, feedId }: CardRef): Promise<WantedPost | undefined> {
    const { board, clock, renderer, nonceKey, lastEnd, whoToPing } = this.#ports;
    const said = this.#said.get(`${cardId} ${feedId}`);
    const record = board.atHand(cardId);
    const slot = record?.slots[feedId];
    if (said === undefined || record?.kind !== "modCall" || slot === undefined) return undefined;
    if (!isStillWaiting(record) || slot.gone === true) return undefined;
    const waitedMs = clock.nowMs() - waitsSinceMs(record);
    const ping = waitedMs > PING_OF_USE_MS ? undefined : slot.escalateRoleId;
    const body = renderer.escalation(record.caller.name, waitedMs);
    const words = body.content === undefined ? [] : [body.content];
    const people = ping === undefined ? [] : await whoToPing(record.guildId);
    const pinged =
      people.length === 0 && ping !== undefined ? [roleMention(ping)] : people.map((one) => userMention(one));
    const content = pinged.length === 0 ? body.content : joined([...pinged, ...words], " ");
    said.add((content ?? "").trim());
    const firstAtS = calledAtS(record);
    return {
      channelId: slot.channelId,
      nonce: nonceOf(nonceKey, record.id, feedId, "escalation"),
      body: { ...body, ...(content === undefined ? {} : { content }) },
      pingRoleIds: ping === undefined || people.length > 0 ? undefined : [ping],
      pingUserIds: people,
      replyToMessageId: slot.messageId,
      isDoubtful: firstAtS <= (lastEnd.postedUpToS ?? 0),
      sinceMs: firstAtS * 1_000,
    };
  }
}

/** Nobody has taken it in hand, and its caller is there: else the words would not be true. */
function isStillWaiting(card: ModCallRecord): boolean {
  return isWaiting(card) && card.situation?.left !== true;
}
