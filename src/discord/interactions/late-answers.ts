import { type REST, Routes } from "discord.js";
import type { LateAnswers } from "../../domain/ports/run-answers.ts";
import type { Log } from "../../log.ts";
import { composeEdit } from "../messages/compose.ts";
import type { AskerNotifier } from "../messages/notifier.ts";

export interface LateAnswersPorts {
  /** On which answers go after the first. */
  readonly rest: REST;
  readonly notifier: Pick<AskerNotifier, "tellAsker">;
  readonly log: Log;
}

/** Completes answers from outside their interaction, such as those of a process that was killed. */
export function createLateAnswers({ rest, notifier, log }: LateAnswersPorts): LateAnswers {
  return {
    async edit({ applicationId, token }, body) {
      try {
        const route = Routes.webhookMessage(applicationId, token, "@original");
        await rest.patch(route, { ...composeEdit(body), auth: false });
        return true;
      } catch (error) {
        // Without the error's own text: its URL holds the token.
        log.warn({ code: codeOf(error) }, "an answer could not be completed where it stands");
        return false;
      }
    },
    tell: (asker, body) => notifier.tellAsker(asker, body),
  };
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "none";
  return String(error.code);
}
