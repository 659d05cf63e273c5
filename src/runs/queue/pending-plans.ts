import type { Clock } from "../../domain/ports/clock.ts";
import type { PlanFate, RunPlan } from "../../domain/run.ts";

/** How long a plan waits for its confirmation, by the monotonic clock. */
export const PLAN_LIVES_MS = 60_000;
/** Limits of one person and of one guild. Beyond them their own oldest plans are dropped, never another guild's. */
const MOST_OF_PERSON = 20;
const MOST_OF_GUILD = 500;
/** Whoever looks whether a plan was answered does so about when it would have ended. */
const ANSWERED_KNOWN_FOR_MS = 2 * PLAN_LIVES_MS;

interface Kept {
  readonly plan: RunPlan;
  readonly endsAtMonotonicMs: number;
}

/** Plans that wait for their confirmation. Each may be used once, within its time; they are kept in memory only. */
export class PendingPlans {
  readonly #clock: Clock;
  /** By guild, then by id, the oldest first. */
  readonly #guilds = new Map<string, Map<string, Kept>>();
  readonly #guildOf = new Map<string, string>();
  /** When they were answered, by the monotonic clock, the oldest first. */
  readonly #answered = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#guildOf.size;
  }

  keep(plan: RunPlan): void {
    const { guildId, userId } = plan.request.actor;
    this.#dropExpired();
    const kept = [...(this.#guilds.get(guildId)?.values() ?? [])].map((one) => one.plan);
    const own = kept.filter(({ request }) => request.actor.userId === userId);
    const crowd = own.length >= MOST_OF_PERSON ? own : kept.length >= MOST_OF_GUILD ? kept : [];
    const [oldest] = crowd;
    if (oldest !== undefined) this.#drop(oldest.id);

    const plans = this.#guilds.get(guildId) ?? new Map<string, Kept>();
    plans.set(plan.id, { plan, endsAtMonotonicMs: this.#clock.monotonicMs() + PLAN_LIVES_MS });
    this.#guilds.set(guildId, plans);
    this.#guildOf.set(plan.id, guildId);
  }

  get(id: string): RunPlan | undefined {
    const kept = this.#guilds.get(this.#guildOf.get(id) ?? "")?.get(id);
    return kept !== undefined && kept.endsAtMonotonicMs > this.#clock.monotonicMs() ? kept.plan : undefined;
  }

  /** Takes a plan out, as it was answered. false: it was before, or dropped, such as at a second press of the same button. */
  use(id: string): boolean {
    if (!this.#drop(id)) return false;
    const nowMs = this.#clock.monotonicMs();
    for (const [old, atMs] of this.#answered) {
      if (nowMs - atMs < ANSWERED_KNOWN_FOR_MS) break;
      this.#answered.delete(old);
    }
    this.#answered.set(id, nowMs);
    return true;
  }

  fateOf(id: string): PlanFate {
    if (this.get(id) !== undefined) return "awaiting";
    return this.#answered.has(id) ? "answered" : "gone";
  }

  #drop(id: string): boolean {
    const guildId = this.#guildOf.get(id);
    if (guildId === undefined) return false;
    this.#guildOf.delete(id);
    const plans = this.#guilds.get(guildId);
    plans?.delete(id);
    if (plans?.size === 0) this.#guilds.delete(guildId);
    return true;
  }

  /** Drops the plans of a server that was unlinked. */
  forget(bindingId: string): void {
    for (const plans of this.#guilds.values()) {
      for (const [id, { plan }] of plans) if (plan.request.binding.id === bindingId) this.#drop(id);
    }
  }

  /** All live equally long, so the oldest stand in front. */
  #dropExpired(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [id, guildId] of this.#guildOf) {
      const kept = this.#guilds.get(guildId)?.get(id);
      if (kept !== undefined && kept.endsAtMonotonicMs > nowMs) return;
      this.#drop(id);
    }
  }
}
