import type { Press, Reply } from "../src/discord/command.ts";
import { outcomeCard, progressCard } from "../src/discord/render/run-cards.ts";
import type { Services } from "../src/discord/services.ts";
import type { Case } from "../src/domain/case.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { AnswerPlace } from "../src/domain/ports/run-answers.ts";
import { LOG_SOUGHT_MS, type RunOutcome, type RunRecord, type SubmittedRun } from "../src/domain/run.ts";
import { becomesCase, caseForAnswer } from "../src/domain/run-case.ts";

/** Shows a run until it is over and nothing more can come to be known of it. */

/** A run that is sent sooner than this needs no card that says that it waits. */
const WORTH_SHOWING_MS = 1_500;
/** How often, and how many times, the audit is asked whether the log shows the run: as long as the log is read. */
const PROOF_CHECK_EVERY_MS = 5_000;
const PROOF_CHECKS = LOG_SOUGHT_MS / PROOF_CHECK_EVERY_MS;
/** A case is written right after the outcome. */
const CASE_CHECK_MS = 1_000;
/** What the invocation or press that asked for the run says of its answer. */
export type AnswerContext = Pick<Press, "signal" | "answer" | "lastReply">;

/** Shows a run until its outcome and what the log says of it. After a kill the next process completes the answer. */
export async function* follow(
  services: Services,
  submitted: SubmittedRun,
  on: AnswerContext & { readonly actor: Actor },
): AsyncGenerator<Reply> {
  const { actor, signal, answer } = on;
  const { runAnswers, clock } = services;
  // A store that fails here must not keep a command from running. After a kill its outcome is then sent by message.
  if (answer !== undefined) {
    await runAnswers.remember({ guildId: actor.guildId, runId: submitted.id }, answer).catch(() => undefined);
  }
  let outcome: RunOutcome | undefined;
  try {
    for await (const progress of submitted.progress()) {
      const soon = progress.expectedAtMs - clock.nowMs() < WORTH_SHOWING_MS;
      if (!soon || progress.record.status === "sending") yield progressCard(progress);
    }
    outcome = await submitted.outcome;
    yield outcomeReply(services, outcome, on);
    await keepForUndo(services, outcome.record, answer);
    if (outcome.record.status === "unknown") yield* proofOf(services, outcome.record, signal);
  } finally {
    if (answer !== undefined && !isLeftToNext(outcome, on))
      await keepForCase(services, { outcome, answer, runId: submitted.id });
  }
  // The outcome is shown, so after a kill from here on nothing but its case can be missing.
  if (outcome.record.status !== "done") return;
  yield* proofOf(services, outcome.record, signal);
  if (!signal.aborted) await runAnswers.forget(submitted.id).catch(() => undefined);
}

/** Of a run that ran and becomes a case, for whose button the next process would look; other answers are complete. */
async function keepForCase(
  services: Services,
  { outcome, answer, runId }: { outcome: RunOutcome | undefined; answer: AnswerPlace; runId: string },
): Promise<void> {
  const { runAnswers } = services;
  const run = outcome?.record;
  const isWhole = run?.status !== "done" || !willBeCase(services, run);
  const kept = isWhole
    ? runAnswers.forget(runId)
    : runAnswers.remember({ guildId: run.guildId, runId, isShown: true }, answer);
  await kept.catch(() => undefined);
}

/** The answer of a run that can be undone is kept; that of an undo takes the buttons from the answer of what it undid. */
async function keepForUndo(
  services: Services,
  { id, guildId, status, inverse, origin, undoes }: RunRecord,
  answer: AnswerContext["answer"],
): Promise<void> {
  if (status !== "done") return;
  if (undoes !== undefined) await showUndone(services, { guildId, id: undoes });
  else if (inverse !== undefined && origin !== "undo" && answer !== undefined)
    services.shownAnswers.keep(id, answer);
}

/** Of a run that was undone: its answer offers neither to undo it nor to run it again. */
export async function showUndone(
  services: Services,
  { guildId, id }: Pick<RunRecord, "guildId" | "id">,
): Promise<void> {
  const record = await services.audit.get(guildId, id).catch(() => undefined);
  if (record === undefined) return;
  const options = answerOptions(services, record, await foundCase(services, record));
  services.shownAnswers.edit(id, outcomeCard(record, { ...options, isUndone: true }));
}

/** What a stop kept from being shown, or from being looked for in the log, the next process shows and looks for. */
function isLeftToNext(outcome: RunOutcome | undefined, { signal, lastReply }: AnswerContext): boolean {
  if (!signal.aborted) return false;
  return lastReply?.isShown !== true || outcome?.record.status === "unknown";
}

/**
 * Shows what the log says of a run as soon as it says something, and the case that it became; at the end, that it was
 * not seen.
 */
async function* proofOf(services: Services, run: RunRecord, signal: AbortSignal): AsyncGenerator<Reply> {
  const { audit, clock } = services;
  let latest = run;
  let found: Case | undefined;
  const card = () => outcomeCard(latest, { ...answerOptions(services, run, found), isSought: isLooking() });
  const isLooking = () => latest.status === "unknown" && latest.proof === "unchecked";
  for (let check = 0; check < PROOF_CHECKS; check++) {
    // A case is there in a moment, what the log shows takes longer.
    const waitMs = check === 0 && willBeCase(services, run) ? CASE_CHECK_MS : PROOF_CHECK_EVERY_MS;
    try {
      await clock.sleep(waitMs, signal);
    } catch {
      return;
    }
    // It was undone: what the log shows brings no button back.
    if (services.shownAnswers.isEdited(run.id)) return;
    // A store that fails here must not take the place of the outcome that stands there already.
    const record = await audit.get(run.guildId, run.id).catch(() => undefined);
    const isProved = record !== undefined && record.proof !== "unchecked" && latest.proof === "unchecked";
    const made = found ?? (await foundCase(services, run));
    if (!isProved && made === found) continue;
    if (isProved) latest = record;
    found = made;
    yield card();
    if (latest.proof !== "unchecked" && (found !== undefined || !willBeCase(services, run))) return;
  }
  const logTrouble = services.snapshots.failing(run.source)?.code;
  if (isLooking()) yield outcomeCard(latest, { ...answerOptions(services, run, found), logTrouble });
}

/** The card of an earlier run, for which the log is read once more where nothing is known of it. */
export async function* soughtAgain(
  services: Services,
  record: RunRecord,
  signal: AbortSignal,
): AsyncGenerator<Reply> {
  if (record.status !== "unknown" || record.proof !== "unchecked")
    return yield await outcomeAgain(services, record);
  services.runner.seek(record);
  const found = await foundCase(services, record);
  yield outcomeCard(record, { ...answerOptions(services, record, found), isSought: true });
  yield* proofOf(services, record, signal);
}

/** The card of an earlier run, with what is known by now. */
async function outcomeAgain(services: Services, record: RunRecord): Promise<Reply> {
  return outcomeCard(record, answerOptions(services, record, await foundCase(services, record)));
}

/** The case that a run became; undefined: it becomes none, or has none yet. */
async function foundCase(services: Services, run: RunRecord): Promise<Case | undefined> {
  if (!willBeCase(services, run)) return undefined;
  return await services.cases.ofRun(run.guildId, run.id).catch(() => undefined);
}

function answerOptions(services: Services, run: RunRecord, found: Case | undefined) {
  const { catalogue, cases, settings } = services;
  const isPaused = settings.known(run.guildId)?.automaticPause !== undefined;
  const { isKept } = cases;
  return { ...caseForAnswer(run, found, { read: (text) => catalogue.readLogged(text), isKept }), isPaused };
}

function outcomeReply(
  services: Services,
  { record, failure }: RunOutcome,
  { actor, signal }: { readonly actor: Actor; readonly signal: AbortSignal },
): Reply {
  const mayDefer = record.failureCode === "server-empty" && isHarmless(services, record);
  // A process that stops does not see what the log shows.
  const isSought = record.status === "unknown" && !signal.aborted;
  const { retryAtMs } = failure ?? {};
  const options = { mayDefer, retryAtMs, isSought, manages: actor.manageGuild };
  return {
    ...outcomeCard(record, { ...answerOptions(services, record, undefined), ...options }),
    important: true,
  };
}

function willBeCase({ catalogue, cases }: Services, run: RunRecord): boolean {
  return cases.isKept && becomesCase(run, (text) => catalogue.readLogged(text));
}

/** The rule of the deferred runs: without a person watching, only harmless verbs. */
function isHarmless({ catalogue }: Services, { text }: RunRecord): boolean {
  const danger = catalogue.about(text)?.danger;
  return danger === "read" || danger === "mild";
}
