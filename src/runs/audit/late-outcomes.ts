import { Failure } from "../../domain/failure.ts";
import { isOpenRun } from "../../domain/open-answer.ts";
import type { AnswerPlace, LateAnswers, RunAnswers } from "../../domain/ports/run-answers.ts";
import type { RunRenderer } from "../../domain/ports/run-renderer.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import type { RunOutcome, RunRecord } from "../../domain/run.ts";

export interface LateOutcomesPorts {
  readonly answers: RunAnswers;
  readonly lateAnswers: LateAnswers;
  readonly sink: Sink;
  readonly renderer: RunRenderer;
  report(what: string, error: unknown): void;
}

/** Shows outcomes that no interaction of this process waits for: after a restart, or of deferred runs. */
export class LateOutcomes {
  readonly #ports: LateOutcomesPorts;
  /** Completed answers of runs whose proof is still open. */
  readonly #open = new Map<string, AnswerPlace>();

  constructor(ports: LateOutcomesPorts) {
    this.#ports = ports;
  }

  /** Completes the answer where it stands, or else tells the person. Rejects where the process stops before. */
  async tell(outcome: RunOutcome, place: AnswerPlace | undefined): Promise<void> {
    const { record } = outcome;
    const shown = place !== undefined && (await this.#edit(place, outcome));
    if (shown && record.status === "unknown" && record.proof === "unchecked") {
      this.#open.set(record.id, place);
      return;
    }
    if (!shown) await this.#tellElsewhere(outcome);
    await this.#forget(record.id);
  }

  /**
   * Completes the answer of a command that ended with its process: nothing but asking again brings what was asked for.
   * Rejects where the process stops before.
   */
  async tellRestarted(id: string, place: AnswerPlace): Promise<void> {
    const { renderer, lateAnswers } = this.#ports;
    await lateAnswers.replaceThinking(place, isOpenRun(id) ? renderer.restartedRun() : renderer.restarted());
    await this.#forget(id);
  }

  /** Posts the outcome of a deferred run into its channel; where that refuses, sends it to the person. */
  async post(outcome: RunOutcome, nonce: string): Promise<void> {
    const { sink, renderer, lateAnswers } = this.#ports;
    const { guildId, actorId: userId, channelId } = outcome.record;
    const body = renderer.outcome(outcome);
    try {
      await sink.send(channelId, { ...body, nonce });
    } catch (error) {
      this.#ports.report("an outcome could not be posted, so it is told in person", error);
      await lateAnswers.tell({ guildId, userId, channelId }, body);
    }
  }

  /** Adds to a completed answer what the log shows of the run. Not waited for: Discord may be away for minutes. */
  onProof(record: RunRecord): void {
    const place = this.#open.get(record.id);
    if (place === undefined) return;
    this.#open.delete(record.id);
    this.#edit(place, { record })
      .then(() => this.#forget(record.id))
      .catch((error: unknown) => {
        // A stop came before it, and the next process has it before it.
        if (!(error instanceof Failure))
          this.#ports.report("what the log shows of a run was not added", error);
      });
  }

  #edit(place: AnswerPlace, outcome: RunOutcome): Promise<boolean> {
    return this.#ports.lateAnswers.edit(place, this.#ports.renderer.answer(outcome));
  }

  async #tellElsewhere(outcome: RunOutcome): Promise<void> {
    const { id, origin, guildId, actorId: userId, channelId } = outcome.record;
    if (origin === "on-join") return this.post(outcome, id.slice(0, 25));
    // Nobody waits for it: the list of schedules and the audit say what came of it.
    if (origin === "schedule") return;
    await this.#ports.lateAnswers.tell({ guildId, userId, channelId }, this.#ports.renderer.outcome(outcome));
  }

  async #forget(runId: string): Promise<void> {
    await this.#ports.answers
      .forget(runId)
      .catch((error: unknown) => this.#ports.report("the place of an answer could not be forgotten", error));
  }
}
