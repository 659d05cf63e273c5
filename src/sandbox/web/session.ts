import { randomUUID } from "node:crypto";
import type { Channel, DiscordEvent, Exchange, Member, Message, Modal, Person } from "../discord/types.ts";
import type { Stage } from "../stage.ts";
import { parseAsk } from "./ask.ts";
import { historyPage, readable } from "./history.ts";
import { MessageChanges } from "./message-changes.ts";
import type { Panel } from "./panel.ts";
import type { Actor, Answer, Ask } from "./protocol.ts";
import { channelViews, commandViews, modalView, personViews, roleViews } from "./views.ts";

/** What happens within this goes to the page in one message: a burst of a thousand would else be a thousand. */
const gatherMs = 40;
/** Discord gives the bot three seconds; what it says of an answer that never came is said after that. */
const answerMs = 3_500;
const modalsKept = 20;

export interface SessionParts {
  readonly stage: Stage;
  readonly panel: Panel;
  readonly bootId: string;
  readonly isEmpty: boolean;
  send(answer: Answer): void;
}

/** One page at one socket: acts as one of the cast, and is told what that person sees. */
export class Session {
  readonly #parts: SessionParts;
  readonly #modals = new Map<string, Modal>();
  readonly #ends: (() => void)[] = [];
  #actor: Actor = "owner";
  #open: Channel;
  readonly #changes = new MessageChanges();
  #worldChanged = false;
  #commandsChanged = false;
  #flushTimer: NodeJS.Timeout | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#open = parts.stage.cast.channels.general;
  }

  /** Handles one message of the page; a bad one is answered with an error where it has a ticket, else ignored. */
  async take(raw: string): Promise<void> {
    const ask = parseAsk(raw);
    if (!("ticket" in ask)) {
      this.#moved(ask);
      return;
    }
    const { ticket } = ask;
    try {
      this.#parts.send({ type: "reply", ticket, ...(await this.#act(ask)) });
    } catch (error) {
      this.#parts.send({
        type: "reply",
        ticket,
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }

  close(): void {
    for (const end of this.#ends.splice(0)) end();
    clearTimeout(this.#flushTimer);
  }

  get #person(): Person {
    return this.#parts.stage.discord.as(this.#member);
  }

  get #member(): Member {
    return this.#parts.stage.cast[this.#actor];
  }

  #moved(ask: Exclude<Ask, { readonly ticket: number }>): void {
    switch (ask.type) {
      case "hello":
        this.#hello(ask.actor, ask.channel);
        return;
      case "act-as":
        this.#actor = ask.actor;
        this.#world();
        this.#show(this.#open);
        return;
      case "open":
        this.#show(this.#channel(ask.channelId));
        return;
      case "newest":
        this.#show(this.#channel(ask.channelId));
        return;
      case "older": {
        const channel = this.#channel(ask.channelId);
        const page = historyPage(this.#person, channel, ask.beforeId);
        this.#parts.send({ type: "older", channelId: channel.id, ...page });
      }
    }
  }

  #hello(actor: Actor, channelName: string | undefined): void {
    const { stage, panel, send } = this.#parts;
    this.#actor = actor;
    const named = stage.cast.guild.channels.find(({ name }) => name === channelName);
    this.#world();
    this.#show(named ?? this.#open);
    if (this.#ends.length > 0) return;
    this.#ends.push(
      stage.discord.on((event) => this.#happened(event)),
      panel.watch((view) => send({ type: "panel", panel: view })),
    );
  }

  #world(): void {
    const { stage, bootId, isEmpty, send } = this.#parts;
    const { guild, owner, moderator, member } = stage.cast;
    send({
      type: "world",
      world: {
        bootId,
        isEmpty,
        guildName: guild.name,
        meId: this.#member.id,
        botId: guild.bot.id,
        actor: this.#actor,
        cast: { owner: owner.displayName, moderator: moderator.displayName, member: member.displayName },
        channels: channelViews(guild, this.#member),
        roles: roleViews(guild),
        people: personViews(guild),
      },
    });
  }

  /** Opens a channel; one that is gone or hidden gives way to the first. */
  #show(channel: Channel): void {
    const { stage, send } = this.#parts;
    const isThere =
      !channel.deleted && (channel.guild === undefined || this.#member.may("ViewChannel", channel));
    this.#open = isThere ? channel : stage.cast.channels.general;
    // What was gathered is in the page of history already.
    this.#changes.clear();
    const page = historyPage(this.#person, this.#open);
    send({ type: "channel", channelId: this.#open.id, commands: this.#commands(this.#open), ...page });
  }

  #commands(channel: Channel) {
    return commandViews(this.#person.commands(channel));
  }

  async #act(
    ask: Extract<Ask, { readonly ticket: number }>,
  ): Promise<Partial<Extract<Answer, { type: "reply" }>>> {
    const person = this.#person;
    const act = { waitMs: answerMs };
    switch (ask.type) {
      case "slash":
        return this.#outcome(
          await person.slash(this.#channel(ask.channelId), ask.line, plain(ask.options), act),
        );
      case "autocomplete": {
        const { channelId, line, options, focused } = ask;
        return {
          choices: await person.autocomplete(this.#channel(channelId), line, plain(options), focused, act),
        };
      }
      case "click":
        return this.#outcome(await person.click(this.#message(ask), ask.customId, act));
      case "select":
        return this.#outcome(await person.select(this.#message(ask), ask.customId, ask.values, act));
      case "submit": {
        const modal = this.#modals.get(ask.modalId);
        if (modal === undefined) throw new Error("This form is no longer open.");
        return this.#outcome(await person.submit(modal, ask.values, act));
      }
      case "post":
        person.post(this.#channel(ask.channelId), ask.text);
        return {};
      case "lever":
        await this.#parts.panel.pull(ask.id);
        return {};
    }
  }

  /** What Discord's client shows of an answer beside messages, which come by themselves. */
  #outcome(exchange: Exchange): Partial<Extract<Answer, { type: "reply" }>> {
    if (exchange.kind === "none") return { error: "The application did not respond" };
    if (exchange.kind !== "modal" || exchange.modal === undefined) return {};
    const id = randomUUID();
    this.#modals.set(id, exchange.modal);
    const oldest = this.#modals.keys().next().value;
    if (this.#modals.size > modalsKept && oldest !== undefined) this.#modals.delete(oldest);
    return { modal: modalView(id, exchange.modal) };
  }

  #channel(id: string): Channel {
    const { guild } = this.#parts.stage.cast;
    const dm = this.#member.dm;
    const found = dm?.id === id ? dm : guild.channels.find((channel) => channel.id === id);
    return found ?? this.#open;
  }

  #message({ channelId, messageId }: { readonly channelId: string; readonly messageId: string }): Message {
    const message = readable(this.#person, this.#channel(channelId)).findLast(({ id }) => id === messageId);
    if (message === undefined) throw new Error("This message is gone.");
    return message;
  }

  #happened(event: DiscordEvent): void {
    switch (event.type) {
      case "message-created":
      case "message-edited":
      case "message-deleted":
        this.#messageHappened(event.type, event.message);
        return;
      case "commands-registered":
        this.#commandsChanged = true;
        break;
      case "interaction-sent":
      case "interaction-answered":
      case "interaction-failed":
      case "gateway-connected":
      case "gateway-disconnected":
        return;
      default:
        this.#worldChanged = true;
        this.#commandsChanged = true;
    }
    this.#flushSoon();
  }

  #messageHappened(type: DiscordEvent["type"], message: Message): void {
    const { channel } = message;
    if (message.ephemeralFor !== undefined && message.ephemeralFor !== this.#member.id) return;
    if (channel.guild === undefined && channel !== this.#member.dm) return;
    if (channel.guild !== undefined && !this.#member.may("ViewChannel", channel)) return;
    if (channel !== this.#open) {
      if (type === "message-created") this.#unread(message);
      return;
    }
    this.#changes.note(type, message);
    this.#flushSoon();
  }

  #unread(message: Message): void {
    const { users, roles, everyone } = message.pings;
    const member = this.#member;
    const pings =
      everyone || users.includes(member.id) || member.roles.some((role) => roles.includes(role.id));
    const isDm = message.channel.guild === undefined;
    this.#parts.send({ type: "unread", channelId: message.channel.id, pings: pings || isDm });
  }

  #flushSoon(): void {
    this.#flushTimer ??= setTimeout(() => {
      this.#flushTimer = undefined;
      this.#flush();
    }, gatherMs);
  }

  #flush(): void {
    const { send } = this.#parts;
    if (this.#worldChanged) this.#world();
    if (this.#open.deleted) this.#show(this.#open);
    else if (this.#commandsChanged)
      send({ type: "commands", channelId: this.#open.id, commands: this.#commands(this.#open) });
    this.#worldChanged = false;
    this.#commandsChanged = false;
    const changes = this.#changes.take(this.#member);
    if (changes !== undefined) send({ type: "changes", channelId: this.#open.id, ...changes });
  }
}

/** Options of commands hold one value each. */
function plain(options: Readonly<Record<string, string | number | boolean | readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      typeof value === "object" ? (value[0] ?? "") : value,
    ]),
  );
}
