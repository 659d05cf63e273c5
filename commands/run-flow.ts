import type { Options, Press, Reply } from "../src/discord/command.ts";
import { confirmCard, dryCard } from "../src/discord/render/plan-cards.ts";
import { outcomeCard, progressCard } from "../src/discord/render/run-cards.ts";
import type { Services } from "../src/discord/services.ts";
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

/** From a command text to its outcome, as every way of asking for a run shows it: /run command, presets, buttons. */

/** A run that goes out at once needs no card that says so. */
const WORTH_SHOWING_MS = 1_500;
/** As long as the log is read for it. */
const PROOF_CHECK_EVERY_MS = 5_000;
const PROOF_CHECKS = 18;

export interface Ask {
  readonly actor: Actor;
  readonly binding: Binding;
  readonly text: string;
  readonly origin: RunOrigin;
  readonly dry?: boolean | undefined;
  readonly on: Answering;
}

/** What follows a run to its outcome: the invocation or press that asked for it. */
export type Answering = Pick<Press, "signal" | "answer">;

/** A known verb without its colon: what it would be with one, to be sent by one press. */
export async function* askWithColon(
  services: Services,
  { on: _, dry, text, ...rest }: Ask,
): AsyncGenerator<Reply> {
  const request = await withOwnPlayer(services, { ...rest, text: `:${text}` });
  const plan = await services.runner.plan(request);
  if (!plan.decision.allowed) throw refused(plan.decision);
  yield dry === true ? dryCard(plan) : confirmCard(plan, { isGuess: true });
}

/** Plans it; then shows the plan (dry), asks for a confirmation, or sends it and follows it to its outcome. */
export async function* ask(services: Services, { dry, on, ...request }: Ask): AsyncGenerator<Reply> {
  const plan = await services.runner.plan(await withOwnPlayer(services, request));
  if (dry === true) yield dryCard(plan);
  else if (plan.meant !== undefined) yield* askWhatWasMeant(services, plan, plan.meant);
  else if (plan.decision.allowed && plan.confirm !== "none") yield confirmCard(plan);
  // A refusal is submitted too: who tried what stands in the audit.
  else
    yield* follow(services, await services.runner.submit(plan), {
      guildId: plan.request.actor.guildId,
      ...on,
    });
}

/** With the account that whoever asks has linked, so that a command about oneself is known as one. */
async function withOwnPlayer({ accounts }: Services, request: RunRequest): Promise<RunRequest> {
  const account = await accounts.of(request.actor.guildId, request.actor.userId);
  return account === undefined ? request : { ...request, ownPlayerId: account.player.id };
}

/**
 * "Did you mean": the text with the nearest verb, to be sent by one press; as it was typed only by who may. A refusal is
 * submitted as well, since who tried what stands in the audit.
 */
async function* askWhatWasMeant(services: Services, typed: RunPlan, text: string): AsyncGenerator<Reply> {
  if (!typed.decision.allowed) await services.runner.submit(typed).catch(onlyDenied);
  const plan = await services.runner.plan({ ...typed.request, text });
  if (!plan.decision.allowed) throw refused(plan.decision);
  yield confirmCard(plan, { typed });
}

function refused({ why, wants }: Extract<Decision, { allowed: false }>): Failure {
  return new Failure("denied", why, wants === undefined ? {} : { wants });
}

function onlyDenied(error: unknown): void {
  if (!(error instanceof Failure && error.code === "denied")) throw error;
}

/** Shows a run until its outcome and what the log says of it; what a kill leaves open the next process completes. */
export async function* follow(
  services: Services,
  submitted: SubmittedRun,
  { guildId, signal, answer }: Answering & { readonly guildId: string },
): AsyncGenerator<Reply> {
  const { runAnswers, clock } = services;
  // A store that fails here must not keep a command from running: after a kill its outcome then goes by message.
  if (answer !== undefined) {
    await runAnswers.remember({ guildId, runId: submitted.id }, answer).catch(() => undefined);
  }
  let outcome: RunOutcome;
  try {
    for await (const progress of submitted.progress()) {
      const soon = progress.expectedAtMs - clock.nowMs() < WORTH_SHOWING_MS;
      if (!soon || progress.record.status === "sending") yield progressCard(progress);
    }
    outcome = await submitted.outcome;
    yield outcomeReply(services, outcome);
    if (outcome.record.status === "unknown") yield* proofOf(services, outcome.record, signal);
  } finally {
    if (answer !== undefined) await runAnswers.forget(submitted.id).catch(() => undefined);
  }
  // What ran has been told in full: a kill from here on leaves nothing to complete.
  if (outcome.record.status === "done") yield* proofOf(services, outcome.record, signal);
}

/** What the log says of a run that happened or may have, as soon as it says something; else that it is not there yet. */
async function* proofOf(
  { audit, clock }: Services,
  run: RunRecord,
  signal: AbortSignal,
): AsyncGenerator<Reply> {
  for (let look = 0; look < PROOF_CHECKS; look++) {
    try {
      await clock.sleep(PROOF_CHECK_EVERY_MS, signal);
    } catch {
      return;
    }
    // A store that fails here must not take the place of the outcome that stands there already.
    const record = await audit.get(run.guildId, run.id).catch(() => undefined);
    if (record === undefined || record.proof === "unchecked") continue;
    yield outcomeCard(record);
    return;
  }
  if (run.status === "unknown") yield outcomeCard(run);
}

function outcomeReply(services: Services, { record, failure }: RunOutcome): Reply {
  const mayDefer = record.failureCode === "server-empty" && isHarmless(services, record);
  const isSought = record.status === "unknown";
  return { ...outcomeCard(record, { mayDefer, retryAtMs: failure?.retryAtMs, isSought }), important: true };
}

/** The same rule as where it is stored: with nobody watching only harmless verbs. */
function isHarmless({ catalogue }: Services, { text }: RunRecord): boolean {
  const danger = catalogue.about(text)?.danger;
  return danger === "read" || danger === "mild";
}

/** The audit row that a button names, and the linked server it was for. */
export async function recordOf(
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

/** The linked server that an autocompletion is about: the one that was chosen, or the only one. */
export async function serverBeingTyped(
  { actor, options }: { readonly actor: Actor; readonly options: Options },
  { bindings }: Services,
): Promise<Binding | undefined> {
  const all = await bindings.list(actor.guildId);
  const wanted = options.string("server");
  if (wanted === undefined) return all.length === 1 ? all[0] : undefined;
  return all.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
}

/** Live players of a server by the beginning of their names, as choices. */
export function playersOf({ snapshots }: Services, binding: Binding | undefined, typed: string) {
  const players = binding && snapshots.latest(binding.source)?.lists.players?.value;
  const wanted = typed.toLowerCase();
  return (players ?? [])
    .map(({ player }) => player.name)
    .filter((name) => name.toLowerCase().startsWith(wanted))
    .map((name) => ({ name, value: name }));
}

/** Whether this person may run a text on the server that is meant; where none is, on any of them. */
export async function mayRunFor(
  actor: Actor,
  binding: Binding | undefined,
  { bindings, permissions, accounts }: Services,
): Promise<(text: string) => boolean> {
  const account = await accounts.of(actor.guildId, actor.userId);
  const asker = { ...actor, ownPlayerId: account?.player.id };
  const servers = binding === undefined ? await bindings.list(actor.guildId) : [binding];
  const each = await Promise.all(servers.map((server) => permissions.mayRun(asker, server)));
  return (text) => each.some((may) => may(text));
}

/** The linked servers on which this person is staff. */
export async function staffedServers(services: Services, actor: Actor): Promise<readonly Binding[]> {
  const all = await services.bindings.list(actor.guildId);
  const staff = await Promise.all(all.map((binding) => services.permissions.isStaff(actor, binding)));
  return all.filter((_, index) => staff[index] === true);
}
