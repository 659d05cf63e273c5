import type { ServiceHealth } from "../../domain/ports/service-health.ts";
import { LONGEST_TOLD_WAIT_MS } from "../http/headers.ts";

export type HaltWhy = NonNullable<ReturnType<ServiceHealth["halt"]>>["why"];

/** What called for a halt; each has its own patience where the answer named no wait. */
export type HaltCause =
  /** 429, or its code in any answer. */
  | "limit"
  /** An answer that is a page instead of JSON where the service itself refuses. */
  | "page"
  /** 2003: the operator must act. */
  | "global-key"
  /** Keys that worked are refused one after the other: it is us. */
  | "suspicion"
  /** The first key since the start was refused without a reason: it may be us, or that key. */
  | "doubt";

/** What is kept over a restart: what was left of the wait when it was written, not the wall time at which it ends. */
export interface StoredHalt {
  readonly leftMs: number;
  readonly why: HaltWhy;
  readonly message: string;
  readonly strikes: number;
}

/** A call for a halt. */
export interface HaltCall {
  readonly cause: HaltCause;
  /** The wait that the answer named, if it could be read. */
  readonly toldMs: number | undefined;
  readonly saysBlocked: boolean;
  readonly message: string;
}

/** The halt in force. `untilMs` counts monotonic time. */
export interface HaltNow {
  readonly untilMs: number;
  readonly why: HaltWhy;
  readonly message: string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A stated wait of this length or more is longer than an ordinary window. */
const BLOCK_FROM_MS = 30 * MINUTE_MS;

/** Waits where the answer named none: doubled each time that the service still refuses, up to `most`. */
const PATIENCE: Readonly<Record<HaltCause, { readonly firstMs: number; readonly mostMs: number }>> = {
  limit: { firstMs: MINUTE_MS, mostMs: 60 * MINUTE_MS },
  page: { firstMs: 15 * MINUTE_MS, mostMs: DAY_MS },
  "global-key": { firstMs: DAY_MS, mostMs: DAY_MS },
  doubt: { firstMs: MINUTE_MS, mostMs: MINUTE_MS },
  suspicion: { firstMs: 15 * MINUTE_MS, mostMs: DAY_MS },
};

/**
 * Whether anything may be sent at all: a 429 stops the identity for the full wait (spec: Limits 5). A halt is only ever
 * made longer; no success ends it, only the one probe after it has run out. Pure: monotonic time comes in by arguments,
 * so that a step of the wall clock neither ends nor prolongs a halt.
 */
export class Halt {
  #state: "open" | "halted" | "probing" = "open";
  #untilMs = 0;
  #why: HaltWhy = "rate-limited";
  #message = "";
  #strikes = 0;

  get state(): "open" | "halted" | "probing" {
    return this.#state;
  }

  /** While nothing but a probe may be sent. */
  get current(): HaltNow | undefined {
    return this.#state === "open"
      ? undefined
      : { untilMs: this.#untilMs, why: this.#why, message: this.#message };
  }

  stored(nowMs: number): StoredHalt {
    const leftMs = Math.max(0, this.#untilMs - nowMs);
    return { leftMs, why: this.#why, message: this.#message, strikes: this.#strikes };
  }

  /** A halt of an earlier process: all that was left of it, `leftMs`, is waited. */
  restore({ why, message, strikes }: StoredHalt, leftMs: number, nowMs: number): void {
    this.#state = "halted";
    this.#untilMs = nowMs + Math.max(0, Math.min(leftMs, LONGEST_TOLD_WAIT_MS));
    this.#why = why;
    this.#message = message;
    this.#strikes = strikes;
  }

  /**
   * Begins or prolongs a halt. Answers of one burst count once: only a refusal of the probe makes the next unnamed wait
   * longer.
   */
  refuse({ cause, toldMs, saysBlocked, message }: HaltCall, nowMs: number): void {
    const wasOpen = this.#state !== "halted";
    if (wasOpen) this.#strikes += 1;
    const patience = PATIENCE[cause];
    const ownMs = Math.min(patience.mostMs, patience.firstMs * 2 ** Math.min(20, this.#strikes - 1));
    const waitMs = Math.min(toldMs ?? ownMs, LONGEST_TOLD_WAIT_MS);
    const isOrdinary = cause === "limit" || cause === "doubt";
    const blocked = saysBlocked || !isOrdinary || waitMs >= BLOCK_FROM_MS;
    const untilMs = nowMs + waitMs;
    if (wasOpen || untilMs > this.#untilMs) {
      this.#why = blocked ? "blocked" : "rate-limited";
      this.#message = message;
    }
    this.#untilMs = wasOpen ? untilMs : Math.max(this.#untilMs, untilMs);
    this.#state = "halted";
  }

  /** The wait is over: one probe may go. */
  probe(nowMs: number): boolean {
    if (this.#state === "halted" && nowMs >= this.#untilMs) this.#state = "probing";
    return this.#state === "probing";
  }

  /** Suspicion: everything stops for one probe, at once. */
  probeNow(nowMs: number, message: string): void {
    if (this.#state !== "open") return;
    this.#state = "probing";
    this.#untilMs = nowMs;
    this.#why = "blocked";
    this.#message = message;
  }

  /** The probe reached nobody: nothing was learned, ask again a little later. */
  postpone(nowMs: number, forMs: number): void {
    if (this.#state !== "probing") return;
    this.#state = "halted";
    this.#untilMs = nowMs + forMs;
  }

  /** The probe was answered like any request. */
  resume(): void {
    this.#state = "open";
    this.#strikes = 0;
  }
}
