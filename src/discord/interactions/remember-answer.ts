import { openAnswerId } from "../../domain/open-answer.ts";
import type { AnswerPlace, RunAnswers } from "../../domain/ports/run-answers.ts";
import type { Log } from "../../log.ts";

export interface RememberPorts {
  readonly answers: Pick<RunAnswers, "remember" | "forget">;
  readonly log: Log;
}

export interface OpenAnswer {
  readonly guildId: string;
  readonly reference: string;
  /** undefined: nothing shows "thinking...". */
  readonly place: AnswerPlace | undefined;
  /** It sends commands to the game. */
  readonly mayRun: boolean;
}

/**
 * Stores where an answer shows "thinking...", so that the next process can complete it. To be called before the first
 * answer goes out, and not waited for: a kill may come in any moment after it, and Discord gives three seconds, also where
 * the store takes longer. The returned function is called when the answer shows something.
 */
export function rememberAnswer(
  { answers, log }: RememberPorts,
  { guildId, reference, place, mayRun }: OpenAnswer,
): () => void {
  if (place === undefined) return () => undefined;
  const id = openAnswerId(reference, { mayRun });
  const onError = (err: unknown) =>
    log.warn({ reference, err }, "the place of an answer could not be stored");
  let remembered: Promise<void> | undefined = answers.remember({ guildId, runId: id }, place).catch(onError);
  return () => {
    remembered?.then(() => answers.forget(id)).catch(onError);
    remembered = undefined;
  };
}
