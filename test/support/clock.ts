import type { Clock, Random } from "../../src/domain/ports/clock.ts";
import { sleepOn } from "./sleep-on.ts";

interface Timer {
  readonly atMs: number;
  readonly order: number;
  readonly work: () => void;
  cancelled: boolean;
}

/** Where the monotonic reading starts: far from any epoch time, so that code that mixes the two goes wrong at once. */
const MONOTONIC_START_MS = 5_000_000;

/**
 * A Clock that moves only when a test moves it. Timers count monotonic time; `step` moves the wall alone. Timers fire in order of time, then of creation; after each one
 * (and before the first) everything that can go on by itself goes on: microtasks and `setImmediate`.
 */
export class VirtualClock implements Clock {
  #monotonicMs = MONOTONIC_START_MS;
  /** Wall time less monotonic time. */
  #wallOffsetMs: number;
  #order = 0;
  readonly #heap: Timer[] = [];

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#wallOffsetMs = startMs - MONOTONIC_START_MS;
  }

  nowMs(): number {
    return this.#monotonicMs + this.#wallOffsetMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** The wall clock is set: `ms` forward, or back where negative. No timer notices. */
  step(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  after(delayMs: number, work: () => void): () => void {
    // A NaN delay would sit at the top of the heap for ever; it is always a defect of the caller.
    if (Number.isNaN(delayMs)) throw new RangeError("a timer needs a delay");
    const timer = {
      atMs: this.#monotonicMs + Math.max(0, delayMs),
      order: this.#order++,
      work,
      cancelled: false,
    };
    this.#push(timer);
    return () => {
      timer.cancelled = true;
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** Timers that have not fired and were not cancelled. */
  get pending(): number {
    return this.#heap.filter((timer) => !timer.cancelled).length;
  }

  /** When the next timer fires, epoch milliseconds. */
  get nextAtMs(): number | undefined {
    this.#dropCancelled();
    const next = this.#heap[0];
    return next === undefined ? undefined : next.atMs + this.#wallOffsetMs;
  }

  /** Moves on by `ms`, firing what falls due. */
  async advance(ms: number): Promise<void> {
    await this.#advanceTo(this.#monotonicMs + ms);
  }

  /** Moves on until the wall shows `atMs`, firing what falls due. */
  async advanceTo(atMs: number): Promise<void> {
    await this.#advanceTo(atMs - this.#wallOffsetMs);
  }

  async #advanceTo(atMs: number): Promise<void> {
    await settle();
    while (this.#fireNext(atMs)) await settle();
    this.#monotonicMs = Math.max(this.#monotonicMs, atMs);
    await settle();
  }

  /** Fires timers until none is left; throws after `maxTimers`, since something then repeats for ever. */
  async run(maxTimers = 1_000_000): Promise<void> {
    await settle();
    for (let fired = 0; this.#fireNext(Number.POSITIVE_INFINITY); fired++) {
      if (fired >= maxTimers) throw new Error(`still busy after ${maxTimers} timers`);
      await settle();
    }
  }

  /** Fires timers until `condition` holds; throws when none is left or `withinMs` have passed. */
  async until(condition: () => boolean, withinMs = 24 * 3_600_000): Promise<void> {
    const endMs = this.#monotonicMs + withinMs;
    await settle();
    while (!condition()) {
      if (!this.#fireNext(endMs)) throw new Error("the condition never held");
      await settle();
    }
  }

  #fireNext(untilMs: number): boolean {
    this.#dropCancelled();
    const next = this.#heap[0];
    if (next === undefined || next.atMs > untilMs) return false;
    this.#pop();
    this.#monotonicMs = Math.max(this.#monotonicMs, next.atMs);
    next.work();
    return true;
  }

  #dropCancelled(): void {
    while (this.#heap[0]?.cancelled) this.#pop();
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(timer);
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up];
      if (parent === undefined || earlier(parent, timer)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = timer;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let down = at * 2 + 1;
      let child = heap[down];
      if (child === undefined) break;
      const right = heap[down + 1];
      if (right !== undefined && earlier(right, child)) {
        child = right;
        down += 1;
      }
      if (earlier(last, child)) break;
      heap[at] = child;
      at = down;
    }
    heap[at] = last;
  }
}

function earlier(a: Timer, b: Timer): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** Lets everything go on that waits for nothing but its turn. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Random from a seed (mulberry32): the same seed gives the same numbers and ids. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  let made = 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const id = () => {
    made += 1;
    const noise = Math.floor(next() * 0x1_0000_0000);
    return `${noise.toString(36)}${made.toString(36)}`;
  };
  return { next, id };
}
