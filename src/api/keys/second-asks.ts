import type { SourceId } from "../../domain/model.ts";
import type { Exchange } from "../limits/in-flight.ts";
import type { KeyBudget } from "./budget.ts";
import type { KeyGuard } from "./key-guard.ts";
import { OUTAGE_KEYS } from "./unanswered.ts";
import type { KeyCheck, Risk } from "./unit.ts";

/**
 * Which key that was silent is asked again, and when. Asking again costs another unit if it is silent again, so a key
 * that alone is silent gets one more request, and others only while few of all units are used. In an outage nothing can
 * be learned but by asking: the keys that hold a unit already are asked in turn, one at a time.
 */
export class SecondAsks {
  readonly #guard: Pick<KeyGuard, "lastTaken">;
  readonly #budget: KeyBudget;

  constructor(guard: Pick<KeyGuard, "lastTaken">, budget: KeyBudget) {
    this.#guard = guard;
    this.#budget = budget;
  }

  /** Whether nothing is answered at all, as several keys show, or all that are known to be good. */
  isOutage(nowMs: number): boolean {
    const soft = this.#soft(nowMs);
    return soft.size > 0 && (soft.size >= OUTAGE_KEYS || this.#guard.lastTaken(soft) === undefined);
  }

  /** What is to be asked now. */
  next(nowMs: number): KeyCheck | undefined {
    const { unanswered } = this.#budget;
    for (const source of unanswered.sources(nowMs)) {
      if (unanswered.askAgainMs(source, nowMs) > nowMs) continue;
      const other = this.#otherToAsk(source, nowMs);
      if (other !== undefined) return { source: other, risk: "unknown" };
      if (this.#limit(source, nowMs) === undefined) return { source, risk: "settling" };
    }
    return undefined;
  }

  /** When there may be something to ask, monotonic; infinitely late until something happens. */
  wakeAtMs(nowMs: number): number {
    const { unanswered } = this.#budget;
    const times = unanswered.sources(nowMs).map((source) => {
      const againMs = unanswered.askAgainMs(source, nowMs);
      const limit = this.#limit(source, nowMs);
      const room = limit === undefined ? undefined : this.#budget.below(limit, nowMs);
      if (room?.kind === "when-one-ends") return Number.POSITIVE_INFINITY;
      return Math.max(againMs, room?.kind === "later" ? room.atMs : nowMs);
    });
    return Math.min(Number.POSITIVE_INFINITY, ...times);
  }

  /** Whether a request waits until one of our own shows that its key, or any, is answered. */
  isAwaited({ source, waitingClass, proving }: Exchange, risk: Risk, nowMs: number): boolean {
    if (waitingClass === "internal" || proving === true) return false;
    const { unanswered } = this.#budget;
    if (risk === "settling" && (unanswered.isSoft(source) || unanswered.isLone(source))) return true;
    return waitingClass === "poll" && this.isOutage(nowMs);
  }

  /** When the key of such a request is asked again at the earliest; a person's hastens it. */
  onAwaited({ source, waitingClass }: Exchange, nowMs: number): number {
    const { unanswered } = this.#budget;
    if (unanswered.isLone(source)) return this.#againAtMs(source, nowMs);
    if (waitingClass === "person") unanswered.hasten(source, nowMs);
    return nowMs;
  }

  #againAtMs(source: SourceId, nowMs: number): number {
    const limit = this.#limit(source, nowMs);
    const room = limit === undefined ? undefined : this.#budget.below(limit, nowMs);
    return Math.max(
      this.#budget.unanswered.askAgainMs(source, nowMs),
      room?.kind === "later" ? room.atMs : 0,
    );
  }

  /** Whether a request of our own with this key risks nothing that its held unit does not cover. */
  isCovered({ source, waitingClass }: Exchange, isProbe: boolean, nowMs: number): boolean {
    const { unanswered } = this.#budget;
    if (waitingClass !== "internal") return false;
    const isHeld = unanswered.isHeld(source, nowMs) && unanswered.isSoft(source);
    return isHeld && (isProbe || this.isOutage(nowMs));
  }

  /** While few are silent and nothing else is asked, another key shows whether it is this one alone. */
  #otherToAsk(source: SourceId, nowMs: number): SourceId | undefined {
    const { unanswered } = this.#budget;
    if (!unanswered.isSoft(source) || this.isOutage(nowMs)) return undefined;
    return this.#guard.lastTaken(this.#soft(nowMs));
  }

  /** Below how many units it may be asked again; undefined: that limit is kept, or there is none. */
  #limit(source: SourceId, nowMs: number): number | undefined {
    const { unanswered, most } = this.#budget;
    const asked = unanswered.askedLone(source);
    if (asked === undefined) return undefined;
    const limit = unanswered.isLossy(nowMs) ? most - 1 : Math.floor(most / 2);
    return this.#budget.below(limit, nowMs).kind === "go" ? undefined : limit;
  }

  #soft(nowMs: number): ReadonlySet<SourceId> {
    const { unanswered } = this.#budget;
    return new Set(unanswered.sources(nowMs).filter((source) => unanswered.isSoft(source)));
  }
}
