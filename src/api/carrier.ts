import type { Clock } from "../domain/ports/clock.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { ServerKey } from "../domain/server-key.ts";
import * as refusals from "./gate-failures.ts";
import { classify, type Outcome, type WireAnswer } from "./http/classify.ts";
import type { Transport } from "./http/transport.ts";
import { wireRequest } from "./http/wire-request.ts";
import { KeyBlankers } from "./keys/key-blanker.ts";
import type { KeyDesk } from "./keys/key-desk.ts";
import type { KeyEvidence } from "./keys/unit.ts";
import type { Route } from "./limits/bucket-registry.ts";
import { InFlight, type InFlightRequest, type Job } from "./limits/in-flight.ts";
import type { RateLimiter } from "./limits/rate-limiter.ts";
import type { Observation } from "./limits/server-clock.ts";

export interface CarrierParts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly desk: KeyDesk;
  readonly allowance: RateLimiter;
  readonly globalKey: ServerKey | undefined;
  readonly deadlineMs: number;
  /** Its answer was read, judged, and counted in its buckets. */
  readonly onAnswer: (job: Job, verdict: Outcome, observation: Observation) => void;
  /** There was no answer: recalled before it was written, aborted, timed out, or the connection broke. */
  readonly onLost: (job: Job, error: unknown, wasWritten: boolean) => void;
}

/** Carries requests to the service and tells what limits and keys are to learn of each. */
export class Carrier {
  readonly #parts: CarrierParts;
  readonly #blankers: KeyBlankers;
  /** What is on its way. */
  readonly flights: InFlight;

  constructor(parts: CarrierParts) {
    this.#parts = parts;
    this.#blankers = new KeyBlankers(parts.globalKey);
    this.flights = new InFlight(parts.clock, parts.deadlineMs, (flight, reason) =>
      this.#onLost(flight, reason),
    );
  }

  /** Sends it on its way; it is written once the store knows what it risks. */
  start(job: Job, nowMs: number): void {
    const { allowance, desk } = this.#parts;
    const { source, route } = job.exchange;
    const flight = this.flights.launch(job, allowance.started(source, route, nowMs), nowMs);
    const kept = desk.start(flight, job.exchange, job.probe);
    if (kept === undefined) this.#write(flight);
    else void kept.then(() => this.#write(flight));
    if (!job.hasLeft) job.exchange.onSent?.();
    job.hasLeft = true;
  }

  /** A killed process would be known to have sent it: it may be written, unless it was recalled meanwhile. */
  #write(flight: InFlightRequest): void {
    if (flight.hasEnded) return;
    const { exchange } = flight.job;
    if (exchange.mayStart?.() === false) {
      this.flights.abort(flight, refusals.noLongerWanted());
      return;
    }
    const { transport, globalKey, clock } = this.#parts;
    const onStart = () => {
      flight.startedMs = clock.monotonicMs();
    };
    const request = wireRequest(exchange, { globalKey, isAlone: this.flights.size === 1, onStart });
    transport(request, flight.recall).then(
      (answer) => this.#onAnswer(flight, answer),
      (error: unknown) => this.#onLost(flight, error),
    );
  }

  #onLost(flight: InFlightRequest, error: unknown): void {
    if (!this.flights.end(flight)) return;
    const { allowance, clock, desk, onLost } = this.#parts;
    const wasWritten = flight.startedMs !== undefined;
    desk.onEnded(flight, wasWritten ? "silent" : "unsent");
    allowance.lost(flight, clock.monotonicMs());
    onLost(flight.job, error, wasWritten);
  }

  #onAnswer(flight: InFlightRequest, answer: WireAnswer): void {
    if (!this.flights.end(flight)) return;
    const { allowance, clock, desk, metrics, onAnswer } = this.#parts;
    const { job } = flight;
    const { source, route, key, parse = JSON.parse } = job.exchange;
    const nowMs = clock.monotonicMs();
    const observation: Observation = { sentMs: flight.startedMs ?? flight.dispatchedMs, readMs: nowMs };

    const serverMs = allowance.learnClock(answer, observation);
    const blanker = this.#blankers.of(source, key, nowMs);
    const verdict = classify(answer, route, serverMs, (body) => blanker.read(body, parse));
    allowance.learn({ flight, answer, outcome: verdict, observation });
    desk.onEnded(flight, keyEvidenceOf(verdict));

    this.count(route, verdict.kind === "failure" ? verdict.failure.code : verdict.kind);
    metrics.observe("marshal_service_seconds", (nowMs - observation.sentMs) / 1_000, { route });
    onAnswer(job, verdict, observation);
  }

  /** Counts how a request ended. */
  count(route: Route, outcome: string): void {
    this.#parts.metrics.count("marshal_service_requests_total", { route, outcome });
  }
}

/** Failures that the service gives only to a key that it knows. */
const WITH_GOOD_KEY: ReadonlySet<string> = new Set(["server-empty", "not-authorised", "read-refused"]);

/** What an answer says of the key that it was asked with. */
function keyEvidenceOf(verdict: Outcome): KeyEvidence {
  if (verdict.kind === "key") return "refused";
  if (verdict.kind === "ok") return "taken";
  return WITH_GOOD_KEY.has(verdict.failure.code) ? "taken" : "unclear";
}
