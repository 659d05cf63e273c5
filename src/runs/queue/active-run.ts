import { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { ServiceClient } from "../../domain/ports/service-client.ts";
import type { RunOutcome, RunPlan, RunRecord, RunRequest, RunStatus } from "../../domain/run.ts";
import { actorColumns, answered, failed, newRecord } from "../audit/run-record.ts";
import {
  checkAtSending,
  type GatekeeperPorts,
  type Passed,
  rolesGoodForMs,
} from "../permission/authorize-at-send.ts";
import type { LaneEntry } from "./lane.ts";
import { RunProgressTicket } from "./run-ticket.ts";
import type { SourceTurns } from "./source-turns.ts";

/** A run that has waited this long is not sent: a stale ban is worse than none (design 6). */
const expiresAfterMs = 10 * 60_000;
/** A 429 that names no time. */
const unnamedWaitMs = 5_000;
const recheckAfterMs = 250;
/** An audit row that could not be completed is tried again after so long, and then rarer. */
const rewriteAfterMs = [1_000, 5_000, 30_000, 120_000, 600_000];

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
 * the service is called again only after a failure that says that the command did not run (design 4, Commands).
 */
export class ActiveRun implements LaneEntry {
  readonly ticket: RunProgressTicket;
  readonly expiresAtMs: number;
  readonly #ports: RunPorts;
  readonly #onEnd: (run: ActiveRun) => void;
  readonly #abort = new AbortController();
  readonly #cancelExpiry: () => void;
  #request: RunRequest;
  #record: RunRecord;
  #over = false;
  #interrupted = false;
  /** Its first byte is about to be written, or was. */
  #started = false;
  #writes: Promise<void> = Promise.resolve();

  constructor(ports: RunPorts, plan: RunPlan, onEnd: (run: ActiveRun) => void) {
    const nowMs = ports.clock.nowMs();
    this.#ports = ports;
    this.#onEnd = onEnd;
    this.#request = plan.request;
    this.#record = newRecord(plan, nowMs);
    this.ticket = new RunProgressTicket(plan.id);
    this.expiresAtMs = nowMs + expiresAfterMs;
    this.#cancelExpiry = ports.clock.after(expiresAfterMs, () => this.#expire());
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
    return this.#write(this.#record);
  }

  readyAtMs(): number {
    const { health, turns } = this.#ports;
    const { source } = this.#record;
    if (turns.busy(source)) return Number.POSITIVE_INFINITY;
    return Math.max(health.halt()?.untilMs ?? 0, health.commandReadyAtMs(source));
  }

  async attempt(): Promise<number | undefined> {
    const { source } = this.#record;
    if (this.#over) return undefined;
    if (!this.#ports.turns.take(source)) return Number.POSITIVE_INFINITY;
    try {
      return await this.#check();
    } catch (error) {
      // Nothing in there should throw; if it does, whether the command ran is not known once it had started.
      this.#ports.report("a run failed", error);
      this.#fail(
        new Failure("bad-response", "Marshal itself failed.", { ran: this.#ranSoFar(), cause: error }),
      );
      return undefined;
    } finally {
      this.#ports.turns.release(source);
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

  /** Waits for its answer no longer, since this process stops: unsent if the gate still holds it, else its outcome stays unknown. */
  abandon(reason: Failure): void {
    this.#interrupted = true;
    if (!this.#over) this.#abort.abort(reason);
  }

  async #check(): Promise<number | undefined> {
    let passed: Passed;
    try {
      passed = await checkAtSending(this.#ports, this.#request);
    } catch (error) {
      if (!(error instanceof Failure)) this.#ports.report("the check before sending failed", error);
      this.#fail(error instanceof Failure ? error : notChecked(error));
      return undefined;
    }
    if (this.#over) return undefined;
    this.#request = { ...this.#request, ...passed };
    const sending = this.#sendingRow(passed);
    try {
      await this.#write(sending);
    } catch (error) {
      this.#ports.report("an audit row could not be written", error);
      this.#fail(
        new Failure("denied", "The audit row could not be written, so nothing was sent.", { cause: error }),
      );
      return undefined;
    }
    // Cancelled or expired while the row was being written: the row of its end follows.
    if (this.#over) return undefined;
    this.#record = sending;
    return this.#send(passed);
  }

  #sendingRow({ actor, binding }: Passed): RunRecord {
    return {
      ...this.#record,
      ...actorColumns(actor),
      source: binding.source,
      status: "sending",
      // What the row says should it be the last that is ever written.
      ran: "unknown",
      sentAtMs: this.#ports.clock.nowMs(),
    };
  }

  async #send({ actor, binding }: Passed): Promise<number | undefined> {
    const { client } = this.#ports;
    const mayStart = () => this.#mayStart(actor);
    this.ticket.move({ record: this.#record, place: 0, expectedAtMs: this.#ports.clock.nowMs() });
    try {
      const answer = await client.command(binding.source, this.#record.text, this.#abort.signal, mayStart);
      this.#finish(answered(this.#record, answer));
      return undefined;
    } catch (error) {
      if (error instanceof Failure) return this.#refused(error);
      this.#ports.report("sending a command failed", error);
      this.#fail(new Failure("bad-response", "Marshal itself failed.", { ran: "unknown", cause: error }));
      return undefined;
    }
  }

  /** The last word before the first byte: the gate may have held it while roles, time or the queue changed. */
  #mayStart(actor: Actor): boolean {
    const nowMs = this.#ports.clock.nowMs();
    const good =
      !this.#over &&
      !this.#abort.signal.aborted &&
      nowMs < this.expiresAtMs &&
      // As the interaction told them, or as they were read at the check.
      nowMs - actor.askedAtMs <= rolesGoodForMs;
    if (good) {
      this.#started = true;
      this.#record = { ...this.#record, sentAtMs: nowMs };
    }
    return good;
  }

  async #refused(failure: Failure): Promise<number | undefined> {
    const nowMs = this.#ports.clock.nowMs();
    const againAtMs = this.#againAtMs(failure, nowMs);
    if (againAtMs === undefined) {
      const { aborted, reason } = this.#abort.signal;
      this.#fail(aborted && failure.ran === "no" && reason instanceof Failure ? reason : failure);
      return undefined;
    }
    const { sentAtMs: _, ...unsent } = this.#record;
    this.#record = { ...unsent, status: "waiting", ran: "no" };
    this.#started = false;
    // The row said "sending": after a crash it would be looked for in the log although it surely did not run.
    await this.#write(this.#record).catch((error: unknown) =>
      this.#ports.report("an audit row could not be written", error),
    );
    return this.#over ? undefined : againAtMs;
  }

  /** When to try again; undefined: not at all. Only what surely did not run may be sent again (spec: Limits 5). */
  #againAtMs(failure: Failure, nowMs: number): number | undefined {
    if (failure.ran !== "no" || this.#over || this.#abort.signal.aborted) return undefined;
    // What #mayStart held back is checked anew; never in a tight loop, whatever the reason was.
    if (failure.code === "expired" && nowMs < this.expiresAtMs) return nowMs + recheckAfterMs;
    if (failure.code !== "rate-limited" && failure.code !== "blocked") return undefined;
    const haltMs = this.#ports.health.halt()?.untilMs ?? 0;
    const againAtMs = Math.max(failure.retryAtMs ?? nowMs + unnamedWaitMs, haltMs);
    return againAtMs < this.expiresAtMs ? againAtMs : undefined;
  }

  #expire(): void {
    if (this.end("expired", expiredUnsent()) || this.#over || this.#started) return;
    // The gate still holds it; if it left at this very moment the client says so by ran "unknown".
    this.#abort.abort(expiredUnsent());
  }

  #ranSoFar(): "no" | "unknown" {
    return this.#record.status === "sending" ? "unknown" : "no";
  }

  #fail(failure: Failure, status?: RunStatus): void {
    const nowMs = this.#ports.clock.nowMs();
    // An answer that came after all, within the time that a stop leaves for it, is one like any other.
    const interrupted = this.#interrupted && (status === "expired" || this.#abort.signal.aborted);
    this.#finish(failed(this.#record, { failure, nowMs, status, interrupted }));
  }

  #finish(outcome: RunOutcome): void {
    if (this.#over) return;
    this.#over = true;
    this.#record = outcome.record;
    this.#cancelExpiry();
    this.#complete(0);
    this.ticket.end(outcome);
    this.#onEnd(this);
  }

  /** What came of it is told at once; the row may take longer when the store fails. */
  #complete(tries: number): void {
    this.#write(this.#record).catch((error: unknown) => {
      this.#ports.report("an audit row could not be completed", error);
      const waitMs = rewriteAfterMs[tries];
      if (waitMs !== undefined) this.#ports.clock.after(waitMs, () => this.#complete(tries + 1));
    });
  }

  /** Rows of one run reach the store in order. */
  #write(record: RunRecord): Promise<void> {
    const write = this.#writes.then(() => this.#ports.audit.put(record));
    this.#writes = write.catch(() => undefined);
    return write;
  }

  /** All that was to be written so far was tried. */
  written(): Promise<void> {
    return this.#writes;
  }
}

function notChecked(cause: unknown): Failure {
  return new Failure("denied", "The permission could not be checked, so nothing was sent.", { cause });
}

function expiredUnsent(): Failure {
  return new Failure("expired", "It waited for 10 minutes and was not sent.");
}
