import { Failure } from "../../domain/failure.ts";
import { isOpenRun } from "../../domain/open-answer.ts";
import type { NoticeWay, OwedMessages } from "../../domain/ports/notifier.ts";
import type { AnswerPlace, LateAnswers, LateEdit, RunAnswers } from "../../domain/ports/run-answers.ts";
import type { RunRenderer } from "../../domain/ports/run-renderer.ts";
import { isAutomatic, type RunOutcome, type RunRecord } from "../../domain/run.ts";

export interface LateOutcomesPorts {
  readonly answers: RunAnswers;
  readonly lateAnswers: LateAnswers;
  readonly owed: OwedMessages;
  readonly renderer: RunRenderer;
  report(what: string, error: unknown): void;
}

/** An answer that tells an unknown outcome, and is told what the log shows of it. */
interface OpenProof {
  readonly place: AnswerPlace;
  isShown: boolean;
  /** What the log showed before the outcome was shown. */
  proved?: RunRecord;
}

/** Shows outcomes that no interaction of this process waits for: after a restart, or of deferred runs. */
export class LateOutcomes {
  readonly #ports: LateOutcomesPorts;
  /** By run; those whose proof is still open. */
  readonly #open = new Map<string, OpenProof>();

  constructor(ports: LateOutcomesPorts) {
    this.#ports = ports;
  }

  /** What the log shows of this run belongs into the answer at `place`, also where that comes before `tell`. */
  expect(record: RunRecord, place: AnswerPlace | undefined): void {
    if (place !== undefined && record.status === "unknown" && record.proof === "unchecked")
      this.#open.set(record.id, { place, isShown: false });
  }

  /**
   * Completes the answer where it stands, or else tells the person. An outcome that stands there is left, because the
   * process that showed it knew more, unless it waits for what the log shows: `replacesOutcome`. Rejects where the process
   * stops before.
   */
  async tell(
    outcome: RunOutcome,
    place: AnswerPlace | undefined,
    { replacesOutcome = false }: { readonly replacesOutcome?: boolean } = {},
  ): Promise<void> {
    const { record } = outcome;
    const unlessSaid = replacesOutcome ? undefined : this.#ports.renderer.outcomeMarks(record);
    if (!this.#open.has(record.id)) this.expect(record, place);
    const open = this.#open.get(record.id);
    const edited = place === undefined ? "refused" : await this.#edit(place, outcome, { unlessSaid });
    if (edited === "edited" && open !== undefined) {
      open.isShown = true;
      if (open.proved !== undefined) this.onProof(open.proved);
      return;
    }
    this.#open.delete(record.id);
    // What is not stored is not forgotten: the next process tells it.
    if (edited === "refused" && !(await this.#tellElsewhere({ ...outcome, record: open?.proved ?? record })))
      return;
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

  /**
   * Posts the outcome of a deferred run into its channel; where that refuses, sends it to the person. `isDoubtful`: an
   * earlier process may have posted it. Resolves with whether it is stored that it is owed.
   */
  post(outcome: RunOutcome, isDoubtful: boolean): Promise<boolean> {
    const { channelId } = outcome.record;
    return this.#owe(outcome, [{ to: "channel", channelId }, personOf(outcome)], isDoubtful);
  }

  /** Adds to a completed answer what the log shows of the run. Not waited for: Discord may be away for minutes. */
  onProof(record: RunRecord): void {
    const open = this.#open.get(record.id);
    if (open === undefined) return;
    if (!open.isShown) {
      open.proved = record;
      return;
    }
    this.#open.delete(record.id);
    this.#edit(open.place, { record })
      .then(() => this.#forget(record.id))
      .catch((error: unknown) => {
        // A stop came before it, and the next process has it before it.
        if (!(error instanceof Failure))
          this.#ports.report("what the log shows of a run was not added", error);
      });
  }

  #edit(
    place: AnswerPlace,
    outcome: RunOutcome,
    options: { readonly unlessSaid?: readonly string[] | undefined } = {},
  ): Promise<LateEdit> {
    return this.#ports.lateAnswers.edit(place, this.#ports.renderer.answer(outcome), options);
  }

  /** An earlier process may have told it. */
  async #tellElsewhere(outcome: RunOutcome): Promise<boolean> {
    const { origin, channelId } = outcome.record;
    if (origin === "on-join") return await this.post(outcome, true);
    // Nobody waits for it: its list and the audit say what came of it.
    if (isAutomatic(origin)) return true;
    return await this.#owe(outcome, [personOf(outcome), { to: "channel", channelId }], true);
  }

  #owe(outcome: RunOutcome, ways: readonly NoticeWay[], isDoubtful: boolean): Promise<boolean> {
    const { owed, renderer } = this.#ports;
    const { id, guildId } = outcome.record;
    return owed.owe({
      id: `outcome ${id}`,
      guildId,
      ways: [...ways, { to: "notice-channel" }],
      body: renderer.outcome(outcome),
      marks: renderer.outcomeMarks(outcome.record),
      sinceMs: outcome.record.askedAtMs,
      isDoubtful,
    });
  }

  async #forget(runId: string): Promise<void> {
    await this.#ports.answers
      .forget(runId)
      .catch((error: unknown) => this.#ports.report("the place of an answer could not be forgotten", error));
  }
}

function personOf({ record }: RunOutcome): NoticeWay {
  return { to: "person", userId: record.actorId };
}
