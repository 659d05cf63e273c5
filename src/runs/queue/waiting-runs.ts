import { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { RunQueue } from "../../domain/ports/run-queue.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { RunProgress } from "../../domain/run.ts";
import { tierOf } from "../permission/permission-rules.ts";
import type { DeferredRuns } from "./deferred-runs.ts";
import type { CommandRunner } from "./runner.ts";

/** The queue as people see it: the runs in the lanes, and those that wait until someone joins. */
export class WaitingRuns implements RunQueue {
  readonly #runner: CommandRunner;
  readonly #deferred: DeferredRuns;
  readonly #settings: Settings;

  constructor(runner: CommandRunner, deferred: DeferredRuns, settings: Settings) {
    this.#runner = runner;
    this.#deferred = deferred;
    this.#settings = settings;
  }

  async waiting(guildId: string): Promise<readonly RunProgress[]> {
    return this.#runner.lanes.waiting(guildId);
  }

  async cancel(actor: Actor, runId: string): Promise<{ readonly ok: boolean; readonly text: string }> {
    const deferred = this.#deferred.get(actor.guildId, runId);
    if (deferred !== undefined) {
      const { actor: asker, binding } = deferred.request;
      if (asker.userId !== actor.userId && !(await this.#manages(actor, binding.id))) return NOT_YOURS;
      return (await this.#deferred.cancel(deferred)) ? CANCELLED : TOO_LATE;
    }

    const run = this.#runner.lanes.get(runId);
    if (run === undefined || run.record.guildId !== actor.guildId) {
      return { ok: false, text: "It is no longer waiting." };
    }
    const { actorId, bindingId, origin } = run.record;
    // The end of a ban belongs to the community, whoever set it.
    const isOwn = actorId === actor.userId && origin !== "ban-end";
    if (!isOwn && !(await this.#manages(actor, bindingId))) return NOT_YOURS;
    const done = run.end("cancelled", new Failure("expired", `Cancelled by ${actor.userName}.`));
    return done ? CANCELLED : TOO_LATE;
  }

  defer(actor: Actor, runId: string): Promise<{ readonly ok: boolean; readonly text: string }> {
    return this.#deferred.defer(actor, runId);
  }

  async deferred(guildId: string): ReturnType<RunQueue["deferred"]> {
    return this.#deferred.list(guildId);
  }

  async discard(actor: Actor, planId: string): Promise<boolean> {
    return this.#runner.discard(planId, actor);
  }

  async #manages(actor: Actor, bindingId: string): Promise<boolean> {
    const policy = (await this.#settings.of(actor.guildId)).policies[bindingId];
    return policy !== undefined && tierOf(policy, actor.roleIds) === "manager";
  }
}

const CANCELLED = { ok: true, text: "Cancelled: it was not sent." };
const TOO_LATE = { ok: false, text: "Too late: it is being sent or was already sent." };
const NOT_YOURS = { ok: false, text: "Only the person who asked or a Manager can cancel it." };
