import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Members } from "../../domain/ports/members.ts";
import type { Runner } from "../../domain/ports/runner.ts";
import type { DeferredRun, RunOutcome, RunPlan, SubmittedRun } from "../../domain/run.ts";
import { deferredFailed } from "./deferred-run-record.ts";

export interface DeferredSender {
  readonly members: Members;
  readonly runner: Runner;
  readonly clock: Clock;
  report(what: string, error: unknown): void;
}

/** Sends a deferred run by the roles of now, through the same queue as any other. Never rejects. */
export async function sendDeferred(ports: DeferredSender, run: DeferredRun): Promise<RunOutcome> {
  const { clock, report } = ports;
  try {
    const submitted = await submit(ports, run);
    return await submitted.outcome;
  } catch (error) {
    if (!(error instanceof Failure)) report("a deferred command could not be sent", error);
    const why = new Failure(
      "paused",
      "Marshal could not check the roles of the person who asked. It was not sent.",
    );
    return deferredFailed(run, error instanceof Failure ? error : why, clock.nowMs());
  }
}

async function submit({ members, runner, clock }: DeferredSender, run: DeferredRun): Promise<SubmittedRun> {
  const { actor } = run.request;
  const readAtMs = clock.nowMs();
  const now = await members.now(actor.guildId, actor.userId);
  const request = { ...run.request, runId: run.id, actor: { ...actor, ...now, askedAtMs: readAtMs } };
  const plan = await runner.plan(request);
  if (plan.decision.allowed && plan.confirm !== "none") throw unconfirmed(plan);
  return await runner.submit(plan);
}

/** What it would do has changed since, so that somebody would have to confirm it. */
function unconfirmed({ confirmReasons }: RunPlan): Failure {
  return new Failure("denied", [...confirmReasons, "Nobody was there to confirm it."].join(" "));
}
