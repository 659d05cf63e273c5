import { MessageFlags, type REST, Routes } from "discord.js";
import { Failure } from "../../domain/failure.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { AnswerPlace, LateAnswers } from "../../domain/ports/run-answers.ts";
import type { Log } from "../../log.ts";
import { composeEdit } from "../messages/compose.ts";
import type { AskerNotifier } from "../messages/notifier.ts";
import { AnswerRefused } from "./incoming.ts";
import { asAnswerRefused } from "./interaction-responder.ts";
import { retryUntilTaken } from "./retry-answers.ts";

export interface LateAnswersPorts {
  /** On which answers go after the first. */
  readonly rest: REST;
  readonly notifier: Pick<AskerNotifier, "tellAsker">;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the bot stops. */
  readonly signal: AbortSignal;
}

/** Completes answers from outside their interaction, such as those of a process that was killed. */
export function createLateAnswers(ports: LateAnswersPorts): LateAnswers {
  const { rest, notifier, clock, log, signal } = ports;

  /** Repeats it until Discord answers; undefined: Discord refuses it for good. */
  async function untilAnswered<T>({ untilMs }: AnswerPlace, call: () => Promise<T>): Promise<T | undefined> {
    const endMs = clock.monotonicMs() + (untilMs - clock.nowMs());
    try {
      return await retryUntilTaken(() => asAnswerRefused(call), { clock, endMs, signal });
    } catch (error) {
      if (!(error instanceof AnswerRefused)) throw error;
      const { reason, message } = error;
      if (reason === "unknown" && signal.aborted) throw new Failure("expired", message, { cause: error });
      log.warn({ reason }, `an answer could not be completed where it stands: ${message}`);
      return undefined;
    }
  }

  const edit = async (place: AnswerPlace, body: MessageBody) => {
    const change = { ...composeEdit(body), auth: false };
    return (await untilAnswered(place, () => rest.patch(routeOf(place), change))) !== undefined;
  };

  return {
    edit,
    async replaceThinking(place, body) {
      const shown = await untilAnswered(place, () => rest.get(routeOf(place), { auth: false }));
      if (isThinking(shown)) await edit(place, body);
    },
    tell: (asker, body) => notifier.tellAsker(asker, body),
  };
}

function routeOf({ applicationId, token }: AnswerPlace): `/${string}` {
  return Routes.webhookMessage(applicationId, token, "@original");
}

function isThinking(message: unknown): boolean {
  if (typeof message !== "object" || message === null || !("flags" in message)) return false;
  return typeof message.flags === "number" && (message.flags & MessageFlags.Loading) !== 0;
}
