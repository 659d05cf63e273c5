import type { Case } from "../../domain/case.ts";
import { Failure } from "../../domain/failure.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import { isOpenRun } from "../../domain/open-answer.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { NoticeWay, OwedMessages } from "../../domain/ports/notifier.ts";
import type { AnswerPlace, LateAnswers, LateEdit, RunAnswers } from "../../domain/ports/run-answers.ts";
import type { RunRenderer } from "../../domain/ports/run-renderer.ts";
import { isAutomatic, type RunOutcome, type RunRecord } from "../../domain/run.ts";
import { becomesCase, type CaseForAnswer, caseForAnswer } from "../../domain/run-case.ts";
import { readLogged } from "../catalogue/read-logged.ts";

/** When the case of a run is looked for, after one another: the database may be opened later than this process starts. */
const CASE_CHECKS_MS: readonly number[] = [1_000, ...Array<number>(17).fill(5_000)];

export interface LateOutcomesPorts {
  readonly answers: RunAnswers;
  readonly lateAnswers: LateAnswers;
  readonly owed: OwedMessages;
  readonly renderer: RunRenderer;
  /** The case that a run became; undefined: none, or not yet. Absent: no cases are kept. */
  readonly caseOf?: ((guildId: string, runId: string) => Promise<Case | undefined>) | undefined;
  readonly clock: Pick<Clock, "sleep">;
  report(what: string, error: unknown): void;
}

/** An answer that tells an outcome, and is told what comes to be known of it: what the log shows, and its case. */
interface OpenAnswer {
  readonly place: AnswerPlace;
  /** As it is known by now. */
  record: RunRecord;
  found: Case | undefined;
  isShown: boolean;
  awaitsProof: boolean;
  awaitsCase: boolean;
}

interface AnswerEdit {
  readonly found: Case | undefined;
  readonly unlessSaid?: readonly string[] | undefined;
}

/** Shows outcomes that no interaction of this process waits for: after a restart, or of deferred runs. */
export class LateOutcomes {
  readonly #ports: LateOutcomesPorts;
  /** By run; those of which more may come to be known. */
  readonly #open = new Map<string, OpenAnswer>();
  readonly #changes = new KeyedMutex();
  readonly #stopping = new AbortController();

  constructor(ports: LateOutcomesPorts) {
    this.#ports = ports;
  }

  /** What the log shows of this run belongs into the answer at `place`, also where that comes before `tell`. */
  expect(record: RunRecord, place: AnswerPlace | undefined): void {
    if (place === undefined) return;
    const awaitsProof = record.status === "unknown" && record.proof === "unchecked";
    const awaitsCase = this.#willBeCase(record);
    if (!awaitsProof && !awaitsCase) return;
    this.#open.set(record.id, { place, record, found: undefined, isShown: false, awaitsProof, awaitsCase });
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
    const found = await this.#caseOf(record);
    if (open !== undefined && found !== undefined) Object.assign(open, { found, awaitsCase: false });
    const edited = place === undefined ? "refused" : await this.#edit(place, outcome, { found, unlessSaid });
    if (edited === "edited" && open !== undefined) return await this.#onShown(open, record);
    this.#open.delete(record.id);
    // What is not stored is not forgotten: the next process tells it.
    if (edited === "refused" && !(await this.#tellElsewhere({ ...outcome, record: open?.record ?? record })))
      return;
    await this.#forget(record.id);
  }

  /** For an answer that shows its outcome already: the case that the run became is added to it, once it is there. */
  async addCase(record: RunRecord, place: AnswerPlace | undefined): Promise<void> {
    this.expect(record, place);
    const open = this.#open.get(record.id);
    if (open === undefined) return await this.#forget(record.id);
    open.isShown = true;
    void this.#seekCase(open);
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
    if (open?.awaitsProof !== true) return;
    open.record = record;
    open.awaitsProof = false;
    if (open.isShown) this.#bringUpToDate(open);
  }

  /** Looks for no case any more. */
  stop(): void {
    this.#stopping.abort();
  }

  async #onShown(open: OpenAnswer, told: RunRecord): Promise<void> {
    open.isShown = true;
    if (open.record !== told) this.#bringUpToDate(open);
    else await this.#forgetComplete(open);
    if (open.awaitsCase) void this.#seekCase(open);
  }

  async #seekCase(open: OpenAnswer): Promise<void> {
    for (const waitMs of CASE_CHECKS_MS) {
      try {
        await this.#ports.clock.sleep(waitMs, this.#stopping.signal);
      } catch {
        return;
      }
      open.found = await this.#caseOf(open.record);
      if (open.found !== undefined) break;
    }
    open.awaitsCase = false;
    if (open.found === undefined) await this.#forgetComplete(open);
    else this.#bringUpToDate(open);
  }

  /** One change at a time, each with all that is known when it is made. */
  #bringUpToDate(open: OpenAnswer): void {
    this.#changes
      .take(open.record.id, () => this.#edit(open.place, open, { found: open.found }))
      .then(() => this.#forgetComplete(open))
      .catch((error: unknown) => {
        // A stop came before it, and the next process has it before it.
        if (!(error instanceof Failure)) this.#ports.report("what came of a run was not added", error);
      });
  }

  async #forgetComplete({ record: { id }, awaitsProof, awaitsCase }: OpenAnswer): Promise<void> {
    if (awaitsProof || awaitsCase) return;
    this.#open.delete(id);
    await this.#forget(id);
  }

  #willBeCase(record: RunRecord): boolean {
    return this.#ports.caseOf !== undefined && becomesCase(record, readLogged);
  }

  /** A database that fails here must not keep an outcome from being told. */
  async #caseOf(record: RunRecord): Promise<Case | undefined> {
    if (!this.#willBeCase(record)) return undefined;
    return await this.#ports.caseOf?.(record.guildId, record.id).catch(() => undefined);
  }

  #forAnswer(record: RunRecord, found: Case | undefined): CaseForAnswer {
    return caseForAnswer(record, found, { read: readLogged, isKept: this.#ports.caseOf !== undefined });
  }

  #edit(place: AnswerPlace, outcome: RunOutcome, { found, unlessSaid }: AnswerEdit): Promise<LateEdit> {
    const body = this.#ports.renderer.answer(outcome, this.#forAnswer(outcome.record, found));
    return this.#ports.lateAnswers.edit(place, body, { unlessSaid });
  }

  /** An earlier process may have told it. */
  async #tellElsewhere(outcome: RunOutcome): Promise<boolean> {
    const { origin, channelId } = outcome.record;
    if (origin === "on-join") return await this.post(outcome, true);
    // Nobody waits for it: its list and the audit say what came of it.
    if (isAutomatic(origin)) return true;
    return await this.#owe(outcome, [personOf(outcome), { to: "channel", channelId }], true);
  }

  async #owe(outcome: RunOutcome, ways: readonly NoticeWay[], isDoubtful: boolean): Promise<boolean> {
    const { owed, renderer } = this.#ports;
    const { id, guildId } = outcome.record;
    const found = await this.#caseOf(outcome.record);
    return await owed.owe({
      id: `outcome ${id}`,
      guildId,
      ways: [...ways, { to: "notice-channel" }],
      body: renderer.outcome(outcome, this.#forAnswer(outcome.record, found)),
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
