import { joined, userMention } from "../../domain/escaped.ts";
import { Failure, StoreError } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { Button, MessageBody } from "../../domain/message.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { NoticeWay, OwedMessages } from "../../domain/ports/notifier.ts";
import type { Log } from "../../log.ts";
import type { FirstAnswer, Reply } from "../command.ts";
import { defectBody, failureBody } from "../render/errors.ts";
import { AnswerRefused, type InteractionResponder, type Target, TOKEN_LIVES_MS } from "./incoming.ts";
import { retryUntilTaken } from "./retry-answers.ts";

export interface AnswerSessionPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Where a reply goes that Discord takes as an answer no more. */
  readonly owed: OwedMessages;
  readonly log: Log;
}

export interface AnswerSessionOptions {
  readonly first: FirstAnswer;
  readonly actor: Actor;
  readonly answers: InteractionResponder;
  readonly reference: string;
  /** Is kept up to date here. */
  readonly lastReply: { isShown: boolean };
  /** When the interaction arrived, by the monotonic clock, so that no wall clock changes the age of its token. */
  readonly arrivedAtMs: number;
  /** Aborted when the bot stops, which ends the repeats. */
  readonly signal: AbortSignal;
  /** The next step after a failure, as a button. */
  readonly next: (failure: Failure) => Button | undefined;
  /** The command sends commands to the game, so an error says whether one ran. */
  readonly runs?: boolean | undefined;
}

/**
 * One answer, from its deferral to its last edit. It shows each reply, and decides what happens to a reply that Discord
 * no longer takes.
 */
export class AnswerSession {
  readonly #ports: AnswerSessionPorts;
  readonly #options: AnswerSessionOptions;
  #target: Target = "@original";
  /** Only the person who asked sees the message under #target. */
  #private: boolean;
  #asideSent = false;
  /** A reply of ours has replaced "thinking...". */
  #shown: boolean;
  #removed = false;

  constructor(ports: AnswerSessionPorts, options: AnswerSessionOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#private = options.first === "ephemeral";
    this.#shown = options.first === "update";
  }

  /** Shows a reply in place of the one before. Rejects only when Discord found it malformed, which is a defect, or harmful. */
  async show(reply: Reply): Promise<void> {
    const { arrivedAtMs, signal, lastReply } = this.#options;
    const { clock } = this.#ports;
    lastReply.isShown = false;
    const endMs = arrivedAtMs + TOKEN_LIVES_MS;
    if (clock.monotonicMs() > endMs) return this.#sendAsMessage(reply, EXPIRED);

    try {
      await retryUntilTaken(() => this.#edit(reply), { clock, endMs, signal });
    } catch (error) {
      if (!(error instanceof AnswerRefused) || isOfReply(error)) throw error;
      return this.#sendAsMessage(reply, error);
    }
    this.#noteShown();
    await this.#showAside(reply);
  }

  /** Shows an error: a Failure in its words, anything else as a defect that only the log explains. */
  async fail(error: unknown): Promise<void> {
    const { log } = this.#ports;
    const { reference, actor, next, runs } = this.#options;
    const { guildId } = actor;
    const failure = failureOf(error, runs);
    if (failure === undefined) log.error({ reference, guildId, err: error }, "a command met a defect");
    else if (error instanceof StoreError) {
      log.error({ reference, guildId, err: error }, "a command could not use the store");
    } else log.info({ reference, code: failure.code, ran: failure.ran, guildId }, failure.message);
    const context = { reference, manages: actor.manageGuild, roleIds: actor.roleIds, runs };
    const body = failure ? failureBody(failure, { ...context, next: next(failure) }) : defectBody(context);
    // A defect may come after the work was done, so like an unknown outcome it must reach the person.
    const how = { ephemeral: true, important: failure === undefined || failure.ran !== "no" };
    try {
      await this.show({ ...body, ...how }).catch(async (refused: unknown) => {
        if (!isOfWords(refused)) throw refused;
        // It quotes what was typed, or the game: without a word of that it still says whether anything ran.
        const blocked = new Failure("bad-command", BLOCKED_ERROR, { ran: failure?.ran ?? "unknown" });
        await this.show({ ...failureBody(blocked, context), ...how });
      });
    } catch (refused) {
      log.error({ reference, err: refused }, "an error could not be shown");
    }
  }

  async #edit(reply: Reply): Promise<void> {
    if (reply.ephemeral && !this.#private) await this.#showPrivately(reply);
    else await this.#options.answers.edit(reply, this.#target);
  }

  /** Shows a reply to the person who asked only. A public first answer is deleted; an updated message stays as it is. */
  async #showPrivately(reply: Reply): Promise<void> {
    // The deletion comes first, because Discord puts a follow-up into a deferred answer, which everybody can see.
    if (this.#options.first === "public" && !this.#removed) await this.#remove();
    this.#removed = true;
    this.#target = await this.#options.answers.followUpPrivately(reply);
    this.#private = true;
  }

  async #remove(): Promise<void> {
    try {
      await this.#options.answers.remove();
    } catch (error) {
      // It is gone as it should be: an earlier try had worked, and only Discord's answer to it was lost.
      if (!(error instanceof AnswerRefused) || error.reason !== "gone") throw error;
    }
  }

  async #showAside({ aside }: Reply): Promise<void> {
    if (aside === undefined || this.#asideSent) return;
    this.#asideSent = true;
    try {
      await this.#options.answers.followUpPrivately(aside);
    } catch (error) {
      if (!(error instanceof AnswerRefused) || error.reason === "form") throw error;
      this.#logDropped(error.message);
    }
  }

  /**
   * Sends a reply as a message, because the answer cannot be changed any more. Only an important outcome is sent, and a
   * first reply, without which the person would read nothing after "thinking...". When the token has run out, the
   * person gets a direct message as well, because the message in the channel notifies nobody.
   */
  async #sendAsMessage(
    reply: Reply,
    { reason, message }: Pick<AnswerRefused, "reason" | "message">,
  ): Promise<void> {
    const { actor, reference } = this.#options;
    const { log } = this.#ports;
    const isFirst = !this.#shown && reason !== "gone";
    if (!reply.important && !isFirst) return this.#logDropped(message);

    log.warn({ reference }, `a reply is sent as a message: ${message}`);
    const body = withoutButtons(reply, actor);
    const channel: NoticeWay = { to: "channel", channelId: actor.channelId };
    const toPerson: readonly NoticeWay[] = [{ to: "person", userId: actor.userId }, { to: "notice-channel" }];
    if (reply.ephemeral || this.#private) return await this.#owe(body, toPerson);
    if (reason !== "late") return await this.#owe(body, [channel, ...toPerson]);
    await this.#owe(body, [channel]);
    await this.#owe(body, toPerson);
  }

  /** It is shown once it is stored as owed: then a later process knows of it too. */
  async #owe(body: MessageBody, ways: readonly NoticeWay[]): Promise<void> {
    const { owed, random } = this.#ports;
    const { guildId } = this.#options.actor;
    if (await owed.owe({ guildId, id: random.id(), ways, body })) this.#noteShown();
  }

  #noteShown(): void {
    this.#shown = true;
    this.#options.lastReply.isShown = true;
  }

  #logDropped(why: string): void {
    this.#ports.log.warn({ reference: this.#options.reference }, `a reply was dropped: ${why}`);
  }
}

/** The Failure that people are shown; undefined: a defect. `runs`: the answer was about a command to the game. */
export function failureOf(error: unknown, runs = false): Failure | undefined {
  if (error instanceof Failure) return error;
  if (isOfWords(error)) {
    return runs
      ? new Failure("bad-command", BLOCKED_ANSWER, { ran: "unknown", cause: error })
      : new Failure("bad-command", `${BLOCKED_ANSWER} What you asked for may be done all the same.`);
  }
  if (!(error instanceof StoreError)) return undefined;
  return new Failure("store", "Not everything was saved.", { cause: error });
}

function isOfWords(error: unknown): boolean {
  return error instanceof AnswerRefused && error.reason === "words";
}

/** Sending the same as a message would not help. */
export function isOfReply({ reason }: AnswerRefused): boolean {
  return reason === "form" || reason === "words";
}

const BLOCKED_ANSWER = "Discord blocked the answer. It calls words or a link in it harmful.";
const BLOCKED_ERROR =
  "Discord blocked the answer. It was an error, and Discord calls words or a link in it harmful.";

const EXPIRED = { reason: "late", message: "its token has expired" } as const;

/** Drops the buttons, which belong to the answer, and names the person by a mention that notifies nobody. */
function withoutButtons({ content, cards, files }: Reply, actor: Actor): MessageBody {
  return {
    content: joined([userMention(actor.userId), ...(content === undefined ? [] : [content])], " "),
    ...(cards === undefined ? {} : { cards }),
    ...(files === undefined ? {} : { files }),
  };
}
