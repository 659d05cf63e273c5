import type { Snapshot, SourceId } from "../domain/model.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Demands } from "../domain/ports/demands.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { ServiceClient } from "../domain/ports/service-client.ts";
import type { ServiceHealth } from "../domain/ports/service-health.ts";
import type { SnapshotListener, Snapshots } from "../domain/ports/snapshots.ts";
import { DemandRegistry } from "./demand-registry.ts";
import { LatestSnapshots } from "./latest-snapshots.ts";
import { type LastPoll, Poller } from "./poller.ts";
import { ReadRate } from "./read-rate.ts";

export interface WatchParts {
  readonly client: ServiceClient;
  readonly health: ServiceHealth;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** See ReaderParts. */
  readonly nextTurn?: (() => Promise<void>) | undefined;
  readonly onDefect: (error: unknown) => void;
}

export interface WatchState {
  readonly sources: number;
  readonly inFlight: number;
  /** Newest first, at most 50. */
  readonly lastPolls: readonly LastPoll[];
}

export interface WatchProgress {
  /** Servers that are polled. */
  readonly sources: number;
  /** Those of them that are due and may be read. */
  readonly due: number;
  /** Reads that were kept since the start. */
  readonly kept: number;
}

export interface Watch {
  readonly demands: Demands;
  readonly snapshots: Snapshots;
  /** Hands every later answer to `listener`, which is awaited before the source is polled again. */
  listen(listener: SnapshotListener): void;
  /** Starts polling. To be called last, because listeners must be ready. */
  start(): void;
  stop(): Promise<void>;
  progress(): Promise<WatchProgress>;
  /** How much there is to read, for a fair division of the service's limit between processes. */
  appetite(): number;
  state(): Promise<WatchState>;
}

const SHOWN_POLLS = 50;

/** Builds the wing that decides which server to read when, and keeps the latest answers. */
export function createWatch(parts: WatchParts): Watch {
  const { client, clock } = parts;
  const rate = new ReadRate(clock);
  const snapshots = new LatestSnapshots({ client, clock, onSent: () => rate.countPerson() });
  const demands = new DemandRegistry(clock);
  const listeners: SnapshotListener[] = [];
  const record = (snapshot: Snapshot, askedMs: number) => {
    snapshots.record(snapshot, askedMs);
  };
  const answeredMs = (source: SourceId) => snapshots.answeredMs(source);
  const poller = new Poller({ ...parts, listeners, demands, record, rate, answeredMs });
  demands.listen((source) => poller.onDemandChanged(source));

  return {
    demands,
    snapshots: {
      latest: (source) => snapshots.latest(source),
      fresh: (...asked) => snapshots.fresh(...asked),
      failing: (source) => poller.failing(source),
    },
    listen: (listener) => void listeners.push(listener),
    start: () => poller.start(),
    stop: async () => {
      snapshots.stop();
      await poller.stop();
    },
    progress: () => poller.progress(),
    appetite: () => poller.appetite(),
    async state() {
      const { sources } = await poller.progress();
      return { sources, inFlight: poller.inFlight, lastPolls: await poller.lastPolls(SHOWN_POLLS) };
    },
  };
}
