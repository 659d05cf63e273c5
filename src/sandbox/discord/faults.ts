import type { FatalClose, FaultSettings, Faults } from "./settings.ts";

type Countdown =
  | "sendThen500"
  | "sendThenReset"
  | "failSends"
  | "failThreads"
  | "rateLimitNext"
  | "unauthorizedSends"
  | "callbackThen500"
  | "callbackThenReset"
  | "failCallbacks"
  | "deleteThen500"
  | "tellTwice";

/** What a fault does to the gateway. */
export interface GatewayFaults {
  drop(resumable: boolean): void;
  end(code: FatalClose): void;
  away(shards: readonly number[]): void;
}

/** What goes wrong on purpose. Settings are merged; counts run down as they are used. */
export class FaultPlan implements Faults {
  #settings: FaultSettings = {};
  #outageEndMs = Number.POSITIVE_INFINITY;
  readonly #gateway: GatewayFaults;
  readonly #nowMs: () => number;

  constructor(gateway: GatewayFaults, nowMs: () => number) {
    this.#gateway = gateway;
    this.#nowMs = nowMs;
  }

  get current(): Readonly<FaultSettings> {
    if (this.#nowMs() >= this.#outageEndMs) this.set({ outage: undefined, outageMs: undefined });
    return this.#settings;
  }

  set(settings: FaultSettings): void {
    this.#settings = { ...this.#settings, ...settings };
    if ("outage" in settings || "outageMs" in settings) {
      const { outage, outageMs } = this.#settings;
      const ends = outage !== undefined && outageMs !== undefined;
      this.#outageEndMs = ends ? this.#nowMs() + outageMs : Number.POSITIVE_INFINITY;
    }
    // An outage takes the open connections with it; they can be resumed afterwards.
    if (settings.outage === "down") this.#gateway.drop(true);
    if (settings.shardsAway !== undefined) this.#gateway.away(settings.shardsAway);
  }

  clear(): void {
    this.#settings = {};
    this.#outageEndMs = Number.POSITIVE_INFINITY;
    this.#gateway.away([]);
  }

  dropGateway(options: { readonly resumable?: boolean } = {}): void {
    this.#gateway.drop(options.resumable ?? true);
  }

  endGateway(code: FatalClose): void {
    this.#gateway.end(code);
  }

  /** Uses up one of a counted fault; false when none is left. */
  use(name: Countdown): boolean {
    const left = this.#settings[name] ?? 0;
    if (left <= 0) return false;
    this.#settings = { ...this.#settings, [name]: left - 1 };
    return true;
  }
}
