import { MessageFlags, type REST, Routes } from "discord.js";
import { Failure } from "../../domain/failure.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { AnswerPlace, LateAnswers, LateEdit } from "../../domain/ports/run-answers.ts";
import type { Log } from "../../log.ts";
import { composeEdit } from "../messages/compose.ts";
import { AnswerRefused } from "./incoming.ts";
import { asAnswerRefused } from "./interaction-responder.ts";
import { retryUntilTaken } from "./retry-answers.ts";

export interface LateAnswersPorts {
  /** On which answers go after the first. */
  readonly rest: Pick<REST, "get" | "patch">;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the bot stops. */
  readonly signal: AbortSignal;
}

/** Completes answers from outside their interaction, such as those of a process that was killed. */
export function createLateAnswers(ports: LateAnswersPorts): LateAnswers {
  const { rest, clock, log, signal } = ports;

  /** Repeats it until Discord answers; undefined: Discord refuses it for good. */
  async function untilAnswered<T>({ untilMs }: AnswerPlace, call: () => Promise<T>): Promise<T | undefined> {
    const endMs = clock.monotonicMs() + (untilMs - clock.nowMs());
    try {
      return await retryUntilTaken(() => asAnswerRefused(call), { clock, endMs, signal });
    } catch (error) {
      if (!(error instanceof AnswerRefused)) throw error;
      const { reason, message } = error;
      if (reason === "unknown" && signal.aborted) throw new Failure("expired", message, { cause: error });
      log.warn({ reason }, `an answer could not be completed: ${message}`);
      return undefined;
    }
  }

  /** Looks before each try, because another process may have answered since the one before. */
  async function editUnless(
    place: AnswerPlace,
    body: MessageBody,
    isRight?: (message: unknown) => boolean,
  ): Promise<LateEdit> {
    const change = { ...composeEdit(body), auth: false };
    const edited = await untilAnswered(place, async () => {
      if (isRight?.(await rest.get(routeOf(place), { auth: false })) === true) return "left";
      await rest.patch(routeOf(place), change);
      return "edited";
    });
    return edited ?? "refused";
  }

  return {
    edit: (place, body, { unlessSaid } = {}) =>
      editUnless(place, body, unlessSaid === undefined ? undefined : (message) => says(message, unlessSaid)),
    async replaceThinking(place, body) {
      await editUnless(place, body, (message) => !isThinking(message));
    },
  };
}

/** Whether its cards or buttons hold one of these texts. */
function says(message: unknown, texts: readonly string[]): boolean {
  if (typeof message !== "object" || message === null || !("embeds" in message)) return false;
  const shown = JSON.stringify([message.embeds, "components" in message ? message.components : []]);
  return texts.some((text) => shown.includes(JSON.stringify(text).slice(1, -1)));
}

function routeOf({ applicationId, token }: AnswerPlace): `/${string}` {
  return Routes.webhookMessage(applicationId, token, "@original");
}

function isThinking(message: unknown): boolean {
  if (typeof message !== "object" || message === null || !("flags" in message)) return false;
  return typeof message.flags === "number" && (message.flags & MessageFlags.Loading) !== 0;
}
