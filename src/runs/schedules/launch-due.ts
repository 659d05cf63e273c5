import { Failure, type FailureCode } from "../../domain/failure.ts";
import type { Runner } from "../../domain/ports/runner.ts";
import type { RunOutcome, RunRecord } from "../../domain/run.ts";
import type { LastDue, Schedule } from "../../domain/schedule.ts";
import { type CheckPorts, checkDue } from "./check-due.ts";

/** The checks before a run may take this long together: past it the moment has gone. */
const CHECKS_WITHIN_MS = 60_000;

export interface LaunchPorts extends CheckPorts {
  readonly runner: Pick<Runner, "plan" | "submit"> & {
    /** Ends a run that was not sent yet. */
    withdraw(runId: string, why: Failure): void;
  };
  /** Reports a defect: an error that is not a Failure. */
  report(what: string, error: unknown): void;
}

/** How a due time ended. `isFailure`: somebody has to mend something. */
export interface DueEnd extends Pick<LastDue, "result" | "why"> {
  readonly isFailure: boolean;
}

export type Launch =
  | { readonly kind: "over"; readonly end: DueEnd }
  | { readonly kind: "ended"; readonly why: string; also(other: Schedule): boolean }
  /** It stands in the queue, behind the commands of people. Never rejects. */
  | { readonly kind: "submitted"; readonly end: Promise<DueEnd> };

interface LaunchOfRun {
  readonly runId: string;
  /** False once the schedule was removed or has ended. */
  isKept(): boolean;
}

/**
 * Takes a due schedule through the same checks, audit and queue as a person's command. Its due time was claimed before,
 * so nothing that happens here makes it run again. Never rejects.
 */
export async function launchDue(
  ports: LaunchPorts,
  schedule: Schedule,
  { runId, isKept }: LaunchOfRun,
): Promise<Launch> {
  const { runner, clock } = ports;
  const beganMs = clock.monotonicMs();
  try {
    const check = await checkDue(ports, schedule);
    if (check.kind === "end") return { ...check, kind: "ended" };
    if (check.kind === "skip") return skipped(check.why, check.isFailure);

    const plan = await runner.plan({ ...check.request, runId });
    if (!plan.decision.allowed) return skipped(plan.decision.why, true);
    if (plan.confirm !== "none") {
      return skipped([...plan.confirmReasons, "Nobody was there to confirm it."].join(" "), true);
    }
    if (clock.monotonicMs() - beganMs > CHECKS_WITHIN_MS) return skipped("The checks took too long.", false);
    if (!isKept()) return skipped(REMOVED, false);

    const { outcome } = await runner.submit(plan);
    // It was removed while the row of its run was written, when nothing stood in the queue yet.
    if (!isKept()) runner.withdraw(runId, removed());
    return { kind: "submitted", end: outcome.then(endOf) };
  } catch (error) {
    if (error instanceof Failure) return skipped(error.message, !PASSING.has(error.code));
    ports.report("a schedule could not be run", error);
    return skipped("Something went wrong inside Marshal.", true);
  }
}

const REMOVED = "The schedule was removed before it was sent.";

/** Why a run of a schedule that is no more is not sent. */
export function removed(): Failure {
  return new Failure("expired", REMOVED);
}

function skipped(why: string, isFailure: boolean): Launch {
  return { kind: "over", end: { result: "skipped", why, isFailure } };
}

/** Failures that need no notice here: they pass, are announced elsewhere, or are as they should be. */
const PASSING: ReadonlySet<FailureCode | undefined> = new Set<FailureCode>([
  "server-empty",
  "queue-full",
  "busy",
  "expired",
  "paused",
  "rate-limited",
  "blocked",
  "key-rejected",
  "not-linked",
]);

function endOf({ record, failure }: RunOutcome): DueEnd {
  return { ...resultOf(record), isFailure: record.ran !== "yes" && !PASSING.has(failure?.code) };
}

/** How a due time ended, by its row in the audit. */
export function resultOf({
  status,
  message,
  failureCode,
  proof,
}: RunRecord): Pick<LastDue, "result" | "why"> {
  const why = message === undefined || message === "" ? {} : { why: message };
  switch (status) {
    case "done":
      return { result: "ran" };
    case "unknown":
      return proof === "seen" || proof === "seen-twice"
        ? { result: "unknown", why: "The game's log shows it." }
        : { result: "unknown", ...why };
    case "waiting":
    case "sending":
      return { result: "claimed" };
    case "expired":
    case "cancelled":
      return { result: "skipped", ...why };
    case "denied":
    case "failed":
      if (failureCode === "server-empty") return { result: "skipped", why: "Nobody was in the server." };
      return { result: "failed", ...why };
  }
}
