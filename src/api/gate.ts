import { Failure } from "../domain/failure.ts";
import type { SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { ServiceEvent } from "../domain/ports/service-health.ts";
import type { ServerKey } from "../domain/secret.ts";
import * as refusals from "./gate-failures.ts";
import { classify, type Outcome, type WireAnswer } from "./http/classify.ts";
import type { Transport, WireRequest } from "./http/transport.ts";
import type { Landing } from "./keys/budget.ts";
import { KeyBlankers } from "./keys/key-blanker.ts";
import type { KeyDesk } from "./keys/key-desk.ts";
import { KeyErrands, type KeyQuestion } from "./keys/key-errands.ts";
import type { KeyGuard } from "./keys/key-guard.ts";
import { RefusedKeys } from "./keys/refused-keys.ts";
import { AbortWatch } from "./limits/abort-watch.ts";
import { AnnouncedHalt } from "./limits/announced-halt.ts";
import type { Route } from "./limits/bucket-registry.ts";
import {
  type Answered,
  type Exchange,
  InFlight,
  type InFlightRequest,
  type Job,
} from "./limits/in-flight.ts";
import { type BucketState, RateLimiter } from "./limits/rate-limiter.ts";
import { RequestQueue, type WaitingClass } from "./limits/request-queue.ts";
import type { Observation } from "./limits/server-clock.ts";

export interface GateOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly guard: KeyGuard;
  /** Asked of each request whether its key may be risked now. */
  readonly desk: KeyDesk;
  readonly globalKey: ServerKey | undefined;
  /** Unguessable; bucket names are hashed with it. */
  readonly salt: string;
  readonly deadlineMs: number;
  /** How many requests the transport carries at once without one waiting inside it. */
  readonly connections: number;
  readonly keyOf: (source: SourceId) => Promise<ServerKey | undefined>;
  /** Every server that somebody has linked. */
  readonly sources: () => Iterable<SourceId>;
  readonly onEvent: (event: ServiceEvent) => void;
  /** The halt or the standing of keys changed and must be kept. */
  readonly onHaltChanged: () => void;
  readonly onRejectedChanged: (source: SourceId) => void;
  /** The service takes a parked key again. */
  readonly onTakenAgain: (source: SourceId) => void;
}

/** A command that would wait longer for its server's command bucket is told instead: only a drained one waits so long. */
const PACE_PATIENCE_MS = 60_000;
const MOST_WAITING = 10_000;
/** Requests in flight for one key: a key that is refused meanwhile costs at most so many (design 9: at most 2). */
const FLIGHTS_OF_PROVEN_KEY = 2;
const PROBE_AGAIN_MS = 5_000;
const LISTEN_ON_CLOSING_MS = 3_000;
const STATUS_PATH = "/v1/server";

/** Recalls requests that have not been written when a halt begins. */
const RECALLED = Symbol("recalled");

/**
 * Everything that is sent to the service passes here, in the order and at the moments that its limits allow (design 4).
 * One gate for each identity that the service counts.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #clock: Clock;
  readonly #allowance: RateLimiter;
  readonly #halt: AnnouncedHalt;
  readonly #guard: KeyGuard;
  readonly #desk: KeyDesk;
  readonly #refusedKeys: RefusedKeys;
  readonly #errands: KeyErrands;
  readonly #waiting = new RequestQueue<Job>();
  readonly #flights: InFlight;
  readonly #blankers: KeyBlankers;
  readonly #aborts = new AbortWatch<Job>((job, signal) => this.#aborted(job, signal));
  /** How many refusals of keys the requests that wait have been looked at after. */
  #refusalsSeen = 0;
  #cancelWake: () => void = () => {};
  #probing = false;
  #closed = false;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#guard = options.guard;
    this.#desk = options.desk;
    this.#blankers = new KeyBlankers(options.globalKey);
    this.#halt = new AnnouncedHalt({ ...options, onChanged: options.onHaltChanged });
    this.#refusedKeys = new RefusedKeys({
      ...options,
      ask: (source, key) => this.#enqueueInternal({ source, key }, false),
      probeNow: (message) => this.#halt.probeNow(message),
      halt: (call) => this.#halt.refuse(call, true),
      resume: () => this.#resume(),
      refuseWaiting: (source, failure) => this.#refuseAll(source, failure),
      dropKey: (source, failure) => this.dropKey(source, failure),
    });
    this.#errands = new KeyErrands({
      ...options,
      suspects: () => [...this.#refusedKeys.suspects.keys()],
      ask: (question) => this.#enqueueInternal(question, false),
      onChecked: () => this.#pump(),
    });
    this.#flights = new InFlight(options.clock, options.deadlineMs, (flight, reason) =>
      this.#lost(flight, reason),
    );
    this.#allowance = new RateLimiter({
      salt: options.salt,
      nowMs: options.clock.monotonicMs(),
      wallAheadMs: options.clock.nowMs() - options.clock.monotonicMs(),
      onShared: (bucketHash) => options.onEvent({ kind: "shared-limits", bucketHash }),
    });
  }

  get halt(): AnnouncedHalt {
    return this.#halt;
  }

  /** Sends when its turn has come. Rejects with a Failure; a command's tells whether it may have run. */
  send(exchange: Exchange): Promise<Answered> {
    const refusal = this.#refusalAtTheDoor(exchange);
    if (refusal !== undefined) return Promise.reject(refusal);
    return this.#enqueue(exchange, false);
  }

  /** When a command of this source could start, epoch milliseconds. */
  commandReadyAtMs(source: SourceId): number {
    const readyMs = this.#allowance.commandReadyAtMs(source, this.#clock.monotonicMs());
    return this.#wallMs(Math.max(readyMs, this.#halt.untilMs ?? readyMs));
  }

  /** Continues a halt of an earlier process, or goes on after a change from outside. */
  wake(): void {
    this.#pump();
  }

  /** A key that will not be used any more: what was learned of it goes, whoever waits for it is told. */
  dropKey(source: SourceId, failure: Failure): void {
    this.#refuseAll(source, failure);
    this.#allowance.forget(source, this.#clock.monotonicMs());
  }

  /** Plain figures for /state; nothing secret. */
  state(): {
    readonly inFlight: number;
    readonly waiting: Readonly<Record<WaitingClass, number>>;
    readonly buckets: readonly BucketState[];
    readonly roundTripMs: number;
  } {
    return {
      inFlight: this.#flights.size,
      waiting: {
        internal: this.#waiting.count("internal"),
        person: this.#waiting.count("person"),
        poll: this.#waiting.count("poll"),
      },
      buckets: this.#allowance.buckets,
      roundTripMs: Math.round(this.#allowance.roundTripMs),
    };
  }

  /**
   * Sends nothing more; whoever waits is told. What was written is listened to a little longer: a 429 that comes now is
   * one that the next process must know.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelWake();
    this.#refusedKeys.close();
    const closing = refusals.stopping();
    for (const job of [...this.#waiting]) this.#refuseWaiting(job, closing);
    this.#flights.recall(closing);
    await this.#flights.drain(LISTEN_ON_CLOSING_MS, closing);
    this.#halt.close();
  }

  #refusalAtTheDoor(exchange: Exchange): Failure | undefined {
    const { source, signal } = exchange;
    if (this.#closed) return refusals.stopping();
    if (signal?.aborted) return refusals.abortedBy(signal, "no");
    const parked = this.#guard.parked(source);
    if (parked !== undefined && exchange.proving !== true) return refusals.parked(parked);
    const halted = this.#halt.failure();
    if (halted !== undefined) return halted;
    const risky = this.#desk.refusal(exchange);
    if (risky !== undefined) {
      this.#pump();
      return risky;
    }
    if (exchange.waitingClass !== "internal" && this.#waiting.count(exchange.waitingClass) >= MOST_WAITING)
      return refusals.tooMany();
    if (exchange.route === "command") {
      const nowMs = this.#clock.monotonicMs();
      const readyMs = this.#allowance.drainedUntilMs(source, nowMs);
      if (readyMs > nowMs + PACE_PATIENCE_MS) return refusals.drained(this.#wallMs(readyMs));
    }
    return undefined;
  }

  #enqueue(exchange: Exchange, probe: boolean): Promise<Answered> {
    if (this.#closed) return Promise.reject(refusals.stopping());
    return new Promise((resolve, reject) => {
      const { signal, waitingClass } = exchange;
      const ended = () => {
        if (signal !== undefined) this.#aborts.delete(signal, job);
      };
      const job: Job = {
        exchange,
        waitingClass,
        turn: exchange.turn ?? "",
        probe,
        hasLeft: false,
        resolve: (answered) => {
          ended();
          resolve(answered);
        },
        reject: (error) => {
          ended();
          reject(error);
        },
      };
      if (signal !== undefined) this.#aborts.add(signal, job);
      this.#waiting.add(job);
      if (!exchange.proving && this.#guard.isDoubtful(exchange.source) && waitingClass !== "internal")
        void this.#refusedKeys.confirm(exchange.source, exchange.key);
      this.#pump();
    });
  }

  /** Whoever asked gives it up. */
  #aborted(job: Job, signal: AbortSignal): void {
    if (this.#waiting.delete(job)) job.reject(refusals.abortedBy(signal, "no"));
    const flight = this.#flights.of(job);
    if (flight === undefined) return;
    // Once written it cannot be recalled, and its answer may be the one that tells us all to stop: only the caller
    // stops waiting.
    if (flight.startedMs === undefined) this.#flights.abort(flight, refusals.abortedBy(signal, "no"));
    else job.reject(refusals.abortedBy(signal, job.exchange.route === "command" ? "unknown" : "no"));
  }

  /** Starts whatever may start now and sets the alarm for the next moment at which something may. */
  #pump(): void {
    this.#cancelWake();
    this.#cancelWake = () => {};
    if (this.#closed) return;
    if (this.#halt.state !== "open" && !this.#tendHalt()) return;
    this.#refuseRisky();
    if (this.#halt.state === "open") this.#errands.checkNext();
    let wakeAtMs = this.#desk.wakeAtMs() ?? Number.POSITIVE_INFINITY;
    while (!this.#waiting.isEmpty) {
      const nowMs = this.#clock.monotonicMs();
      const taken = this.#waiting.take(
        nowMs,
        (job) => this.#readyAtMs(job, nowMs),
        (waitingClass) => this.#hopelessUntilMs(waitingClass, nowMs),
      );
      if ("next" in taken) {
        const { next } = taken;
        if (next.exchange.mayStart?.() === false) next.reject(refusals.noLongerWanted());
        else this.#start(next, nowMs);
        continue;
      }
      wakeAtMs = Math.min(wakeAtMs, taken.wakeAtMs);
      break;
    }
    if (Number.isFinite(wakeAtMs)) this.#wakeAt(wakeAtMs);
  }

  /** After a refusal of a key: who would now wait too long for the budget is told. */
  #refuseRisky(): void {
    if (this.#refusalsSeen === this.#desk.refusals) return;
    this.#refusalsSeen = this.#desk.refusals;
    for (const job of [...this.#waiting]) {
      const failure = job.probe ? undefined : this.#desk.refusal(job.exchange);
      if (failure !== undefined) this.#refuseWaiting(job, failure);
    }
  }

  #wakeAt(atMs: number): void {
    this.#cancelWake();
    const delayMs = Math.max(1, Math.ceil(atMs - this.#clock.monotonicMs()));
    this.#cancelWake = this.#clock.after(delayMs, () => this.#pump());
  }

  #readyAtMs(job: Job, nowMs: number): number {
    const { source, waitingClass } = job.exchange;
    const probing = this.#halt.state !== "open";
    if (probing && !job.probe) return Number.POSITIVE_INFINITY;
    if (waitingClass !== "internal" && !job.exchange.proving && this.#guard.isDoubtful(source))
      return Number.POSITIVE_INFINITY;
    const most = waitingClass !== "internal" && this.#guard.isProven(source) ? FLIGHTS_OF_PROVEN_KEY : 1;
    if (this.#flights.ofKey(source) >= most) return Number.POSITIVE_INFINITY;
    const readyMs = this.#allowance.readyAtMs(job.exchange, nowMs);
    return readyMs > nowMs ? readyMs : nowMs + this.#desk.readyInMs(job.exchange, job.probe);
  }

  #hopelessUntilMs(waitingClass: WaitingClass, nowMs: number): number | undefined {
    if (this.#flights.size >= this.#options.connections) return Number.POSITIVE_INFINITY;
    return this.#allowance.hopelessUntilMs(waitingClass, nowMs);
  }

  #start(job: Job, nowMs: number): void {
    const { source, route } = job.exchange;
    const buckets = this.#allowance.started(source, route, nowMs);
    const flight = this.#flights.launch(job, buckets, nowMs);
    const kept = this.#desk.start(flight, job.exchange, job.probe);
    if (kept === undefined) this.#write(flight);
    else void kept.then(() => this.#write(flight));
    if (!job.hasLeft) job.exchange.onSent?.();
    job.hasLeft = true;
  }

  /** A killed process would be known to have sent it: it may be written, unless it was recalled meanwhile. */
  #write(flight: InFlightRequest): void {
    if (flight.landed) return;
    if (flight.job.exchange.mayStart?.() === false) {
      this.#flights.abort(flight, refusals.noLongerWanted());
      return;
    }
    this.#options.transport(this.#wire(flight), flight.recall).then(
      (answer) => this.#answered(flight, answer),
      (error: unknown) => this.#lost(flight, error),
    );
  }

  /** The only place where keys are opened: what is returned is written and forgotten. */
  #wire(flight: InFlightRequest): WireRequest {
    const { exchange } = flight.job;
    const { globalKey } = this.#options;
    const headers: Record<string, string> = {
      "server-key": exchange.key.reveal(),
      accept: "application/json",
    };
    if (globalKey !== undefined) headers.authorization = globalKey.reveal();
    if (exchange.body !== undefined) headers["content-type"] = "application/json";
    return {
      method: exchange.route === "command" ? "POST" : "GET",
      path: exchange.path,
      headers,
      body: exchange.body,
      isAlone: this.#flights.size === 1,
      onStart: () => {
        flight.startedMs = this.#clock.monotonicMs();
      },
    };
  }

  /** No answer: recalled before it was written, aborted, timed out, or the connection broke. */
  #lost(flight: InFlightRequest, error: unknown): void {
    if (!this.#flights.land(flight)) return;
    const { job } = flight;
    const { route } = job.exchange;
    this.#desk.land(flight, flight.startedMs === undefined ? "unsent" : "silent");
    this.#allowance.lost(flight, this.#clock.monotonicMs());
    if (error === RECALLED) {
      const failure = job.probe ? undefined : this.#halt.failure();
      if (failure === undefined && !this.#closed) this.#waiting.addFirst(job);
      else job.reject(failure ?? refusals.stopping());
    } else {
      this.#count(route, "lost");
      const ran = route === "command" && flight.startedMs !== undefined ? "unknown" : "no";
      job.reject(refusals.lost(error, ran));
      if (job.probe) this.#halt.postpone(PROBE_AGAIN_MS);
    }
    this.#pump();
  }

  #answered(flight: InFlightRequest, answer: WireAnswer): void {
    if (!this.#flights.land(flight)) return;
    const nowMs = this.#clock.monotonicMs();
    const { job } = flight;
    const { source, route, key, parse = JSON.parse } = job.exchange;
    const blanker = this.#blankers.of(source, key, this.#clock.monotonicMs());
    const sighting: Observation = { sentMs: flight.startedMs ?? flight.dispatchedMs, readMs: nowMs };
    const serverMs = this.#allowance.learnClock(answer, sighting);
    const verdict = classify(answer, route, serverMs, (body) => blanker.read(body, parse));
    this.#allowance.learn(flight, answer, verdict, sighting);
    this.#count(route, verdict.kind === "failure" ? verdict.failure.code : verdict.kind);
    this.#options.metrics.observe("marshal_service_seconds", (nowMs - sighting.sentMs) / 1_000, { route });
    this.#desk.land(flight, landingOf(verdict));
    if (verdict.kind === "halt") this.#refused(job, verdict);
    else this.#taken(job, verdict, sighting);
    this.#pump();
  }

  /** The service said stop: to everybody, on every route, at once (spec: Limits 5). */
  #refused(job: Job, verdict: Extract<Outcome, { kind: "halt" }>): void {
    const { code, message, ran } = verdict.failure;
    this.#halt.refuse({ ...verdict, message }, job.probe);
    if (job.probe) this.#probing = false;
    this.#flights.recall(RECALLED);

    // A read that only met a short wait is asked again when that is over; a command goes back to be checked anew.
    const isShort = !this.#closed && this.#halt.failure() === undefined;
    if (job.exchange.route === "read" && !job.probe && isShort) {
      this.#waiting.addFirst(job);
      return;
    }
    const halt = this.#halt.current;
    const retryAtMs = halt?.untilMs ?? this.#clock.nowMs();
    job.reject(new Failure(halt?.why ?? code, message, { ran, retryAtMs }));
  }

  /** The service answered as it does when nothing is wrong with us. */
  #taken(job: Job, verdict: Exclude<Outcome, { kind: "halt" }>, sighting: Observation): void {
    const { exchange } = job;
    const { source } = exchange;
    if (verdict.kind === "key") {
      this.#refusedKeys.onRefused(job, verdict);
      return;
    }
    const readAtMs = this.#clock.nowMs();
    const sentAtMs = this.#wallMs(sighting.sentMs);
    if (verdict.kind === "ok") {
      // A command is taken with a doubtful key only if the doubt came after it was sent.
      const wasDoubtful = this.#guard.isDoubtful(source);
      if (exchange.route === "read" || !wasDoubtful) this.#desk.onTaken(exchange, sighting.sentMs);
      if (wasDoubtful && !this.#guard.isDoubtful(source)) this.#options.onRejectedChanged(source);
      if (exchange.isAskedAgain === true) this.#options.onTakenAgain(source);
      if (job.probe) this.#resume();
      job.resolve({ json: verdict.json, dateMs: verdict.dateMs, sentAtMs, readAtMs });
      return;
    }
    if (job.probe) this.#resume();
    job.reject(verdict.failure);
  }

  /** A GET of our own. */
  #enqueueInternal(about: KeyQuestion, probe: boolean): Promise<Answered> {
    return this.#enqueue({ ...about, route: "read", waitingClass: "internal", path: STATUS_PATH }, probe);
  }

  /** During a halt: tells who cannot wait, and sends the probe when it is time. True: go on pumping. */
  #tendHalt(): boolean {
    const failure = this.#halt.failure();
    if (failure !== undefined)
      for (const job of [...this.#waiting]) if (!job.probe) this.#refuseWaiting(job, failure);
    if (!this.#halt.probe()) {
      this.#wakeAt(this.#halt.untilMs ?? 0);
      return false;
    }
    if (!this.#probing) void this.#sendProbe();
    return true;
  }

  /** One GET, with the key that can tell most. */
  async #sendProbe(): Promise<void> {
    this.#probing = true;
    try {
      const about = (await this.#errands.keyForProbe()) ?? this.#waiterForProbe();
      if (about !== undefined) await this.#enqueueInternal(about, true);
    } catch {
      // Whatever became of it has been judged where it landed.
    } finally {
      this.#probing = false;
    }
  }

  /** Where no key was taken yet: that of a request that waits. */
  #waiterForProbe(): KeyQuestion | undefined {
    const waiter = [...this.#waiting].find((job) => !this.#guard.isDoubtful(job.exchange.source));
    if (waiter === undefined) return undefined;
    const { source, key, proving, guildId } = waiter.exchange;
    return { source, key, proving, guildId };
  }

  /** The probe was answered as if nothing were wrong with us. */
  #resume(): void {
    if (this.#halt.state === "probing") this.#halt.resume();
    this.#refusedKeys.onCleared();
  }

  #wallMs(monotonicMs: number): number {
    return Math.round(this.#clock.nowMs() + monotonicMs - this.#clock.monotonicMs());
  }

  #refuseAll(source: SourceId, failure: Failure): void {
    for (const job of [...this.#waiting])
      if (job.exchange.source === source) this.#refuseWaiting(job, failure);
  }

  #refuseWaiting(job: Job, failure: Failure): void {
    if (!this.#waiting.delete(job)) return;
    job.reject(failure);
  }

  #count(route: Route, outcome: string): void {
    this.#options.metrics.count("marshal_service_requests_total", { route, outcome });
  }
}

/** What an answer says of the key that it was asked with. */
function landingOf(verdict: Outcome): Landing {
  if (verdict.kind === "key") return "refused";
  if (verdict.kind === "ok") return "taken";
  const isWorked = verdict.failure.code === "server-empty" || verdict.failure.code === "not-authorised";
  return isWorked ? "taken" : "unclear";
}
