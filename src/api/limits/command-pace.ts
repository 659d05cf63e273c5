import type { SourceId } from "../../domain/model.ts";
import type { RateHeaders } from "../http/headers.ts";
import type { Bucket } from "./bucket.ts";
import type { Observation, ServerClock } from "./server-clock.ts";

/** The published window of the command route, "subject to change": where a start is cautious (spec: Limits 3). */
const COMMAND_WINDOW_MS = 5_000;
const LONGEST_PENALTY_MS = 3_600_000;

interface Lane {
  inFlight: boolean;
  /** When the answer to the last command was read, or the command was given up. */
  endedMs: number;
  /** When the window that the last answer told of is over, whatever its rounding: a shorter window is used at once. */
  overMs: number;
  /** What the window's length may be, by what answers told. */
  lowMs: number;
  highMs: number;
  /** The window's length as presumed; longer than published once it was seen to be. */
  presumedMs: number;
  /** 429s that the command bucket drew, fading with each success. */
  drained: number;
  penaltyUntilMs: number;
}

/**
 * When the next command of a server may start (design 4, Commands): at or after the previous *answer* (or abort) plus
 * the window. Counting from the start draws 429s, since the service counts from the arrival.
 */
export class CommandPace {
  readonly #clock: ServerClock;
  readonly #lanes = new Map<SourceId, Lane>();
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
        ? Math.min(lane.endedMs + lane.presumedMs, lane.overMs)
        : bucket.readyAtMs(nowMs, "eager");
    return Math.max(this.#firstMs, paceMs, lane.penaltyUntilMs);
  }

  started(source: SourceId): void {
    const lane = this.#lane(source);
    lane.inFlight = true;
    lane.overMs = Number.POSITIVE_INFINITY;
  }

  /** The command never left. */
  recalled(source: SourceId): void {
    this.#lane(source).inFlight = false;
  }

  /** Answered, refused, or given up. */
  ended(source: SourceId, nowMs: number): void {
    const lane = this.#lane(source);
    lane.inFlight = false;
    lane.endedMs = nowMs;
  }

  /** An answer of the command bucket that was not a refusal: it opened a window, where only one fits. */
  told(source: SourceId, told: RateHeaders, sighting: Observation, bucket: Bucket): void {
    const lane = this.#lane(source);
    lane.overMs = bucket.windowOverMs;
    lane.drained = Math.max(0, lane.drained - 1);
    if (told.limit !== 1) return;
    const lowMs = this.#clock.earliest(told.resetMs - 1_000) - sighting.readMs;
    const highMs = this.#clock.latest(told.resetMs + 1_000) - sighting.sentMs;
    lane.lowMs = Math.max(lane.lowMs, lowMs);
    lane.highMs = Math.min(lane.highMs, highMs);
    if (lane.lowMs > lane.highMs) [lane.lowMs, lane.highMs] = [lowMs, highMs];
    if (lane.lowMs > lane.presumedMs) lane.presumedMs = lane.highMs;
  }

  /** The command bucket drew a 429: another program drains it, or its window is longer than presumed. */
  drained(source: SourceId, nowMs: number): void {
    const lane = this.#lane(source);
    if (Number.isFinite(lane.highMs)) lane.presumedMs = Math.max(lane.presumedMs, lane.highMs);
    lane.drained += 1;
    const penaltyMs = Math.min(LONGEST_PENALTY_MS, lane.presumedMs * 2 ** Math.min(20, lane.drained));
    lane.penaltyUntilMs = Math.max(lane.penaltyUntilMs, nowMs + penaltyMs);
  }

  forget(source: SourceId): void {
    this.#lanes.delete(source);
  }

  #lane(source: SourceId): Lane {
    let lane = this.#lanes.get(source);
    if (lane === undefined) {
      lane = {
        inFlight: false,
        endedMs: Number.NEGATIVE_INFINITY,
        overMs: Number.POSITIVE_INFINITY,
        lowMs: 0,
        highMs: Number.POSITIVE_INFINITY,
        presumedMs: COMMAND_WINDOW_MS,
        drained: 0,
        penaltyUntilMs: Number.NEGATIVE_INFINITY,
      };
      this.#lanes.set(source, lane);
    }
    return lane;
  }
}
