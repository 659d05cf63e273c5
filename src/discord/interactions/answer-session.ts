import { joined, userMention } from "../../domain/escaped.ts";
import { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { Button, MessageBody } from "../../domain/message.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import type { Log } from "../../log.ts";
import type { FirstAnswer, Reply } from "../command.ts";
import { defectBody, failureBody } from "../render/errors.ts";
import { AnswerRefused, type InteractionResponder, type Target, TOKEN_LIVES_MS } from "./incoming.ts";
import { retryUntilTaken } from "./retry-answers.ts";

export interface AnswerSessionPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly sink: Sink;
  readonly notifier: Notifier;
  readonly log: Log;
}

export interface AnswerSessionOptions {
  readonly first: FirstAnswer;
  readonly actor: Actor;
  readonly answers: InteractionResponder;
  readonly reference: string;
  /** When the interaction came, by the monotonic clock: its token's age does not depend on anybody's wall clock. */
  readonly cameMs: number;
  /** The bot stops: no more waiting for Discord. */
  readonly signal: AbortSignal;
  /** The next step after a failure, as a button. */
  readonly next: (failure: Failure) => Button | undefined;
}

/** One answer from its deferral to its last edit: where each reply goes, and what becomes of it when it cannot. */
export class AnswerSession {
  readonly #ports: AnswerSessionPorts;
  readonly #options: AnswerSessionOptions;
  #target: Target = "@original";
  /** What is seen under #target is seen by who asked only. */
  #private: boolean;
  #asideSent = false;
  /** Something of ours stands in the place of "thinking...". */
  #shown: boolean;
  #removed = false;

  constructor(ports: AnswerSessionPorts, options: AnswerSessionOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#private = options.first === "ephemeral";
    this.#shown = options.first === "update";
  }

  /** Shows a reply in place of the one before. Rejects only when Discord found it malformed: a defect. */
  async show(reply: Reply): Promise<void> {
    const { cameMs, signal } = this.#options;
    const { clock } = this.#ports;
    const endMs = cameMs + TOKEN_LIVES_MS;
    if (clock.monotonicMs() > endMs) return this.#elsewhere(reply, EXPIRED);

    try {
      await retryUntilTaken(() => this.#put(reply), { clock, endMs, signal });
    } catch (error) {
      if (!(error instanceof AnswerRefused) || error.reason === "form") throw error;
      return this.#elsewhere(reply, error);
    }
    this.#shown = true;
    await this.#showAside(reply);
  }

  /** Shows what went wrong: a Failure in words, anything else as a defect that only the log explains. */
  async fail(error: unknown): Promise<void> {
    const { log } = this.#ports;
    const { reference, actor, next } = this.#options;
    const failure = error instanceof Failure ? error : undefined;
    if (failure) {
      log.info({ reference, code: failure.code, ran: failure.ran, guildId: actor.guildId }, failure.message);
    } else log.error({ reference, guildId: actor.guildId, err: error }, "a command met a defect");
    const context = { reference, manages: actor.manageGuild, roleIds: actor.roleIds };
    const body = failure ? failureBody(failure, { ...context, next: next(failure) }) : defectBody(reference);
    try {
      // A defect may have struck after the thing was done: like "unknown", it must not go unsaid.
      await this.show({ ...body, ephemeral: true, important: failure === undefined || failure.ran !== "no" });
    } catch (refused) {
      log.error({ reference, err: refused }, "an error could not be shown");
    }
  }

  async #put(reply: Reply): Promise<void> {
    if (reply.ephemeral && !this.#private) await this.#aside(reply);
    else await this.#options.answers.edit(reply, this.#target);
  }

  /** For who asked only, where the first answer is for all: that one goes, or stays as it was when it was an update. */
  async #aside(reply: Reply): Promise<void> {
    // First the deletion: a follow-up to a deferred answer would fill that one and inherit that all can see it.
    if (this.#options.first === "public" && !this.#removed) await this.#options.answers.remove();
    this.#removed = true;
    this.#target = await this.#options.answers.followUp(reply, true);
    this.#private = true;
  }

  async #showAside({ aside }: Reply): Promise<void> {
    if (aside === undefined || this.#asideSent) return;
    this.#asideSent = true;
    try {
      await this.#options.answers.followUp(aside, true);
    } catch (error) {
      if (!(error instanceof AnswerRefused) || error.reason === "form") throw error;
      this.#dropped(error.message);
    }
  }

  /**
   * The answer cannot be changed any more. An outcome that matters goes to the channel, or to the person; so does a
   * first reply, for who asked would else read "thinking..." and then nothing. A token that ran out while they waited
   * is told by direct message as well: what stands in the channel notifies nobody.
   */
  async #elsewhere(
    reply: Reply,
    { reason, message }: Pick<AnswerRefused, "reason" | "message">,
  ): Promise<void> {
    const { actor, reference } = this.#options;
    const { log, notifier, sink, random } = this.#ports;
    const isFirst = !this.#shown && reason !== "gone";
    if (!reply.important && !isFirst) return this.#dropped(message);

    log.warn({ reference }, `an outcome goes another way: ${message}`);
    this.#shown = true;
    const body = withoutButtons(reply, actor);
    const tellPerson = () => notifier.person(actor.guildId, actor.userId, body);
    if (reply.ephemeral || this.#private) return tellPerson();
    try {
      await sink.send(actor.channelId, { ...body, nonce: random.id().slice(0, 25) });
    } catch {
      return tellPerson();
    }
    if (reason === "late") await tellPerson();
  }

  #dropped(why: string): void {
    this.#ports.log.warn({ reference: this.#options.reference }, `a reply was dropped: ${why}`);
  }
}

const EXPIRED = { reason: "late", message: "its token has expired" } as const;

/** Buttons belong to the answer that is gone. The mention names whose it was; it notifies nobody. */
function withoutButtons({ content, cards, files }: Reply, actor: Actor): MessageBody {
  return {
    content: joined([userMention(actor.userId), ...(content === undefined ? [] : [content])], " "),
    ...(cards === undefined ? {} : { cards }),
    ...(files === undefined ? {} : { files }),
  };
}
