import type { Press, Reply } from "../src/discord/command.ts";
import { confirmCard, dryCard } from "../src/discord/render/plan-cards.ts";
import { outcomeCard, progressCard } from "../src/discord/render/run-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { runKinds } from "../src/domain/case.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type {
  Decision,
  RunOrigin,
  RunOutcome,
  RunPlan,
  RunRecord,
  RunRequest,
  SubmittedRun,
} from "../src/domain/run.ts";

/** Shows a run from its text to its outcome, in the same way for /run command, presets and buttons. */

/** A run that is sent sooner than this needs no card that says that it waits. */
const WORTH_SHOWING_MS = 1_500;
/** How often, and how many times, the audit is asked whether the log shows the run: as long as the log is read. */
const PROOF_CHECK_EVERY_MS = 5_000;
const PROOF_CHECKS = 18;

export interface RunAsk {
  readonly actor: Actor;
  readonly binding: Binding;
  readonly text: string;
  readonly origin: RunOrigin;
  readonly dry?: boolean | undefined;
  readonly on: AnswerContext;
}

/** What the invocation or press that asked for the run says of its answer. */
export type AnswerContext = Pick<Press, "signal" | "answer" | "lastReply">;

/** For a known verb that was typed without its colon: shows the command with one, to be sent by one press. */
export async function* offerWithColon(
  services: Services,
  { on: _, dry, text, ...rest }: RunAsk,
): AsyncGenerator<Reply> {
  const request = await withOwnPlayer(services, { ...rest, text: `:${text}` });
  const plan = await services.runner.plan(request);
  if (!plan.decision.allowed) throw refused(plan.decision, plan.request.binding);
  yield dry === true ? dryCard(plan) : confirmCard(plan, { isGuess: true });
}

/** Plans it; then shows the plan (dry), asks for a confirmation, or sends it and follows it to its outcome. */
export async function* ask(services: Services, { dry, on, ...request }: RunAsk): AsyncGenerator<Reply> {
  const plan = await services.runner.plan(await withOwnPlayer(services, request));
  if (dry === true) {
    yield dryCard(plan);
    return;
  }
  if (plan.decision.allowed) refuseParked(services, request.binding);
  if (plan.meant !== undefined) yield* offerNearestVerb(services, plan, plan.meant);
  else if (plan.decision.allowed && plan.confirm !== "none") yield confirmCard(plan);
  // A refusal is submitted too, so that the audit shows who tried what.
  else {
    yield* follow(services, await services.runner.submit(plan), {
      guildId: plan.request.actor.guildId,
      ...on,
    });
  }
}

/** Nobody is asked whether to send what cannot be sent. @throws Failure "key-rejected" */
function refuseParked({ health }: Services, { id, source }: Binding): void {
  const parked = health.parked(source);
  if (parked !== undefined) throw new Failure("key-rejected", parked.why, { bindingId: id });
}

/** With the account that the person has linked, so that a command about oneself is known as one. */
async function withOwnPlayer({ accounts }: Services, request: RunRequest): Promise<RunRequest> {
  const account = await accounts.of(request.actor.guildId, request.actor.userId);
  return account === undefined ? request : { ...request, ownPlayerId: account.player.id };
}

/**
 * "Did you mean": the text with the nearest verb, to be sent by one press; as it was typed only by who may. A refusal is
 * submitted as well, since who tried what stands in the audit.
 */
async function* offerNearestVerb(services: Services, typed: RunPlan, text: string): AsyncGenerator<Reply> {
  if (!typed.decision.allowed) await services.runner.submit(typed).catch(onlyDenied);
  const plan = await services.runner.plan({ ...typed.request, text });
  if (!plan.decision.allowed) throw refused(plan.decision, plan.request.binding);
  yield confirmCard(plan, { typed });
}

function refused({ why, wants }: Extract<Decision, { allowed: false }>, { id }: Binding): Failure {
  return new Failure("denied", why, { wants, bindingId: id });
}

function onlyDenied(error: unknown): void {
  if (!(error instanceof Failure && error.code === "denied")) throw error;
}

/** Shows a run until its outcome and what the log says of it. After a kill the next process completes the answer. */
export async function* follow(
  services: Services,
  submitted: SubmittedRun,
  on: AnswerContext & { readonly guildId: string },
): AsyncGenerator<Reply> {
  const { guildId, signal, answer } = on;
  const { runAnswers, clock } = services;
  // A store that fails here must not keep a command from running. After a kill its outcome is then sent by message.
  if (answer !== undefined) {
    await runAnswers.remember({ guildId, runId: submitted.id }, answer).catch(() => undefined);
  }
  let outcome: RunOutcome | undefined;
  try {
    for await (const progress of submitted.progress()) {
      const soon = progress.expectedAtMs - clock.nowMs() < WORTH_SHOWING_MS;
      if (!soon || progress.record.status === "sending") yield progressCard(progress);
    }
    outcome = await submitted.outcome;
    yield outcomeReply(services, outcome, signal);
    if (outcome.record.status === "unknown") yield* proofOf(services, outcome.record, signal);
  } finally {
    if (answer !== undefined && !isLeftToNext(outcome, on))
      await runAnswers.forget(submitted.id).catch(() => undefined);
  }
  // The outcome is shown, so a kill from here on leaves nothing to complete.
  if (outcome.record.status === "done") yield* proofOf(services, outcome.record, signal);
}

/** What a stop kept from being shown, or from being looked for in the log, the next process shows and looks for. */
function isLeftToNext(outcome: RunOutcome | undefined, { signal, lastReply }: AnswerContext): boolean {
  if (!signal.aborted) return false;
  return lastReply?.isShown !== true || outcome?.record.status === "unknown";
}

/** Shows what the log says of a run as soon as it says something; at the end, that it was not seen. */
async function* proofOf(services: Services, run: RunRecord, signal: AbortSignal): AsyncGenerator<Reply> {
  const { audit, clock } = services;
  const wantsReason = lacksReason(services, run);
  for (let check = 0; check < PROOF_CHECKS; check++) {
    try {
      await clock.sleep(PROOF_CHECK_EVERY_MS, signal);
    } catch {
      return;
    }
    // A store that fails here must not take the place of the outcome that stands there already.
    const record = await audit.get(run.guildId, run.id).catch(() => undefined);
    if (record === undefined || record.proof === "unchecked") continue;
    yield outcomeCard(record, { wantsReason });
    return;
  }
  if (run.status === "unknown") yield outcomeCard(run, { wantsReason });
}

function outcomeReply(services: Services, { record, failure }: RunOutcome, signal: AbortSignal): Reply {
  const mayDefer = record.failureCode === "server-empty" && isHarmless(services, record);
  // A process that stops does not see what the log shows.
  const isSought = record.status === "unknown" && !signal.aborted;
  const wantsReason = lacksReason(services, record);
  const card = outcomeCard(record, { mayDefer, retryAtMs: failure?.retryAtMs, isSought, wantsReason });
  return { ...card, important: true };
}

/** A punishment that ran, or may have, becomes a case; without words behind the names it has no reason. */
function lacksReason({ catalogue, cases }: Services, { status, text }: RunRecord): boolean {
  if (!cases.isKept || (status !== "done" && status !== "unknown")) return false;
  const { verb, rest, targetTexts = [] } = catalogue.readLogged(text) ?? {};
  const isPunishment = verb !== "unban" && runKinds.some((kind) => kind === verb);
  return isPunishment && targetTexts.length > 0 && (rest ?? "").trim() === "";
}

/** The rule of the deferred runs: without a person watching, only harmless verbs. */
function isHarmless({ catalogue }: Services, { text }: RunRecord): boolean {
  const danger = catalogue.about(text)?.danger;
  return danger === "read" || danger === "mild";
}

/** The audit row that a button names, and the linked server it was for. */
export async function auditRowOf(
  services: Services,
  actor: Actor,
  runId: string,
): Promise<{ readonly record: RunRecord; readonly binding: Binding }> {
  const record = await services.audit.get(actor.guildId, runId);
  if (record === undefined) throw new Failure("expired", "That command is no longer in the audit.");
  const binding = (await services.bindings.list(actor.guildId)).find(({ id }) => id === record.bindingId);
  if (binding === undefined)
    throw new Failure("not-linked", `${record.serverName} is no longer linked here.`);
  return { record, binding };
}
