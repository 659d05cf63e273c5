import type { Clock } from "../../domain/ports/clock.ts";

/** The wall clock may be set at any time, so it is looked at this often. */
const LOOK_EVERY_MS = 20_000;
/** Time synchronisation sets the wall clock by less than this all the time. */
const STEP_MS = 1_000;
/** Due schedules that are checked at the same moment: each reads from Discord, which others wait for as well. */
const MOST_AT_ONCE = 4;

export interface DueTimerPorts {
  readonly clock: Clock;
  /** Handles a due entry and sets its next time. Never rejects. */
  onDue(id: string): Promise<void>;
  /** The wall clock was set: every time has to be set anew. */
  onClockSet(): void;
}

/** Calls when entries fall due by the wall clock, a few at a time and in the order of their times. */
export class DueTimer {
  readonly #ports: DueTimerPorts;
  readonly #times = new Map<string, number>();
  /** Due and not over, the earliest first; the first few are under way. */
  readonly #due = new Set<string>();
  readonly #working = new Map<string, Promise<void>>();
  #aheadMs = 0;
  #isRunning = false;
  #cancel: () => void = () => undefined;

  constructor(ports: DueTimerPorts) {
    this.#ports = ports;
  }

  set(id: string, atMs: number): void {
    this.#times.set(id, atMs);
    this.#arm();
  }

  delete(id: string): void {
    this.#times.delete(id);
    if (!this.#working.has(id)) this.#due.delete(id);
    this.#arm();
  }

  start(): void {
    this.#isRunning = true;
    this.#aheadMs = this.#wallAheadMs();
    this.#arm();
  }

  /** Calls no more; resolves when what is under way is over. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#cancel();
    await Promise.all(this.#working.values());
  }

  #arm(): void {
    this.#cancel();
    if (!this.#isRunning || this.#times.size === 0) return;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [id, atMs] of this.#times) if (!this.#due.has(id)) nextMs = Math.min(nextMs, atMs);
    const inMs = Math.min(LOOK_EVERY_MS, Math.max(0, nextMs - this.#ports.clock.nowMs()));
    this.#cancel = this.#ports.clock.after(inMs, () => this.#look());
  }

  #look(): void {
    const aheadMs = this.#wallAheadMs();
    if (Math.abs(aheadMs - this.#aheadMs) > STEP_MS) {
      this.#aheadMs = aheadMs;
      this.#ports.onClockSet();
    }
    const nowMs = this.#ports.clock.nowMs();
    const due = [...this.#times].filter(([id, atMs]) => atMs <= nowMs && !this.#due.has(id));
    for (const [id] of due.toSorted(([, a], [, b]) => a - b)) this.#due.add(id);
    this.#work();
    this.#arm();
  }

  #work(): void {
    for (const id of this.#due) {
      if (!this.#isRunning || this.#working.size >= MOST_AT_ONCE) return;
      if (this.#working.has(id)) continue;
      const work = this.#ports.onDue(id).finally(() => {
        this.#working.delete(id);
        this.#due.delete(id);
        this.#work();
        this.#arm();
      });
      this.#working.set(id, work);
    }
  }

  #wallAheadMs(): number {
    const { clock } = this.#ports;
    return clock.nowMs() - clock.monotonicMs();
  }
}
