import { joined, roleMention } from "../../domain/escaped.ts";
import { SinkRefusal } from "../../domain/failure.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import { nonceOf } from "../delivery/nonce.ts";
import { type PosterPorts, post } from "../delivery/poster.ts";
import type { CardBoard } from "./card-board.ts";
import { calledAtS } from "./card-identity.ts";
import type { CardSlot, ModCallRecord } from "./card-records.ts";
import { isWaiting } from "./joined-calls.ts";

export interface EscalationPorts extends PosterPorts {
  readonly board: CardBoard;
  readonly renderer: FeedRenderer;
  readonly nonceKey: Uint8Array | string;
  /** How the process before ended. */
  readonly lastEnd: { readonly postedUpToS: number | undefined };
}

/** Pings staff a second time for a call that nobody has taken in hand. */
export class CallEscalations {
  readonly #ports: EscalationPorts;
  readonly #stop = new AbortController();
  /** By card and feed. */
  readonly #timers = new Map<string, () => void>();
  readonly #pings = new Set<Promise<void>>();

  constructor(ports: EscalationPorts) {
    this.#ports = ports;
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("the mod-call cards were stopped"));
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    await Promise.allSettled(this.#pings);
  }

  /** Sets the timers of a card that nobody has taken yet. */
  watch(card: ModCallRecord): void {
    for (const [feedId, slot] of Object.entries(card.slots)) {
      if (slot.escalateAfterMs === undefined || slot.escalated === true || slot.gone === true) continue;
      const key = `${card.id} ${feedId}`;
      if (!isWaiting(card) || this.#timers.has(key) || this.#stop.signal.aborted) continue;
      const waitedMs = Math.max(0, this.#ports.clock.nowMs() - card.createdAtMs);
      const delayMs = Math.max(0, slot.escalateAfterMs - waitedMs);
      const cancel = this.#ports.clock.after(delayMs, () => {
        this.#timers.delete(key);
        const run = this.#escalate(card.id, feedId).catch((error: unknown) => {
          if (!this.#stop.signal.aborted) this.#ports.warn(`card ${card.id} was not escalated`, error);
        });
        this.#pings.add(run);
        run.finally(() => this.#pings.delete(run));
      });
      this.#timers.set(key, cancel);
    }
  }

  /** Written first: staff are pinged once or, if we crash right here, not at all. The card shows it either way. */
  async #escalate(cardId: string, feedId: string): Promise<void> {
    let mine: CardSlot | undefined;
    const record = await this.#ports.board.change(cardId, (card) => {
      const slot = card?.slots[feedId];
      if (card?.kind !== "modCall" || slot === undefined || slot.escalated === true) return undefined;
      if (!isWaiting(card) || slot.gone === true) return undefined;
      mine = slot;
      return { ...card, escalated: true, slots: { ...card.slots, [feedId]: { ...slot, escalated: true } } };
    });
    if (mine === undefined || record?.kind !== "modCall") return;
    const waitedMs = this.#ports.clock.nowMs() - record.createdAtMs;
    const body = this.#ports.renderer.escalation(record.caller.name, waitedMs);
    await this.#pingAgain(record, { feedId, slot: mine, body });
  }

  async #pingAgain(
    record: ModCallRecord,
    { feedId, slot, body }: { readonly feedId: string; readonly slot: CardSlot; readonly body: MessageBody },
  ): Promise<void> {
    const ping = slot.escalateRoleId;
    const firstAtS = calledAtS(record);
    const content =
      ping === undefined
        ? body.content
        : joined([roleMention(ping), ...(body.content === undefined ? [] : [body.content])], " ");
    try {
      await post(
        {
          channelId: slot.channelId,
          compose: () => ({
            ...body,
            ...(content === undefined ? {} : { content }),
            ...(ping === undefined ? {} : { pingRoleIds: [ping] }),
            ...(slot.messageId === undefined ? {} : { replyToMessageId: slot.messageId }),
          }),
          nonce: nonceOf(this.#ports.nonceKey, record.id, feedId, "escalation"),
          matches: (found) => found.content.trim() === (content ?? "").trim(),
          afterMessageId: slot.messageId,
          notBeforeMs: firstAtS * 1_000,
          sentBefore: firstAtS <= (this.#ports.lastEnd.postedUpToS ?? 0),
        },
        this.#ports,
        this.#stop.signal,
      );
    } catch (error) {
      // The card itself meets the same refusal and parks the feed; here there is nothing to add.
      if (!(error instanceof SinkRefusal)) throw error;
    }
  }
}
