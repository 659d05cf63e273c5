import KeyvRedis, { createClient } from "@keyv/redis";
import { keyvStorageCapability } from "keyv";
import type { Log } from "../log.ts";
import { KeyvDocuments, type Store, StoreError } from "./keyv-documents.ts";

/** Precedes every namespace, so that Marshal can share a Redis with other programs. */
const PREFIX = "marshal:";
/** Keys that one SCAN looks at. */
const SCAN_KEYS = 500;
const PING_EVERY_MS = 5_000;
/** With `appendfsync everysec` the disk has it within two seconds. */
const FLUSH_WAIT_MS = 3_000;

type Client = ReturnType<typeof createClient>;

/**
 * Opens Redis or Valkey with one connection for all namespaces. While the connection is lost every call rejects at
 * once, because a queue would write minutes later; the connection comes back by itself. Rejects with a StoreError when
 * nothing answers within `waitMs`.
 */
export async function openRedis(
  url: string,
  options: { readonly log: Log | undefined; readonly waitMs: number },
): Promise<Store> {
  const client = await connect(url, options.log, options.waitMs);
  if (options.log !== undefined) await warnOfLosses(client, options.log);
  return {
    documents: (namespace, parse) => new KeyvDocuments(adapter(client, PREFIX + namespace), namespace, parse),
    flush: () => isOnDisk(client),
    checkWritable: async () => {
      try {
        await client.set(`${PREFIX}probe`, "1");
      } catch (error) {
        throw new StoreError(`Redis takes no writes: ${reason(error)}`, { cause: error });
      }
    },
    close: async () => {
      // close() waits for answers, which never come without a connection.
      if (client.isReady) await client.close();
      else if (client.isOpen) client.destroy();
    },
  };
}

/** Waits for the append-only file; false where there is none, or a Redis before 7.2. */
async function isOnDisk(client: Client): Promise<boolean> {
  try {
    const reached: unknown = await client.sendCommand(["WAITAOF", "1", "0", String(FLUSH_WAIT_MS)]);
    return Array.isArray(reached) && Number(reached[0]) >= 1;
  } catch {
    return false;
  }
}

async function connect(url: string, log: Log | undefined, waitMs: number): Promise<Client> {
  let everReady = false;
  let waitedMs = 0;
  const options: Parameters<typeof createClient>[0] = {
    url,
    // With the queue a call made while Redis is away would hang, and be written when Redis comes back.
    disableOfflineQueue: true,
    // A connection that is silent for the socket timeout is dropped; the pings keep a living one from being silent.
    pingInterval: PING_EVERY_MS,
    socket: {
      connectTimeout: Math.max(1_000, Math.min(waitMs, 5_000)),
      socketTimeout: 3 * PING_EVERY_MS,
      reconnectStrategy: (retries: number) => {
        const nextMs = Math.min(100 * 2 ** retries, 2_000);
        waitedMs += nextMs;
        return !everReady && waitedMs > waitMs ? new Error("gave up") : nextMs;
      },
    },
  };
  const client: Client = createClient(options);
  // Each namespace's adapter adds listeners, and Node would warn of a leak.
  client.setMaxListeners(0);
  let trouble: unknown;
  // connect() rejects only with "gave up", so the cause is kept here.
  client.on("error", (error: unknown) => {
    trouble = error;
    if (everReady) log?.warn({ err: error }, "the connection to Redis is broken");
  });
  client.on("ready", () => {
    if (everReady) log?.info({}, "Redis is back");
    everReady = true;
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    if (client.isOpen) client.destroy();
    const host = URL.parse(url)?.host ?? "its address";
    throw new StoreError(`Redis at ${host} cannot be used: ${reason(trouble ?? error)}`, { cause: error });
  }
}

/** A host name with several addresses fails with an AggregateError whose own message is empty. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join("; ");
  return error instanceof Error && error.message !== "" ? error.message : "nothing answers";
}

/**
 * The official adapter without its events: a Keyv without an error listener would turn the loss of Redis into an
 * exception that ends the process.
 */
function adapter(client: Client, namespace: string): object {
  const inner = new KeyvRedis<string>(client, { namespace, throwOnErrors: true, throwOnConnectError: true });
  // The client's own listener logs the error; this one only keeps the emitter from throwing.
  inner.on("error", () => {});
  const methods = {
    get: (key: string) => inner.get(key),
    getMany: (keys: string[]) => inner.getMany(keys),
    has: (key: string) => inner.has(key),
    hasMany: (keys: string[]) => inner.hasMany(keys),
    set: (key: string, value: string, expires?: number) => inner.set(key, value, expires),
    setMany: (entries: Parameters<typeof inner.setMany>[0]) => inner.setMany(entries),
    delete: (key: string) => inner.delete(key),
    deleteMany: (keys: string[]) => inner.deleteMany(keys),
    clear: () => clear(client, namespace),
    disconnect: async () => {},
    iterator: () => iterate(client, namespace),
  };
  return { ...methods, capabilities: keyvStorageCapability(methods) };
}

/** Replaces the official iterator, which looks at ten keys a call and repeats keys that SCAN names twice. */
async function* iterate(client: Client, namespace: string): AsyncGenerator<[key: string, value: string]> {
  const seen = new Set<string>();
  for await (const page of client.scanIterator({
    MATCH: `${namespace}::*`,
    COUNT: SCAN_KEYS,
    TYPE: "string",
  })) {
    const keys = page.filter((key) => !seen.has(key));
    if (keys.length === 0) continue;
    const values = await client.mGet(keys);
    for (const [index, key] of keys.entries()) {
      seen.add(key);
      const value = values[index];
      if (typeof value === "string") yield [key.slice(namespace.length + 2), value];
    }
  }
}

/** Replaces the official clear, which swallows errors. */
async function clear(client: Client, namespace: string): Promise<void> {
  for await (const keys of client.scanIterator({ MATCH: `${namespace}::*`, COUNT: SCAN_KEYS })) {
    if (keys.length > 0) await client.unlink(keys);
  }
}

/** Warns at the start of a Redis set up as a cache, which would lose server keys and audit rows. */
async function warnOfLosses(client: Client, log: Log): Promise<void> {
  try {
    const info = await client.info();
    if (/^aof_enabled:0/m.test(info)) {
      log.warn(
        {},
        "this Redis keeps no append-only file: its last writes are lost when it crashes (appendonly yes)",
      );
    }
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
    if (policy !== undefined && policy !== "noeviction") {
      log.warn(
        { policy },
        "this Redis may drop what it holds when memory is short (maxmemory-policy noeviction)",
      );
    }
  } catch {
    log.info({}, "this Redis does not say how it keeps what it is given");
  }
}
