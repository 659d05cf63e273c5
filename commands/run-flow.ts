import type { Options, Press, Reply, Services } from "../src/discord/command.ts";
import { confirmCard, dryCard, outcomeCard, progressCard } from "../src/discord/render/run-cards.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { RunOrigin, RunOutcome, RunRecord, RunTicket } from "../src/domain/run.ts";

/** From a command text to its outcome, as every way of asking for a run shows it: /run command, presets, buttons. */

/** A run that goes out at once needs no card that says so. */
const worthTellingMs = 1_500;
/** As long as the log is read for it. */
const proofLookMs = 5_000;
const proofLooks = 18;

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

/** Plans it; then shows the plan (dry), asks for a confirmation, or sends it and follows it to its outcome. */
export async function* ask(services: Services, { dry, on, ...request }: Ask): AsyncGenerator<Reply> {
  const plan = await services.runner.plan(request);
  if (dry === true) yield dryCard(plan);
  else if (plan.decision.allowed && plan.confirm !== "none") yield confirmCard(plan);
  // A refusal is submitted too: who tried what stands in the audit.
  else
    yield* follow(services, await services.runner.submit(plan), {
      guildId: plan.request.actor.guildId,
      ...on,
    });
}

/** Shows a run until its outcome and what the log says of it; what a kill leaves open the next process completes. */
export async function* follow(
  services: Services,
  ticket: RunTicket,
  { guildId, signal, answer }: Answering & { readonly guildId: string },
): AsyncGenerator<Reply> {
  const { runAnswers, clock } = services;
  // A store that fails here must not keep a command from running: after a kill its outcome then goes by message.
  if (answer !== undefined) {
    await runAnswers.remember({ guildId, runId: ticket.id }, answer).catch(() => undefined);
  }
  try {
    for await (const progress of ticket.progress()) {
      const soon = progress.expectedAtMs - clock.nowMs() < worthTellingMs;
      if (!soon || progress.record.status === "sending") yield progressCard(progress);
    }
    const outcome = await ticket.outcome;
    yield outcomeReply(services, outcome);
    if (outcome.record.status === "unknown") yield* proofOf(services, outcome.record, signal);
  } finally {
    if (answer !== undefined) await runAnswers.forget(ticket.id).catch(() => undefined);
  }
}

/** What the log says of a run that may have happened, as soon as it says something. */
async function* proofOf(
  { audit, clock }: Services,
  { id, guildId }: RunRecord,
  signal: AbortSignal,
): AsyncGenerator<Reply> {
  for (let look = 0; look < proofLooks; look++) {
    try {
      await clock.sleep(proofLookMs, signal);
    } catch {
      return;
    }
    const record = await audit.get(guildId, id);
    if (record === undefined || record.proof === "unchecked") continue;
    yield outcomeCard(record);
    return;
  }
}

function outcomeReply(services: Services, { record, failure }: RunOutcome): Reply {
  const mayDefer = record.failureCode === "server-empty" && isHarmless(services, record);
  return { ...outcomeCard(record, { mayDefer, retryAtMs: failure?.retryAtMs }), important: true };
}

/** The same rule as where it is stored: with nobody watching only harmless verbs. */
function isHarmless({ words }: Services, { text }: RunRecord): boolean {
  const danger = words.about(text)?.danger;
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

/** Whether this person may run a verb (canonical) on the server that is meant; where none is, on any of them. */
export async function verbsFor(
  actor: Actor,
  binding: Binding | undefined,
  { bindings, permissions }: Services,
): Promise<(verb: string) => boolean> {
  const servers = binding === undefined ? await bindings.list(actor.guildId) : [binding];
  const each = await Promise.all(servers.map((server) => permissions.verbsOf(actor, server)));
  return (verb) => each.some((may) => may(verb));
}

/** The linked servers on which this person is staff. */
export async function staffedServers(services: Services, actor: Actor): Promise<readonly Binding[]> {
  const all = await services.bindings.list(actor.guildId);
  const staff = await Promise.all(all.map((binding) => services.permissions.isStaff(actor, binding)));
  return all.filter((_, index) => staff[index] === true);
}
