import type { SourceId } from "../../domain/model.ts";
import { SHARE_MS, type SharedUnits } from "../../domain/ports/shared-limits.ts";
import type { UnansweredRequests } from "./unanswered.ts";
import type { BudgetDecision } from "./unit.ts";

/** A refusal, or what may be one. */
export interface Spent {
  readonly atMs: number;
  readonly guildId: string | undefined;
}

/** A key of others that is soft. */
interface SoftKey {
  /** Its first silence, as early as any look told: a process that was stopped tells it too late. */
  readonly sentMs: number;
  /** When this process was told of it first. */
  readonly heardMs: number;
}

const HOUR_MS = 3_600_000;
/** What others have under way ends within moments; a request that leaves is checked against all of it anyway. */
const FLYING_KNOWN_MS = 50;

/** So long each process has looked, and said what it was answered. */
const SETTLED_MS = 2_500;

/** What other processes that ask from the same address have spent, as they last said. Pure; times are monotonic. */
export class OthersUnits {
  #refusals: readonly Spent[] = [];
  #held: readonly Spent[] = [];
  #flying = 0;
  #seenMs = Number.NEGATIVE_INFINITY;
  #soft: ReadonlyMap<SourceId, SoftKey> = new Map();
  readonly #unanswered: UnansweredRequests;
  /** No request that an outage covers leaves before: another process asks, or did a moment ago. */
  coveredFromMs = Number.NEGATIVE_INFINITY;
  /** How often they had spent more than before. */
  setbacks = 0;
  /** As they said it. */
  last: SharedUnits = { refusals: [], open: [], firstsAgeMs: [] };

  /** `unanswered`: of this process; what others are answered speaks of its keys, too. */
  constructor(unanswered: UnansweredRequests) {
    this.#unanswered = unanswered;
  }

  /** Whether a request that an outage covers may leave. */
  covered(nowMs: number): BudgetDecision {
    return nowMs < this.coveredFromMs ? { kind: "later", atMs: this.coveredFromMs } : { kind: "go" };
  }

  see(units: SharedUnits, nowMs: number): void {
    if (units.answers !== undefined) this.#unanswered.hear(units.answers, this.soft(nowMs), nowMs);
    this.#soft = this.#softOf(units, nowMs);
    const asSpent = ({
      ageMs,
      guildId,
    }: {
      readonly ageMs: number;
      readonly guildId?: string | undefined;
    }) => ({
      atMs: nowMs - Math.max(0, ageMs),
      guildId,
    });
    const spent = this.#refusals.length + this.#held.length;
    this.last = units;
    this.#refusals = units.refusals.map(asSpent);
    this.#held = units.open.filter(({ isHeld }) => isHeld).map(asSpent);
    if (this.#refusals.length + this.#held.length > spent) this.setbacks += 1;
    this.#flying = units.open.length - this.#held.length;
    this.#seenMs = nowMs;
  }

  refusals(nowMs: number): number {
    return within(this.#refusals, nowMs).length;
  }

  /** Requests that went unanswered: refusals, for all that is known. */
  held(nowMs: number): number {
    return within(this.#held, nowMs).length;
  }

  /** What they used up for the time being. */
  bound(nowMs: number): number {
    return this.refusals(nowMs) + this.held(nowMs);
  }

  /** How many keys are soft that are not this process's own. */
  soft(nowMs: number): number {
    return this.#softSince(nowMs, nowMs);
  }

  /** The same of those that were for so long that an answer to any process would have been heard. */
  surelySoft(nowMs: number): number {
    return this.#softSince(nowMs, nowMs - SETTLED_MS);
  }

  /** Whether a key is silent alone. */
  hasLone(nowMs: number): boolean {
    return this.last.open.some(
      ({ isLone, ageMs }) => isLone === true && nowMs - this.#seenMs + ageMs < HOUR_MS,
    );
  }

  /** Requests that they had under way a moment ago. */
  flying(nowMs: number): number {
    return nowMs - this.#seenMs < FLYING_KNOWN_MS ? this.#flying : 0;
  }

  /** Refusals of keys that nobody typed. */
  linkedRefusals(nowMs: number): number {
    return within(this.#refusals, nowMs).filter(({ guildId }) => guildId === undefined).length;
  }

  /** When each of them counts no more. */
  freeTimes(nowMs: number): readonly number[] {
    return this.#spent(nowMs).map(({ atMs }) => atMs + HOUR_MS);
  }

  /** What typed keys have cost or may have cost, and when each counts no more. */
  typed(nowMs: number): readonly { readonly guildId: string; readonly freeMs: number }[] {
    return this.#spent(nowMs).flatMap(({ guildId, atMs }) =>
      guildId === undefined ? [] : [{ guildId, freeMs: atMs + HOUR_MS }],
    );
  }

  #softSince(nowMs: number, heardByMs: number): number {
    if (this.#soft.size === 0 || nowMs - this.#seenMs > SHARE_MS) return 0;
    const { answeredSentMs } = this.#unanswered;
    let count = 0;
    for (const [source, { sentMs, heardMs }] of this.#soft)
      if (sentMs > answeredSentMs && heardMs <= heardByMs && !this.#unanswered.isSoft(source)) count += 1;
    return count;
  }

  #softOf({ open }: SharedUnits, nowMs: number): ReadonlyMap<SourceId, SoftKey> {
    const soft = new Map<SourceId, SoftKey>();
    for (const { source, ageMs, isSoft } of open) {
      if (isSoft !== true) continue;
      const { sentMs, heardMs } = soft.get(source) ??
        this.#soft.get(source) ?? { sentMs: nowMs, heardMs: nowMs };
      soft.set(source, { sentMs: Math.min(sentMs, nowMs - Math.max(0, ageMs)), heardMs });
    }
    return soft;
  }

  #spent(nowMs: number): readonly Spent[] {
    return [...within(this.#refusals, nowMs), ...within(this.#held, nowMs)];
  }
}

function within(spent: readonly Spent[], nowMs: number): readonly Spent[] {
  return spent.length === 0 ? spent : spent.filter(({ atMs }) => nowMs - atMs < HOUR_MS);
}
