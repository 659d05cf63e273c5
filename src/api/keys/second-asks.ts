import type { SourceId } from "../../domain/model.ts";
import type { Exchange } from "../limits/in-flight.ts";
import type { KeyBudget } from "./budget.ts";
import type { KeyGuard } from "./key-guard.ts";
import { OUTAGE_KEYS, SURE_KEYS } from "./unanswered.ts";
import type { KeyCheck, Risk } from "./unit.ts";

/** Where answers get lost, polls are so rare that those use up the units that are left once in this time. */
const LASTS_MS = 3 * 60 * 60_000;

/**
 * Which key that was silent is asked again, and when. Asking again costs another unit if it is silent again, so a key
 * that alone is silent gets one more request, and others only while few of all units are used. In an outage nothing can
 * be learned but by asking: the keys that hold a unit already are asked in turn, one at a time.
 */
export class SecondAsks {
  readonly #guard: Pick<KeyGuard, "takenBeside" | "parked">;
  readonly #budget: KeyBudget;

  constructor(guard: Pick<KeyGuard, "takenBeside" | "parked">, budget: KeyBudget) {
    this.#guard = guard;
    this.#budget = budget;
  }

  /** Whether nothing is answered at all, as several keys show, or all that are known to be good. */
  isOutage(nowMs: number): boolean {
    const soft = this.#soft(nowMs);
    if (soft.size === 0) return false;
    const isAny = soft.size + this.#budget.others.soft(nowMs) >= OUTAGE_KEYS;
    return isAny || this.#guard.takenBeside(soft, nowMs) === undefined;
  }

  /** What is to be asked now. */
  next(nowMs: number): KeyCheck | undefined {
    const { unanswered } = this.#budget;
    for (const source of this.#sources(nowMs)) {
      if (unanswered.askAgainMs(source, nowMs) > nowMs) continue;
      const other = this.#otherToAsk(source, nowMs);
      if (other !== undefined)
        return this.#isUsedUpByOthers(nowMs) ? undefined : { source: other, risk: "unknown" };
      if (this.#limit(source, nowMs) !== undefined) continue;
      if (!this.isOutage(nowMs) || this.#isSure(nowMs)) return { source, risk: "settling" };
    }
    return undefined;
  }

  /**
   * Whether no keys that died together can look like this outage. Each key that is asked again in it may be refused each
   * time: so while units are left others are asked, and where keys alone are silent too it takes more of them.
   */
  #isSure(nowMs: number): boolean {
    const { unanswered, others, most } = this.#budget;
    const soft = this.#soft(nowMs);
    const count = soft.size + others.surelySoft(nowMs);
    if (count >= SURE_KEYS || this.#guard.takenBeside(soft, nowMs) === undefined) return true;
    if (count < OUTAGE_KEYS || others.hasLone(nowMs)) return false;
    return this.#budget.below(most, nowMs).kind !== "go" && unanswered.loneSinceMs(nowMs) === undefined;
  }

  /** When there may be something to ask, monotonic; infinitely late until something happens. */
  wakeAtMs(nowMs: number): number {
    const { unanswered } = this.#budget;
    const times = this.#sources(nowMs).map((source) => {
      const againMs = unanswered.askAgainMs(source, nowMs);
      const isHeldUp = this.#isUsedUpByOthers(nowMs) && this.#otherToAsk(source, nowMs) !== undefined;
      const limit = isHeldUp ? this.#budget.most - 1 : this.#limit(source, nowMs);
      const room = limit === undefined ? undefined : this.#budget.below(limit, nowMs);
      if (room?.kind === "when-one-ends") return Number.POSITIVE_INFINITY;
      return Math.max(againMs, room?.kind === "later" ? room.atMs : nowMs);
    });
    return Math.min(Number.POSITIVE_INFINITY, ...times);
  }

  /** A key that is asked in another's place would wait for hours, though what others say next may show an outage. */
  #isUsedUpByOthers(nowMs: number): boolean {
    return this.#budget.others.bound(nowMs) > 0 && this.#budget.closedUntilMs(nowMs) !== undefined;
  }

  /** Whether a request waits until one of our own shows that its key, or any, is answered. */
  isAwaited({ source, waitingClass, proving }: Exchange, risk: Risk, nowMs: number): boolean {
    if (waitingClass === "internal" || proving === true) return false;
    const { unanswered } = this.#budget;
    if (risk === "settling" && (unanswered.isSoft(source) || unanswered.mayHaveDied(source))) return true;
    return waitingClass === "poll" && this.isOutage(nowMs);
  }

  /** When the key of such a request is asked again at the earliest; a person's hastens it. */
  onAwaited({ source, waitingClass }: Exchange, nowMs: number): number {
    const { unanswered } = this.#budget;
    if (unanswered.isLone(source)) return this.#againAtMs(source, nowMs);
    if (waitingClass === "person") unanswered.hasten(source, nowMs);
    return nowMs;
  }

  /**
   * From when on polls may go where answers get lost: each may be the next that holds a unit. First every lone key is
   * settled, since a single answer frees all that it holds; then as rarely as makes the units that are left last.
   */
  pollsFromMs(isSettling: boolean, nowMs: number): number {
    const { unanswered, most, lastStartedMs } = this.#budget;
    if (isSettling && unanswered.held(nowMs) > 0) return Number.POSITIVE_INFINITY;
    const isLastUnit = this.#budget.bound(nowMs) >= most - 1;
    const isSettledFirst = (source: SourceId) =>
      (isLastUnit || unanswered.isLone(source)) &&
      unanswered.isExplained(source) &&
      this.#limit(source, nowMs) === undefined;
    if (this.#sources(nowMs).some(isSettledFirst)) return Number.POSITIVE_INFINITY;
    if (!unanswered.isLossy) return nowMs;
    return lastStartedMs + unanswered.lostShare ** (most - this.#budget.bound(nowMs)) * LASTS_MS;
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
    if (waitingClass !== "internal") return false;
    return isProbe ? this.#holdsSoftly(source, nowMs) : this.isCovering(source, nowMs);
  }

  /** Whether an outage covers what is asked with this key. */
  isCovering(source: SourceId, nowMs: number): boolean {
    return this.#holdsSoftly(source, nowMs) && this.isOutage(nowMs) && this.#isSure(nowMs);
  }

  #holdsSoftly(source: SourceId, nowMs: number): boolean {
    const { unanswered } = this.#budget;
    return unanswered.isHeld(source, nowMs) && unanswered.isSoft(source);
  }

  /** While few are silent and nothing else is asked, another key shows whether it is this one alone. */
  #otherToAsk(source: SourceId, nowMs: number): SourceId | undefined {
    const { unanswered } = this.#budget;
    if (!unanswered.isSoft(source) || (this.isOutage(nowMs) && this.#isSure(nowMs))) return undefined;
    if (this.#isAskedFirst(source)) return undefined;
    return this.#guard.takenBeside(this.#soft(nowMs), nowMs);
  }

  /** Below how many units it may be asked again; undefined: that limit is kept, or there is none. */
  #limit(source: SourceId, nowMs: number): number | undefined {
    const { unanswered, most } = this.#budget;
    const isLone = unanswered.isLone(source);
    const isOutage = this.isOutage(nowMs);
    const isRestored = !isLone && !isOutage && unanswered.mayHaveDied(source);
    if (!isLone && !isRestored && (!this.#isAskedFirst(source) || isOutage)) return undefined;
    // With the last unit all others are read.
    const limit = isRestored ? most - 1 : this.#mostBeside(source, nowMs);
    return this.#budget.below(limit, nowMs).kind === "go" ? undefined : limit;
  }

  /** The more it looks as if answers got lost whatever the key, the more is risked to learn that of this one. */
  #mostBeside(source: SourceId, nowMs: number): number {
    const { unanswered, most } = this.#budget;
    if (unanswered.isExplained(source)) return most;
    if (unanswered.askedLone(source) === 0 && unanswered.hasRecovered(nowMs)) return most - 1;
    // What was refused is known: half of the budget is for what is not.
    const half = Math.floor(most / 2);
    return Math.min(most - 1, half + this.#budget.refusals(nowMs));
  }

  /** Where answers get lost, to ask a silent key again costs less than to ask another whether it is the service. */
  #isAskedFirst(source: SourceId): boolean {
    const { unanswered } = this.#budget;
    return (unanswered.isLossy || unanswered.isExplained(source)) && unanswered.wasSilentOnce(source);
  }

  /** A parked key is asked again in an hour, and not before. */
  #sources(nowMs: number): readonly SourceId[] {
    const { unanswered } = this.#budget;
    return unanswered.sources(nowMs).filter((source) => this.#guard.parked(source) === undefined);
  }

  #soft(nowMs: number): ReadonlySet<SourceId> {
    const { unanswered } = this.#budget;
    return new Set(unanswered.sources(nowMs).filter((source) => unanswered.isSoft(source)));
  }
}
