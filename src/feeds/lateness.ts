import type { Snapshot, SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { ServiceHealth } from "../domain/ports/service-health.ts";
import { LATE_AFTER_MS } from "./delivery/next-step.ts";
import type { FeedRegistry } from "./registry.ts";

const LATE_CHECK_MS = 60_000;

export interface LatenessParts {
  readonly clock: Clock;
  readonly health: Pick<ServiceHealth, "parked" | "halt">;
}

type Readers = Pick<FeedRegistry, "of" | "sources">;

/** When a server was read last: in words for people, and for counting. */
interface Seen {
  readonly atMs: number;
  readonly monotonicMs: number;
  readonly busy: boolean;
}

/** Notices that a busy server has not been read for long, for whatever reason, and tells its feeds. */
export class Lateness {
  readonly #parts: LatenessParts;
  readonly #registry: Readers;
  readonly #seen = new Map<SourceId, Seen>();
  readonly #started: Seen;
  #cancel: () => void = () => undefined;

  constructor(parts: LatenessParts, registry: Readers) {
    this.#parts = parts;
    this.#registry = registry;
    const { clock } = parts;
    this.#started = { atMs: clock.nowMs(), monotonicMs: clock.monotonicMs(), busy: false };
  }

  start(): void {
    this.#cancel = this.#parts.clock.after(LATE_CHECK_MS, () => {
      this.#check();
      this.start();
    });
  }

  stop(): void {
    this.#cancel();
  }

  taken(snapshot: Snapshot): void {
    const { source, takenAtMs, status } = snapshot;
    const monotonicMs = this.#parts.clock.monotonicMs();
    this.#seen.set(source, { atMs: takenAtMs, monotonicMs, busy: status.currentPlayers > 0 });
    for (const delivery of this.#registry.of(source)) delivery.pollLate(undefined);
  }

  #check(): void {
    const nowMs = this.#parts.clock.monotonicMs();
    const sources = new Set(this.#registry.sources());
    for (const source of this.#seen.keys()) if (!sources.has(source)) this.#seen.delete(source);
    for (const source of sources) {
      const seen = this.#seen.get(source) ?? this.#unseen();
      // An empty server has no entries, and one with a parked key is not read: its guilds have their notice of that.
      if (!seen.busy || nowMs - seen.monotonicMs < LATE_AFTER_MS) continue;
      if (this.#parts.health.parked(source) !== undefined) continue;
      for (const delivery of this.#registry.of(source)) delivery.pollLate(seen.atMs);
    }
  }

  /** Not read since we started: late if that is for a halt that an earlier run met, else its turn has not come. */
  #unseen(): Seen {
    return { ...this.#started, busy: this.#parts.health.halt() !== undefined };
  }
}
