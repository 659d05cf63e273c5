import type { Log } from "../log.ts";
import { type Store, StoreError } from "./documents.ts";
import { openRedis } from "./redis.ts";
import { openSqlite } from "./sqlite.ts";

export interface StoreOptions {
  readonly log?: Log;
  /** How long to wait for the store at the start: another process that lets go of the file, or Redis. Default 10 s. */
  readonly waitMs?: number;
  /** Epoch milliseconds; keyv itself counts by the machine's. */
  readonly nowMs?: () => number;
}

/**
 * Opens the store that the address names: `sqlite:PATH`, `redis://...` or `rediss://...`. Rejects with a StoreError
 * in words for the operator; a password in the address does not stand in it.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const { log, waitMs = 10_000, nowMs = Date.now } = options;
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path !== undefined) return await openSqlite(path, { lockWaitMs: Math.min(waitMs, 2_000), nowMs });
  if (/^rediss?:\/\//.test(url)) return openRedis(url, { log, waitMs });
  throw new StoreError("a store's address begins with sqlite:, redis:// or rediss://");
}
