import { refuse } from "./errors.ts";
import type { MessageState } from "./message.ts";
import { textOf } from "./text.ts";
import type { Channel, Exchange, Member, Message, Modal } from "./types.ts";
import type { Choice } from "./wire.ts";
import type { World } from "./world.ts";

/** Discord's interaction types. */
export const InteractionKind = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;
export type InteractionType = (typeof InteractionKind)[keyof typeof InteractionKind];

/** One interaction: what the bot may still do with it, and what its person sees of it. */
export class InteractionState implements Exchange {
  readonly id: string;
  readonly token: string;
  readonly type: InteractionType;
  readonly person: Member;
  readonly channel: Channel;
  readonly commandName: string | undefined;
  /** The message whose button, select or modal this is about. */
  readonly source: MessageState | undefined;
  readonly createdAtMs: number;
  readonly #world: World;
  #kind: Exchange["kind"] = "none";
  #answeredAtMs: number | undefined;
  #failed = false;
  #deferred = false;
  #pending = false;
  #ephemeral = false;
  #original: MessageState | undefined;
  #modal: Modal | undefined;
  #choices: readonly Choice[] = [];
  readonly #followUps: MessageState[] = [];

  constructor(
    world: World,
    fields: {
      type: InteractionType;
      person: Member;
      channel: Channel;
      commandName?: string | undefined;
      source?: MessageState | undefined;
    },
  ) {
    this.#world = world;
    this.id = world.mint();
    this.token = Buffer.from(`interaction:${this.id}:${world.secret()}`).toString("base64url");
    this.type = fields.type;
    this.person = fields.person;
    this.channel = fields.channel;
    this.commandName = fields.commandName;
    this.source = fields.source;
    this.createdAtMs = world.nowMs();
  }

  get kind(): Exchange["kind"] {
    return this.#kind;
  }
  get answered(): boolean {
    return this.#answeredAtMs !== undefined;
  }
  /** Answered, or given up on. */
  get over(): boolean {
    return this.answered || this.#failed;
  }
  get deferred(): boolean {
    return this.#deferred;
  }
  get pending(): boolean {
    return this.#pending;
  }
  get ephemeral(): boolean {
    return this.#ephemeral;
  }
  get answeredAfterMs(): number | undefined {
    return this.#answeredAtMs === undefined ? undefined : this.#answeredAtMs - this.createdAtMs;
  }
  get message(): MessageState | undefined {
    return this.#original?.deleted === true ? undefined : this.#original;
  }
  get modal(): Modal | undefined {
    return this.#modal;
  }
  get choices(): readonly Choice[] {
    return this.#choices;
  }
  get followUps(): readonly MessageState[] {
    return this.#followUps.filter((message) => !message.deleted);
  }
  get text(): string {
    return [this.message, ...this.followUps]
      .map((message) => (message === undefined ? "" : textOf(message)))
      .join("\n")
      .trim();
  }

  async settled(predicate?: (exchange: Exchange) => boolean, timeoutMs?: number): Promise<Exchange> {
    const { events } = this.#world;
    if (predicate === undefined) await events.untilOf(this, () => this.over && !this.#pending, timeoutMs);
    else await events.until(() => predicate(this), timeoutMs);
    return this;
  }

  /** May it be answered now? Throws 40060 for a second answer, 10062 once the time is over. */
  mayAnswer(): void {
    if (this.answered) throw refuse("alreadyAcknowledged");
    if (this.#failed || this.#world.nowMs() - this.createdAtMs > this.#world.limits.answerWithinMs) {
      this.fail();
      throw refuse("unknownInteraction");
    }
  }

  /** May its token be used? Throws 50027 when it is too old, 10015 while nothing was answered. */
  mayUseToken(): void {
    if (this.#world.nowMs() - this.createdAtMs > this.#world.limits.tokenLivesMs)
      throw refuse("invalidWebhookToken");
    if (!this.answered) throw refuse("unknownWebhook");
  }

  answerWithMessage(message: MessageState, deferred: boolean): void {
    this.#original = message;
    this.#deferred = deferred;
    this.#pending = deferred;
    this.#ephemeral = message.ephemeralFor !== undefined;
    this.#answer("message");
  }

  /** An update of the source message; deferred, its person sees nothing yet. */
  answerWithUpdate(deferred: boolean): void {
    this.#original = this.source;
    this.#deferred = deferred;
    this.#pending = deferred;
    this.#ephemeral = this.source?.ephemeralFor !== undefined;
    this.#answer("update");
  }

  answerWithModal(modal: Modal): void {
    this.#modal = modal;
    this.#answer("modal");
  }

  answerWithChoices(choices: readonly Choice[]): void {
    this.#choices = choices;
    this.#answer("choices");
  }

  /** The bot did not answer in time. */
  fail(): void {
    if (this.over) return;
    this.#failed = true;
    this.#world.emit({ type: "interaction-failed", exchange: this });
  }

  addFollowUp(message: MessageState): void {
    this.#followUps.push(message);
    this.settle();
  }

  /** No longer "thinking": filled, deleted or followed up. */
  settle(): void {
    this.#pending = false;
    this.#world.emit({ type: "interaction-answered", exchange: this });
  }

  /** The message that a path names: `@original` or the id of one that came out of this interaction. */
  messageAt(name: string): MessageState {
    const known: readonly (MessageState | undefined)[] = [this.#original, ...this.#followUps];
    const found = name === "@original" ? this.#original : known.find((message) => message?.id === name);
    if (found === undefined || found.deleted) throw refuse("unknownMessage");
    return found;
  }

  isOriginal(message: Message): boolean {
    return this.#original === message;
  }

  #answer(kind: Exchange["kind"]): void {
    this.#kind = kind;
    this.#answeredAtMs = this.#world.nowMs();
    this.#world.emit({ type: "interaction-answered", exchange: this });
  }
}

/** Interactions by id and token, and which modal came from which of them. */
export class Interactions {
  readonly #world: World;
  readonly #byId = new Map<string, InteractionState>();
  readonly #byToken = new Map<string, InteractionState>();
  readonly #modals = new WeakMap<Modal, InteractionState>();
  /** Whose person looks at Discord's client for a first answer, by the machine's time. */
  awaited = 0;

  constructor(world: World) {
    this.#world = world;
  }

  open(fields: {
    type: InteractionType;
    person: Member;
    channel: Channel;
    commandName?: string | undefined;
    source?: MessageState | undefined;
  }): InteractionState {
    this.#forgetOld();
    const interaction = new InteractionState(this.#world, fields);
    this.#byId.set(interaction.id, interaction);
    this.#byToken.set(interaction.token, interaction);
    return interaction;
  }

  byId(id: string, token: string): InteractionState {
    const found = this.#byId.get(id);
    if (found === undefined || found.token !== token) throw refuse("unknownInteraction");
    return found;
  }

  byToken(token: string): InteractionState {
    const found = this.#byToken.get(token);
    if (found === undefined) throw refuse("invalidWebhookToken");
    return found;
  }

  rememberModal(modal: Modal, from: InteractionState): void {
    this.#modals.set(modal, from);
  }

  originOf(modal: Modal): InteractionState | undefined {
    return this.#modals.get(modal);
  }

  /** Forgets interactions after twice a token's life; an old token then gets the same answer as an unknown one. */
  #forgetOld(): void {
    const oldest = this.#world.nowMs() - 2 * this.#world.limits.tokenLivesMs;
    for (const [id, interaction] of this.#byId) {
      if (interaction.createdAtMs >= oldest) break;
      this.#byId.delete(id);
      this.#byToken.delete(interaction.token);
    }
  }
}
