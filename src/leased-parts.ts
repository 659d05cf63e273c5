import type { Shards } from "./discord/connection/bot.ts";
import type { Gateway } from "./discord/connection/gateway.ts";
import { shardOf } from "./discord/connection/removed-guilds.ts";
import type { Clock } from "./domain/ports/clock.ts";
import type { SharedLimits } from "./domain/ports/shared-limits.ts";
import type { WorkPermit } from "./domain/ports/work-permit.ts";
import type { FeedPlace, KnownStore } from "./known-store.ts";
import type { Log, RootLog } from "./log.ts";
import type { MetricsRegistry } from "./ops/metrics.ts";
import type { Stoppable } from "./ops/stop-order.ts";
import type { StoreOptions } from "./store/open-store.ts";

/** What one lease gives. All that is built for it is dropped when the lease is over. */
export interface LeasedParts {
  readonly permit: WorkPermit;
  readonly fence: NonNullable<StoreOptions["fence"]>;
  readonly gateway: Gateway;
  readonly shards: Exclude<Shards, "auto">;
  /** Processes that share Discord's limit of requests a second. */
  readonly blocks: number;
  /** What processes share of the game service's limits, by whom it counts. */
  readonly limitsOf: (identity: string) => SharedLimits;
  /** Goes on when the lease is over, because what the service answers then others must know. */
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  readonly knownStore: KnownStore;
  /** The store may be set back by seconds. */
  readonly isStoreInDoubt: boolean;
  /** It was put back from an older copy, by the words of whoever did it. Then it is in doubt, too. */
  readonly isOlderCopy: boolean;
  /** What was in doubt has been looked through. */
  settle(): Promise<void>;
}

/** Whether these shards hear of a guild. */
export function servedBy({ ids, count }: LeasedParts["shards"]): (guildId: string) => boolean {
  const served = new Set(ids);
  return (guildId) => served.has(shardOf(guildId, count));
}

/** What has to be dropped: of the runs, people read how they ended. */
interface Droppable extends Pick<Stoppable, "discord" | "readiness" | "heldKeys" | "service" | "store"> {
  readonly outbox: { drop(): void };
  readonly runs: { drop(closed: Promise<unknown>): Promise<void> };
  readonly history: { drop(): Promise<void> };
  readonly feeds: { channels(): readonly FeedPlace[] };
  readonly knownStore: KnownStore | undefined;
}

/**
 * Ends all of it without order and without waiting for what no longer matters: nothing more is written or posted, only
 * who waits for an answer gets it. The history goes on to its end, because what it is given twice it keeps once.
 */
export async function dropAll(parts: Droppable): Promise<void> {
  const { discord, readiness, heldKeys, outbox, history, runs, service, store } = parts;
  parts.knownStore?.remember(parts.feeds.channels());
  await discord.quiet(0);
  // Its turns are over at once; what is on its way cannot end without the permit.
  outbox.drop();
  readiness.stop();
  heldKeys.stop();
  // Answers that are on their way are listened to a little longer: one may be a 429.
  const closed = service.close();
  await Promise.allSettled([runs.drop(closed), closed, history.drop()]);
  await store.close();
}

/** The same log, in which what fails after the end of the lease is no news, because it was meant to fail. */
export function leaseBoundLog(log: RootLog, over: AbortSignal): RootLog {
  return {
    ...leaseBound(log, over),
    hide: (key) => log.hide(key),
    hideTyped: (text) => log.hideTyped(text),
    conceal: (text) => log.conceal(text),
  };
}

function leaseBound(log: Log, over: AbortSignal): Log {
  const at = (level: "info" | "warn" | "error") => (fields: object, message: string) =>
    over.aborted ? log.debug(fields, message) : log[level](fields, message);
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => leaseBound(log.child(fields), over),
  };
}
