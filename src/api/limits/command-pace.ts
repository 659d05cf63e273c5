import type { SourceId } from "../../domain/model.ts";
import type { RateHeaders } from "../http/headers.ts";
import type { Bucket } from "./bucket.ts";
import { type Observation, type ServerClock, WOBBLE_MS } from "./server-clock.ts";

/** The published window of the command route, "subject to change": where a start is cautious (spec: Limits 3). */
const COMMAND_WINDOW_MS = 5_000;
/** The service states resets in whole seconds. */
const ROUNDING_MS = 1_000;
/** Extra waits of the first commands of a server with short windows, each at another part of a second. */
const SPREAD_MS = [0, 400, 700, 150, 150, 150];
/** After this many contradictions the stated resets of a server are not used to measure its window. */
const MISSES_OF_WOBBLE = 2;
const LONGEST_PENALTY_MS = 3_600_000;

interface Lane {
  inFlight: boolean;
  /** When the answer to the last command was read, or the command was given up. */
  endedMs: number;
  /** The reset that the last answer stated, epoch milliseconds of the service: a shorter window is used at once. */
  resetMs: number | undefined;
  /** The one that was in force when the last command started. */
  lastResetMs: number | undefined;
  /** The least and the most that a stated reset lay after the arrival of its command: a second apart if windows are equal. */
  leastMs: number;
  mostMs: number;
  /** Answers that showed how long windows are. */
  measured: number;
  /** How often stated resets were further apart than rounding explains. */
  misses: number;
  /** The window's length as presumed; longer than published once it was seen to be. */
  presumedMs: number;
  /** 429s that the command bucket drew, fading with each success. */
  drained: number;
  penaltyUntilMs: number;
  /** Another process has a command of this server under way. */
  heldUntilMs: number;
}

/**
 * When the next command of a server may start: at or after the previous *answer* (or abort) plus
 * the window. Counting from the start draws 429s, since the service counts from the arrival.
 */
export class CommandPace {
  readonly #clock: ServerClock;
  readonly #lanes = new Map<SourceId, Lane>();
  /** Not used any more, with something left to wait for. */
  readonly #forgotten = new Set<SourceId>();
  /** An earlier process may have sent one just before it ended. */
  readonly #firstMs: number;

  constructor(clock: ServerClock, startedMs: number) {
    this.#clock = clock;
    this.#firstMs = startedMs + COMMAND_WINDOW_MS;
  }

  /** Infinity: after the answer of the one in flight. `bucket`: the command bucket, once an answer named it. */
  readyAtMs(source: SourceId, nowMs: number, bucket: Bucket | undefined): number {
    const lane = this.#lanes.get(source);
    if (lane === undefined) return this.#firstMs;
    if (lane.inFlight) return Number.POSITIVE_INFINITY;
    const paceMs =
      bucket?.limit === undefined || bucket.limit <= 1
        ? this.#nextMs(lane)
        : bucket.readyAtMs(nowMs, "eager");
    return Math.max(this.#firstMs, paceMs, lane.penaltyUntilMs, lane.heldUntilMs);
  }

  started(source: SourceId): void {
    this.#forgotten.delete(source);
    const lane = this.#lane(source);
    lane.inFlight = true;
    lane.lastResetMs = lane.resetMs;
    lane.resetMs = undefined;
  }

  /** Not before that, whatever this process knows itself. */
  hold(source: SourceId, untilMs: number): void {
    const lane = this.#lane(source);
    lane.heldUntilMs = Math.max(lane.heldUntilMs, untilMs);
  }

  /** The command never left. */
  notWritten(source: SourceId): void {
    this.#lane(source).inFlight = false;
  }

  /** Answered, refused, or given up. */
  ended(source: SourceId, nowMs: number): void {
    const lane = this.#lane(source);
    lane.inFlight = false;
    lane.endedMs = nowMs;
  }

  /** An answer of the command bucket that was not a refusal: it opened a window, where only one fits. */
  learn(source: SourceId, quota: RateHeaders, observation: Observation): void {
    const lane = this.#lane(source);
    lane.resetMs = quota.resetMs;
    lane.drained = Math.max(0, lane.drained - 1);
    if (quota.limit !== 1) return;
    lane.measured += 1;
    const earlyMs = this.#clock.earliest(quota.resetMs) - observation.readMs;
    // From its arrival, and not from its answer: an answer that took long would make the window look shorter than it is.
    const lateMs = this.#clock.latest(quota.resetMs) - this.#clock.arrival(observation).lowMs;
    lane.mostMs = Math.max(lane.mostMs, earlyMs);
    lane.leastMs = Math.min(lane.leastMs, lateMs);
    if (lane.mostMs - lane.leastMs > ROUNDING_MS) {
      // The window's length changed, or resets wobble: only this answer counts.
      lane.misses += 1;
      [lane.mostMs, lane.leastMs] = [earlyMs, lateMs];
    }
    const shortestMs = lane.mostMs - ROUNDING_MS;
    if (shortestMs > lane.presumedMs) lane.presumedMs = lane.leastMs + ROUNDING_MS;
  }

  /** When the window that the last answer opened is over: by its stated reset, or a learned length after that answer. */
  #nextMs(lane: Lane): number {
    const lateMs = this.#lateMs(lane);
    const isMeasure = lane.misses < MISSES_OF_WOBBLE && !this.#clock.wobbles && !this.#clock.isByClock;
    const lengthMs = isMeasure ? Math.min(lane.presumedMs, lane.leastMs + lateMs) : lane.presumedMs;
    if (lane.resetMs === undefined) return lane.endedMs + lengthMs;
    const nextMs = Math.min(lane.endedMs + lengthMs, this.#clock.latest(lane.resetMs + lateMs));
    // Commands at stated resets always meet the same rounding. A few that go later show how long a window is.
    return isShorter(lane) && lane.measured < SPREAD_MS.length
      ? nextMs + (SPREAD_MS[lane.measured] ?? 0)
      : nextMs;
  }

  /** How much later than its stated reset a window may end. */
  #lateMs(lane: Lane): number {
    const wobbleMs = this.#clock.wobbles ? WOBBLE_MS : 0;
    const isTrusted = lane.misses < MISSES_OF_WOBBLE && !this.#clock.roundsDown && isShorter(lane);
    return this.#clock.roundsUp || isTrusted ? wobbleMs : ROUNDING_MS + wobbleMs;
  }

  /** The command bucket refused this request: another program drains it, or its window is longer than presumed. */
  drained(source: SourceId, { sentMs, readMs: nowMs }: Observation, quota: RateHeaders | undefined): void {
    const lane = this.#lane(source);
    if (lane.lastResetMs !== undefined && sentMs >= this.#clock.latest(lane.lastResetMs))
      this.#clock.noteRoundedDown();
    // Of the window that the last command was counted in: it lasts longer than others that a command opened.
    else if (quota !== undefined && quota.resetMs === lane.lastResetMs) this.#clock.noteByClock();
    const longestMs = lane.leastMs + ROUNDING_MS;
    if (Number.isFinite(longestMs)) lane.presumedMs = Math.max(lane.presumedMs, longestMs);
    lane.misses = MISSES_OF_WOBBLE;
    lane.drained += 1;
    const penaltyMs = Math.min(LONGEST_PENALTY_MS, lane.presumedMs * 2 ** Math.min(20, lane.drained));
    lane.penaltyUntilMs = Math.max(lane.penaltyUntilMs, nowMs + penaltyMs);
  }

  /**
   * A server whose key is not used any more. What its last command asks to wait is kept until it has passed: linked
   * again at once, it would draw a 429.
   */
  forget(source: SourceId, nowMs: number): void {
    this.#forgotten.add(source);
    for (const each of this.#forgotten) {
      const lane = this.#lanes.get(each);
      if (lane !== undefined && (lane.inFlight || nowMs < Math.max(this.#nextMs(lane), lane.penaltyUntilMs)))
        continue;
      this.#lanes.delete(each);
      this.#forgotten.delete(each);
    }
  }

  #lane(source: SourceId): Lane {
    let lane = this.#lanes.get(source);
    if (lane === undefined) {
      lane = {
        inFlight: false,
        endedMs: Number.NEGATIVE_INFINITY,
        resetMs: undefined,
        lastResetMs: undefined,
        leastMs: Number.POSITIVE_INFINITY,
        mostMs: Number.NEGATIVE_INFINITY,
        measured: 0,
        misses: 0,
        presumedMs: COMMAND_WINDOW_MS,
        drained: 0,
        penaltyUntilMs: Number.NEGATIVE_INFINITY,
        heldUntilMs: Number.NEGATIVE_INFINITY,
      };
      this.#lanes.set(source, lane);
    }
    return lane;
  }
}

/** Whether windows are surely shorter than the published one: then the stated resets are the only measure. */
function isShorter(lane: Lane): boolean {
  return lane.leastMs + ROUNDING_MS < COMMAND_WINDOW_MS;
}
