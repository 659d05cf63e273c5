import { StoreError } from "../domain/failure.ts";
import type { Log } from "../log.ts";
import type { Store } from "./keyv-documents.ts";
import type { Fence } from "./redis/redis-adapter.ts";
import { openSqlite } from "./sqlite/open-sqlite.ts";

export interface StoreOptions {
  readonly log?: Log;
  /** How long to wait at the start for another process to let go of the file, or for Redis. @default 10_000 */
  readonly waitMs?: number | undefined;
  /** Epoch milliseconds. @default the time of this machine, by which keyv counts */
  readonly nowMs?: (() => number) | undefined;
  /** Redis only: writes are refused unless this process holds the lease. @default none */
  readonly fence?: Fence | undefined;
}

const DEFAULTS = { waitMs: 10_000, nowMs: Date.now } as const;
/** Another Marshal that is just ending lets go of the file within this time. */
const LONGEST_LOCK_WAIT_MS = 2_000;

/**
 * Opens the store that the address names: `sqlite:PATH`, `redis://...` or `rediss://...`. Rejects with a StoreError
 * in words for the operator; a password in the address does not stand in it.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const { log, waitMs = DEFAULTS.waitMs, nowMs = DEFAULTS.nowMs, fence } = options;
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path !== undefined) {
    return await openSqlite(path, { lockWaitMs: Math.min(waitMs, LONGEST_LOCK_WAIT_MS), nowMs });
  }
  if (/^rediss?:\/\//.test(url)) {
    // Only here, as in main.ts: its client is large.
    const { openRedis } = await import("./redis/open-redis.ts");
    return await openRedis(url, { log, waitMs, fence });
  }
  throw new StoreError("a store's address begins with sqlite:, redis:// or rediss://");
}
