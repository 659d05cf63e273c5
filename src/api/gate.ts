import { Failure } from "../domain/failure.ts";
import type { SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import { Admission } from "./admission.ts";
import { type AnswerStep, stepAfter } from "./answer-step.ts";
import { Carrier, HALT_BEGAN } from "./carrier.ts";
import * as refusals from "./gate-failures.ts";
import type { GateOptions } from "./gate-options.ts";
import type { Outcome } from "./http/classify.ts";
import type { KeyDesk } from "./keys/key-desk.ts";
import { KeyErrands, type KeyQuestion } from "./keys/key-errands.ts";
import type { KeyGuard } from "./keys/key-guard.ts";
import { RefusedKeys } from "./keys/refused-keys.ts";
import { Alarm } from "./limits/alarm.ts";
import { AnnouncedHalt } from "./limits/announced-halt.ts";
import type { Answered, Exchange, Job } from "./limits/in-flight.ts";
import { RateLimiter } from "./limits/rate-limiter.ts";
import { RequestQueue } from "./limits/request-queue.ts";
import type { Observation } from "./limits/server-clock.ts";
import { Probe } from "./probe.ts";
import { Departures, NOT_NOW, PROBED_ELSEWHERE_MS } from "./shared/departures.ts";

const PROBE_AGAIN_MS = 5_000;
const LISTEN_ON_CLOSING_MS = 3_000;
const STATUS_PATH = "/v1/server";

/**
 * Everything that is sent to the service passes here, in the order and at the moments that its limits allow. One gate
 * for each identity that the service counts.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #clock: Clock;
  readonly #rateLimiter: RateLimiter;
  readonly #halt: AnnouncedHalt;
  readonly #guard: KeyGuard;
  readonly #desk: KeyDesk;
  readonly #refusedKeys: RefusedKeys;
  readonly #probe: Probe;
  readonly #errands: KeyErrands;
  readonly #carrier: Carrier;
  readonly #admission: Admission;
  readonly #waiting = new RequestQueue((job, signal) => this.#onAborted(job, signal));
  readonly #alarm: Alarm;
  readonly #departures: Departures;
  #closed = false;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#alarm = new Alarm(options.clock, () => this.#pump());
    this.#guard = options.guard;
    this.#desk = options.desk;
    this.#halt = new AnnouncedHalt({ ...options, onChanged: options.onHaltChanged });
    this.#rateLimiter = new RateLimiter({
      salt: options.salt,
      nowMs: options.clock.monotonicMs(),
      wallAheadMs: options.clock.nowMs() - options.clock.monotonicMs(),
      isShared: options.sharing !== undefined,
      onShared: (bucketHash) => options.onEvent({ kind: "shared-limits", bucketHash }),
    });
    this.#departures = new Departures({
      ...options,
      halt: this.#halt,
      rateLimiter: this.#rateLimiter,
      callBack: (request, reason) => this.#carrier.inFlight.abort(request, reason),
      onParkedElsewhere: (source, record) => this.#refusedKeys.onParkedElsewhere(source, record),
      onChanged: () => this.#pump(),
    });
    this.#carrier = new Carrier({
      ...options,
      rateLimiter: this.#rateLimiter,
      mayLeave: this.#departures.mayLeave,
      onAnswer: (job, outcome, observation) => this.#onAnswer(job, outcome, observation),
      onLost: (job, error, wasWritten) => this.#onLost(job, error, wasWritten),
    });
    this.#refusedKeys = new RefusedKeys({
      ...options,
      ask: (source, key) => this.#askOurselves({ source, key }, false),
      probeNow: (message) => this.#halt.probeNow(message),
      halt: (call) => this.#halt.refuse(call, true),
      resume: () => this.#resume(),
      refuseWaiting: (source, failure) => this.#waiting.refuseKey(source, failure),
      dropKey: (source, failure) => this.dropKey(source, failure),
    });
    this.#errands = new KeyErrands({
      ...options,
      suspects: () => [...this.#refusedKeys.suspects.keys(), ...this.#carrier.pages.drawn],
      ask: (question) => this.#askOurselves(question, false),
      onChecked: () => this.#pump(),
    });
    this.#probe = new Probe({
      guard: options.guard,
      errands: this.#errands,
      waiting: () => this.#waiting.jobs,
      ask: (question) => this.#askOurselves(question, true),
    });
    this.#admission = new Admission({
      ...options,
      halt: this.#halt,
      rateLimiter: this.#rateLimiter,
      inFlight: this.#carrier.inFlight,
      waiting: this.#waiting,
      onRisky: () => this.#pump(),
    });
  }

  get halt(): AnnouncedHalt {
    return this.#halt;
  }

  /** Sends when its turn has come. Rejects with a Failure; a command's tells whether it may have run. */
  send(exchange: Exchange): Promise<Answered> {
    const why = this.#closed ? undefined : this.#admission.refusal(exchange);
    return why ? Promise.reject(why) : this.#enqueue(exchange, false);
  }

  /** When a command of this source could start, epoch milliseconds. */
  commandReadyAtMs(source: SourceId): number {
    const readyMs = this.#rateLimiter.commandReadyAtMs(source, this.#clock.monotonicMs());
    return this.#wallMs(Math.max(readyMs, this.#halt.untilMs ?? readyMs));
  }

  /** Goes on where an earlier process stood; its halt and what it knew of keys have been restored. */
  async resumeWork(): Promise<void> {
    await this.#refusedKeys.restore();
    this.#departures.start();
    this.#pump();
  }

  /** A key that will not be used any more: what was learned of it is forgotten, requests that wait with it are refused. */
  dropKey(source: SourceId, failure: Failure): void {
    this.#waiting.refuseKey(source, failure);
    this.#rateLimiter.forget(source, this.#clock.monotonicMs());
  }

  /** Plain figures for /state; nothing secret. */
  state() {
    const { buckets, roundTripMs } = this.#rateLimiter;
    const inFlight = this.#carrier.inFlight.size;
    return { inFlight, waiting: this.#waiting.counts, buckets, roundTripMs: Math.round(roundTripMs) };
  }

  /**
   * Sends nothing more; requests that wait are refused. What was written is listened to a little longer: a 429 that
   * comes now is one that the next process must know.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#alarm.cancel();
    this.#departures.close();
    this.#refusedKeys.close();
    const closing = refusals.stopping();
    this.#waiting.refuseEach(() => closing);
    this.#carrier.inFlight.cancelUnwritten(closing);
    await this.#carrier.inFlight.drain(LISTEN_ON_CLOSING_MS, closing);
    this.#halt.close();
  }

  #enqueue(exchange: Exchange, probe: boolean): Promise<Answered> {
    if (this.#closed) return Promise.reject(refusals.stopping());
    const { source, key, proving, waitingClass } = exchange;
    const answered = this.#waiting.enter(exchange, probe, this.#clock.monotonicMs());
    if (!proving && this.#guard.isDoubtful(source) && waitingClass !== "internal")
      void this.#refusedKeys.confirm(source, key);
    this.#pump();
    return answered;
  }

  /** A GET of our own. */
  #askOurselves(about: KeyQuestion, probe: boolean): Promise<Answered> {
    return this.#enqueue({ ...about, route: "read", waitingClass: "internal", path: STATUS_PATH }, probe);
  }

  /** The caller gives it up. */
  #onAborted(job: Job, signal: AbortSignal): void {
    if (this.#waiting.refuse(job, refusals.abortedBy(signal, "no"))) return;
    const request = this.#carrier.inFlight.of(job);
    if (request === undefined) return;
    // Once written it cannot be cancelled, and its answer may be the one that tells us all to stop: only the caller
    // stops waiting.
    if (request.startedMs === undefined)
      this.#carrier.inFlight.abort(request, refusals.abortedBy(signal, "no"));
    else job.reject(refusals.abortedBy(signal, job.exchange.route === "command" ? "unknown" : "no"));
  }

  /** Starts what may start now, and sets the alarm for when something may. */
  #pump(): void {
    this.#alarm.cancel();
    if (this.#closed || this.#carrier.inFlight.isBeingStopped) return;
    const { notBeforeMs } = this.#departures;
    if (notBeforeMs > this.#clock.monotonicMs()) this.#alarm.set(notBeforeMs);
    else if (this.#halt.state === "open" || this.#tendHalt()) this.#startReady();
  }

  #startReady(): void {
    this.#admission.refuseHopeless();
    // No key is checked beside a probe: a check that is due then is no reason to look again.
    let wakeAtMs = this.#halt.state === "open" ? this.#errands.checkNext() : Number.POSITIVE_INFINITY;
    while (!this.#waiting.isEmpty) {
      const nowMs = this.#clock.monotonicMs();
      const taken = this.#waiting.take(
        nowMs,
        (job) => this.#admission.readyAtMs(job, nowMs),
        (waitingClass) => this.#admission.hopelessUntilMs(waitingClass, nowMs),
      );
      if (!("next" in taken)) {
        wakeAtMs = Math.min(wakeAtMs, taken.wakeAtMs);
        break;
      }
      if (this.#admission.mayLeave(taken.next, nowMs)) this.#carrier.start(taken.next, nowMs);
    }
    this.#alarm.set(wakeAtMs);
  }

  #onLost(job: Job, error: unknown, wasWritten: boolean): void {
    const { route } = job.exchange;
    this.#departures.onEnded(job);
    if (error === NOT_NOW && job.probe) {
      this.#halt.postpone(PROBED_ELSEWHERE_MS);
      job.reject(refusals.lost(error, "no"));
    } else if (error === HALT_BEGAN || error === NOT_NOW) {
      const failure = job.probe ? undefined : this.#halt.failure();
      if (failure === undefined && !this.#closed) this.#waiting.enterAgain(job);
      else job.reject(failure ?? refusals.stopping());
    } else {
      this.#carrier.count(route, "lost");
      if (route === "command" && !wasWritten) job.reject(refusals.notSent(error));
      else job.reject(refusals.lost(error, route === "command" ? "unknown" : "no"));
      if (job.probe) this.#halt.postpone(PROBE_AGAIN_MS);
      else this.#admission.onLost(job.exchange, error);
    }
    this.#pump();
  }

  #onAnswer(job: Job, outcome: Outcome, observation: Observation): void {
    const { source, route } = job.exchange;
    this.#departures.onEnded(job);
    const isDoubtful = this.#guard.isDoubtful(source);
    const step = stepAfter(outcome, { route, isProbe: job.probe, isDoubtful });
    if (step.kind === "halt") this.#stop(job, step);
    else if (step.kind === "key-refused") this.#refusedKeys.onRefused(job, step.outcome);
    else {
      if (step.kind === "taken") this.#noteTaken(job.exchange, step.speaksForKey, observation);
      // The service answered as it does when nothing is wrong with us.
      if (job.probe) this.#resume();
      if (step.kind === "failed") job.reject(this.#admission.onFailed(job.exchange, step.outcome.failure));
      else {
        const { json, dateMs } = step.outcome;
        const sentAtMs = this.#wallMs(observation.sentMs);
        job.resolve({ json, dateMs, sentAtMs, readAtMs: this.#clock.nowMs() });
      }
    }
    this.#pump();
  }

  /** The service said stop: to everybody, on every route, at once (spec: Limits 5). */
  #stop(job: Job, { outcome, mayWait }: Extract<AnswerStep, { kind: "halt" }>): void {
    const { code, message, ran } = outcome.failure;
    this.#halt.refuse({ ...outcome, message }, job.probe);
    if (job.probe) this.#probe.onRefused();
    this.#carrier.inFlight.cancelUnwritten(HALT_BEGAN);
    if (mayWait && !this.#closed && this.#halt.failure() === undefined) {
      this.#waiting.enterAgain(job);
      return;
    }
    const { untilMs: retryAtMs = this.#clock.nowMs(), why = code } = this.#halt.current ?? {};
    job.reject(new Failure(why, message, { ran, retryAtMs }));
  }

  #noteTaken(exchange: Exchange, speaksForKey: boolean, { sentMs }: Observation): void {
    const { source } = exchange;
    const wasDoubtful = this.#guard.isDoubtful(source);
    if (speaksForKey) this.#desk.onTaken(exchange, sentMs);
    if (wasDoubtful && !this.#guard.isDoubtful(source)) this.#options.onRejectedChanged(source);
    if (exchange.isAskedAgain === true) this.#options.onTakenAgain(source);
  }

  /** During a halt: refuses requests that cannot wait, and sends the probe when it is time. True: go on pumping. */
  #tendHalt(): boolean {
    const failure = this.#halt.failure();
    if (failure !== undefined) this.#waiting.refuseEach((job) => (job.probe ? undefined : failure));
    if (!this.#halt.probe()) {
      this.#alarm.set(this.#halt.untilMs ?? 0);
      return false;
    }
    this.#probe.send();
    return true;
  }

  /** The probe was answered as if nothing were wrong with us. */
  #resume(): void {
    if (this.#halt.state === "probing") this.#halt.resume();
    this.#refusedKeys.onCleared();
  }

  #wallMs(monotonicMs: number): number {
    return Math.round(this.#clock.nowMs() + monotonicMs - this.#clock.monotonicMs());
  }
}
