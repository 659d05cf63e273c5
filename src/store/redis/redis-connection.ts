import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@redis/client";
import { StoreAwayError, StoreError } from "../../domain/failure.ts";
import type { Log } from "../../log.ts";
import { explainRedisError, isLasting, isLoading, isReadOnly, reasonOf } from "./redis-errors.ts";

export type RedisClient = ReturnType<typeof createClient>;

export interface ConnectionOptions {
  readonly log: Log | undefined;
  /** How long to wait at the start for Redis to answer and to load its data. */
  readonly waitMs: number;
}

/** Precedes every key of ours, so that Marshal can share a Redis with other programs. */
export const PREFIX = "marshal:";

const PING_EVERY_MS = 5_000;
const LONGEST_RETRY_MS = 2_000;
const LOADING_RETRY_MS = 200;
/** A shorter wait at the start is for one try, which takes a moment also where Redis is well. */
const SHORTEST_CONNECT_MS = 1_000;
/** After a failover the same address leads to another machine, which only a new connection reaches. */
const RECONNECT_AT_MOST_EVERY_MS = 5_000;

/**
 * One connection to Redis for all namespaces, which comes back by itself. While it is lost every call rejects at once,
 * because a queue would write minutes later. Calls reject with a StoreError in words for the operator.
 */
export class RedisConnection {
  readonly #client: RedisClient;
  readonly #asked = new Set<Promise<unknown>>();
  #isClosed = false;
  #reconnectedAtMs = Number.NEGATIVE_INFINITY;

  private constructor(client: RedisClient) {
    this.#client = client;
  }

  /** Rejects with a StoreError when nothing answers within `waitMs`; a password in the address does not stand in it. */
  static async open(url: string, options: ConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(await connect(url, options));
    try {
      await connection.#loaded(options.waitMs);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Runs one call on the connection. */
  async run<T>(work: (client: RedisClient) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new StoreError("the connection to Redis is closed");
    const asked = work(this.#client);
    this.#asked.add(asked);
    try {
      return await asked;
    } catch (error) {
      if (isReadOnly(error)) void this.#reconnect();
      throw explainRedisError(error);
    } finally {
      this.#asked.delete(asked);
    }
  }

  /**
   * Waits for what was asked, which ends also where Redis goes away meanwhile. The client's own `close` would then wait for
   * ever.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#asked);
    if (this.#client.isOpen) this.#client.destroy();
  }

  async #loaded(waitMs: number): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += LOADING_RETRY_MS) {
      try {
        await this.#client.exists("loaded");
        return;
      } catch (error) {
        if (!isLoading(error) || waitedMs >= waitMs) throw explainRedisError(error);
        await delay(LOADING_RETRY_MS);
      }
    }
  }

  async #reconnect(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#reconnectedAtMs < RECONNECT_AT_MOST_EVERY_MS || !this.#client.isReady) return;
    this.#reconnectedAtMs = nowMs;
    this.#client.destroy();
    // The client's own listener logs what goes wrong, and its strategy goes on trying.
    await this.#client.connect().catch(() => undefined);
  }
}

async function connect(url: string, { log, waitMs }: ConnectionOptions): Promise<RedisClient> {
  let everReady = false;
  let isSaid = false;
  let waitedMs = 0;
  const client: RedisClient = createClient({
    url,
    // With the queue a call made while Redis is away would hang, and be written when Redis comes back.
    disableOfflineQueue: true,
    // A connection that is silent for the socket timeout is dropped; the pings keep a living one from being silent.
    pingInterval: PING_EVERY_MS,
    socket: {
      connectTimeout: Math.max(SHORTEST_CONNECT_MS, Math.min(waitMs, 5_000)),
      socketTimeout: 3 * PING_EVERY_MS,
      reconnectStrategy: (retries: number) => {
        const nextMs = Math.min(100 * 2 ** retries, LONGEST_RETRY_MS);
        waitedMs += nextMs;
        return !everReady && waitedMs > waitMs ? new Error("gave up") : nextMs;
      },
    },
  });
  let trouble: unknown;
  // connect() rejects only with "gave up", so the cause is kept here.
  client.on("error", (error: unknown) => {
    trouble = error;
    // It comes with each try to connect, every two seconds for as long as Redis is away.
    if (everReady) log?.[isSaid ? "debug" : "warn"]({ err: error }, "the connection to Redis is broken");
    isSaid = everReady;
  });
  client.on("ready", () => {
    if (everReady) log?.info({}, "Redis is back");
    everReady = true;
    isSaid = false;
  });
  // To the client one that takes the connection and says nothing has not failed for long, and then once for each try.
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => silence.reject(new StoreAwayError("nothing answers")),
    Math.max(SHORTEST_CONNECT_MS, waitMs),
  );
  try {
    await Promise.race([client.connect(), silence.promise]);
    return client;
  } catch (error) {
    if (client.isOpen) client.destroy();
    if (isLasting(trouble)) throw explainRedisError(trouble);
    const host = URL.parse(url)?.host ?? "its address";
    throw new StoreAwayError(`Redis at ${host} cannot be used: ${reasonOf(trouble ?? error)}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}
