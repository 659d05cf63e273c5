import type { Clock } from "../../src/domain/ports/clock.ts";
import { sleepOn } from "../support/sleep-on.ts";
import { BusyThreads } from "./busy-threads.ts";

interface Timer {
  readonly atMs: number;
  readonly work: () => void;
}

/** Nothing is due for so long at most: what somebody outside of this process does is seen within it. */
const LONGEST_LEAP_MS = 50;
const IDLE_SHARE = 0.8;
/** So many turns in a row nothing happened: the machine's kernel hands on what one side has sent to the other within them. */
const IDLE_TURNS = 4;
/** A turn that takes longer shows a machine that does other things first, such as what is waited for. */
const PROMPT_TURN_MS = 2;

/** Longer turns of the event loop count as this: a machine that stalls must not let deadlines pass meanwhile. */
const LONGEST_TURN_MS = 4;

/**
 * The machine's time, `speed` times as fast: a command window of five seconds passes in one, and everything still
 * happens by itself. On a busy machine it runs slower instead of skipping: whatever could go on within a turn of the
 * event loop goes on before the next few milliseconds pass. While a thread of the process owes an answer it runs no
 * faster than the machine's, since that thread does not. Where nothing happens at all it may leap to the next thing that is
 * due: all that could happen meanwhile would have woken the event loop. The bot and both emulators must be given the same
 * one.
 */
export class FastClock implements Clock {
  readonly speed: number;
  readonly #startMs: number;
  #mayLeap = () => false;
  /** In order of time, then of creation. */
  readonly #timers: Timer[] = [];
  readonly #threads = new BusyThreads();
  readonly #turning: NodeJS.Timeout;
  #passedMs = 0;
  #realMs = performance.now();
  #waitedMs = 0;
  #idleTurns = 0;

  constructor(speed: number, startMs = Date.now()) {
    this.speed = speed;
    this.#startMs = startMs;
    this.#turning = setInterval(() => this.#turn(), 1).unref();
  }

  /** Leaps from now on while nothing but this process, and threads that it sees, is waited for. */
  leapWhile(isAlone: () => boolean): void {
    this.#mayLeap = isAlone;
  }

  /** It stands still from now on. */
  close(): void {
    clearInterval(this.#turning);
    this.#threads.close();
  }

  /** A property, so that it can be handed on as a function. */
  readonly nowMs = (): number => this.#startMs + Math.floor(this.#passedMs);

  monotonicMs(): number {
    return this.#passedMs;
  }

  after(delayMs: number, work: () => void): () => void {
    const timer = { atMs: this.#passedMs + Math.max(0, delayMs), work };
    const later = this.#timers.findIndex(({ atMs }) => atMs > timer.atMs);
    this.#timers.splice(later < 0 ? this.#timers.length : later, 0, timer);
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at >= 0) this.#timers.splice(at, 1);
    };
  }

  /** As if that time had passed while the bot was down; what waits for a time within it goes on in the next turn. */
  jump(durationMs: number): void {
    this.#passedMs += durationMs;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  #turn(): void {
    const realMs = performance.now();
    const turnMs = realMs - this.#realMs;
    const tookMs = Math.min(LONGEST_TURN_MS, turnMs);
    this.#realMs = realMs;
    const isOwed = this.#threads.isAny;
    const isIdle = this.#hasWaited(turnMs) && turnMs <= PROMPT_TURN_MS && !isOwed && this.#mayLeap();
    this.#idleTurns = isIdle ? this.#idleTurns + 1 : 0;
    const passedMs = this.#passedMs + tookMs * (isOwed ? 1 : this.speed);
    this.#passedMs = this.#idleTurns < IDLE_TURNS ? passedMs : Math.max(passedMs, this.#nextDueMs());
    for (
      let [next] = this.#timers;
      next !== undefined && next.atMs <= this.#passedMs;
      [next] = this.#timers
    ) {
      this.#timers.shift();
      next.work();
    }
  }

  /** Whether the event loop did hardly anything but wait since it was asked last. */
  #hasWaited(turnMs: number): boolean {
    const { idle } = performance.eventLoopUtilization();
    const waitedMs = idle - this.#waitedMs;
    this.#waitedMs = idle;
    return waitedMs >= IDLE_SHARE * turnMs;
  }

  /** In whole milliseconds: what is due a fraction later would be put off by nothing again and again. */
  #nextDueMs(): number {
    const nextMs = Math.ceil(this.#timers[0]?.atMs ?? Number.POSITIVE_INFINITY);
    return Math.min(nextMs, this.#passedMs + LONGEST_LEAP_MS);
  }
}
