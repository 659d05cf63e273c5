import { createClient } from "@redis/client";
import type { Log } from "../log.ts";

/** A later answer is of no use: the lease would have ended. */
const ANSWER_MS = 2_500;
const RECONNECT_MS = 250;

/** Redis cannot be used by the processes that share it, in words for the operator. */
class LineError extends Error {
  override readonly name = "LineError";
}

/** A connection to Redis that comes back by itself; while it is lost every call rejects at once. */
export interface RedisLine {
  /** Runs a script in one step. */
  run(script: string, keys: readonly string[], given: readonly string[]): Promise<unknown>;
  get(key: string): Promise<string | undefined>;
  /** For each field of a hash whether it is there. */
  haveFields(hash: string, fields: readonly string[]): Promise<readonly boolean[]>;
  close(): Promise<void>;
}

/** Resolves when it is connected, or later than an answer may take: then it goes on trying. */
export async function openRedisLine(url: string, log: Log): Promise<RedisLine> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: ANSWER_MS, reconnectStrategy: () => RECONNECT_MS },
  });
  // The store's connection logs what is wrong; this listener keeps the emitter from throwing.
  client.on("error", (err: unknown) => log.debug({ err }, "a connection to Redis is broken"));
  const connected = client
    .connect()
    .catch((err: unknown) => log.debug({ err }, "a connection to Redis was given up"));
  // One that takes longer goes on by itself: until then calls reject, and a claim is tried again.
  await answeredInTime(connected, () => undefined).catch(() => undefined);

  /** A connection that does not answer is of no use: a new one may reach another machine. */
  function hangUp(): void {
    if (!client.isOpen) return;
    client.destroy();
    client.connect().catch(() => undefined);
  }

  return {
    async run(script, keys, given) {
      const asked = client.eval(script, { keys: [...keys], arguments: [...given] });
      return await answeredInTime(asked, () => hangUp());
    },
    get: async (key) => (await answeredInTime(client.get(key), () => hangUp())) ?? undefined,
    async haveFields(hash, fields) {
      if (fields.length === 0) return [];
      const found = await answeredInTime(client.hmGet(hash, [...fields]), () => hangUp());
      return found.map((value) => value !== null);
    },
    close: async () => {
      if (client.isOpen) client.destroy();
    },
  };
}

async function answeredInTime<T>(asked: Promise<T>, onLate: () => void): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new LineError("Redis did not answer in time"));
    onLate();
  }, ANSWER_MS);
  try {
    return await Promise.race([asked, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
