import { markdownOfOurs } from "../../src/domain/escaped.ts";
import { SinkRefusal, type SinkRefusalReason } from "../../src/domain/failure.ts";
import {
  componentIdsOf,
  type MessageBody,
  type OutgoingMessage,
  type PostedMessage,
  type SentMessage,
} from "../../src/domain/message.ts";
import type { Clock } from "../../src/domain/ports/clock.ts";
import type { Sink } from "../../src/domain/ports/sink.ts";

/** What becomes of one call: refused, or "lost": done, but the answer never arrives. */
export type SinkFault = SinkRefusalReason | "lost" | undefined;

export interface StoredMessage {
  readonly messageId: string;
  readonly atMs: number;
  readonly nonce: string;
  body: MessageBody;
  readonly sent: OutgoingMessage;
  edits: number;
}

const discordEpochMs = 1_420_070_400_000;

/** Channels in memory with Discord's manners: nonces, snowflakes by time, history, refusals on demand. Outlives the bot. */
export class FakeSink implements Sink {
  readonly channels = new Map<string, StoredMessage[]>();
  readonly calls: string[] = [];
  /** When a call that was done is answered; at once. */
  answer: (call: "send", channelId: string) => Promise<void> = () => Promise.resolve();
  readonly #clock: Clock;
  /** It knows a nonce by its author, in whatever channel. */
  readonly #byNonce = new Map<string, { readonly channelId: string; readonly message: StoredMessage }[]>();
  #made = 0;
  /** Discord gives back the first message for a nonce that it still remembers, and forgets nonces in minutes. */
  nonceMemoryMs = 180_000;
  /** Asked before each call. */
  fault: (call: "send" | "edit" | "readBack", channelId: string, message?: MessageBody) => SinkFault = () =>
    undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  messages(channelId: string): readonly StoredMessage[] {
    return this.channels.get(channelId) ?? [];
  }

  /** All that a reader sees in a channel, as text, oldest first. */
  text(channelId: string): string {
    return this.messages(channelId)
      .map(({ body }) => [body.content, ...(body.cards ?? []).map((card) => card.description)].join("\n"))
      .join("\n");
  }

  async send(channelId: string, message: OutgoingMessage): Promise<SentMessage> {
    this.calls.push(`send ${channelId}`);
    const fault = this.fault("send", channelId, message);
    await Promise.resolve();
    if (fault !== undefined && fault !== "lost") throw refusal(fault);
    const stored = this.#store(channelId, message);
    await this.answer("send", channelId);
    if (fault === "lost") throw refusal("unknown");
    return { messageId: stored.messageId, posted: posted(stored) };
  }

  async edit(channelId: string, messageId: string, body: MessageBody): Promise<void> {
    this.calls.push(`edit ${channelId}`);
    const fault = this.fault("edit", channelId, body);
    await Promise.resolve();
    if (fault !== undefined && fault !== "lost") throw refusal(fault);
    const message = this.messages(channelId).find((one) => one.messageId === messageId);
    if (message === undefined) throw refusal("message-gone");
    message.body = { ...message.body, ...body };
    message.edits += 1;
    if (fault === "lost") throw refusal("unknown");
  }

  async readBack(
    channelId: string,
    afterMessageId: string | undefined,
    limit: number,
  ): Promise<readonly PostedMessage[]> {
    this.calls.push(`readBack ${channelId}`);
    const fault = this.fault("readBack", channelId);
    await Promise.resolve();
    if (fault !== undefined) throw refusal(fault === "lost" ? "unknown" : fault);
    const all = this.messages(channelId);
    if (afterMessageId === undefined) return all.slice(-limit).map(posted);
    const after = BigInt(afterMessageId);
    return all
      .filter((message) => BigInt(message.messageId) > after)
      .slice(0, limit)
      .map(posted);
  }

  #store(channelId: string, message: OutgoingMessage): StoredMessage {
    const nowMs = Math.floor(this.#clock.nowMs());
    const channel = this.channels.get(channelId) ?? [];
    this.channels.set(channelId, channel);
    const sent = this.#byNonce.get(message.nonce) ?? [];
    const same = sent.find(
      (one) =>
        nowMs - one.message.atMs < this.nonceMemoryMs && this.messages(one.channelId).includes(one.message),
    );
    if (same !== undefined) return same.message;
    const messageId = ((BigInt(nowMs - discordEpochMs) << 22n) + BigInt(this.#made++ % 4_194_304)).toString();
    const { content, cards, rows, files } = message;
    const body = {
      ...(content === undefined ? {} : { content: markdownOfOurs(content.trim()) }),
      ...(cards === undefined ? {} : { cards }),
      ...(rows === undefined ? {} : { rows }),
      ...(files === undefined ? {} : { files }),
    };
    const stored = { messageId, atMs: nowMs, nonce: message.nonce, body, sent: message, edits: 0 };
    channel.push(stored);
    this.#byNonce.set(message.nonce, [...sent, { channelId, message: stored }]);
    return stored;
  }
}

/** A stored message as it is read back. */
export function posted({
  messageId,
  atMs,
  body,
}: Pick<StoredMessage, "messageId" | "atMs" | "body">): PostedMessage {
  return {
    messageId,
    content: body.content ?? "",
    cards: body.cards ?? [],
    attachmentNames: (body.files ?? []).map((file) => file.name),
    componentIds: componentIdsOf(body),
    postedAtMs: atMs,
  };
}

function refusal(reason: SinkRefusalReason): SinkRefusal {
  return new SinkRefusal(reason, `refused for the test: ${reason}`);
}

/** Discord's: nobody sets it when they set the machine's. */
export function discordsClock(clock: Clock): Clock {
  const offsetMs = clock.nowMs() - clock.monotonicMs();
  return {
    nowMs: () => clock.monotonicMs() + offsetMs,
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, work) => clock.after(delayMs, work),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  };
}
