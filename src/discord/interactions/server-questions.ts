import { Failure } from "../../domain/failure.ts";
import type { Actor, Binding } from "../../domain/guild.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import { meantServer } from "../../domain/server-choice.ts";
import type { Answer, Entry, Options, Reply } from "../command.ts";
import { whichServer } from "../render/which-server.ts";
import type { Services } from "../services.ts";
import {
  type AnswerJob,
  firstOf,
  givenServer,
  jobOf,
  needsServer,
  type TypedCommand,
  withServer,
} from "./answer-job.ts";

/** How long a question waits: as long as the answer that shows it can be changed. */
const LIVES_MS = 15 * 60_000;
const MOST_OF_PERSON = 5;
const MOST_OF_GUILD = 100;

interface Waiting {
  readonly id: string;
  readonly typed: TypedCommand;
  readonly cancel: () => void;
}

export interface ServerQuestionPorts {
  readonly services: Services;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Which linked server a command means. Where none is named and there are several without a default, the person is
 * asked by a button for each, and the command goes on with the answer: it was not begun before.
 */
export class ServerQuestions {
  readonly #ports: ServerQuestionPorts;
  /** By guild, so that no guild can crowd out another's. In memory: after a restart a press is "no longer valid". */
  readonly #waiting = new Map<string, readonly Waiting[]>();

  constructor(ports: ServerQuestionPorts) {
    this.#ports = ports;
  }

  /** The command, or the question for its server and then the command. */
  job(typed: TypedCommand): AnswerJob {
    const { entry, options } = typed;
    const { services } = this.#ports;
    const isAsked = needsServer(entry) && givenServer(entry, options) === undefined;
    const args = entry.parse(options);
    return isAsked
      ? this.#askedJob(typed, args)
      : jobOf({ services, typed, args, first: firstOf(entry, args), serverId: givenServer(entry, options) });
  }

  /** The job of a press on a question; undefined for any other button. */
  onPress(customId: string, on: TypedCommand["on"]): AnswerJob | undefined {
    const [action, id = "", choice = ""] = customId.split(":");
    if (action !== "which" && action !== "which-page") return undefined;
    const found = this.#of(on.actor.guildId).find((one) => one.id === id && isOf(one, on.actor));
    if (found === undefined) {
      throw new Failure("expired", "This question was already answered or is older than 15 minutes.");
    }
    if (action === "which-page") {
      const work = () => this.#question(found.id, on.actor, Number(choice));
      return { first: "update", work, next: () => undefined };
    }
    const { entry, options } = found.typed;
    const chosen = withServer(options, choice);
    const typed: TypedCommand = { ...found.typed, options: chosen, on };
    const args = entry.parse(chosen);
    const first = firstOf(entry, args) === "public" ? "public" : "update";
    const job = jobOf({ services: this.#ports.services, typed, args, first, serverId: choice });
    const work = () => {
      // A second press finds nothing: a command never goes on twice.
      if (!this.#take(found)) throw new Failure("expired", "This question was already answered.");
      return job.work();
    };
    return { ...job, work };
  }

  /** The options while something is typed, with the server that is meant where none is named. */
  async whileTyping(entry: Entry, options: Options, actor: Actor): Promise<Options> {
    if (!needsServer(entry) || givenServer(entry, options) !== undefined) return options;
    const { meant } = await this.#meant(actor);
    return meant === undefined ? options : withServer(options, meant.id);
  }

  #askedJob(typed: TypedCommand, args: unknown): AnswerJob {
    const { entry, options, on } = typed;
    let meantId: string | undefined;
    const work = async function* (this: ServerQuestions): AsyncGenerator<Reply> {
      const { servers, meant } = await this.#meant(on.actor);
      if (servers.length > 1 && meant === undefined) {
        yield { ...(await this.#question(this.#put(typed), on.actor, 0)), ephemeral: true };
        return;
      }
      meantId = meant?.id;
      const known = meantId === undefined ? args : entry.parse(withServer(options, meantId));
      yield* repliesOf(entry.execute({ ...on, args: known }, this.#ports.services));
    };
    return {
      first: firstOf(entry, args),
      work: () => work.call(this),
      next: (failure) => entry.next?.(failure, args) ?? typed.next(failure, meantId),
      runs: entry.runs,
    };
  }

  async #meant({ guildId, channelId }: Actor) {
    const { bindings, settings } = this.#ports.services;
    const servers = await bindings.list(guildId);
    // Most guilds have one: their settings need not be read for it.
    const meant =
      servers.length < 2 ? servers[0] : meantServer(servers, await settings.of(guildId), channelId);
    return { servers, meant };
  }

  async #question(id: string, actor: Actor, page: number): Promise<Reply> {
    const servers: readonly Binding[] = await this.#ports.services.bindings.list(actor.guildId);
    return whichServer({ id, servers, page, manages: actor.manageGuild });
  }

  #put(typed: TypedCommand): string {
    const { clock, random } = this.#ports;
    const { guildId, userId } = typed.on.actor;
    const own = this.#of(guildId).filter(({ typed: { on } }) => on.actor.userId === userId);
    for (const old of own.slice(0, Math.max(0, own.length + 1 - MOST_OF_PERSON))) this.#take(old);
    const all = this.#of(guildId);
    for (const old of all.slice(0, Math.max(0, all.length + 1 - MOST_OF_GUILD))) this.#take(old);
    const id = random.id();
    const waiting: Waiting = { id, typed, cancel: clock.after(LIVES_MS, () => this.#take(waiting)) };
    this.#waiting.set(guildId, [...this.#of(guildId), waiting]);
    return id;
  }

  #take(waiting: Waiting): boolean {
    const { guildId } = waiting.typed.on.actor;
    const before = this.#of(guildId);
    if (!before.includes(waiting)) return false;
    waiting.cancel();
    const left = before.filter((one) => one !== waiting);
    if (left.length === 0) this.#waiting.delete(guildId);
    else this.#waiting.set(guildId, left);
    return true;
  }

  #of(guildId: string): readonly Waiting[] {
    return this.#waiting.get(guildId) ?? [];
  }
}

function isOf({ typed: { on } }: Waiting, actor: Actor): boolean {
  return on.actor.userId === actor.userId;
}

async function* repliesOf(answer: Answer): AsyncGenerator<Reply> {
  if (Symbol.asyncIterator in answer) yield* answer;
  else yield await answer;
}
