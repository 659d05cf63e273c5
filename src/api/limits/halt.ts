import type { ServiceHealth } from "../../domain/ports/service-health.ts";
import { LONGEST_TOLD_WAIT_MS } from "../http/headers.ts";

export type HaltWhy = NonNullable<ReturnType<ServiceHealth["halt"]>>["why"];

/** What called for a halt; each has its own patience where the answer named no wait. */
export type HaltCause =
  /** 429, or its code in any answer. */
  | "limit"
  /** An answer that is a page instead of JSON where the service itself refuses. */
  | "page"
  /** A page of something in front of the service that could not reach it (5xx). */
  | "gateway"
  /** 2003: the operator must act. */
  | "global-key"
  /** Keys that worked are refused one after the other: it is us. */
  | "suspicion";

/** What is kept over a restart (design 4: a restart keeps it). */
export interface StoredHalt {
  readonly untilMs: number;
  readonly why: HaltWhy;
  readonly message: string;
  readonly strikes: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A told wait from here on is no ordinary window. */
const BLOCK_FROM_MS = 30 * MINUTE_MS;

/** Waits where none was told: doubled each time that the service still refuses, up to the most. */
const PATIENCE: Readonly<Record<HaltCause, { readonly firstMs: number; readonly mostMs: number }>> = {
  limit: { firstMs: MINUTE_MS, mostMs: 60 * MINUTE_MS },
  page: { firstMs: 15 * MINUTE_MS, mostMs: DAY_MS },
  gateway: { firstMs: 5_000, mostMs: 10 * MINUTE_MS },
  "global-key": { firstMs: DAY_MS, mostMs: DAY_MS },
  suspicion: { firstMs: 15 * MINUTE_MS, mostMs: DAY_MS },
};

/**
 * Whether anything may be sent at all (design 4: "429 halts the identity for the full wait"). A halt is only ever made
 * longer; no success ends it, only the one probe after it has run out. Pure: time comes in by arguments.
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
  get current(): { readonly untilMs: number; readonly why: HaltWhy; readonly message: string } | undefined {
    return this.#state === "open"
      ? undefined
      : { untilMs: this.#untilMs, why: this.#why, message: this.#message };
  }

  get stored(): StoredHalt {
    return { untilMs: this.#untilMs, why: this.#why, message: this.#message, strikes: this.#strikes };
  }

  /** A halt of an earlier process. */
  restore(stored: StoredHalt): void {
    this.#state = "halted";
    this.#untilMs = stored.untilMs;
    this.#why = stored.why;
    this.#message = stored.message;
    this.#strikes = stored.strikes;
  }

  /**
   * Begins or prolongs a halt. `toldMs`: the wait that the answer named, if it could be read. Answers of one burst count
   * once: only a refusal of the probe makes the next unnamed wait longer.
   */
  refuse(
    nowMs: number,
    cause: HaltCause,
    toldMs: number | undefined,
    saysBlocked: boolean,
    message: string,
  ): void {
    const wasOpen = this.#state !== "halted";
    if (wasOpen) this.#strikes += 1;
    const patience = PATIENCE[cause];
    const ownMs = Math.min(patience.mostMs, patience.firstMs * 2 ** Math.min(20, this.#strikes - 1));
    const waitMs = Math.min(toldMs ?? ownMs, LONGEST_TOLD_WAIT_MS);
    const blocked = saysBlocked || (cause !== "limit" && cause !== "gateway") || waitMs >= BLOCK_FROM_MS;
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
