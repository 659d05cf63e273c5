import type { Press, Reply } from "../src/discord/command.ts";
import { type ConfirmOptions, confirmCard, dryCard } from "../src/discord/render/plan-cards.ts";
import { outcomeCard, progressCard } from "../src/discord/render/run-cards.ts";
import type { Services } from "../src/discord/services.ts";
import type { BanTerm } from "../src/domain/ban-end.ts";
import type { Case } from "../src/domain/case.ts";
import { hitByBeginning } from "../src/domain/command-hits.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import {
  type Decision,
  LOG_SOUGHT_MS,
  type RunOrigin,
  type RunOutcome,
  type RunPlan,
  type RunRecord,
  type RunRequest,
  type SubmittedRun,
  slipWords,
} from "../src/domain/run.ts";
import { becomesCase, caseForAnswer } from "../src/domain/run-case.ts";
import { TIER_NAMES } from "../src/domain/tiers.ts";
import { endInTime } from "./question-ends.ts";

/** Shows a run from its text to its outcome, in the same way for /run command, presets and buttons. */

/** A run that is sent sooner than this needs no card that says that it waits. */
const WORTH_SHOWING_MS = 1_500;
/** How often, and how many times, the audit is asked whether the log shows the run: as long as the log is read. */
const PROOF_CHECK_EVERY_MS = 5_000;
const PROOF_CHECKS = LOG_SOUGHT_MS / PROOF_CHECK_EVERY_MS;
/** A case is written right after the outcome. */
const CASE_CHECK_MS = 1_000;
/** A row holds five buttons. */
const NEAREST_BESIDE_TYPED = 2;

export interface RunAsk {
  readonly actor: Actor;
  readonly binding: Binding;
  readonly text: string;
  readonly origin: RunOrigin;
  readonly undoes?: NonNullable<RunRequest["undoes"]>;
  /** The player whose button it is. */
  readonly only?: RunRequest["only"] | undefined;
  /** It was typed earlier: a name that only begins like somebody's is asked about. */
  readonly isAgain?: boolean;
  readonly dry?: boolean | undefined;
  /** When the ban ends that it sends. */
  readonly term?: BanTerm | undefined;
  readonly on: AnswerContext;
}

/** What the invocation or press that asked for the run says of its answer. */
export type AnswerContext = Pick<Press, "signal" | "answer" | "lastReply">;

/** Plans it; then shows the plan (dry), asks for a confirmation, or sends it and follows it to its outcome. */
export async function* ask(
  services: Services,
  { dry, on, isAgain, ...request }: RunAsk,
): AsyncGenerator<Reply> {
  const plan = await services.runner.plan(await withOwnPlayer(services, request));
  if (dry !== true && plan.decision.allowed) refuseUnsendable(services, request.binding);
  const meant = plan.meant === undefined ? undefined : await nearestPlan(services, plan, plan.meant);
  if (dry === true) yield dryCard(plan.decision.allowed ? plan : (meant ?? notSlip(plan)));
  else if (meant !== undefined) {
    yield await confirmReply(services, meant, { answer: on.answer, typed: plan });
  } else if (plan.decision.allowed && plan.confirm !== "none")
    yield await confirmReply(services, plan, { answer: on.answer });
  else if (isAgain === true && plan.decision.allowed && whoBegins(plan) !== undefined) {
    endInTime(services, [plan], on.answer);
    yield confirmCard({
      ...plan,
      confirmReasons: [`It would hit ${whoBegins(plan)}, who may be somebody else.`],
    });
  }
  // A refusal is submitted too, so that the audit shows who tried what.
  else {
    yield* follow(services, await services.runner.submit(plan), {
      actor: plan.request.actor,
      ...on,
    });
  }
}

/** Somebody whom only the beginning of their name hits. */
function whoBegins({ targets }: RunPlan): string | undefined {
  return targets.flatMap((hit) => hitByBeginning(hit))[0]?.name;
}

/** A verb that does not exist needs no rights. @throws Failure "bad-command" where there is none and nothing is near */
function notSlip(plan: RunPlan): RunPlan {
  const { decision } = plan;
  if (decision.allowed || decision.isSlip !== true) return plan;
  throw new Failure("bad-command", slipWords(plan));
}

/** Nobody is asked whether to send what cannot be sent. @throws Failure "key-rejected" or "not-authorised" */
export function refuseUnsendable({ health, clock }: Services, { id, source }: Binding): void {
  const parked = health.parked(source);
  if (parked !== undefined) throw new Failure("key-rejected", parked.why, { bindingId: id });
  const permission = health.commandPermission(source);
  if (permission.kind === "refused" && clock.nowMs() < permission.untilMs)
    throw new Failure("not-authorised", permission.why, { bindingId: id });
}

/** With the account that the person has linked, so that a command about oneself is known as one. */
export async function withOwnPlayer({ accounts }: Services, request: RunRequest): Promise<RunRequest> {
  const account = await accounts.of(request.actor.guildId, request.actor.userId);
  return account === undefined ? request : { ...request, ownPlayerId: account.player.id };
}

/** What was typed, where the plan is only what was meant by it, and where it is asked. */
interface MeantBy extends Pick<ConfirmOptions, "typed" | "isGuess"> {
  readonly answer: AnswerContext["answer"];
}

/** The question whether to send it, or what is meant by it, with the nearest names where nobody has one of those that were typed. */
export async function confirmReply(
  services: Services,
  plan: RunPlan,
  { answer, ...meantBy }: MeantBy,
): Promise<Reply> {
  const { typed } = meantBy;
  // With what was typed it has a button more.
  const most = typed?.decision.allowed === true ? NEAREST_BESIDE_TYPED : plan.near.length;
  const near: { readonly name: string; readonly plan: RunPlan }[] = [];
  for (const { name, text } of plan.near.slice(0, most)) {
    const other = await services.runner.plan({ ...plan.request, text });
    if (other.decision.allowed) near.push({ name, plan: other });
  }
  const asked = [plan, ...near.map((one) => one.plan), ...(typed === undefined ? [] : [typed])];
  endInTime(services, asked, answer);
  return confirmCard(plan, { ...meantBy, near });
}

/**
 * The plan of the text with the nearest verb. A mistyped verb is a slip, no attempt: it is no refusal for the audit.
 * @throws Failure "bad-command" where only a higher tier may use that verb
 */
async function nearestPlan(services: Services, typed: RunPlan, text: string): Promise<RunPlan> {
  const plan = await services.runner.plan({ ...typed.request, text });
  const { decision, command, request } = plan;
  if (decision.allowed) return plan;
  if (decision.wants !== "tier") throw refused(decision, request.binding);
  const [was, is] = [typed.command.text, text].map((one) => /^\S+/u.exec(one)?.[0] ?? one);
  const holders = `${TIER_NAMES[command.tier]}s`;
  throw new Failure("bad-command", `There is no ${was}. Did you mean ${is} (${holders})?`);
}

/** What is said of a plan that is not allowed. */
export function refused({ why, wants }: Extract<Decision, { allowed: false }>, { id }: Binding): Failure {
  return new Failure("denied", why, { wants, bindingId: id });
}

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
      await runAnswers.forget(submitted.id).catch(() => undefined);
  }
  // The outcome is shown, so a kill from here on leaves nothing to complete.
  if (outcome.record.status === "done") yield* proofOf(services, outcome.record, signal);
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
  const options = caseOptions(services, record, await foundCase(services, record));
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
  const card = () => outcomeCard(latest, { ...caseOptions(services, run, found), isSought: isLooking() });
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
  if (isLooking()) yield outcomeCard(latest, caseOptions(services, run, found));
}

/** The card of an earlier run, with what is known by now. */
export async function outcomeAgain(services: Services, record: RunRecord): Promise<Reply> {
  return outcomeCard(record, caseOptions(services, record, await foundCase(services, record)));
}

/** The case that a run became; undefined: it becomes none, or has none yet. */
async function foundCase(services: Services, run: RunRecord): Promise<Case | undefined> {
  if (!willBeCase(services, run)) return undefined;
  return await services.cases.ofRun(run.guildId, run.id).catch(() => undefined);
}

function caseOptions({ catalogue, cases }: Services, run: RunRecord, found: Case | undefined) {
  return caseForAnswer(run, found, { read: (text) => catalogue.readLogged(text), isKept: cases.isKept });
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
    ...outcomeCard(record, { ...caseOptions(services, record, undefined), ...options }),
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
