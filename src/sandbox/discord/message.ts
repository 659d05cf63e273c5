import type { Core } from "./core.ts";
import { compareSnowflakes } from "./snowflake.ts";
import type { Attachment, Channel, Message, MessageVersion, Pings, User } from "./types.ts";
import { type Component, type Embed, MessageFlag } from "./wire.ts";

const keptVersions = 50;

export interface MessageFields {
  readonly channel: Channel;
  readonly author: User;
  readonly content?: string | undefined;
  readonly embeds?: readonly Embed[] | undefined;
  readonly components?: readonly Component[] | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly nonce?: string | undefined;
  readonly flags?: number | undefined;
  readonly pings?: Pings;
  readonly ephemeralFor?: string | undefined;
  readonly repliesTo?: string | undefined;
  readonly interaction?: Message["interaction"];
  /** Discord's message type: 0 plain, 19 reply, 20 answer of a slash command. */
  readonly kind?: number;
}

export interface MessageChange {
  readonly content?: string | undefined;
  readonly embeds?: readonly Embed[] | undefined;
  readonly components?: readonly Component[] | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly flags?: number | undefined;
  /** Fills a deferred answer: not an edit in the eyes of people. */
  readonly fills?: boolean;
  readonly pings?: Pings;
}

const noPings: Pings = { users: [], roles: [], everyone: false };

export class MessageState implements Message {
  readonly id: string;
  readonly channel: Channel;
  readonly author: User;
  readonly nonce: string | undefined;
  readonly createdAtMs: number;
  readonly ephemeralFor: string | undefined;
  readonly repliesTo: string | undefined;
  readonly interaction: Message["interaction"];
  readonly kind: number;
  #content: string;
  #embeds: readonly Embed[];
  #components: readonly Component[];
  #attachments: readonly Attachment[];
  #flags: number;
  #pings: Pings;
  #editedAtMs: number | undefined;
  #edits = 0;
  #history: readonly MessageVersion[] = [];
  #deleted = false;

  constructor(id: string, nowMs: number, fields: MessageFields) {
    this.id = id;
    this.createdAtMs = nowMs;
    this.channel = fields.channel;
    this.author = fields.author;
    this.nonce = fields.nonce;
    this.ephemeralFor = fields.ephemeralFor;
    this.repliesTo = fields.repliesTo;
    this.interaction = fields.interaction;
    this.kind = fields.kind ?? 0;
    this.#content = fields.content ?? "";
    this.#embeds = fields.embeds ?? [];
    this.#components = fields.components ?? [];
    this.#attachments = fields.attachments ?? [];
    this.#flags = fields.flags ?? 0;
    this.#pings = fields.pings ?? noPings;
  }

  get content(): string {
    return this.#content;
  }
  get embeds(): readonly Embed[] {
    return this.#embeds;
  }
  get components(): readonly Component[] {
    return this.#components;
  }
  get attachments(): readonly Attachment[] {
    return this.#attachments;
  }
  get flags(): number {
    return this.#flags;
  }
  get pings(): Pings {
    return this.#pings;
  }
  get editedAtMs(): number | undefined {
    return this.#editedAtMs;
  }
  get edits(): number {
    return this.#edits;
  }
  get history(): readonly MessageVersion[] {
    return this.#history;
  }
  get thinking(): boolean {
    return (this.#flags & MessageFlag.loading) !== 0;
  }
  get isPublished(): boolean {
    return (this.#flags & MessageFlag.published) !== 0;
  }
  get deleted(): boolean {
    return this.#deleted;
  }

  publish(): void {
    this.#flags |= MessageFlag.published;
  }

  change(change: MessageChange, nowMs: number): void {
    if (change.fills === true) {
      this.#flags &= ~MessageFlag.loading;
      this.#pings = change.pings ?? this.#pings;
    } else {
      const { content, embeds, components } = this;
      const atMs = this.#editedAtMs ?? this.createdAtMs;
      this.#history = [...this.#history, { atMs, content, embeds, components }].slice(-keptVersions);
      this.#edits++;
      this.#editedAtMs = nowMs;
    }
    this.#content = change.content ?? this.#content;
    this.#embeds = change.embeds ?? this.#embeds;
    this.#components = change.components ?? this.#components;
    this.#attachments = change.attachments ?? this.#attachments;
    if (change.flags !== undefined) {
      const settable = MessageFlag.suppressEmbeds;
      this.#flags = (this.#flags & ~settable) | (change.flags & settable);
    }
  }

  markDeleted(): void {
    this.#deleted = true;
  }
}

export interface PageRequest {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly around?: string | undefined;
  readonly limit: number;
}

/** All messages, by channel and by id, and the nonces of the last minutes. */
export class MessageStore {
  readonly #core: Core;
  readonly #nonceWindowMs: () => number;
  readonly #byId = new Map<string, MessageState>();
  readonly #byChannel = new Map<string, MessageState[]>();
  readonly #nonces = new Map<string, MessageState>();

  constructor(core: Core, nonceWindowMs: () => number) {
    this.#core = core;
    this.#nonceWindowMs = nonceWindowMs;
  }

  create(fields: MessageFields): MessageState {
    const message = new MessageState(this.#core.mint(), this.#core.nowMs(), fields);
    this.#byId.set(message.id, message);
    const channel = this.#byChannel.get(fields.channel.id);
    if (channel === undefined) this.#byChannel.set(fields.channel.id, [message]);
    else channel.push(message);
    if (message.nonce !== undefined) this.#nonces.set(`${message.author.id}:${message.nonce}`, message);
    this.#core.emit({ type: "message-created", message });
    return message;
  }

  /** The message that this author already sent with this nonce, in the past few minutes. */
  withNonce(authorId: string, nonce: string): MessageState | undefined {
    const oldest = this.#core.nowMs() - this.#nonceWindowMs();
    // Insertion order is age, so the expired ones stand at the front.
    for (const [key, message] of this.#nonces) {
      if (message.createdAtMs >= oldest && !message.deleted) break;
      this.#nonces.delete(key);
    }
    const found = this.#nonces.get(`${authorId}:${nonce}`);
    return found === undefined || found.deleted ? undefined : found;
  }

  change(message: MessageState, change: MessageChange): void {
    message.change(change, this.#core.nowMs());
    this.#core.emit({ type: "message-edited", message });
  }

  delete(message: MessageState): void {
    this.#forget(message);
    this.#core.emit({ type: "message-deleted", message });
  }

  find(id: string): MessageState | undefined {
    return this.#byId.get(id);
  }

  /** Oldest first, ephemeral ones included. */
  inChannel(channelId: string): readonly MessageState[] {
    return this.#byChannel.get(channelId) ?? [];
  }

  /** A page as Discord lists it: newest first. */
  page(channelId: string, request: PageRequest): readonly MessageState[] {
    const all = this.inChannel(channelId).filter((message) => message.ephemeralFor === undefined);
    const { limit } = request;
    if (request.after !== undefined) {
      const after = request.after;
      const from = all.findIndex((message) => compareSnowflakes(message.id, after) > 0);
      return from < 0 ? [] : all.slice(from, from + limit).reverse();
    }
    if (request.around !== undefined) {
      const around = request.around;
      const at = all.findIndex((message) => compareSnowflakes(message.id, around) >= 0);
      const middle = at < 0 ? all.length : at;
      const start = Math.max(0, middle - Math.floor(limit / 2));
      return all.slice(start, start + limit).reverse();
    }
    const before = request.before;
    const end =
      before === undefined ? -1 : all.findIndex((message) => compareSnowflakes(message.id, before) >= 0);
    const until = end < 0 ? all.length : end;
    return all.slice(Math.max(0, until - limit), until).reverse();
  }

  forgetChannel(channelId: string): void {
    for (const message of [...this.inChannel(channelId)]) this.#forget(message);
    this.#byChannel.delete(channelId);
  }

  #forget(message: MessageState): void {
    message.markDeleted();
    this.#byId.delete(message.id);
    const channel = this.#byChannel.get(message.channel.id);
    const index = channel?.indexOf(message) ?? -1;
    if (index >= 0) channel?.splice(index, 1);
  }
}
