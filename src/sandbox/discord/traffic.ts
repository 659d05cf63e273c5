import type { TrafficEntry } from "./settings.ts";

const keptEntries = 20_000;

/** The requests and answers of a run, the newest `keptEntries`; only when asked for. */
export class Traffic {
  readonly #on: boolean;
  readonly #entries: TrafficEntry[] = [];

  constructor(on: boolean) {
    this.#on = on;
  }

  get entries(): readonly TrafficEntry[] {
    return this.#entries;
  }

  record(entry: TrafficEntry): void {
    if (!this.#on) return;
    this.#entries.push(entry);
    if (this.#entries.length > keptEntries) this.#entries.shift();
  }
}
