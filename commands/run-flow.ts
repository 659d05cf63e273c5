import type { Reply } from "../src/discord/command.ts";
import { planText } from "../src/discord/render/hit-words.ts";
import { type ConfirmOptions, confirmCard, dryCard } from "../src/discord/render/plan-cards.ts";
import type { Services } from "../src/discord/services.ts";
import type { BanTerm } from "../src/domain/ban-end.ts";
import { hitByBeginning } from "../src/domain/command-hits.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import {
  type RunOrigin,
  type RunPlan,
  type RunRecord,
  type RunRequest,
  type SubmittedRun,
  slipWords,
} from "../src/domain/run.ts";
import { TIER_NAMES } from "../src/domain/tiers.ts";
import { blockedBy } from "./blocked-by.ts";
import { endInTime } from "./question-ends.ts";
import { type AnswerContext, follow } from "./run-follow.ts";

/** From a text to a run that is sent, or a question about it, in the same way for /run command, presets and buttons. */

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

/** Plans it; then shows the plan (dry), asks for a confirmation, or sends it and follows it to its outcome. */
export async function* ask(
  services: Services,
  { dry, on, isAgain, ...request }: RunAsk,
): AsyncGenerator<Reply> {
  const plan = await services.runner.plan(await withOwnPlayer(services, request));
  // A slip is told first: what was meant is refused when it is sent.
  const isSlip = plan.meant !== undefined || plan.instead !== undefined;
  if (dry !== true && plan.decision.allowed && !isSlip) await refuseUnsendable(services, plan);
  const meant = plan.meant === undefined ? undefined : await nearestPlan(services, plan, plan.meant);
  if (dry === true) {
    const shown = await withWayOut(services, plan.decision.allowed ? plan : (meant ?? notSlip(plan)));
    yield dryCard(shown, blockedBy(services, request.binding.source));
  } else if (meant !== undefined) {
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
    yield* follow(services, await submitted(services, plan), { actor: plan.request.actor, ...on });
  }
}

/** @throws Failure as the runner does; to whom it denies a ban, with the way to ask for one */
async function submitted(services: Services, plan: RunPlan): Promise<SubmittedRun> {
  try {
    return await services.runner.submit(plan);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "denied" || plan.decision.allowed) throw error;
    throw await refused(services, plan);
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
export async function refuseUnsendable({ runner }: Services, plan: RunPlan): Promise<void> {
  try {
    await runner.refuseUnsendable(plan);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { id: bindingId, name: serverName } = plan.request.binding;
    throw new Failure(error.code, error.message, {
      bindingId,
      knownSinceMs: error.knownSinceMs,
      command: { text: planText(plan), serverName },
    });
  }
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
 * @throws Failure "bad-command" where only a higher tier may use that verb, or it is not written like this
 */
async function nearestPlan(services: Services, typed: RunPlan, text: string): Promise<RunPlan> {
  const verbIn = (of: string) => /^\S+/u.exec(of)?.[0] ?? of;
  const was = verbIn(typed.command.text);
  const { actor, binding } = typed.request;
  const known = services.permissions.known(actor, binding.id);
  // Whoever may not run it has no use for what it needs, and who is no staff not for its name.
  const none = new Failure(
    "bad-command",
    slipWords({ decision: { allowed: false, why: `There is no ${was}.` } }),
  );
  const plan = await services.runner.plan({ ...typed.request, text }).catch((error: unknown) => {
    if (!(error instanceof Failure) || error.code !== "bad-command") throw error;
    throw known?.verb(text).allowed === true
      ? new Failure("bad-command", `There is no ${was}. ${error.message}`)
      : none;
  });
  const { decision, command } = plan;
  if (decision.allowed) return plan;
  if (decision.wants !== "tier") throw await refused(services, plan);
  if (known?.moderator().allowed !== true) throw none;
  const holders = `${TIER_NAMES[command.tier]}s`;
  throw new Failure("bad-command", `There is no ${was}. Did you mean ${verbIn(text)} (${holders})?`);
}

/** What is said of a plan that is not allowed. */
export async function refused(services: Services, plan: RunPlan): Promise<Failure> {
  const { decision, request } = await withWayOut(services, plan);
  // Where there is a way of one's own, nobody has to be asked for a tier.
  const hasWay = decision.why !== plan.decision.why && !request.actor.manageGuild;
  const wants = decision.allowed || hasWay ? undefined : decision.wants;
  return new Failure("denied", decision.why, { wants, bindingId: request.binding.id });
}

/** Where a ban is denied to somebody who may ask for it: with how. */
async function withWayOut(services: Services, plan: RunPlan): Promise<RunPlan> {
  const { decision } = plan;
  if (decision.allowed || !(await mayAskForBan(services, plan))) return plan;
  return { ...plan, decision: { ...decision, why: `${decision.why} Ask for the ban with /case ask.` } };
}

async function mayAskForBan(
  { permissions }: Services,
  { request: { actor, binding, text }, command, targets }: RunPlan,
): Promise<boolean> {
  if (command.verb !== "ban" || command.mass || command.targetTexts.length !== 1) return false;
  // A ban of somebody whom nobody may ban can't be asked for either.
  const isByVerb = permissions.known(actor, binding.id)?.verb(text).allowed === false;
  if (!isByVerb || targets.some(({ staff }) => staff.length > 0)) return false;
  return (await permissions.decideModerator(actor, binding)).allowed;
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
