import type { Log } from "../../log.ts";
import { documentsOn, rowsOn, type Store } from "../keyv-documents.ts";
import { type Fence, hashOf, namespaceOf, redisAdapter, writeTogether } from "./redis-adapter.ts";
import { type ConnectionOptions, PREFIX, RedisConnection } from "./redis-connection.ts";
import { keysLike, redisRows, redisTables } from "./redis-rows.ts";
import { checkForm } from "./stored-form.ts";

/** With `appendfsync everysec` the disk has it within two seconds. */
const FLUSH_WAIT_MS = 3_000;

/** Keys of the leases that processes at work hold and renew. */
const LEASES = `${PREFIX}lease:*`;
/** What those processes know a Redis by that was set back; see `src/cluster/lease-scripts.ts`. */
const GENERATION = `${PREFIX}generation`;

export interface RedisOptions extends ConnectionOptions {
  readonly fence?: Fence | undefined;
}

/**
 * Opens Redis or Valkey with one connection for all namespaces. Rejects with a StoreError when nothing answers within
 * `waitMs`.
 */
export async function openRedis(url: string, options: RedisOptions): Promise<Store> {
  const { fence, log } = options;
  const connection = await RedisConnection.open(url, options);
  try {
    await checkForm(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
  if (log !== undefined) await warnOfLosses(connection, log);
  const documents = documentsOn({
    adapterOf: (namespace, { writers }) =>
      redisAdapter({ connection, namespace, fence, raised: writers === "anyone-raises" }),
    writeTexts: (texts) => writeTogether({ connection, fence }, texts),
  });
  return {
    ...documents,
    rows: (table, parse) => rowsOn(redisRows(connection), table, parse),
    flush: () => isOnDisk(connection),
    checkWritable: async () => {
      await connection.run((client) => client.set(`${PREFIX}probe`, "1"));
    },
    namespaces: async () => (await keysLike(connection, hashOf("*"))).map(namespaceOf),
    tables: () => redisTables(connection),
    isHeld: async () => (await keysLike(connection, LEASES)).length > 0,
    // The connection comes back by itself.
    lost: new Promise(() => undefined),
    // As after a restart of Redis each block looks through what is its own, and knows that more than seconds may be gone.
    markCopy: async () => {
      await connection.run((client) =>
        client
          .multi()
          .hIncrBy(GENERATION, "number", 1)
          .hDel(GENERATION, "run")
          .hSet(GENERATION, "copied", "1")
          .exec(),
      );
    },
    close: () => connection.close(),
  };
}

/** Waits for the append-only file; false where there is none, or a Redis before 7.2. */
async function isOnDisk(connection: RedisConnection): Promise<boolean> {
  try {
    const asked = ["WAITAOF", "1", "0", String(FLUSH_WAIT_MS)];
    const reached: unknown = await connection.run((client) => client.sendCommand(asked));
    return Array.isArray(reached) && Number(reached[0]) >= 1;
  } catch {
    return false;
  }
}

/** Warns at the start of a Redis set up as a cache, which would lose server keys and audit rows. */
async function warnOfLosses(connection: RedisConnection, log: Log): Promise<void> {
  try {
    const info = await connection.run((client) => client.info());
    if (/^aof_enabled:0/m.test(info)) {
      log.warn({}, "this Redis has no append-only file: a crash loses its last writes (set appendonly yes)");
    }
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
    if (policy !== undefined && policy !== "noeviction") {
      log.warn(
        { policy },
        "this Redis may delete data when memory is short (set maxmemory-policy noeviction)",
      );
    }
  } catch {
    log.info({}, "this Redis does not show its persistence settings");
  }
}
