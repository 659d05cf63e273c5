import { type REST, Routes } from "discord.js";
import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { LateAnswers } from "../../domain/ports/run-answers.ts";
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
export function createLateAnswers({ rest, notifier, clock, log, signal }: LateAnswersPorts): LateAnswers {
  return {
    async edit({ applicationId, token, untilMs }, body) {
      const route = Routes.webhookMessage(applicationId, token, "@original");
      const endMs = clock.monotonicMs() + (untilMs - clock.nowMs());
      try {
        await retryUntilTaken(
          () => asAnswerRefused(() => rest.patch(route, { ...composeEdit(body), auth: false })),
          { clock, endMs, signal },
        );
        return true;
      } catch (error) {
        if (!(error instanceof AnswerRefused)) throw error;
        const { reason, message } = error;
        if (reason === "unknown" && signal.aborted) throw new Failure("expired", message, { cause: error });
        log.warn({ reason }, `an answer could not be completed where it stands: ${message}`);
        return false;
      }
    },
    tell: (asker, body) => notifier.tellAsker(asker, body),
  };
}
