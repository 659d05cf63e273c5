import type { SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { ServerKey } from "../domain/server-key.ts";
import * as refusals from "./gate-failures.ts";
import {
  bareRefusal,
  CODES_OF_GOOD_KEYS,
  classify,
  type Outcome,
  type WireAnswer,
  type WireHead,
} from "./http/classify.ts";
import type { Transport } from "./http/transport.ts";
import { wireRequest } from "./http/wire-request.ts";
import { KeyBlankers } from "./keys/key-blanker.ts";
import type { KeyDesk } from "./keys/key-desk.ts";
import type { KeyGuard } from "./keys/key-guard.ts";
import { RefusalPages } from "./keys/refusal-pages.ts";
import type { KeyEvidence } from "./keys/unit.ts";
import type { Route } from "./limits/bucket-registry.ts";
import { InFlight, type InFlightRequest, type Job } from "./limits/in-flight.ts";
import type { RateLimiter } from "./limits/rate-limiter.ts";
import type { Observation } from "./limits/server-clock.ts";

export interface CarrierParts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly guard: Pick<KeyGuard, "noLongerFresh">;
  readonly desk: KeyDesk;
  readonly rateLimiter: RateLimiter;
  readonly globalKey: ServerKey | undefined;
  readonly deadlineMs: number;
  /**
   * Where several processes ask from one address: resolves when the request may be written for all of them, or was called
   * back. Absent: this one is alone.
   */
  readonly mayLeave?: ((request: InFlightRequest) => Promise<void>) | undefined;
  /** Its answer was read, judged, and counted in its buckets. */
  readonly onAnswer: (job: Job, outcome: Outcome, observation: Observation) => void;
  /** There was no answer: cancelled before it was written, aborted, timed out, or the connection broke. */
  readonly onLost: (job: Job, error: unknown, wasWritten: boolean) => void;
}

/** Why a request was called back that waits again, or is refused where the halt lasts. */
export const HALT_BEGAN = Symbol("a halt began before the request was written");

/** Carries requests to the service and reports what each answer shows of limits and keys. */
export class Carrier {
  readonly #parts: CarrierParts;
  readonly #blankers: KeyBlankers;
  readonly pages = new RefusalPages();
  /** What is on its way. */
  readonly inFlight: InFlight;

  constructor(parts: CarrierParts) {
    this.#parts = parts;
    this.#blankers = new KeyBlankers(parts.globalKey, parts.clock);
    this.inFlight = new InFlight(parts.clock, parts.deadlineMs, (request, reason) =>
      this.#onLost(request, reason),
    );
  }

  /** Sends it on its way; it is written once the store knows what it risks. */
  start(job: Job, nowMs: number): void {
    const { rateLimiter, desk, mayLeave } = this.#parts;
    const request = this.inFlight.launch(job, rateLimiter.started(job.exchange, nowMs), nowMs);
    const written = desk.start(request, job.exchange, job.probe);
    const kept = mayLeave === undefined ? written : mayLeave(request);
    if (kept === undefined) this.#write(request);
    else void kept.then(() => this.#write(request));
    if (!job.hasLeft) job.exchange.onSent?.();
    job.hasLeft = true;
  }

  /** The next process would know of the request: it may be written, unless it was cancelled in between. */
  #write(request: InFlightRequest): void {
    if (request.hasEnded) return;
    const { exchange } = request.job;
    if (exchange.mayStart?.() === false) {
      this.inFlight.abort(request, refusals.noLongerWanted());
      return;
    }
    const { transport, globalKey, clock } = this.#parts;
    const onStart = () => {
      request.startedMs = clock.monotonicMs();
      exchange.onWritten?.();
    };
    const onHead = (head: WireHead) => this.#onHead(request, head);
    const wire = wireRequest(exchange, { globalKey, isAlone: this.inFlight.size === 1, onStart, onHead });
    transport(wire, request.cancel).then(
      (answer) => this.#onAnswer(request, answer),
      (error: unknown) => this.#onLost(request, error),
    );
  }

  /** A refusal is one from its first line on, and one whose body breaks off was one all the same. */
  #onHead(request: InFlightRequest, head: WireHead): void {
    const { status } = head;
    // An interim answer (103) says that the real one is still to come.
    if (request.hasEnded || status < 200) return;
    request.isAnswered = true;
    if (status !== 429 && status !== 403) return;
    request.refusal = head;
    if (status === 429) this.inFlight.cancelUnwritten(HALT_BEGAN);
  }

  #onLost(request: InFlightRequest, error: unknown): void {
    if (request.refusal !== undefined) {
      this.#onAnswer(request, { ...request.refusal, body: "" });
      return;
    }
    if (!this.inFlight.end(request)) return;
    const { rateLimiter, clock, desk, onLost } = this.#parts;
    const wasWritten = request.startedMs !== undefined;
    // A body that broke off behind another status than 403 was no refusal.
    desk.onEnded(request, !wasWritten ? "unsent" : request.isAnswered ? "unclear" : "silent");
    rateLimiter.lost(request, clock.monotonicMs());
    onLost(request.job, error, wasWritten);
  }

  #onAnswer(request: InFlightRequest, answer: WireAnswer): void {
    if (!this.inFlight.end(request)) return;
    const { rateLimiter, clock, guard, desk, metrics, onAnswer } = this.#parts;
    const { job } = request;
    const { source, route, key } = job.exchange;
    const nowMs = clock.monotonicMs();
    const observation: Observation = { sentMs: request.startedMs ?? request.dispatchedMs, readMs: nowMs };

    const { serverMs, setByMs, dateMs } = rateLimiter.learnClock(answer, observation);
    const blanker = this.#blankers.of(source, key);
    const read = classify(answer, {
      route,
      nowMs: serverMs,
      dateMs,
      parse: (body) => blanker.parse(body),
    });
    const outcome = this.#isRefusalPage(source, answer, read) ? bareRefusal() : read;
    if (outcome.kind === "ok") this.pages.onTaken(source);
    rateLimiter.learn({ request, answer, outcome, observation, setByMs });
    const evidence = keyEvidenceOf(outcome, route === "command" && desk.riskOf(request) === "fresh");
    if (evidence === "refused" && outcome.kind === "failure") guard.noLongerFresh(source);
    desk.onEnded(request, evidence);

    this.count(route, outcome.kind === "failure" ? outcome.failure.code : outcome.kind);
    metrics.observe("marshal_service_seconds", (nowMs - observation.sentMs) / 1_000, { route });
    onAnswer(job, outcome, observation);
  }

  /** Only where the service itself would refuse a key with that status. */
  #isRefusalPage(source: SourceId, { status, body }: WireAnswer, read: Outcome): boolean {
    const isPage = read.kind === "halt" && read.cause === "page" && (status === 403 || status === 401);
    return isPage && this.pages.isRefusal(source, body);
  }

  /** Counts how a request ended. */
  count(route: Route, outcome: string): void {
    this.#parts.metrics.count("marshal_service_requests_total", { route, outcome });
  }
}

/** What an answer shows of the key of its request. `isGood`: a command's, whose key was taken for a read lately. */
function keyEvidenceOf(outcome: Outcome, isGood: boolean): KeyEvidence {
  if (outcome.kind === "key") return "refused";
  if (outcome.kind === "ok") return "taken";
  const { code, serviceCode } = outcome.failure;
  // Who is told that the game server is empty, or runs an old version, has given a key of it.
  if (code === "server-empty" || code === "module-outdated") return "taken";
  if (code !== "not-authorised" && code !== "read-refused") return "unclear";
  if (serviceCode !== undefined && CODES_OF_GOOD_KEYS.has(serviceCode)) return "taken";
  // By a code that nobody has described the service may mean a bad key all the same, and count it as one.
  return isGood ? "unclear" : "refused";
}
