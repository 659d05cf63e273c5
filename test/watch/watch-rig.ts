import type { Failure } from "../../src/domain/failure.ts";
import type { ListName, Snapshot, SourceId } from "../../src/domain/model.ts";
import type { ReadOptions, ServiceClient } from "../../src/domain/ports/service-client.ts";
import type { ServiceHealth } from "../../src/domain/ports/service-health.ts";
import type { VirtualClock } from "../support/clock.ts";
import { serverStatus } from "../support/server-status.ts";

export interface Call {
  readonly source: SourceId;
  readonly lists: readonly ListName[];
  readonly priority: string;
  readonly atMs: number;
}

/** The client and its gate: lets one read through every `everyMs`, answers it `tripMs` later. */
export class GateClient implements ServiceClient, ServiceHealth {
  readonly clock: VirtualClock;
  readonly calls: Call[] = [];
  /** Reads that have been asked for and have not left the gate. */
  waiting = 0;
  mostWaiting = 0;
  inFlight = 0;
  mostInFlight = 0;
  /** Sources whose own limit keeps their reads at the gate until a time, by the monotonic clock. */
  readonly heldUntilMs = new Map<SourceId, number>();
  everyMs = 100;
  tripMs = 50;
  players: (source: SourceId) => number = () => 5;
  failure: (source: SourceId) => Failure | Error | undefined = () => undefined;
  halted: ReturnType<ServiceHealth["halt"]>;
  readonly parkedSources = new Set<SourceId>();
  /** Servers that the service does not let us read. */
  readonly unreadableSources = new Set<SourceId>();
  #freeAtMs = 0;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  async read(source: SourceId, lists: readonly ListName[], options: ReadOptions): Promise<Snapshot> {
    const { clock } = this;
    this.waiting += 1;
    this.mostWaiting = Math.max(this.mostWaiting, this.waiting);
    try {
      const nowMs = clock.monotonicMs();
      const heldMs = (this.heldUntilMs.get(source) ?? 0) - nowMs;
      if (heldMs > 0) await clock.sleep(heldMs, options.signal);
      this.#freeAtMs = Math.max(this.#freeAtMs, clock.monotonicMs()) + this.everyMs;
      await clock.sleep(this.#freeAtMs - this.everyMs - clock.monotonicMs(), options.signal);
    } finally {
      this.waiting -= 1;
    }
    const askedAtMs = clock.nowMs();
    this.calls.push({ source, lists, priority: options.priority, atMs: askedAtMs });
    options.onSent?.();
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    try {
      await clock.sleep(this.tripMs, options.signal);
    } finally {
      this.inFlight -= 1;
    }
    const failure = this.failure(source);
    if (failure !== undefined) throw failure;
    const status = serverStatus({ name: "Server", currentPlayers: this.players(source) });
    const staff = { admins: new Map(), mods: new Map(), helpers: new Map() };
    const empty = Object.fromEntries(lists.map((list) => [list, list === "staff" ? staff : []]));
    return { source, askedAtMs, takenAtMs: clock.nowMs(), status, lists: empty, skippedRows: {} };
  }

  command(): never {
    throw new Error("the watch sends no commands");
  }

  halt(): ReturnType<ServiceHealth["halt"]> {
    return this.halted;
  }

  parked(source: SourceId): ReturnType<ServiceHealth["parked"]> {
    return this.parkedSources.has(source) ? { sinceMs: 0, why: "rejected" } : undefined;
  }

  held(): undefined {}

  readRefused(source: SourceId): ReturnType<ServiceHealth["readRefused"]> {
    return this.unreadableSources.has(source) ? { why: "not authorised", untilMs: 0 } : undefined;
  }

  commandPermission(): ReturnType<ServiceHealth["commandPermission"]> {
    return { kind: "unknown" };
  }

  commandReadyAtMs(): number {
    return 0;
  }

  callsOf(source: string): readonly Call[] {
    return this.calls.filter((call) => call.source === source);
  }
}

export function id(name: string): SourceId {
  return name as SourceId;
}
