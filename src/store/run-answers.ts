import type { Clock } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { AnswerPlace, RunAnswers } from "../domain/ports/run-answers.ts";
import { ServerKey } from "../domain/server-key.ts";
import { parseAnswerPlace, type SealedAnswer } from "./document-schemas.ts";
import type { Vault } from "./vault.ts";

export interface RunAnswersParts {
  readonly documents: Documents<SealedAnswer>;
  readonly vault: Vault;
  readonly clock: Clock;
}

/** The place that a token is sealed to: copied to another run, it does not open. */
function placeOf(runId: string): string {
  return `run-answer/${runId}`;
}

/** Sealed answer tokens in the store; each is deleted when its time is over. */
export function createRunAnswers({ documents, vault, clock }: RunAnswersParts): RunAnswers {
  /** Cancels the timer that ends it, by run; each answer has one, and most are forgotten within a second. */
  const endings = new Map<string, () => void>();
  const cancelEnding = (runId: string) => {
    endings.get(runId)?.();
    endings.delete(runId);
  };

  function forgetAt(runId: string, untilMs: number): void {
    cancelEnding(runId);
    const cancel = clock.after(Math.max(0, untilMs - clock.nowMs()), () => {
      endings.delete(runId);
      // If the store fails now, the next start finds the expired document and removes it.
      documents.delete(runId).catch(() => undefined);
    });
    endings.set(runId, cancel);
  }

  function open(runId: string, { sealed, untilMs }: SealedAnswer): AnswerPlace | undefined {
    if (untilMs <= clock.nowMs()) return undefined;
    try {
      return parseAnswerPlace(JSON.parse(vault.open(sealed, placeOf(runId)).reveal()));
    } catch {
      // Sealed under another secret: the outcome is then sent as a message.
      return undefined;
    }
  }

  return {
    async remember({ guildId, runId, isShown }, place) {
      // An interaction's token is sealed like a server key, because its holder can write in the bot's name.
      const sealed = vault.seal(new ServerKey(JSON.stringify(place)), placeOf(runId));
      await documents.set(runId, { guildId, sealed, untilMs: place.untilMs, isShown });
      forgetAt(runId, place.untilMs);
    },
    async forget(runId) {
      await documents.delete(runId);
      cancelEnding(runId);
    },
    async *all() {
      for await (const [runId, kept] of documents.entries()) {
        const place = open(runId, kept);
        if (place !== undefined) forgetAt(runId, place.untilMs);
        const { guildId, isShown } = kept;
        yield { runId, guildId, isShown, ...(place === undefined ? {} : { place }) };
      }
    },
  };
}
