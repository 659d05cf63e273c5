import { StoreError } from "../domain/failure.ts";
import type { Log } from "../log.ts";
import type { Store } from "./keyv-documents.ts";
import type { Fence } from "./redis/redis-adapter.ts";
import { openSqlite, type SqliteOptions } from "./sqlite/open-sqlite.ts";
import { type TimedBy, withWritesTimed } from "./timed-writes.ts";

export interface StoreOptions {
  readonly log?: Log;
  /** How long to wait at the start for another process to let go of the file, or for Redis. @default 10_000 */
  readonly waitMs?: number | undefined;
  /** Epoch milliseconds. @default the time of this machine, by which keyv counts */
  readonly nowMs?: (() => number) | undefined;
  /** Redis only: writes are refused unless this process holds the lease. @default none */
  readonly fence?: Fence | undefined;
  /** Measures how long writes take. @default nothing does */
  readonly timedBy?: TimedBy | undefined;
  /**
   * sqlite only: in a thread of its own, where a slow disk holds up nobody, or in the caller's, for tools that have nothing
   * else to do. @default thread
   */
  readonly runsIn?: SqliteOptions["runsIn"] | undefined;
}

const DEFAULTS = { waitMs: 10_000, nowMs: Date.now, runsIn: "thread" } as const;
/** Another Marshal that is just ending lets go of the file within this time. */
const LONGEST_LOCK_WAIT_MS = 2_000;

/**
 * Opens the store that the address names: `sqlite:PATH`, `redis://...` or `rediss://...`. Rejects with a StoreError
 * in words for the operator; a password in the address does not stand in it.
 */
export async function openStore(url: string, { timedBy, ...options }: StoreOptions = {}): Promise<Store> {
  const store = await openAt(url, options);
  return timedBy === undefined ? store : withWritesTimed(store, timedBy);
}

async function openAt(url: string, options: StoreOptions): Promise<Store> {
  const { log, waitMs = DEFAULTS.waitMs, nowMs = DEFAULTS.nowMs, runsIn = DEFAULTS.runsIn, fence } = options;
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path !== undefined) {
    return await openSqlite(path, { lockWaitMs: Math.min(waitMs, LONGEST_LOCK_WAIT_MS), nowMs, runsIn });
  }
  if (/^rediss?:\/\//.test(url)) {
    // Only here, as in main.ts: its client is large.
    const { openRedis } = await import("./redis/open-redis.ts");
    return await openRedis(url, { log, waitMs, fence });
  }
  throw new StoreError("a store's address begins with sqlite:, redis:// or rediss://");
}
