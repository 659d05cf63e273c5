import type { Clock } from "../../domain/ports/clock.ts";
import type { Metrics } from "../../domain/ports/metrics.ts";
import type { Incoming, InteractionResponder } from "./incoming.ts";

interface TimedBy {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly metrics: Pick<Metrics, "observe">;
}

/** The same interaction; the time until Discord has taken its first answer is measured. */
export function withFirstAnswerTimed<I extends Incoming>(incoming: I, { clock, metrics }: TimedBy): I {
  const arrivedMs = clock.monotonicMs();
  async function timed(answer: Promise<void>): Promise<void> {
    await answer;
    metrics.observe("marshal_first_answer_seconds", (clock.monotonicMs() - arrivedMs) / 1_000, {
      kind: incoming.kind,
    });
  }
  const { answers } = incoming;
  const timedAnswers: InteractionResponder = {
    place: answers.place,
    defer: (first) => timed(answers.defer(first)),
    form: (form) => timed(answers.form(form)),
    replyPrivately: (body) => timed(answers.replyPrivately(body)),
    choices: (choices) => timed(answers.choices(choices)),
    edit: (body, target) => answers.edit(body, target),
    remove: () => answers.remove(),
    followUpPrivately: (body) => answers.followUpPrivately(body),
  };
  return { ...incoming, answers: timedAnswers };
}
