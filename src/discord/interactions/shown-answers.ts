import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { AnswerPlace, LateAnswers, ShownAnswers } from "../../domain/ports/run-answers.ts";
import type { Log } from "../../log.ts";

export interface ShownAnswersPorts {
  readonly lateAnswers: Pick<LateAnswers, "edit">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Pick<Log, "warn">;
}

/** Beyond this many the oldest are given up: they keep a button that says "undone already". */
const MOST_KEPT = 1_000;

/** In memory alone: nothing is owed, and a token is stored sealed only. */
export function createShownAnswers({ lateAnswers, clock, log }: ShownAnswersPorts): ShownAnswers {
  const places = new Map<string, AnswerPlace & { readonly isEdited?: true }>();
  const isOver = ({ untilMs }: AnswerPlace) => untilMs <= clock.nowMs();
  return {
    keep(runId, place) {
      for (const [id, kept] of places) {
        // All live equally long, so the first that lives is the oldest.
        if (places.size < MOST_KEPT && !isOver(kept)) break;
        places.delete(id);
      }
      places.set(runId, place);
    },
    edit(runId, body) {
      const place = places.get(runId);
      if (place === undefined || place.isEdited === true || isOver(place)) return;
      places.set(runId, { ...place, isEdited: true });
      lateAnswers.edit(place, body).catch((error: unknown) => {
        // A stop came before it.
        if (!(error instanceof Failure))
          log.warn({ err: error }, "an earlier answer was not brought up to date");
      });
    },
    forget: (runId) => void places.delete(runId),
    isEdited: (runId) => places.get(runId)?.isEdited === true,
  };
}
