import { Failure } from "../../domain/failure.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { ServiceClient } from "../../domain/ports/service-client.ts";
import type { RunOutcome, RunPlan, RunRecord, RunRequest, RunStatus } from "../../domain/run.ts";
import { actorColumns, answered, failed, newRecord } from "../audit/run-record.ts";
import {
  checkAtSending,
  type GatekeeperPorts,
  type Passed,
  ROLES_GOOD_FOR_MS,
} from "../permission/authorize-at-send.ts";
import type { LaneEntry, Readiness } from "./lane.ts";
import { type Attempt, nextAttempt } from "./next-attempt.ts";
import { RunRow } from "./run-row.ts";
import { RunProgressTicket } from "./run-ticket.ts";
import type { SourceTurns } from "./source-turns.ts";

/** A run that has waited this long is not sent: a stale ban is worse than none. */
const EXPIRES_AFTER_MS = 10 * 60_000;

export interface RunPorts extends GatekeeperPorts {
  readonly client: Pick<ServiceClient, "command">;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly turns: SourceTurns;
  /** A defect: something failed that is nobody's answer. */
  report(what: string, error: unknown): void;
}

/**
 * One run from "waiting" to its outcome. Its audit row is written before anything is sent, and each change after;
 * the service is called again only after a failure that says that the command did not run.
 */
export class ActiveRun implements LaneEntry {
  readonly ticket: RunProgressTicket;
  readonly #ports: RunPorts;
  readonly #onEnd: (run: ActiveRun) => void;
  readonly #abort = new AbortController();
  readonly #cancelExpiry: () => void;
  readonly #row: RunRow;
  /** By the monotonic clock, like every age and wait here. */
  readonly #expiresAtMs: number;
  #rolesReadAtMs: number;
  #request: RunRequest;
  #record: RunRecord;
  #over = false;
  #interrupted = false;
  /** Its first byte is about to be written, or was. */
  #started = false;

  constructor(ports: RunPorts, plan: RunPlan, onEnd: (run: ActiveRun) => void) {
    const { clock } = ports;
    const { request } = plan;
    this.#ports = ports;
    this.#onEnd = onEnd;
    this.#request = request;
    this.#record = newRecord(plan, clock.nowMs());
    this.#row = new RunRow(ports);
    this.ticket = new RunProgressTicket(plan.id);
    this.#expiresAtMs = clock.monotonicMs() + EXPIRES_AFTER_MS;
    // The interaction told them; how long ago is told by Discord's clock and ours, so it is asked only once.
    this.#rolesReadAtMs = clock.monotonicMs() - Math.max(0, clock.nowMs() - request.actor.askedAtMs);
    this.#cancelExpiry = clock.after(EXPIRES_AFTER_MS, () => this.#expire());
  }

  get id(): string {
    return this.#record.id;
  }

  get record(): RunRecord {
    return this.#record;
  }

  get automatic(): boolean {
    return this.#request.origin === "on-join";
  }

  get over(): boolean {
    return this.#over;
  }

  /** The row "waiting"; only after it stands may the run enter a lane. Rejects when the store does. */
  open(): Promise<void> {
    return this.#row.write(this.#record);
  }

  readiness(): Readiness {
    const { health, turns, clock } = this.#ports;
    const { source } = this.#record;
    if (turns.busy(source)) return { kind: "when-woken" };
    const readyAtMs = Math.max(health.halt()?.untilMs ?? 0, health.commandReadyAtMs(source));
    const inMs = readyAtMs - clock.nowMs();
    return inMs > 0 ? { kind: "again", inMs } : { kind: "ready" };
  }

  async attempt(): Promise<Attempt> {
    const { turns, report } = this.#ports;
    const { source } = this.#record;
    if (this.#over) return { kind: "over" };
    if (!turns.take(source)) return { kind: "when-woken" };
    try {
      const passed = await this.#check();
      if (passed === undefined || !(await this.#note(passed))) return { kind: "over" };
      return await this.#send(passed);
    } catch (error) {
      // Nothing in there should throw; if it does, whether the command ran is not known once it had started.
      report("a run failed", error);
      const ran = this.#record.status === "sending" ? "unknown" : "no";
      this.#fail(new Failure("bad-response", "Marshal itself failed.", { ran, cause: error }));
      return { kind: "over" };
    } finally {
      turns.release(source);
    }
  }

  /** Ends it unless it is being sent already; false: too late. */
  end(status: RunStatus, failure: Failure): boolean {
    if (this.#over || this.#record.status === "sending") return false;
    this.#fail(failure, status);
    return true;
  }

  /** Ends it, unless it is being sent already, because this process stops. */
  interrupt(reason: Failure): void {
    this.#interrupted = true;
    this.end("expired", reason);
  }

  /** Waits for its answer no longer, since this process stops: unsent if the gate still holds it, else unknown. */
  abandon(reason: Failure): void {
    this.#interrupted = true;
    if (!this.#over) this.#abort.abort(reason);
  }

  /** Resolves when everything that was to be written of it so far was tried. */
  written(): Promise<void> {
    return this.#row.written();
  }

  /** May this person still do this, here? Undefined: it is over. */
  async #check(): Promise<Passed | undefined> {
    try {
      const passed = await checkAtSending(this.#ports, this.#request, this.#rolesReadAtMs);
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

  /** Writes the row "sending". False: it is over. */
  async #note({ actor, binding }: Passed): Promise<boolean> {
    const sending: RunRecord = {
      ...this.#record,
      ...actorColumns(actor),
      source: binding.source,
      status: "sending",
      // What the row says should it be the last that is ever written.
      ran: "unknown",
      sentAtMs: this.#ports.clock.nowMs(),
    };
    try {
      await this.#row.write(sending);
    } catch (error) {
      this.#ports.report("an audit row could not be written", error);
      this.#fail(notAudited(error));
      return false;
    }

    // Cancelled or expired while the row was being written: the row of its end follows.
    if (this.#over) return false;
    this.#record = sending;
    return true;
  }

  async #send({ binding }: Passed): Promise<Attempt> {
    const { client, clock, report } = this.#ports;
    this.ticket.move({ record: this.#record, place: 0, expectedAtMs: clock.nowMs() });
    try {
      const { text } = this.#record;
      const answer = await client.command(binding.source, text, {
        signal: this.#abort.signal,
        mayStart: () => this.#mayStart(),
        guildId: binding.guildId,
      });
      this.#finish(answered(this.#record, answer));
    } catch (error) {
      if (error instanceof Failure) return this.#onRefused(error);
      report("sending a command failed", error);
      this.#fail(new Failure("bad-response", "Marshal itself failed.", { ran: "unknown", cause: error }));
    }
    return { kind: "over" };
  }

  /** The last word before the first byte: the gate may have held it while roles, time or the queue changed. */
  #mayStart(): boolean {
    const { clock } = this.#ports;
    const nowMs = clock.monotonicMs();
    const stale = nowMs - this.#rolesReadAtMs > ROLES_GOOD_FOR_MS;
    if (this.#over || this.#abort.signal.aborted || nowMs >= this.#expiresAtMs || stale) return false;
    this.#started = true;
    this.#record = { ...this.#record, sentAtMs: clock.nowMs() };
    return true;
  }

  async #onRefused(failure: Failure): Promise<Attempt> {
    const { health, clock, report } = this.#ports;
    const { aborted, reason } = this.#abort.signal;
    const next: Attempt =
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
    // The row said "sending": after a crash it would be looked for in the log although it surely did not run.
    await this.#row
      .write(this.#record)
      .catch((error: unknown) => report("an audit row could not be written", error));
    return this.#over ? { kind: "over" } : next;
  }

  #expire(): void {
    if (this.end("expired", expiredUnsent()) || this.#over || this.#started) return;
    // The gate still holds it; if it left at this very moment the client says so by ran "unknown".
    this.#abort.abort(expiredUnsent());
  }

  #fail(failure: Failure, status?: RunStatus): void {
    const nowMs = this.#ports.clock.nowMs();
    // An answer that came after all, within the time that a stop leaves for it, is one like any other.
    const interrupted = this.#interrupted && (status === "expired" || this.#abort.signal.aborted);
    this.#finish(failed(this.#record, { failure, nowMs, status, interrupted }));
  }

  /** What came of it is told at once; the row may take longer when the store fails. */
  #finish(outcome: RunOutcome): void {
    if (this.#over) return;
    this.#over = true;
    this.#record = outcome.record;
    this.#cancelExpiry();
    this.#row.complete(this.#record);
    this.ticket.end(outcome);
    this.#onEnd(this);
  }
}

function notChecked(cause: unknown): Failure {
  return new Failure("denied", "The permission could not be checked, so nothing was sent.", { cause });
}

function notAudited(cause: unknown): Failure {
  return new Failure("denied", "The audit row could not be written, so nothing was sent.", { cause });
}

function expiredUnsent(): Failure {
  return new Failure("expired", "It waited for 10 minutes and was not sent.");
}
