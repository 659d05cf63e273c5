import type { Clock, Random } from "./domain/ports/clock.ts";
import type { LeasedParts } from "./leased-parts.ts";
import type { RootLog } from "./log.ts";
import type { MetricsRegistry } from "./ops/metrics.ts";
import type { OpsSources } from "./ops/ops-server.ts";
import type { Step } from "./ops/shutdown.ts";

export interface Runtime {
  readonly log: RootLog;
  readonly clock: Clock;
  readonly random: Random;
  /** Of the process. @default made for the bot */
  readonly metrics?: MetricsRegistry | undefined;
  /** Where several processes share a store; absent: this one is alone on it. */
  readonly leased?: LeasedParts | undefined;
}

/** Everything that was built, not yet started. */
export interface Marshal {
  /** Reads the store, logs in to Discord and begins to poll. */
  start(): Promise<void>;
  /** The steps of a stop, in their order. */
  readonly steps: readonly Step[];
  /** Ends without order, when what it holds is another's by now: nothing more is written or posted. */
  drop(): Promise<void>;
  readonly ops: OpsSources;
  /** Resolves with the reason, in words, when the bot can do nothing more until its operator acts. */
  readonly ended: Promise<string>;
}
