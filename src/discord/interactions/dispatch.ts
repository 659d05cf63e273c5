import { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { Metrics } from "../../domain/ports/metrics.ts";
import type { WorkPermit } from "../../domain/ports/work-permit.ts";
import { inRequest } from "../../domain/request-scope.ts";
import type { Action, Answer, Entry, Form, Press, Reply } from "../command.ts";
import { defectBody, failureBody } from "../render/errors.ts";
import type { Services } from "../services.ts";
import type { AnswerJob } from "./answer-job.ts";
import { AnswerSession, type AnswerSessionPorts, failureOf, isOfReply } from "./answer-session.ts";
import { autocomplete } from "./autocomplete.ts";
import type { CommandRegistry } from "./command-registry.ts";
import { GuildAllowance } from "./guild-allowance.ts";
import {
  AnswerRefused,
  type Incoming,
  type IncomingCommand,
  type IncomingPress,
  TOKEN_LIVES_MS,
} from "./incoming.ts";
import { LatestChange } from "./latest-change.ts";
import { mendingButton } from "./mending-button.ts";
import { rememberAnswer } from "./remember-answer.ts";
import { retryUntilTaken } from "./retry-answers.ts";
import { ServerQuestions } from "./server-questions.ts";
import { withFirstAnswerTimed } from "./timed-answers.ts";

const OUTDATED_BUTTON = "This button is from an older version of Marshal.";

export interface DispatchPorts extends AnswerSessionPorts {
  readonly registry: CommandRegistry;
  readonly services: Services;
  readonly metrics: Pick<Metrics, "observe">;
  /** Where several processes share a store: without it nothing is done, and people read why. */
  readonly permit?: Pick<WorkPermit, "refusal" | "othersFirst"> | undefined;
}

interface About extends Pick<Press, "reference" | "lastReply"> {
  /** Aborted when a later press changes the message that this one shows its replies in. */
  readonly changed: AbortSignal;
}

export interface Dispatch {
  /** Never rejects. */
  handle(incoming: Incoming): Promise<void>;
  /** Refuses new interactions. Resolves when those under way have ended; after `graceMs` it aborts them. */
  stop(graceMs: number): Promise<void>;
  readonly underWay: number;
}

/**
 * Answers interactions. The first answer goes out before anything of ours is awaited, and nothing is done unless
 * Discord took it, so a person who reads "did not respond" knows that nothing ran.
 */
export function createDispatch(ports: DispatchPorts): Dispatch {
  const { registry, services, log, clock, random } = ports;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const questions = new ServerQuestions({ services, clock, random });
  const asked = new GuildAllowance();
  const typed = new GuildAllowance();
  const changes = new LatestChange();
  let closed = false;

  async function handle(incoming: Incoming): Promise<void> {
    const { guildId } = incoming.actor;
    // Each keystroke asks again, so one without choices harms nobody.
    if (incoming.kind === "typing" && !typed.take(guildId, clock.monotonicMs())) return;
    const reference = random.id().slice(0, 8);
    const command =
      incoming.kind === "command" ? [incoming.command, incoming.path].flat().join(" ") : undefined;
    log.debug({ reference, kind: incoming.kind, command }, "an interaction came");
    const timed = withFirstAnswerTimed(incoming, ports);
    const work = inRequest(reference, () => takeUp(timed, reference)).catch((error) =>
      log.error({ reference, err: error }, "an interaction could not be handled"),
    );
    underWay.add(work);
    await work;
    underWay.delete(work);
  }

  async function takeUp(incoming: Incoming, reference: string): Promise<void> {
    // Only this one's way to the store may be cut: then a successor answers, and hears nothing of it.
    if (ports.permit?.refusal() !== undefined) await ports.permit.othersFirst();
    if (incoming.kind === "typing") return autocomplete({ ...ports, questions }, incoming);
    const refusal = refusalNow(incoming.actor.guildId);
    return refusal === undefined ? perform(incoming, reference) : answerAtOnce(incoming, refusal, reference);
  }

  function refusalNow(guildId: string): Failure | undefined {
    const why = ports.permit?.refusal();
    if (why !== undefined) return new Failure("paused", why);
    if (closed) return new Failure("expired", "Marshal is restarting. Try again in a minute.");
    if (asked.take(guildId, clock.monotonicMs())) return undefined;
    return new Failure("busy", "Too many people are using Marshal here right now. Nothing was done.");
  }

  async function perform(incoming: IncomingCommand | IncomingPress, reference: string): Promise<void> {
    const arrivedAtMs = clock.monotonicMs();
    const lastReply = { isShown: false };
    const change = new AbortController();
    const about = { reference, lastReply, changed: change.signal };
    let job: AnswerJob | Form;
    try {
      job = incoming.kind === "command" ? commandJob(incoming, about) : pressJob(incoming, about);
      if (!("work" in job)) return await incoming.answers.form(job);
    } catch (error) {
      if (error instanceof AnswerRefused && !isOfReply(error)) return logNotTaken(error, reference);
      return answerAtOnce(incoming, error, reference);
    }
    const { actor, answers } = incoming;
    // A message that is updated shows what it showed before.
    const place = job.first === "update" ? undefined : answers.place;
    const open = { guildId: actor.guildId, reference, place, mayRun: job.runs === true };
    const onShown = rememberAnswer({ answers: services.runAnswers, log }, open);
    try {
      await answers.defer(job.first);
    } catch (error) {
      if (!(error instanceof AnswerRefused)) throw error;
      logNotTaken(error, reference);
      if (error.reason === "unknown" && place !== undefined)
        await replaceUnconfirmed(incoming, arrivedAtMs, reference);
      // What a stop kept from being replaced is left to the next process.
      if (error.reason !== "unknown" || !stopping.signal.aborted) onShown();
      return;
    }
    const { signal } = stopping;
    const session = new AnswerSession(ports, { ...job, ...about, actor, answers, arrivedAtMs, signal });
    const message = changedMessage(incoming, job);
    changes.begin(message, change);
    await finish(session, job.work, () => {
      // What a stop kept from being shown is left to the next process.
      if (lastReply.isShown || !signal.aborted) onShown();
    });
    changes.end(message, change);
  }

  function logNotTaken(refused: AnswerRefused, reference: string): void {
    log.warn({ reference, reason: refused.reason }, `nothing was done, the first answer: ${refused.message}`);
  }

  /** Replaces a first answer that Discord did not confirm: it may show "thinking..." although nothing is done. */
  async function replaceUnconfirmed(
    { answers, actor }: IncomingCommand | IncomingPress,
    arrivedAtMs: number,
    reference: string,
  ): Promise<void> {
    const failure = new Failure("unreachable", "Discord did not confirm the answer. Nothing was done.");
    const body = failureBody(failure, errorContext(actor, reference));
    const limit = { clock, endMs: arrivedAtMs + TOKEN_LIVES_MS, signal: stopping.signal };
    try {
      await retryUntilTaken(() => answers.edit(body, "@original"), limit);
    } catch (error) {
      // Discord had not taken the first answer, so there is nothing to replace.
      log.debug({ reference, err: error }, "there was no answer to replace");
    }
  }

  function commandJob(
    { command, path, actor, options, answers }: IncomingCommand,
    { changed, ...about }: About,
  ): AnswerJob | Form {
    const found = registry.entry(command, path);
    if (found === undefined) throw new Failure("expired", "This command has changed. Reload Discord.");
    const entry: Entry = found.entry;
    if (found.manageGuild) mustManage(actor);
    const signal = "redraws" in entry ? unlessChanged(changed) : stopping.signal;
    const on = { ...about, actor, signal, answer: answers.place };
    if (entry.first === "modal") return entry.form({ ...on, args: entry.parse(options) }, services);
    return questions.job({
      entry,
      options,
      on,
      next: (failure, serverId) => mendingButton(failure, actor, serverId),
    });
  }

  function pressJob(incoming: IncomingPress, { changed, ...about }: About): AnswerJob | Form {
    const { customId, actor, values, form, messageId, answers } = incoming;
    const on = { ...about, actor, signal: stopping.signal, answer: answers.place };
    const asked = questions.onPress(customId, on);
    if (asked !== undefined) return asked;
    const found = registry.action(customId);
    if (found === undefined) throw new Failure("expired", OUTDATED_BUTTON);
    const action: Action = found.action;
    if (action.manageGuild) mustManage(actor);
    const signal = "redraws" in action ? unlessChanged(changed) : stopping.signal;
    const press: Press = { ...on, signal, argument: found.argument, values, form, messageId };
    if (action.first === "modal") return action.form(press, services);
    return {
      // A form that was opened by a slash command has no message that could be updated.
      first: action.first === "update" && messageId === undefined ? "ephemeral" : action.first,
      work: () => action.execute(press, services),
      next: (failure) => mendingButton(failure, actor),
      runs: action.runs,
    };
  }

  const unlessChanged = (changed: AbortSignal) => AbortSignal.any([stopping.signal, changed]);

  /** An error before anything was deferred. */
  async function answerAtOnce(
    { answers, actor }: IncomingCommand | IncomingPress,
    error: unknown,
    reference: string,
  ): Promise<void> {
    const failure = failureOf(error);
    if (!failure) log.error({ reference, guildId: actor.guildId, err: error }, "a command met a defect");
    const body = failure
      ? failureBody(failure, { ...errorContext(actor, reference), next: mendingButton(failure, actor) })
      : defectBody({ reference });
    try {
      await answers.replyPrivately(body);
    } catch (refused) {
      // Answered by another process, so there is nothing to show.
      const isAnswered = refused instanceof AnswerRefused && refused.reason === "taken";
      log[isAnswered ? "debug" : "warn"]({ reference, err: refused }, "an error could not be shown");
    }
  }

  return {
    handle,
    get underWay() {
      return underWay.size;
    },
    async stop(graceMs) {
      closed = true;
      const waited = new AbortController();
      const grace = clock.sleep(graceMs, waited.signal).catch(() => undefined);
      if (graceMs > 0) await Promise.race([Promise.allSettled([...underWay]), grace]);
      waited.abort();
      stopping.abort(new Failure("expired", "Marshal is restarting."));
    },
  };
}

/** Shows each reply, or the error; `onTried` is called after each. */
async function finish(session: AnswerSession, work: () => Answer, onTried: () => void): Promise<void> {
  const show = async (reply: Reply) => {
    await session.show(reply);
    onTried();
  };
  try {
    const answer = work();
    if (isReplies(answer)) for await (const reply of answer) await show(reply);
    else await show(await answer);
  } catch (error) {
    await session.fail(error);
  }
  onTried();
}

/** By the interaction whose answer it is; a message of its own by its id. */
function changedMessage(incoming: IncomingCommand | IncomingPress, { first }: AnswerJob): string {
  if (incoming.kind === "command" || first !== "update") return incoming.id;
  return incoming.messageOf ?? incoming.messageId ?? incoming.id;
}

function isReplies(answer: Answer): answer is Extract<Answer, AsyncIterable<unknown>> {
  return Symbol.asyncIterator in answer;
}

function errorContext({ manageGuild, roleIds }: Actor, reference: string) {
  return { reference, manages: manageGuild, roleIds };
}

function mustManage(actor: Actor): void {
  if (!actor.manageGuild) throw new Failure("denied", "Only people with Manage Server can do this.");
}
