import { Failure } from "../domain/failure.ts";
import type { SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { ServiceEvent } from "../domain/ports/service-health.ts";
import type { ServerKey } from "../domain/secret.ts";
import * as refusals from "./gate-failures.ts";
import { classify, type Outcome, type WireAnswer } from "./http/classify.ts";
import type { Transport, WireRequest } from "./http/transport.ts";
import { KeyBlankers } from "./keys/key-blanker.ts";
import type { KeyGuard } from "./keys/key-guard.ts";
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
  readonly globalKey: ServerKey | undefined;
  /** Unguessable; bucket names are hashed with it. */
  readonly salt: string;
  readonly deadlineMs: number;
  /** How many requests the transport carries at once without one waiting inside it. */
  readonly connections: number;
  readonly keyOf: (source: SourceId) => Promise<ServerKey | undefined>;
  readonly onEvent: (event: ServiceEvent) => void;
  /** The halt or the standing of keys changed and must be kept. */
  readonly onHaltChanged: () => void;
  readonly onRejectedChanged: (source: SourceId) => void;
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
  readonly #waiting = new RequestQueue<Job>();
  readonly #flights: InFlight;
  readonly #blankers: KeyBlankers;
  readonly #aborts = new AbortWatch<Job>((job, signal) => this.#aborted(job, signal));
  /** Keys that a second opinion is being asked about. */
  readonly #confirming = new Map<SourceId, Promise<boolean>>();
  #cancelWake: () => void = () => {};
  #probing = false;
  /** The key whose refusal made us suspect ourselves, asked again once the probe has cleared us. */
  #suspectedBy: { readonly source: SourceId; readonly key: ServerKey } | undefined;
  #closed = false;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#guard = options.guard;
    this.#blankers = new KeyBlankers(options.globalKey);
    this.#halt = new AnnouncedHalt({ ...options, onChanged: options.onHaltChanged });
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
    this.#allowance.forget(source);
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
        void this.#confirm(exchange.source, exchange.key);
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
      if (Number.isFinite(taken.wakeAtMs)) this.#wakeAt(taken.wakeAtMs);
      return;
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
    return this.#allowance.readyAtMs(job.exchange, nowMs);
  }

  #hopelessUntilMs(waitingClass: WaitingClass, nowMs: number): number | undefined {
    if (this.#flights.size >= this.#options.connections) return Number.POSITIVE_INFINITY;
    return this.#allowance.hopelessUntilMs(waitingClass, nowMs);
  }

  #start(job: Job, nowMs: number): void {
    const { source, route } = job.exchange;
    const buckets = this.#allowance.started(source, route, nowMs);
    const flight = this.#flights.launch(job, buckets, nowMs);
    this.#options.transport(this.#wire(flight), flight.recall).then(
      (answer) => this.#answered(flight, answer),
      (error: unknown) => this.#lost(flight, error),
    );
    if (!job.hasLeft) job.exchange.onSent?.();
    job.hasLeft = true;
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
    const { source, proving } = job.exchange;
    const nowMs = this.#clock.nowMs();
    const sentAtMs = this.#wallMs(sighting.sentMs);
    if (verdict.kind === "key" && (proving !== true || this.#guard.isProven(source))) {
      this.#keyRefused(job, verdict, nowMs);
      return;
    }
    if (verdict.kind === "ok") {
      // A command is taken with a doubtful key only if the doubt came after it was sent.
      const wasDoubtful = this.#guard.isDoubtful(source);
      if (job.exchange.route === "read" || !wasDoubtful) this.#guard.proven(source, sentAtMs, nowMs);
      if (wasDoubtful && !this.#guard.isDoubtful(source)) this.#options.onRejectedChanged(source);
      this.#endProbe(job, true);
      job.resolve({ json: verdict.json, dateMs: verdict.dateMs, sentAtMs, readAtMs: nowMs });
      return;
    }
    this.#endProbe(job, true);
    job.reject(verdict.failure);
  }

  #keyRefused(job: Job, verdict: Extract<Outcome, { kind: "key" }>, nowMs: number): void {
    const { source, key, route } = job.exchange;
    const { failure, coded, final } = verdict;
    if (job.probe && this.#suspectedBy !== undefined) {
      // A third key that worked is refused too: it is us, not the keys (design 4).
      this.#suspectedBy = undefined;
      for (const absolved of this.#guard.absolve(nowMs)) this.#options.onRejectedChanged(absolved);
      this.#probing = false;
      const message = "The service refuses keys that worked a moment ago: this host may be blocked.";
      this.#halt.refuse({ cause: "suspicion", toldMs: undefined, saysBlocked: true, message }, true);
      job.reject(failure);
      return;
    }
    this.#endProbe(job, true);
    const refusal = this.#guard.refused(
      source,
      { coded, final, onRead: route === "read", why: failure.message, serviceCode: failure.serviceCode },
      nowMs,
    );
    this.#options.onRejectedChanged(source);
    if (refusal === "parked") {
      this.#options.onEvent({ kind: "key-parked", source, failure });
      this.dropKey(source, failure);
      job.reject(failure);
      return;
    }
    if (refusal === "suspect-us" && this.#guard.lastProven(this.#guard.suspects()) !== undefined) {
      this.#suspectedBy = { source, key };
      this.#halt.probeNow("Two keys that worked were refused within a minute.");
      job.reject(failure);
      return;
    }
    const confirmed = this.#confirm(source, key);
    if (coded || route === "read") job.reject(failure);
    else void confirmed.then((isGood) => job.reject(isGood ? refusals.unauthorised(failure) : failure));
  }

  /** Asks with a GET whether a doubted key still works. At most one at a time for a key. */
  #confirm(source: SourceId, key: ServerKey): Promise<boolean> {
    const known = this.#confirming.get(source);
    if (known !== undefined) return known;
    const asked = this.#enqueueInternal(source, key, false)
      .then(
        () => true,
        () => !this.#guard.isDoubtful(source) && this.#guard.parked(source) === undefined,
      )
      .finally(() => {
        this.#confirming.delete(source);
        if (this.#guard.isDoubtful(source)) this.#refuseAll(source, refusals.stillDoubted());
        this.#pump();
      });
    this.#confirming.set(source, asked);
    return asked;
  }

  #enqueueInternal(source: SourceId, key: ServerKey, probe: boolean): Promise<Answered> {
    const exchange: Exchange = { source, key, route: "read", waitingClass: "internal", path: STATUS_PATH };
    return this.#enqueue(exchange, probe);
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

  /** One GET with the most recently proven key (design 4), or with the key of whoever waits when none is proven. */
  async #sendProbe(): Promise<void> {
    this.#probing = true;
    try {
      const proven = this.#guard.lastProven(this.#suspectedBy === undefined ? [] : this.#guard.suspects());
      const key = proven === undefined ? undefined : await this.#options.keyOf(proven);
      if (proven !== undefined && key !== undefined) {
        await this.#enqueueInternal(proven, key, true);
        return;
      }
      const waiter = [...this.#waiting].find((job) => !this.#guard.isDoubtful(job.exchange.source));
      if (waiter !== undefined)
        await this.#enqueueInternal(waiter.exchange.source, waiter.exchange.key, true);
    } catch {
      // Whatever became of it has been judged where it landed.
    } finally {
      this.#probing = false;
    }
  }

  #endProbe(job: Job, reached: boolean): void {
    if (!job.probe || !reached || this.#halt.state !== "probing") return;
    this.#halt.resume();
    const suspected = this.#suspectedBy;
    this.#suspectedBy = undefined;
    if (suspected !== undefined && this.#guard.isDoubtful(suspected.source))
      void this.#confirm(suspected.source, suspected.key);
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
