import type { SourceId } from "../../domain/model.ts";
import type { Outcome, WireAnswer } from "../http/classify.ts";
import { dateMs, headerText, type RateHeaders, rateHeaders } from "../http/headers.ts";
import type { Bucket } from "./bucket.ts";
import { Buckets } from "./bucket-registry.ts";
import { CommandPace } from "./command-pace.ts";
import type { CounterState } from "./counter-group.ts";
import type { Exchange, InFlightRequest } from "./in-flight.ts";
import { Restraint } from "./restraint.ts";
import { type RouteWait, RouteWaits } from "./route-waits.ts";
import { type Observation, ServerClock } from "./server-clock.ts";
import type { WaitingClass } from "./turn-order.ts";

/** How far a stated reset may lie before the `Date` of its answer: rounding, and an answer that took its time. */
const LATE_RESET_MS = 10_000;
/** The same for an answer without a `Date`, measured by our clock, which may be wrong. */
const LATE_BY_OUR_CLOCK_MS = 24 * 3_600_000;
/** A reset of another day is no end of a window: numbers of another unit, or made up. It would spread requests over it. */
const LONGEST_WINDOW_MS = 24 * 3_600_000;
const SHARED_NOTICE_MS = 3_600_000;

export interface RateLimiterParts {
  /** Unguessable; bucket names are hashed with it. */
  readonly salt: string;
  /** Monotonic, as all times here. */
  readonly nowMs: number;
  /** Wall time less monotonic time: what the service's clock is taken to show until an answer carries a `Date`. */
  readonly wallAheadMs: number;
  /** Other processes of ours spend from the same app-wide buckets. @default false */
  readonly isShared?: boolean | undefined;
  /** Another program spends from this bucket too; called at most once an hour. */
  readonly onShared: (bucketHash: string) => void;
}

/** A request that was answered. */
interface Ended {
  readonly request: InFlightRequest;
  readonly answer: WireAnswer;
  readonly outcome: Outcome;
  readonly observation: Observation;
  /** As `learnClock` gave it. */
  readonly setByMs: number;
}

/** A limit that several processes spend from. */
export interface SharedLimit {
  readonly bucket: string;
  readonly limit: number;
  /** No share of it is this process's at the moment. */
  readonly hasNone: boolean;
}

/** Plain figures of a bucket for /state; nothing secret. */
export interface BucketState {
  readonly hash: string;
  readonly limit: number | undefined;
  readonly remaining: number;
  /** Epoch milliseconds on the service's clock. */
  readonly resetAtMs: number | undefined;
  readonly inFlight: number;
  /** Of a limit that several processes share: requests of a window that are this one's. */
  readonly share?: number;
}

/**
 * What the limits allow, as far as answers have shown: when a request may start, what
 * each one spends, what each answer teaches. Keeps no time of its own and starts nothing.
 */
export class RateLimiter {
  readonly #serverClock: ServerClock;
  readonly #buckets: Buckets;
  readonly #pace: CommandPace;
  readonly #restraint = new Restraint();
  readonly #routeWaits = new RouteWaits();
  readonly #onShared: (bucketHash: string) => void;
  readonly #sharedToldMs = new Map<string, number>();
  #lastDate: { readonly text: string | undefined; readonly atMs: number | undefined } = {
    text: undefined,
    atMs: undefined,
  };

  constructor({ salt, nowMs, wallAheadMs, isShared = false, onShared }: RateLimiterParts) {
    this.#serverClock = new ServerClock(wallAheadMs);
    this.#buckets = new Buckets(this.#serverClock, { salt, isShared });
    this.#pace = new CommandPace(this.#serverClock, nowMs);
    this.#onShared = onShared;
  }

  get roundTripMs(): number {
    return this.#serverClock.rttMs;
  }

  get buckets(): readonly BucketState[] {
    return this.#buckets.all().map(({ hash, bucket }) => ({
      hash,
      limit: bucket.limit,
      remaining: bucket.remaining,
      resetAtMs: bucket.resetMs,
      inFlight: bucket.inFlight,
      ...(bucket.share === undefined ? {} : { share: bucket.share.present }),
    }));
  }

  /** The limits that processes share, as far as they are known. */
  sharedLimits(nowMs: number): readonly SharedLimit[] {
    return this.#buckets.shared().flatMap(({ hash, bucket }) => {
      const { limit, share } = bucket;
      return limit === undefined || share === undefined
        ? []
        : [{ bucket: hash, limit, hasNone: share.isNothing(nowMs) }];
    });
  }

  /** Of the buckets that are shared: this many requests a window until then; undefined: nobody knows how many. */
  grantShares(granted: ReadonlyMap<string, number> | undefined, untilMs: number, nowMs: number): void {
    for (const { hash, bucket } of this.#buckets.shared()) {
      const share = granted?.get(hash);
      if (granted === undefined) bucket.share?.withdraw();
      else if (share !== undefined) bucket.share?.grant(share, untilMs, nowMs);
    }
  }

  /** Another process has a command of that server under way, or its window runs. */
  holdCommand(source: SourceId, untilMs: number): void {
    this.#pace.hold(source, untilMs);
  }

  /** When such a request may start; infinitely late until an answer comes. */
  readyAtMs(exchange: Exchange, nowMs: number): number {
    const { source, route, waitingClass } = exchange;
    const routeMs = this.#routeWaits.readyAtMs(exchange, nowMs);
    const bucketMs = this.#buckets.general(source).bucket.readyAtMs(nowMs, eagernessOf(waitingClass));
    const generalMs = Math.max(bucketMs, routeMs, this.#restrainedUntilMs(waitingClass, nowMs));
    if (route === "read") return generalMs;
    return Math.max(generalMs, this.#pace.readyAtMs(source, nowMs, this.#buckets.command(source)?.bucket));
  }

  /** The route of the request is left alone for a while: why, and until when; undefined where it is not. */
  routeWait(exchange: Exchange, nowMs: number): RouteWait | undefined {
    return this.#routeWaits.standing(exchange, nowMs);
  }

  /** The same for a command of that server which nobody has asked for yet; now where only an answer can tell. */
  commandReadyAtMs(source: SourceId, nowMs: number): number {
    const paceMs = this.#pace.readyAtMs(source, nowMs, this.#buckets.command(source)?.bucket);
    const generalMs = this.#buckets.general(source).bucket.readyAtMs(nowMs, "eager");
    return Math.max(...[paceMs, generalMs].map((atMs) => (Number.isFinite(atMs) ? atMs : nowMs)));
  }

  /** Until when that server's commands are held back because another program drains them; before now when not. */
  drainedUntilMs(source: SourceId, nowMs: number): number {
    const readyMs = this.#pace.readyAtMs(source, nowMs, undefined);
    return Number.isFinite(readyMs) ? readyMs : nowMs;
  }

  /** Until when nothing of this class may start, whatever the key; undefined when keys differ. */
  hopelessUntilMs(waitingClass: WaitingClass, nowMs: number): number | undefined {
    const restrainedMs = this.#restrainedUntilMs(waitingClass, nowMs);
    if (restrainedMs > nowMs) return restrainedMs;
    if (!this.#buckets.uniform) return undefined;
    return this.#buckets.common.readyAtMs(nowMs, eagernessOf(waitingClass));
  }

  /** A request is on its way; gives what it spends from. */
  started(exchange: Exchange, nowMs: number): readonly CounterState[] {
    const { source, route, waitingClass } = exchange;
    const command = route === "command" ? this.#buckets.command(source) : undefined;
    const general = this.#buckets.general(source);
    const buckets = command === undefined ? [general] : [general, command];
    for (const { bucket } of buckets) bucket.started(nowMs, eagernessOf(waitingClass));
    this.#restraint.onStarted(nowMs);
    this.#routeWaits.onStarted(exchange);
    if (route === "command") this.#pace.started(source);
    return buckets;
  }

  /** It ended without an answer: what was written is spent, what was not is given back. */
  lost({ buckets, startedMs, job }: InFlightRequest, nowMs: number): void {
    const { source, route } = job.exchange;
    const wasSent = startedMs !== undefined;
    this.#restraint.onEnded();
    this.#routeWaits.onEnded(job.exchange);
    for (const { bucket } of buckets) {
      if (wasSent) bucket.spentUnseen({ sentMs: startedMs, readMs: nowMs });
      else bucket.notWritten();
    }
    if (route !== "command") return;
    if (wasSent) this.#pace.ended(source, nowMs);
    else this.#pace.notWritten(source);
  }

  /**
   * Takes in the answer's `Date`. `serverMs`: what the service's clock showed at least when the answer was read; `setByMs`:
   * what its stated times lack, because that clock was set; `dateMs`: its `Date`, as others state it.
   */
  learnClock(
    answer: WireAnswer,
    observation: Observation,
  ): { readonly serverMs: number; readonly setByMs: number; readonly dateMs: number | undefined } {
    const dateMs = this.#dateOf(answer);
    const clock = this.#serverClock;
    const setByMs = clock.learn(observation, dateMs);
    return {
      serverMs: clock.serverMs(observation.readMs) - setByMs,
      setByMs,
      dateMs: dateMs === undefined ? undefined : clock.asOthers(dateMs, setByMs),
    };
  }

  /** What its answer says of the limits, and that it has ended. */
  learn({ request, answer, outcome, observation, setByMs }: Ended): void {
    const { exchange } = request.job;
    const { source, route } = exchange;
    const quota = this.#quotaOf(answer, observation, setByMs);
    const refused = outcome.kind === "halt";
    this.#restraint.onEnded();
    this.#routeWaits.onEnded(exchange);
    this.#routeWaits.onAnswer(exchange, outcome, observation.readMs);
    let own: Bucket | undefined;
    if (quota === undefined) {
      for (const { bucket } of request.buckets) bucket.spentUnseen(observation);
    } else {
      const mapped = outcome.kind !== "key";
      const named = { source, route, mapped, refused, quota, ...observation };
      const learned = this.#buckets.learn(named, request.buckets);
      if (learned.shared) this.#tellShared(learned.named.hash, observation.readMs);
      own = learned.named === this.#buckets.command(source) ? learned.named.bucket : undefined;
    }
    const isLimit = refused && outcome.cause === "limit" && !outcome.saysBlocked;
    const isGeneral = own === undefined && (route === "read" || quota !== undefined);
    if (isLimit && isGeneral) this.#restraint.onRefused(observation.readMs);
    if (route !== "command") return;
    this.#pace.ended(source, observation.readMs);
    const ofCommand = quota === undefined || own !== undefined;
    if (isLimit && ofCommand) this.#pace.drained(source, observation, quota);
    else if (!refused && quota !== undefined && own !== undefined)
      this.#pace.learn(source, quota, observation);
  }

  /** A key that will not be used any more. */
  forget(source: SourceId, nowMs: number): void {
    this.#buckets.forget(source);
    this.#routeWaits.forget(source);
    this.#pace.forget(source, nowMs);
  }

  /** Our own questions (the probe after a halt) are few, and wait for nothing here. */
  #restrainedUntilMs(waitingClass: WaitingClass, nowMs: number): number {
    return waitingClass === "internal" ? nowMs : this.#restraint.readyAtMs(nowMs);
  }

  /** A window that was long over when its answer was written, or ends on another day, is a mistake: it is no measure. */
  #quotaOf(answer: WireAnswer, { readMs }: Observation, setByMs: number): RateHeaders | undefined {
    const quota = rateHeaders(answer.headers);
    if (quota === undefined) return undefined;
    const dateMs = this.#dateOf(answer);
    const lateMs = dateMs === undefined ? LATE_BY_OUR_CLOCK_MS : LATE_RESET_MS;
    const aheadMs =
      dateMs === undefined
        ? this.#serverClock.earliest(quota.resetMs + setByMs) - readMs
        : quota.resetMs - dateMs;
    const isWindow = aheadMs >= -lateMs && aheadMs <= LONGEST_WINDOW_MS + lateMs;
    return isWindow ? { ...quota, resetMs: quota.resetMs + setByMs } : undefined;
  }

  /** Many answers of one second carry one `Date`. */
  #dateOf(answer: WireAnswer): number | undefined {
    const text = headerText(answer.headers, "date");
    if (text !== this.#lastDate.text) this.#lastDate = { text, atMs: dateMs(answer.headers) };
    return this.#lastDate.atMs;
  }

  #tellShared(hash: string, nowMs: number): void {
    if (nowMs - (this.#sharedToldMs.get(hash) ?? Number.NEGATIVE_INFINITY) < SHARED_NOTICE_MS) return;
    this.#sharedToldMs.set(hash, nowMs);
    this.#onShared(hash);
  }
}

function eagernessOf(waitingClass: WaitingClass): "patient" | "eager" {
  return waitingClass === "poll" ? "patient" : "eager";
}
