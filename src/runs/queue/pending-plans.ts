import type { Clock } from "../../domain/ports/clock.ts";
import type { RunPlan } from "../../domain/run.ts";

/** More plans than any guild confirms in a minute; the oldest go first. */
const maxPlans = 10_000;

/** Plans that were made and not yet used: each may be used once, within its time. In memory only. */
export class Plans {
  readonly #clock: Clock;
  readonly #plans = new Map<string, RunPlan>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#plans.size;
  }

  keep(plan: RunPlan): void {
    const nowMs = this.#clock.nowMs();
    // All live equally long, so the oldest stand in front.
    for (const [id, old] of this.#plans) {
      if (old.expiresAtMs > nowMs && this.#plans.size < maxPlans) break;
      this.#plans.delete(id);
    }
    this.#plans.set(plan.id, plan);
  }

  get(id: string): RunPlan | undefined {
    const plan = this.#plans.get(id);
    return plan !== undefined && plan.expiresAtMs > this.#clock.nowMs() ? plan : undefined;
  }

  /** False: it was used or dropped already. A second press of the same button finds nothing. */
  use(id: string): boolean {
    return this.#plans.delete(id);
  }

  /** The server was unlinked. */
  forget(bindingId: string): void {
    for (const [id, plan] of this.#plans) {
      if (plan.request.binding.id === bindingId) this.#plans.delete(id);
    }
  }
}
