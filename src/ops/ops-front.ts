import { GAUGES } from "./gauges.ts";
import type { MetricsRegistry } from "./metrics.ts";
import type { OpsSources } from "./ops-server.ts";

/** What the ops address answers from: the bot once it is built, and before that why it is not. */
export class OpsFront implements OpsSources {
  readonly metrics: MetricsRegistry;
  readonly conceal: OpsSources["conceal"];
  #bot: OpsSources | undefined;
  #why = "starting";

  constructor({ metrics, conceal }: Pick<OpsFront, "metrics" | "conceal">) {
    this.metrics = metrics;
    this.conceal = conceal;
  }

  /** Why the bot cannot be built yet. */
  get why(): string {
    return this.#why;
  }

  waitFor(why: string): void {
    this.#why = why;
    // The rules ask for it; the bot that is built puts its own in this place.
    this.metrics.gauge("marshal_ready", GAUGES.marshal_ready?.help ?? "", () => 0);
  }

  show(bot: OpsSources): void {
    this.#bot = bot;
  }

  hasStarted(): boolean {
    return this.#bot?.hasStarted?.() ?? this.#bot !== undefined;
  }

  async notReady(): Promise<readonly string[]> {
    return (await this.#bot?.notReady()) ?? [this.#why];
  }

  notes(): readonly string[] {
    return this.#bot?.notes?.() ?? [];
  }

  get state(): OpsSources["state"] {
    return this.#bot?.state ?? { start: () => ({ waitsFor: this.#why }) };
  }
}
