import { Failure } from "../domain/failure.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { WorkPermit } from "../domain/ports/work-permit.ts";
import { HALT_BEGAN } from "./carrier.ts";
import * as refusals from "./gate-failures.ts";
import { paused } from "./http/permitted-transport.ts";
import type { KeyDesk } from "./keys/key-desk.ts";
import type { KeyGuard } from "./keys/key-guard.ts";
import type { AnnouncedHalt } from "./limits/announced-halt.ts";
import type { Exchange, InFlight, Job } from "./limits/in-flight.ts";
import type { RateLimiter } from "./limits/rate-limiter.ts";
import type { RequestQueue } from "./limits/request-queue.ts";
import type { WaitingClass } from "./limits/turn-order.ts";

export interface AdmissionParts {
  readonly clock: Clock;
  readonly guard: KeyGuard;
  readonly desk: KeyDesk;
  readonly halt: AnnouncedHalt;
  readonly rateLimiter: RateLimiter;
  readonly inFlight: InFlight;
  readonly waiting: RequestQueue;
  /** How many requests the transport carries at once without one waiting inside it. */
  readonly connections: number;
  /** Absent: nothing but the service itself keeps us from asking. */
  readonly permit?: Pick<WorkPermit, "refusal"> | undefined;
  /** A request was refused for its key: there may be a key to check. */
  readonly onRisky: () => void;
}

/** A command that would wait longer for its server's command bucket is refused: only a drained bucket takes so long. */
const PACE_PATIENCE_MS = 60_000;
/** A request whose route is left alone for longer is refused at once; the refusal names the time. */
const ROUTE_PATIENCE_MS = 2_000;
const MOST_WAITING = 10_000;
/** People of one guild: they must not take the places of all. */
const MOST_WAITING_OF_GUILD = 200;
/** What a person asked for longer ago has nobody any more to be told to: an answer can be given for so long. */
const PERSON_WAITS_MS = 15 * 60_000;
/** Requests in flight for one key: a key that turns bad costs at most this many. */
const IN_FLIGHT_OF_PROVEN_KEY = 2;

/** Whether a request may wait here at all, and when one that waits may start. */
export class Admission {
  readonly #parts: AdmissionParts;
  /** The number of refusals and silences of keys after which the waiting requests were last checked. */
  #setbacksSeen = 0;
  /** A route was left alone since then. */
  #isRouteHeld = false;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** Why a request is refused before it waits; undefined: it may. */
  refusal(exchange: Exchange): Failure | undefined {
    const { guard, halt, desk, permit } = this.#parts;
    const { source, signal } = exchange;
    if (signal?.aborted) return refusals.abortedBy(signal, "no");
    const why = permit?.refusal();
    if (why !== undefined) return paused(why);
    const parked = guard.parked(source);
    if (parked !== undefined && exchange.proving !== true) return refusals.parked(parked);
    const halted = halt.failure();
    if (halted !== undefined) return halted;
    const held = this.#routeHeld(exchange);
    if (held !== undefined) return held;
    const risky = desk.refusal(exchange);
    if (risky !== undefined) this.#parts.onRisky();
    return risky ?? this.#crowded(exchange);
  }

  /** Whether a request whose turn has come is sent; refuses it if not. */
  mayLeave(job: Job, nowMs: number): boolean {
    const { source, mayStart, proving, isAskedAgain } = job.exchange;
    const isStale = job.waitingClass === "person" && nowMs - job.askedMs > PERSON_WAITS_MS;
    // A 429 may have sent it back while another answer had its key parked.
    const isForParked = proving === true || isAskedAgain === true;
    const parked = isForParked ? undefined : this.#parts.guard.parked(source);
    if (parked !== undefined) job.reject(refusals.parked(parked));
    else if (isStale || mayStart?.() === false) job.reject(refusals.noLongerWanted());
    else return true;
    return false;
  }

  /** A request failed; gives the failure that its caller gets, which names the wait where its route is left alone. */
  onFailed(exchange: Exchange, failure: Failure): Failure {
    const { rateLimiter, clock, inFlight } = this.#parts;
    const nowMs = clock.monotonicMs();
    const wait = rateLimiter.routeWait(exchange, nowMs);
    if (wait === undefined) return failure;
    this.#isRouteHeld = true;
    inFlight.cancelUnwritten(HALT_BEGAN, (other) => rateLimiter.routeWait(other, nowMs) !== undefined);
    return refusals.again(failure, this.#wallMs(wait.untilMs));
  }

  /** Where a key was asked again and was silent again, people who wait for its answer are told; in an outage all are. */
  onLost({ source, waitingClass }: Exchange, error: unknown): void {
    if (waitingClass !== "internal") return;
    const failure = refusals.lost(error, "no");
    const { isOutage } = this.#parts.desk;
    this.#parts.waiting.refuseEach((job) => {
      const isTold = job.waitingClass === "person" && (isOutage || job.exchange.source === source);
      return isTold ? failure : undefined;
    });
  }

  /** Before all are looked at: refuses those that would wait too long, for the budget of keys or for a route left alone. */
  refuseHopeless(): void {
    const { desk, waiting, clock } = this.#parts;
    desk.waits.onLook(clock.monotonicMs());
    if (this.#setbacksSeen === desk.setbacks && !this.#isRouteHeld) return;
    this.#setbacksSeen = desk.setbacks;
    this.#isRouteHeld = false;
    waiting.refuseEach(({ exchange, probe }) =>
      probe ? undefined : (desk.refusal(exchange) ?? this.#routeHeld(exchange)),
    );
  }

  /** When it may start, monotonic; infinitely late until something happens. */
  readyAtMs({ exchange, probe }: Job, nowMs: number): number {
    const { guard, halt, inFlight, rateLimiter, desk } = this.#parts;
    const { source, waitingClass, proving } = exchange;
    const isOurs = waitingClass === "internal";
    if (halt.state !== "open" && !probe) return Number.POSITIVE_INFINITY;
    if (!isOurs && !proving && guard.isDoubtful(source)) return Number.POSITIVE_INFINITY;
    const most = !isOurs && guard.isProven(source) ? IN_FLIGHT_OF_PROVEN_KEY : 1;
    if (inFlight.ofKey(source) >= most) return Number.POSITIVE_INFINITY;
    const readyMs = rateLimiter.readyAtMs(exchange, nowMs);
    return readyMs > nowMs ? readyMs : nowMs + desk.readyInMs(exchange, probe);
  }

  /** Until when nothing of this class may start, whatever the key; undefined when that has to be asked of each. */
  hopelessUntilMs(waitingClass: WaitingClass, nowMs: number): number | undefined {
    const { inFlight, connections, rateLimiter } = this.#parts;
    if (inFlight.size >= connections) return Number.POSITIVE_INFINITY;
    return rateLimiter.hopelessUntilMs(waitingClass, nowMs);
  }

  /** Our own questions wait for the route as well, and are refused by nobody. */
  #routeHeld(exchange: Exchange): Failure | undefined {
    const { rateLimiter, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    const wait = exchange.waitingClass === "internal" ? undefined : rateLimiter.routeWait(exchange, nowMs);
    if (wait === undefined || wait.untilMs - nowMs <= ROUTE_PATIENCE_MS) return undefined;
    const { code, message, serviceCode } = wait.failure;
    return refusals.again(new Failure(code, message, { serviceCode }), this.#wallMs(wait.untilMs));
  }

  #wallMs(monotonicMs: number): number {
    const { clock } = this.#parts;
    return Math.ceil(clock.nowMs() + monotonicMs - clock.monotonicMs());
  }

  #crowded({ source, route, waitingClass, turn }: Exchange): Failure | undefined {
    const { clock, rateLimiter, waiting } = this.#parts;
    const isGuildFull = turn !== undefined && waiting.countOfGuild(turn) >= MOST_WAITING_OF_GUILD;
    if (waitingClass === "person" && isGuildFull) return refusals.tooMany();
    if (waitingClass !== "internal" && waiting.count(waitingClass) >= MOST_WAITING) return refusals.tooMany();
    if (route !== "command") return undefined;
    const nowMs = clock.monotonicMs();
    const leftMs = rateLimiter.drainedUntilMs(source, nowMs) - nowMs;
    return leftMs > PACE_PATIENCE_MS ? refusals.drained(Math.round(clock.nowMs() + leftMs)) : undefined;
  }
}
