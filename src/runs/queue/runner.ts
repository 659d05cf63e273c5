import { Failure } from "../../domain/failure.ts";
import { type Actor, type Binding, EMPTY_POLICY } from "../../domain/guild.ts";
import type { SourceId } from "../../domain/model.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { Metrics } from "../../domain/ports/metrics.ts";
import type { Runner } from "../../domain/ports/runner.ts";
import {
  type Decision,
  type PlanFate,
  type RunOutcome,
  type RunPlan,
  type RunRecord,
  type RunRequest,
  type SubmittedRun,
  slipWords,
} from "../../domain/run.ts";
import { isSameName } from "../../domain/typed-server-name.ts";
import type { RefusalCount } from "../audit/refusal-count.ts";
import { failedOutcome, newRecord } from "../audit/run-record.ts";
import { knownPeople } from "../permission/known-people.ts";
import { decide } from "../permission/permission-rules.ts";
import { ActiveRun, type RunPorts } from "./active-run.ts";
import { AutomaticShare } from "./automatic-share.ts";
import { Lanes } from "./lanes.ts";
import { makePlan, type PlanPorts } from "./make-plan.ts";
import { PendingPlans } from "./pending-plans.ts";
import { SentOnce } from "./sent-once.ts";
import { ServerLocks } from "./server-locks.ts";
import { whyKeyRefused, whyNotPermitted } from "./unsent.ts";

/** Time for the rows and answers of the runs that were given up at the end of a stop. */
const ABANDONED_WITHIN_MS = 500;

export interface RunnerPorts extends Omit<RunPorts, "locks" | "share">, Pick<PlanPorts, "standingBan"> {
  readonly refusals: Pick<RefusalCount, "note">;
  readonly random: Random;
  readonly metrics: Pick<Metrics, "count">;
  /** A run that was, or may have been, sent is over. */
  onOver(outcome: RunOutcome): void;
  /** Any run is over; its row may not be written yet. */
  onEnded(record: RunRecord): void;
}

/** Accepts plans: confirmations, permission, the audit row, then the queue. What people see of it is in waiting-runs.ts. */
export class CommandRunner implements Runner {
  readonly lanes: Lanes;
  readonly share: AutomaticShare;
  readonly #ports: RunPorts & RunnerPorts;
  readonly #plans: PendingPlans;
  readonly #sentOnce: SentOnce;
  #stopping = false;

  constructor(ports: RunnerPorts) {
    this.lanes = new Lanes(ports.clock, ports.health);
    this.#plans = new PendingPlans(ports.clock);
    this.#sentOnce = new SentOnce(ports.audit);
    const { clock } = ports;
    this.share = new AutomaticShare({
      clock,
      windowMs: (source) => this.lanes.windowMs(source),
      isPersonWaiting: (source) => this.lanes.ofSource(source).some((run) => !run.isShared),
    });
    const locks = new ServerLocks((source) => this.lanes.wake(source));
    this.#ports = { ...ports, locks, share: this.share };
  }

  async plan(request: RunRequest): Promise<RunPlan> {
    const plan = await makePlan(this.#ports, request, this.lanes.expectedWaitMs(request.binding));
    this.#plans.keep(plan);
    return plan;
  }

  async submit(plan: RunPlan): Promise<SubmittedRun> {
    // The plan is taken from memory, because the one that comes back might have been changed.
    const own = this.#plans.get(plan.id);
    if (own === undefined) throw usedUp();
    if (own.decision.allowed && own.confirm !== "none") {
      throw new Failure("denied", "Confirm this command first.");
    }
    this.#plans.use(own.id);
    if (!own.decision.allowed) throw await this.#deny(own, own.decision);
    return this.#sentOnce.run(own, () => this.#accept(own));
  }

  async refuseUnsendable(plan: RunPlan): Promise<void> {
    const why = whyKeyRefused(this.#ports, plan) ?? whyNotPermitted(this.#ports, plan);
    if (why === undefined) return;
    this.#plans.use(plan.id);
    throw await this.#noted(plan, why);
  }

  awaiting(planId: string, actor: Actor): RunPlan | undefined {
    const plan = this.#plans.get(planId);
    const { userId, guildId } = plan?.request.actor ?? {};
    return userId === actor.userId && guildId === actor.guildId ? plan : undefined;
  }

  seek(record: RunRecord): void {
    this.#ports.onOver({ record });
  }

  fateOf(planId: string): PlanFate {
    return this.#plans.fateOf(planId);
  }

  async confirmed(planId: string, actor: Actor, typedName?: string): Promise<SubmittedRun> {
    const plan = this.#plans.get(planId);
    if (plan === undefined) throw usedUp();
    const { request } = plan;
    if (actor.userId !== request.actor.userId || actor.guildId !== request.actor.guildId) {
      throw new Failure("denied", "Only the person who asked can confirm this.");
    }
    if (plan.confirm === "name" && !isSameName(typedName ?? "", request.binding.name)) {
      throw new Failure("bad-command", "That is not the server's name.");
    }
    if (!this.#plans.use(planId)) throw usedUp();
    const confirmedPlan = { ...plan, request: { ...request, actor } };
    const decision = await this.#decideNow(confirmedPlan);
    if (!decision.allowed) throw await this.#deny(confirmedPlan, decision);
    return this.#sentOnce.run(confirmedPlan, () => this.#accept(confirmedPlan));
  }

  /** The button "Cancel" of a confirmation; false: it was used or has expired. Only for who asked. */
  discard(planId: string, actor: Actor): boolean {
    const plan = this.#plans.get(planId);
    return plan !== undefined && plan.request.actor.userId === actor.userId && this.#plans.use(planId);
  }

  /** Ends a run that waits, or that the gate still holds, with this reason. False: it was sent, and goes on. */
  withdraw(runId: string, why: Failure): boolean {
    return this.lanes.get(runId)?.withdraw("cancelled", why) !== false;
  }

  /** The key no longer works: what waits for this server ends, unsent. */
  onKeyParked(source: SourceId): void {
    const why = this.#ports.health.parked(source)?.why ?? "The server key is wrong or expired.";
    for (const run of this.lanes.ofSource(source)) run.end("failed", new Failure("key-rejected", why));
  }

  onUnlinked(binding: Binding): void {
    this.#plans.forget(binding.id);
    for (const run of this.lanes.all()) {
      if (run.record.bindingId !== binding.id || run.record.guildId !== binding.guildId) continue;
      run.end("cancelled", new Failure("not-linked", "The server was unlinked. Nothing was sent."));
    }
  }

  /** Ends the waiting runs, and waits for those being sent, at most `withinMs`. */
  async stop(withinMs: number): Promise<void> {
    const runs = this.#interruptAll();
    const ended = Promise.all(
      runs.map(async (run) => {
        await run.submitted.outcome;
        await run.written();
      }),
    );
    await this.#atMost(withinMs, ended);
    this.#abandon(runs);
    await this.#atMost(ABANDONED_WITHIN_MS, ended);
    this.lanes.close();
  }

  /**
   * Ends every run in words only, because nothing may be written any more: what waits at once, what is being sent when
   * `closed` has resolved. The store may have been set back to before it knew of them, so that nobody else could answer.
   */
  async drop(closed: Promise<unknown>): Promise<void> {
    this.#interruptAll();
    await closed;
    // One that was let go unsent waits again.
    this.#abandon(this.#interruptAll());
    this.lanes.close();
  }

  #interruptAll(): readonly ActiveRun[] {
    this.#stopping = true;
    const runs = this.lanes.all();
    for (const run of runs) run.interrupt(restarting());
    return runs;
  }

  #abandon(runs: readonly ActiveRun[]): void {
    for (const run of runs) run.abandon(new Failure("expired", "Marshal restarted in the meantime."));
  }

  async #atMost(ms: number, work: Promise<unknown>): Promise<void> {
    const limit = new AbortController();
    await Promise.race([work, this.#ports.clock.sleep(ms, limit.signal).catch(() => undefined)]);
    limit.abort();
  }

  state(): object {
    return { lanes: this.lanes.state(), plans: this.#plans.size };
  }

  async #decideNow({ request, command }: RunPlan): Promise<RunPlan["decision"]> {
    const { settings, snapshots } = this.#ports;
    const policy = (await settings.of(request.actor.guildId)).policies[request.binding.id] ?? EMPTY_POLICY;
    const about = { guildId: request.actor.guildId, command };
    const people = await knownPeople(this.#ports, snapshots.latest(request.binding.source), about);
    return decide(policy, { ...request.actor, ownPlayerId: request.ownPlayerId }, { command, people });
  }

  /** Writes the refusal into the audit, which shows who tried what; a slip is no attempt. Returns it as a Failure. */
  async #deny(plan: RunPlan, decision: Extract<Decision, { allowed: false }>): Promise<Failure> {
    const { why, wants, isSlip } = decision;
    if (isSlip === true) return new Failure("bad-command", slipWords(plan));
    return this.#noted(plan, new Failure("denied", why, { wants, bindingId: plan.request.binding.id }));
  }

  async #noted(plan: RunPlan, failure: Failure): Promise<Failure> {
    const nowMs = this.#ports.clock.nowMs();
    const row = failedOutcome(newRecord(plan, nowMs), { failure, nowMs }).record;
    await this.#ports.refusals
      .note(row)
      .catch((error: unknown) => this.#ports.report("a refusal could not be written into the audit", error));
    return failure;
  }

  async #accept(plan: RunPlan): Promise<SubmittedRun> {
    const { binding } = plan.request;
    if (this.#stopping) throw restarting();
    const refused = whyKeyRefused(this.#ports, plan);
    if (refused !== undefined) throw await this.#noted(plan, refused);
    if (this.lanes.isFull(binding)) {
      throw new Failure(
        "queue-full",
        "Too many commands are already waiting for this server. Nothing was sent.",
      );
    }
    const run = new ActiveRun(this.#ports, plan, (over) => this.#onEnd(over));
    try {
      await run.open();
    } catch (error) {
      const failure = unaudited(error);
      run.end("failed", failure);
      throw failure;
    }
    if (this.#stopping) run.interrupt(restarting());
    if (run.over) return run.submitted;
    try {
      this.lanes.add(run);
    } catch (error) {
      if (error instanceof Failure) run.end("failed", error);
      throw error;
    }
    return run.submitted;
  }

  #onEnd(run: ActiveRun): void {
    this.lanes.remove(run);
    const { record } = run;
    this.#ports.metrics.count("marshal_runs_total", { outcome: record.ran });
    this.#ports.onEnded(record);
    if (record.ran !== "no") void run.submitted.outcome.then((outcome) => this.#ports.onOver(outcome));
  }
}

function usedUp(): Failure {
  return new Failure("expired", "This expired or was already answered. Run the command again.");
}

function restarting(): Failure {
  return new Failure("expired", "Marshal restarted in the meantime. Try again in a minute.");
}

function unaudited(cause: unknown): Failure {
  return new Failure("store", "Marshal could not write its audit log, so nothing was sent.", { cause });
}
