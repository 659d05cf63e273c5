import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Metrics } from "../../domain/ports/metrics.ts";
import type { ServiceEvent } from "../../domain/ports/service-health.ts";
import { Halt, type HaltCall, type HaltNow, type StoredHalt } from "./halt.ts";

export interface AnnouncedHaltParts {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly onEvent: (event: ServiceEvent) => void;
  /** What is left of the halt is to be written. */
  readonly onChanged: () => void;
}

/** A request that would wait longer than this for the end of a halt is refused at once; the refusal names the time. */
const PATIENCE_MS = 2_000;
/** A halt that is prolonged by less is not announced again: the answers of one burst name the same wait. */
const NOTICE_MS = 1_000;
/** How often what is left is written: a restart waits at most this much longer than it has to. */
const WRITE_EVERY_MS = 60_000;

/** After an end out of order a 429 may have been read that was not stored: one request finds out. */
export const ONE_PROBE_FIRST: StoredHalt = {
  leftMs: 0,
  why: "rate-limited",
  message: "Marshal did not shut down cleanly, so it first asks the game service whether it has to wait.",
  strikes: 0,
};

/** The halt of one identity, announced to events, metrics and the store, and to people in wall time. */
export class AnnouncedHalt {
  readonly #parts: AnnouncedHaltParts;
  readonly #halt = new Halt();
  #cancelWrite: () => void = () => {};

  constructor(parts: AnnouncedHaltParts) {
    this.#parts = parts;
  }

  get state(): Halt["state"] {
    return this.#halt.state;
  }

  /** When the halt ends, monotonic milliseconds; undefined while there is none. */
  get untilMs(): number | undefined {
    return this.#halt.current?.untilMs;
  }

  /** The halt as people read it: `untilMs` is epoch milliseconds. */
  get current(): HaltNow | undefined {
    const halt = this.#halt.current;
    return halt === undefined ? undefined : { ...halt, untilMs: this.#wallMs(halt.untilMs) };
  }

  get stored(): StoredHalt {
    return this.#halt.stored(this.#parts.clock.monotonicMs());
  }

  /** A halt of an earlier process. */
  restore(stored: StoredHalt): void {
    this.#halt.restore(stored, stored.leftMs, this.#parts.clock.monotonicMs());
    this.#keepWriting();
  }

  /** Begins or prolongs the halt. `isNews`: announced even if it ends no later than before. */
  refuse(call: HaltCall, isNews: boolean): void {
    const { clock, metrics, onEvent, onChanged } = this.#parts;
    const beforeMs = this.untilMs;
    this.#halt.refuse(call, clock.monotonicMs());

    const halt = this.current;
    const untilMs = this.untilMs ?? 0;
    if (halt !== undefined && (isNews || untilMs > (beforeMs ?? 0) + NOTICE_MS)) {
      metrics.count("marshal_service_halts_total", { why: halt.why });
      onEvent({ kind: "halted", ...halt });
      if (call.cause === "global-key") onEvent({ kind: "global-key-rejected" });
    }

    if (untilMs === beforeMs) return;
    onChanged();
    this.#keepWriting();
  }

  /** Another process met a halt of which `leftMs` are left; 0: a probe is finding out whether it is over. */
  hear(stored: StoredHalt, leftMs: number): void {
    const { clock, metrics, onEvent } = this.#parts;
    const nowMs = clock.monotonicMs();
    const beforeMs = this.untilMs;
    if (beforeMs !== undefined && nowMs + leftMs <= beforeMs + NOTICE_MS) return;
    this.#halt.restore(stored, leftMs, nowMs);
    const halt = this.current;
    if (halt === undefined || leftMs < NOTICE_MS) return;
    metrics.count("marshal_service_halts_total", { why: halt.why });
    onEvent({ kind: "halted", ...halt });
  }

  /** True: the wait is over and one probe may go. */
  probe(): boolean {
    return this.#halt.probe(this.#parts.clock.monotonicMs());
  }

  /** Everything stops for one probe, at once. */
  probeNow(message: string): void {
    this.#halt.probeNow(this.#parts.clock.monotonicMs(), message);
  }

  /** The probe reached nobody: it is sent again after `forMs`. */
  postpone(forMs: number): void {
    this.#halt.postpone(this.#parts.clock.monotonicMs(), forMs);
  }

  /** The probe was answered like any request. */
  resume(): void {
    this.#cancelWrite();
    this.#halt.resume();
    this.#parts.onEvent({ kind: "resumed" });
    this.#parts.onChanged();
  }

  /** The failure of a request that would have to wait too long; undefined when it may wait. */
  failure(): Failure | undefined {
    const halt = this.current;
    if (halt === undefined || this.#halt.state === "probing") return undefined;
    if (halt.untilMs - this.#parts.clock.nowMs() <= PATIENCE_MS) return undefined;
    return new Failure(halt.why, halt.message, { retryAtMs: halt.untilMs });
  }

  /** Writes what is left a last time; nothing is written by itself any more. */
  close(): void {
    this.#cancelWrite();
    if (this.#halt.current !== undefined) this.#parts.onChanged();
  }

  #keepWriting(): void {
    this.#cancelWrite();
    this.#cancelWrite = this.#parts.clock.after(WRITE_EVERY_MS, () => {
      if (this.#halt.current === undefined) return;
      this.#parts.onChanged();
      this.#keepWriting();
    });
  }

  #wallMs(monotonicMs: number): number {
    const { clock } = this.#parts;
    return Math.ceil(clock.nowMs() + monotonicMs - clock.monotonicMs());
  }
}
