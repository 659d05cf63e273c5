import { SinkRefusal, type SinkRefusalReason } from "../../src/domain/failure.ts";
import type { MessageBody, OutgoingMessage, PostedMessage, SentMessage } from "../../src/domain/message.ts";
import type { Random } from "../../src/domain/ports/clock.ts";
import type { Sink } from "../../src/domain/ports/sink.ts";
import type { VirtualClock } from "../support/clock.ts";
import { posted } from "../support/fake-sink.ts";
import { tokensIn } from "./world.ts";

interface Kept {
  readonly messageId: string;
  /** The same, as a number. */
  readonly id: bigint;
  readonly atMs: number;
  readonly nonce: string;
  body: MessageBody;
}

export interface Channel {
  readonly id: string;
  gone: boolean;
  /** We may write here but not read. */
  readonly unreadable: boolean;
  /** Oldest first. */
  messages: Kept[];
  /** Those of them that are cards of calls. */
  readonly cards: Kept[];
  /** By nonce, the latest message that was sent under it. */
  readonly byNonce: Map<string, Kept>;
}

/** Told of whatever a reader sees. */
export interface Watcher {
  posted(channelId: string, messageId: string, body: MessageBody): void;
  edited(channelId: string, messageId: string, body: MessageBody): void;
}

const DISCORD_EPOCH_MS = 1_420_070_400_000;
/** Lines further back are never asked for: read-back looks after the last acknowledged ones. Cards are, at any age. */
const KEPT = 400;

/** Discord as the bot's sink sees it: nonces that are forgotten, answers that are lost, channels that go away. */
export class SimDiscord implements Sink {
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #watcher: Watcher;
  readonly channels = new Map<string, Channel>();
  readonly #cards = new Map<string, Kept>();
  #made = 0;
  outageUntilMs = 0;
  sends = 0;
  /** How long a nonce is remembered. */
  nonceMs = 180_000;
  unknown = 0;
  /** Share of calls whose answer is lost, with and without effect. */
  losing = 0.02;
  /** Share of messages whose form is refused. */
  refusing = 0.002;

  constructor(clock: VirtualClock, random: Random, watcher: Watcher) {
    this.#clock = clock;
    this.#random = random;
    this.#watcher = watcher;
  }

  open(id: string, unreadable: boolean): void {
    this.channels.set(id, {
      id,
      gone: false,
      unreadable,
      messages: [],
      cards: [],
      byNonce: new Map(),
    });
  }

  async send(channelId: string, message: OutgoingMessage): Promise<SentMessage> {
    const channel = await this.#reach(channelId);
    const nowMs = this.#clock.nowMs();
    const before = channel.byNonce.get(message.nonce);
    const known = before !== undefined && nowMs - before.atMs < this.nonceMs ? before : undefined;
    if (known === undefined && isLines(message) && unlucky(message.nonce, this.refusing))
      throw refusal("form");
    const stored = known ?? this.#store(channel, message, nowMs);
    this.#maybeLose();
    return { messageId: stored.messageId, posted: posted(stored) };
  }

  async edit(channelId: string, messageId: string, body: MessageBody): Promise<void> {
    const channel = await this.#reach(channelId);
    const message = this.#cards.get(messageId);
    if (message === undefined) throw refusal("message-gone");
    message.body = { ...message.body, ...body };
    this.#watcher.edited(channel.id, messageId, message.body);
    this.#maybeLose();
  }

  async readBack(
    channelId: string,
    afterMessageId: string | undefined,
    limit: number,
  ): Promise<readonly PostedMessage[]> {
    const channel = await this.#reach(channelId);
    if (channel.unreadable) throw refusal("no-history");
    const after = BigInt(afterMessageId ?? 0);
    const first = channel.messages.findLastIndex(({ id }) => id <= after) + 1;
    const found = afterMessageId === undefined ? [-limit] : [first, first + limit];
    return channel.messages.slice(...found).map(posted);
  }

  /** The way there takes time, and may be all that happens. */
  async #reach(channelId: string): Promise<Channel> {
    await this.#clock.sleep(50 + this.#random.next() * 250);
    this.sends += 1;
    const isOut = this.#clock.nowMs() < this.outageUntilMs;
    // In an outage most requests do nothing; some do all that they should and nobody is told.
    if ((isOut && this.#random.next() < 0.8) || this.#random.next() < this.losing / 2) {
      await this.#clock.sleep(this.#random.next() * 10_000);
      this.unknown += 1;
      throw refusal("unknown");
    }
    const channel = this.channels.get(channelId);
    if (channel === undefined || channel.gone) throw refusal("gone");
    return channel;
  }

  #maybeLose(): void {
    const isOut = this.#clock.nowMs() < this.outageUntilMs;
    if (!isOut && this.#random.next() >= this.losing / 2) return;
    this.unknown += 1;
    throw refusal("unknown");
  }

  #store(channel: Channel, message: OutgoingMessage, nowMs: number): Kept {
    const serial = BigInt(this.#made++ % 4_194_304);
    const id = (BigInt(Math.floor(nowMs) - DISCORD_EPOCH_MS) << 22n) + serial;
    const messageId = id.toString();
    const { nonce, pingRoleIds: _, silent: __, replyToMessageId: ___, ...body } = message;
    const kept: Kept = { messageId, id, atMs: nowMs, nonce, body };
    channel.messages.push(kept);
    channel.byNonce.set(nonce, kept);
    if (isCard(body)) {
      this.#cards.set(messageId, kept);
      channel.cards.push(kept);
    } else if (channel.messages.length - channel.cards.length > KEPT) dropOldLines(channel);
    this.#watcher.posted(channel.id, messageId, body);
    return kept;
  }
}

/** The oldest quarter, so that this is seldom done. */
function dropOldLines(channel: Channel): void {
  let toDrop = KEPT / 4;
  channel.messages = channel.messages.filter((one) => {
    const stays = toDrop === 0 || isCard(one.body);
    if (stays) return true;
    toDrop -= 1;
    if (channel.byNonce.get(one.nonce) === one) channel.byNonce.delete(one.nonce);
    return false;
  });
}

/** A card of a call, which is edited for as long as the call lasts. */
function isCard({ rows }: MessageBody): boolean {
  return rows !== undefined;
}

/**
 * Only lines with outside text in them may be refused for their form: a digest that is refused too becomes a bare
 * notice and a refused notice parks the feed, both losses by design.
 */
function isLines(body: MessageBody): boolean {
  const { content, cards, files } = body;
  if (files !== undefined || isCard(body)) return false;
  return tokensIn(`${content} ${cards?.[0]?.description}`).length > 0;
}

/** The same answer for the same message, however often it is tried. */
function unlucky(nonce: string, share: number): boolean {
  let hash = 7;
  for (let index = 0; index < nonce.length; index++)
    hash = Math.imul(hash ^ nonce.charCodeAt(index), 0x9e3779b1);
  return (hash >>> 0) / 4_294_967_296 < share;
}

function refusal(reason: SinkRefusalReason): SinkRefusal {
  return new SinkRefusal(reason, `simulated: ${reason}`);
}
