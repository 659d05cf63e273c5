import type { Clock } from "../../domain/ports/clock.ts";
import type { AnswerPlace, RunAnswers } from "../../domain/ports/run-answers.ts";
import { slowAnswerId } from "../../domain/slow-answer.ts";
import type { Log } from "../../log.ts";

/**
 * A command that takes longer has its answer stored, so that the next process can complete it. Most are done long before,
 * and storing each would cost two writes a command; one that is killed within this time keeps "thinking..." until
 * Discord ends it, after 15 minutes.
 */
const SLOW_AFTER_MS = 1_000;

export interface SlowAnswerPorts {
  readonly answers: Pick<RunAnswers, "remember" | "forget">;
  readonly clock: Clock;
  readonly log: Log;
}

export interface SlowAnswer {
  readonly guildId: string;
  readonly reference: string;
  readonly place: AnswerPlace | undefined;
  /** It sends commands to the game. */
  readonly mayRun: boolean;
}

/** Remembers an answer that shows "thinking..." for long. The returned function is called when it shows something. */
export function rememberWhileSlow(
  { answers, clock, log }: SlowAnswerPorts,
  { guildId, reference, place, mayRun }: SlowAnswer,
): () => void {
  if (place === undefined) return () => undefined;
  const id = slowAnswerId(reference, { mayRun });
  const onError = (err: unknown) => log.warn({ reference, err }, "a slow answer could not be stored");
  let remembered: Promise<void> | undefined;
  const cancel = clock.after(SLOW_AFTER_MS, () => {
    remembered = answers.remember({ guildId, runId: id }, place).catch(onError);
  });
  return () => {
    cancel();
    remembered?.then(() => answers.forget(id)).catch(onError);
    remembered = undefined;
  };
}
