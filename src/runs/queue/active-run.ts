import { Failure } from "../../domain/failure.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { ServiceClient } from "../../domain/ports/service-client.ts";
import {
  isAutomatic,
  type RunOutcome,
  type RunPlan,
  type RunRecord,
  type RunRequest,
  type RunStatus,
} from "../../domain/run.ts";
import { actorColumns, answeredOutcome, failedOutcome, hitColumns, newRecord } from "../audit/run-record.ts";
import type { BanWatch } from "../bans/ban-watch.ts";
import {
  type Authorized,
  type AuthorizeParts,
  authorizeAtSend,
  ROLES_GOOD_FOR_MS,
} from "../permission/authorize-at-send.ts";
import type { AutomaticShare } from "./automatic-share.ts";
import type { LaneEntry, Readiness } from "./lane.ts";
import { type AttemptResult, nextAttempt } from "./next-attempt.ts";
import { RunRow } from "./run-row.ts";
import type { ServerLocks } from "./server-locks.ts";
import { TrackedRun } from "./tracked-run.ts";
import { expiredUnsent, expiresAfterMs, notAudited, notChecked } from "./unsent.ts";

export interface RunPorts extends AuthorizeParts {
  readonly client: Pick<ServiceClient, "command">;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly locks: ServerLocks;
  readonly share: AutomaticShare;
  readonly bans: Pick<BanWatch, "beforeSending" | "isWanted">;
  /** Reports a defect: an error that is not a Failure. */
  report(what: string, error: unknown): void;
}

/**
 * One run from "waiting" to its outcome. Its audit row is written before anything is sent, and each change after;
 * the service is called again only after a failure that says that the command did not run.
 */
export class ActiveRun implements LaneEntry {
  readonly submitted: TrackedRun;
  readonly #ports: RunPorts;
  readonly #onEnd: (run: ActiveRun) => void;
  readonly #abort = new AbortController();
  readonly #cancelExpiry: () => void;
  readonly #row: RunRow;
  /** By the monotonic clock, like every age and wait here. */
  readonly #expiresAtMs: number;
  #rolesReadAtMs: number;
  #request: RunRequest;
  readonly #shown: RunPlan["targets"];
  #record: RunRecord;
  #over = false;
  #interrupted = false;
  /** The client may write the first byte. */
  #started = false;

  constructor(ports: RunPorts, plan: RunPlan, onEnd: (run: ActiveRun) => void) {
    const { clock } = ports;
    const { request } = plan;
    this.#ports = ports;
    this.#onEnd = onEnd;
    this.#request = request;
    this.#shown = plan.targets;
    this.#record = newRecord(plan, clock.nowMs());
    this.#row = new RunRow(ports);
    this.submitted = new TrackedRun(plan.id);
    const waitsMs = expiresAfterMs(request.origin);
    this.#expiresAtMs = clock.monotonicMs() + waitsMs;
    // The roles are those of the interaction. Its age compares Discord's clock with ours, so it is computed only once.
    this.#rolesReadAtMs = clock.monotonicMs() - Math.max(0, clock.nowMs() - request.actor.askedAtMs);
    this.#cancelExpiry = clock.after(waitsMs, () =>
      this.withdraw("expired", expiredUnsent(ports, this.#record)),
    );
  }

  get id(): string {
    return this.#record.id;
  }

  get record(): RunRecord {
    return this.#record;
  }

  get automatic(): boolean {
    return this.#request.origin === "on-join" || this.isShared;
  }

  /** It keeps to the share of the automatic runs. */
  get isShared(): boolean {
    return isAutomatic(this.#request.origin);
  }

  get over(): boolean {
    return this.#over;
  }

  /** Writes the row "waiting", before which the run may not enter a lane. Rejects when the store does. */
  open(): Promise<void> {
    return this.#row.write(this.#record);
  }

  readiness(): Readiness {
    const { health, locks, clock, share } = this.#ports;
    const { source } = this.#record;
    if (locks.isHeld(source)) return { kind: "when-woken" };
    const readyAtMs = Math.max(health.halt()?.untilMs ?? 0, health.commandReadyAtMs(source));
    const inMs = Math.max(readyAtMs - clock.nowMs(), this.isShared ? share.inMs(source) : 0);
    return inMs > 0 ? { kind: "again", inMs } : { kind: "ready" };
  }

  async attempt(): Promise<AttemptResult> {
    const { locks, report } = this.#ports;
    const { source } = this.#record;
    if (this.#over) return { kind: "over" };
    if (!locks.tryTake(source)) return { kind: "when-woken" };
    try {
      const passed = await this.#check();
      if (passed === undefined || !(await this.#writeSending(passed))) return { kind: "over" };
      return await this.#send(passed);
    } catch (error) {
      // A defect. Once the command is being sent, it is not known whether it ran.
      report("a run failed", error);
      const ran = this.#record.status === "sending" ? "unknown" : "no";
      this.#fail(new Failure("bad-response", "Something went wrong inside Marshal.", { ran, cause: error }));
      return { kind: "over" };
    } finally {
      locks.release(source);
    }
  }

  /** Ends the run. Returns false when it is being sent or over, which is too late. */
  end(status: RunStatus, failure: Failure): boolean {
    if (this.#over || this.#record.status === "sending") return false;
    this.#fail(failure, status);
    return true;
  }

  /** Ends the run because this process stops, unless it is being sent already. */
  interrupt(reason: Failure): void {
    this.#interrupted = true;
    this.end("expired", reason);
  }

  /** Stops waiting for the answer because this process stops. It ends unsent if the gate still holds it, else unknown. */
  abandon(reason: Failure): void {
    this.#interrupted = true;
    if (!this.#over) this.#abort.abort(reason);
  }

  /** Resolves when each write of its row so far has succeeded or failed. */
  written(): Promise<void> {
    return this.#row.written();
  }

  /** Checks server, key and permission anew. undefined: the run is over. */
  async #check(): Promise<Authorized | undefined> {
    try {
      const then = { rolesReadAtMs: this.#rolesReadAtMs, shown: this.#shown };
      const passed = await authorizeAtSend(this.#ports, this.#request, then);
      await this.#request.guard?.check();
      if (this.#over) return undefined;
      const { actor, binding, rolesReadAtMs } = passed;
      this.#request = { ...this.#request, actor, binding };
      this.#rolesReadAtMs = rolesReadAtMs;
      return passed;
    } catch (error) {
      if (!(error instanceof Failure)) this.#ports.report("the check before sending failed", error);
      this.#fail(error instanceof Failure ? error : notChecked(error));
      return undefined;
    }
  }

  /** Writes the row "sending". false: the run is over. */
  async #writeSending({ actor, binding, hit, alike }: Authorized): Promise<boolean> {
    const columns = { ...actorColumns(actor), ...hitColumns(this.#record.text, { hit, alike }) };
    const current = { ...this.#record, ...columns, source: binding.source };
    let sending: RunRecord;
    try {
      const endsAtMs = await this.#ports.bans.beforeSending(this.#request, current, () => this.#over);
      const { ends } = current;
      sending = {
        ...current,
        status: "sending",
        // If the process ends now, this is what the row says.
        ran: "unknown",
        sentAtMs: this.#ports.clock.nowMs(),
        ...(ends === undefined || endsAtMs === undefined ? {} : { ends: { ...ends, atMs: endsAtMs } }),
      };
      await this.#row.write(sending);
    } catch (error) {
      if (!(error instanceof Failure)) this.#ports.report("an audit row could not be written", error);
      this.#fail(error instanceof Failure && error.code === "bad-command" ? error : notAudited(error));
      return false;
    }

    // It was cancelled or expired during the write; the row of its end follows.
    if (this.#over) return false;
    this.#record = sending;
    return true;
  }

  async #send({ binding }: Authorized): Promise<AttemptResult> {
    const { client, clock, report } = this.#ports;
    this.submitted.update({ record: this.#record, place: 0, expectedAtMs: clock.nowMs() });
    try {
      const { text } = this.#record;
      const answer = await client.command(binding.source, text, {
        signal: this.#abort.signal,
        mayStart: () => this.#mayStart(),
        guildId: binding.guildId,
      });
      this.#finish(answeredOutcome(this.#record, answer));
    } catch (error) {
      if (error instanceof Failure) return this.#onRefused(error);
      report("sending a command failed", error);
      this.#fail(
        new Failure("bad-response", "Something went wrong inside Marshal.", { ran: "unknown", cause: error }),
      );
    }
    return { kind: "over" };
  }

  /** Checked right before the first byte, because roles and time may have changed while the gate held the command. */
  #mayStart(): boolean {
    const { clock, share, bans, settings } = this.#ports;
    const nowMs = clock.monotonicMs();
    const pause = settings.known(this.#request.actor.guildId)?.automaticPause;
    if (this.isShared && pause !== undefined) return false;
    const stale = nowMs - this.#rolesReadAtMs > ROLES_GOOD_FOR_MS;
    if (this.#request.origin === "ban-end" && !bans.isWanted(this.#record)) return false;
    if (this.#request.guard?.isWanted() === false) return false;
    if (this.#over || this.#abort.signal.aborted || nowMs >= this.#expiresAtMs || stale) return false;
    this.#started = true;
    if (this.isShared) share.onLeft(this.#record.source);
    this.#record = { ...this.#record, sentAtMs: clock.nowMs() };
    return true;
  }

  async #onRefused(failure: Failure): Promise<AttemptResult> {
    const { health, clock, report } = this.#ports;
    const { aborted, reason } = this.#abort.signal;
    const next: AttemptResult =
      this.#over || aborted
        ? { kind: "over" }
        : nextAttempt({
            failure,
            nowMs: clock.nowMs(),
            haltUntilMs: health.halt()?.untilMs,
            leftMs: this.#expiresAtMs - clock.monotonicMs(),
          });
    if (next.kind === "over") {
      this.#fail(aborted && failure.ran === "no" && reason instanceof Failure ? reason : failure);
      return next;
    }

    const { sentAtMs: _, ...unsent } = this.#record;
    this.#record = { ...unsent, status: "waiting", ran: "no" };
    this.#started = false;
    // The row is set back from "sending", so that after a crash it is not taken for a run with an unknown outcome.
    await this.#row
      .write(this.#record)
      .catch((error: unknown) => report("an audit row could not be written", error));
    return this.#over ? { kind: "over" } : next;
  }

  /** Ends the run with this reason unless its first byte may have been written: then it answers false. */
  withdraw(status: "cancelled" | "expired", why: Failure): boolean {
    if (this.end(status, why)) return true;
    if (this.#over || this.#started) return false;
    // The gate still holds it. If it leaves at this moment, the client answers with ran "unknown".
    this.#abort.abort(why);
    return true;
  }

  #fail(failure: Failure, status?: RunStatus): void {
    const nowMs = this.#ports.clock.nowMs();
    // An answer that arrives within the time limit of the stop counts as usual.
    const interrupted = this.#interrupted && (status === "expired" || this.#abort.signal.aborted);
    this.#finish(failedOutcome(this.#record, { failure, nowMs, status, interrupted }));
  }

  /** Ends the run. The outcome is given at once; writing the row may take longer while the store fails. */
  #finish(outcome: RunOutcome): void {
    if (this.#over) return;
    this.#over = true;
    this.#record = outcome.record;
    this.#cancelExpiry();
    this.#row.complete(this.#record);
    this.submitted.end(outcome);
    this.#onEnd(this);
  }
}
