import type { FaultSettings, Faults } from "./types.ts";

type Countdown = "sendThen500" | "sendThenReset" | "failSends" | "rateLimitNext";

/** What goes wrong on purpose. Settings are merged; counts run down as they are used. */
export class FaultPlan implements Faults {
  #settings: FaultSettings = {};
  readonly #drop: (resumable: boolean) => void;

  constructor(drop: (resumable: boolean) => void) {
    this.#drop = drop;
  }

  get current(): Readonly<FaultSettings> {
    return this.#settings;
  }

  set(settings: FaultSettings): void {
    this.#settings = { ...this.#settings, ...settings };
    // An outage takes the open connections with it; they can be resumed afterwards.
    if (settings.outage === "down") this.#drop(true);
  }

  clear(): void {
    this.#settings = {};
  }

  dropGateway(options: { readonly resumable?: boolean } = {}): void {
    this.#drop(options.resumable ?? true);
  }

  /** Uses up one of a counted fault; false when none is left. */
  use(name: Countdown): boolean {
    const left = this.#settings[name] ?? 0;
    if (left <= 0) return false;
    this.#settings = { ...this.#settings, [name]: left - 1 };
    return true;
  }
}
