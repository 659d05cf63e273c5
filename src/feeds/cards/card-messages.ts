import { roleMention } from "../../domain/escaped.ts";
import { SinkRefusal } from "../../domain/failure.ts";
import type { MessageBody, PostedMessage } from "../../domain/message.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { Metrics } from "../../domain/ports/metrics.ts";
import { nonceOf } from "../delivery/nonce.ts";
import { type PosterPorts, post } from "../delivery/poster.ts";
import { calledAtS, isCardOf } from "./card-identity.ts";
import type { CardRecord, CardSlot } from "./card-records.ts";

export interface CardMessagesPorts extends PosterPorts {
  readonly nonceKey: Uint8Array | string;
  readonly renderer: Pick<FeedRenderer, "keysOf" | "callKey" | "modCallOf">;
  /** How the process before ended. */
  readonly lastEnd: { readonly postedUpToS: number | undefined };
  readonly metrics: Pick<Metrics, "observe">;
  render(record: CardRecord): Promise<MessageBody>;
}

/** The cards that are at hand. */
export interface KnownCards {
  atHand(cardId: string): CardRecord | undefined;
  ofBinding(bindingId: string): readonly CardRecord[];
}

/** One card's message in one channel: posted once, edited after. Writes nothing; each answers what its slot becomes. */
export class CardMessages {
  readonly #ports: CardMessagesPorts;
  readonly #known: KnownCards;

  constructor(ports: CardMessagesPorts, known: KnownCards) {
    this.#ports = ports;
    this.#known = known;
  }

  /** `uncertain`: an earlier life may have posted it. Rejects with the SinkRefusal, or with the signal's reason. */
  async post(
    record: CardRecord,
    feedId: string,
    { uncertain, signal }: { readonly uncertain: boolean; readonly signal: AbortSignal },
  ): Promise<Partial<CardSlot>> {
    const slot = record.slots[feedId];
    if (slot === undefined) return {};
    const body = await this.#body(record, slot);
    const firstAtS = calledAtS(record);
    const sentBefore = uncertain || firstAtS <= (this.#ports.lastEnd.postedUpToS ?? 0);
    const ping = slot.pingRoleId === undefined ? {} : { pingRoleIds: [slot.pingRoleId] };
    const round = slot.deletions === undefined ? [] : [slot.deletions];
    const posted = await post(
      {
        channelId: slot.channelId,
        compose: () => ({ ...body, ...ping, silent: slot.silent }),
        nonce: nonceOf(this.#ports.nonceKey, record.id, feedId, ...round),
        matches: (found) => this.#isCardOf(record, feedId, found),
        afterMessageId: undefined,
        // The service's clock may run ahead of Discord's, and what was not seen was not posted.
        notBeforeMs: Math.min(firstAtS * 1_000, record.createdAtMs),
        sentBefore,
      },
      this.#ports,
      signal,
    );
    if (slot.deletions === undefined) this.#noteDelay(record, firstAtS);
    // A message from before a crash may show less than is wanted now: one edit more is harmless.
    const shown = sentBefore ? { shown: 0 } : { shown: record.version, ...callsOn(record) };
    return { messageId: posted.messageId, ...shown, ...(posted.marked ? { marked: true } : {}) };
  }

  #noteDelay({ kind }: CardRecord, atS: number): void {
    const { metrics, clock } = this.#ports;
    const delayS = Math.max(0, clock.nowMs() / 1_000 - atS);
    const labels = { kind: kind === "modCall" ? "modCalls" : "emergencyCalls" };
    metrics.observe("marshal_feed_delay_seconds", delayS, labels);
  }

  /**
   * The calls that a message shows beyond what its record holds, as a power cut may have set that back: an edit would
   * take them away. Rejects with the SinkRefusal where Discord cannot tell now.
   */
  async callsPosted(slot: CardSlot, messageId: string): Promise<readonly number[]> {
    const before = (BigInt(messageId) - 1n).toString();
    try {
      const [found] = await this.#ports.sink.readBack(slot.channelId, before, 1);
      if (found?.messageId !== messageId) return [];
      return this.#ports.renderer.modCallOf(found)?.calledAtS ?? [];
    } catch (error) {
      if (error instanceof SinkRefusal && error.reason === "no-history") return [];
      throw error;
    }
  }

  /** Rejects with the SinkRefusal. */
  async edit(record: CardRecord, slot: CardSlot, messageId: string): Promise<Partial<CardSlot>> {
    const body = await this.#body(record, slot);
    await this.#ports.turns.take(slot.channelId, () =>
      this.#ports.sink.edit(slot.channelId, messageId, body),
    );
    return { shown: record.version, ...callsOn(record) };
  }

  #isCardOf(record: CardRecord, feedId: string, found: PostedMessage): boolean {
    const isKnown = (cardId: string) => this.#known.atHand(cardId) !== undefined;
    const isOthers = (other: CardRecord) =>
      other.id !== record.id && other.slots[feedId]?.messageId === found.messageId;
    return (
      isCardOf(record, found, { renderer: this.#ports.renderer, isKnown }) &&
      !this.#known.ofBinding(record.bindingId).some(isOthers)
    );
  }

  /** An edit says the whole message again: the mention that pinged stays where it stood, and pings nobody twice. */
  async #body(record: CardRecord, slot: CardSlot): Promise<MessageBody> {
    const rendered = await this.#ports.render(record);
    const body = slot.marked === true ? this.#ports.possiblyRepeated(rendered) : rendered;
    return slot.pingRoleId === undefined ? body : { ...body, content: roleMention(slot.pingRoleId) };
  }
}

function callsOn(record: CardRecord): { readonly shownCalls?: number } {
  return record.kind === "modCall" ? { shownCalls: record.calls.length } : {};
}
