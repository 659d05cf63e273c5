import type { Clock, Random } from "../../src/domain/ports/clock.ts";
import type { VirtualClock } from "../support/clock.ts";
import { exponential } from "./world.ts";

/** A fault that the simulation made: everything else that goes wrong is a defect. */
export class Injected extends Error {}

/** Everything that crosses the border of the process, in order, as one number: the same seed must give the same. */
export class Trace {
  #hash = 0x811c9dc5;
  calls = 0;

  note(what: string, atMs: number): void {
    this.calls += 1;
    this.#mix(what);
    this.#mix(String(atMs));
  }

  get hash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, "0");
  }

  #mix(text: string): void {
    for (let index = 0; index < text.length; index++) {
      this.#hash = Math.imul(this.#hash ^ text.charCodeAt(index), 0x01000193);
    }
  }
}

/**
 * One run of the process, from its start to its kill. Each call that leaves it is a place where it can die: before
 * the call has its effect, or after it and before the answer. A dead process gets no answers and has no timers.
 */
export class Life {
  dead = false;
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #trace: Trace;
  readonly #onDeath: () => void;
  #callsLeft: number;

  constructor(
    parts: { readonly clock: VirtualClock; readonly random: Random; readonly trace: Trace },
    meanCalls: number,
    onDeath: () => void,
  ) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#trace = parts.trace;
    this.#onDeath = onDeath;
    this.#callsLeft = Number.isFinite(meanCalls) ? exponential(meanCalls, parts.random) : meanCalls;
  }

  /** `kill -9`. */
  die(): void {
    if (this.dead) return;
    this.dead = true;
    this.#trace.note("death", this.#clock.nowMs());
    this.#onDeath();
  }

  /** Nobody dies of what comes after the end of the simulated time. */
  spare(): void {
    this.#callsLeft = Number.POSITIVE_INFINITY;
  }

  /** A call that crosses the border. */
  async call<T>(what: string, effect: () => Promise<T>): Promise<T> {
    if (this.dead) return await never();
    this.#trace.note(what, this.#clock.nowMs());
    this.#callsLeft -= 1;
    if (this.#callsLeft < 0) {
      if (this.#random.next() < 0.5) {
        this.die();
        return await never();
      }
      // The effect happens, and whatever comes of it nobody hears of.
      await effect().catch(() => undefined);
      this.die();
      return await never();
    }
    try {
      const result = await effect();
      return this.dead ? await never() : result;
    } catch (error) {
      if (this.dead) return await never();
      throw error;
    }
  }

  clock(): Clock {
    return {
      nowMs: () => this.#clock.nowMs(),
      monotonicMs: () => this.#clock.monotonicMs(),
      after: (delayMs, work) => this.#clock.after(delayMs, () => (this.dead ? undefined : work())),
      sleep: async (delayMs, signal) => {
        await this.#clock.sleep(delayMs, signal);
        if (this.dead) await never();
      },
    };
  }
}

function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}
