import { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { Button } from "../../domain/message.ts";
import type { Action, Answer, Choice, Entry, Form, Press } from "../command.ts";
import { defectBody, failureBody } from "../render/errors.ts";
import { cut, plainText } from "../render/escape.ts";
import { chooseRoles } from "../render/setup-cards.ts";
import type { Services } from "../services.ts";
import { AnswerSession, type AnswerSessionPorts } from "./answer-session.ts";
import type { CommandRegistry } from "./command-registry.ts";
import {
  AnswerRefused,
  type Incoming,
  type IncomingCommand,
  type IncomingPress,
  type IncomingTyping,
  TOKEN_LIVES_MS,
} from "./incoming.ts";
import { retryUntilTaken } from "./retry-answers.ts";
import { type AnswerJob, ServerQuestions } from "./server-questions.ts";

/** Of the 3 s that Discord waits for choices. */
const TYPING_MS = 2_000;
const MOST_CHOICES = 25;
const LONGEST_CHOICE_CHARACTERS = 100;

export interface DispatchPorts extends AnswerSessionPorts {
  readonly registry: CommandRegistry;
  readonly services: Services;
}

export interface Dispatch {
  /** Never rejects. */
  handle(incoming: Incoming): Promise<void>;
  /** New interactions are told to come back; resolves when those under way have ended, or are aborted after graceMs. */
  stop(graceMs: number): Promise<void>;
  readonly underWay: number;
}

/**
 * From interaction to answer. The first answer goes out before anything of ours is awaited, and nothing
 * is done unless Discord took it: whoever reads "did not respond" can rely on that nothing ran.
 */
export function createDispatch(ports: DispatchPorts): Dispatch {
  const { registry, services, log, clock, random } = ports;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const questions = new ServerQuestions({ services, clock, random });
  let closed = false;

  async function handle(incoming: Incoming): Promise<void> {
    if (closed && incoming.kind !== "typing") {
      return answerAtOnce(incoming, new Failure("expired", "The bot is restarting; ask again in a minute."));
    }
    const reference = random.id().slice(0, 8);
    const work = (incoming.kind === "typing" ? complete(incoming) : perform(incoming, reference)).catch(
      (error) => log.error({ reference, err: error }, "an interaction could not be handled"),
    );
    underWay.add(work);
    await work;
    underWay.delete(work);
  }

  async function perform(incoming: IncomingCommand | IncomingPress, reference: string): Promise<void> {
    const cameMs = clock.monotonicMs();
    let job: AnswerJob | Form;
    try {
      job = incoming.kind === "command" ? commandJob(incoming, reference) : pressJob(incoming, reference);
      if (!("work" in job)) return await incoming.answers.form(job);
    } catch (error) {
      if (error instanceof AnswerRefused && error.reason !== "form") return notTaken(error, reference);
      return answerAtOnce(incoming, error, reference);
    }
    try {
      await incoming.answers.defer(job.first);
    } catch (error) {
      if (!(error instanceof AnswerRefused)) throw error;
      notTaken(error, reference);
      if (error.reason === "unknown" && job.first !== "update") await takeBack(incoming, cameMs, reference);
      return;
    }
    const { actor, answers } = incoming;
    const { signal } = stopping;
    const session = new AnswerSession(ports, { ...job, actor, answers, reference, cameMs, signal });
    await finish(session, job.work);
  }

  function notTaken(refused: AnswerRefused, reference: string): void {
    log.warn({ reference, reason: refused.reason }, `nothing was done, the first answer: ${refused.message}`);
  }

  /** Discord never said that it took the first answer, and may show "thinking..." all the same. */
  async function takeBack(
    { answers, actor }: IncomingCommand | IncomingPress,
    cameMs: number,
    reference: string,
  ): Promise<void> {
    const failure = new Failure("unreachable", "Discord did not confirm the answer; nothing was done.");
    const body = failureBody(failure, {
      reference,
      next: undefined,
      manages: actor.manageGuild,
      roleIds: actor.roleIds,
    });
    const patience = { clock, endMs: cameMs + TOKEN_LIVES_MS, signal: stopping.signal };
    try {
      await retryUntilTaken(() => answers.edit(body, "@original"), patience);
    } catch (error) {
      // It did not stand, so nothing is shown that would have to go.
      log.debug({ reference, err: error }, "there was no answer to take back");
    }
  }

  function commandJob(
    { command, path, actor, options, answers }: IncomingCommand,
    reference: string,
  ): AnswerJob | Form {
    const found = registry.entry(command, path);
    if (found === undefined) throw new Failure("expired", "This command has changed; reload Discord.");
    const entry: Entry = found.entry;
    if (found.manageGuild) mustManage(actor);
    const on = { actor, signal: stopping.signal, reference, answer: answers.place };
    if (entry.first === "modal") return entry.form({ ...on, args: entry.parse(options) }, services);
    return questions.job({
      entry,
      options,
      on,
      next: (failure, serverId) => nextStep(failure, actor, serverId),
    });
  }

  function pressJob(incoming: IncomingPress, reference: string): AnswerJob | Form {
    const { customId, actor, values, form, messageId, answers } = incoming;
    const on = { actor, signal: stopping.signal, reference, answer: answers.place };
    const asked = questions.pressed(customId, on);
    if (asked !== undefined) return asked;
    const found = registry.action(customId);
    if (found === undefined)
      throw new Failure("expired", "This button belongs to an older version of the bot.");
    const action: Action = found.action;
    if (action.manageGuild) mustManage(actor);
    const press: Press = {
      ...on,
      ...{ argument: found.argument, values, form, messageId },
    };
    if (action.first === "modal") return action.form(press, services);
    return {
      // A form that a slash command opened stands on no message that could be updated.
      first: action.first === "update" && messageId === undefined ? "ephemeral" : action.first,
      work: () => action.execute(press, services),
      next: (failure) => nextStep(failure, actor),
    };
  }

  /** An error before anything was deferred. */
  async function answerAtOnce(
    { answers, actor }: IncomingCommand | IncomingPress,
    error: unknown,
    reference = random.id().slice(0, 8),
  ): Promise<void> {
    const failure = error instanceof Failure ? error : undefined;
    if (!failure) log.error({ reference, guildId: actor.guildId, err: error }, "a command met a defect");
    const body = failure
      ? failureBody(failure, {
          reference,
          next: nextStep(failure, actor),
          manages: actor.manageGuild,
          roleIds: actor.roleIds,
        })
      : defectBody(reference);
    try {
      await answers.reply(body, true);
    } catch (refused) {
      log.warn({ reference, err: refused }, "an error could not be shown");
    }
  }

  async function complete(incoming: IncomingTyping): Promise<void> {
    const { actor, option, typed, options } = incoming;
    const over = new AbortController();
    let choices: readonly Choice[] = [];
    const choicesOf = async (entry: Entry | undefined) => {
      if (entry?.autocomplete === undefined) return [];
      const meant = option === "server" ? options : await questions.whileTyping(entry, options, actor);
      return await entry.autocomplete({ actor, option, typed, options: meant }, services);
    };
    try {
      const entry = registry.entry(incoming.command, incoming.path)?.entry;
      const found = choicesOf(entry);
      const late = clock.sleep(TYPING_MS, over.signal).then(
        () => [],
        () => [],
      );
      choices = await Promise.race([found, late]);
    } catch (error) {
      log.warn({ err: error, command: incoming.command }, "no choices could be given");
    } finally {
      over.abort();
    }
    try {
      await incoming.answers.choices(fitting(choices));
    } catch (error) {
      // Each keystroke asks again: a refusal harms nobody.
      log.debug({ err: error }, "choices were not taken");
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
      stopping.abort(new Failure("expired", "The bot is restarting."));
    },
  };
}

async function finish(session: AnswerSession, work: () => Answer): Promise<void> {
  try {
    const answer = work();
    if (isReplies(answer)) for await (const reply of answer) await session.show(reply);
    else await session.show(await answer);
  } catch (error) {
    await session.fail(error);
  }
}

function isReplies(answer: Answer): answer is Extract<Answer, AsyncIterable<unknown>> {
  return Symbol.asyncIterator in answer;
}

function mustManage(actor: Actor): void {
  if (!actor.manageGuild) throw new Failure("denied", "This needs the Manage Server permission.");
}

/** Whoever may link a server, or choose who is staff on it, is offered to do so. */
function nextStep(failure: Failure, actor: Actor, serverId = ""): Button | undefined {
  if (!actor.manageGuild) return undefined;
  if (failure.wants === "tier") return chooseRoles(serverId);
  if (failure.code !== "not-linked" && failure.code !== "key-rejected") return undefined;
  const label = failure.code === "not-linked" ? "Link a server" : "Link it again";
  return { kind: "button", style: "primary", label, id: "setup-link" };
}

/** A value that does not fit is left out, not cut: a cut one would be another. Names come from others: one plain line. */
function fitting(choices: readonly Choice[]): readonly Choice[] {
  return choices
    .map(({ name, value }) => ({ name: cut(plainText(name), LONGEST_CHOICE_CHARACTERS), value }))
    .filter(({ name, value }) => name !== "" && value !== "" && value.length <= LONGEST_CHOICE_CHARACTERS)
    .slice(0, MOST_CHOICES);
}
