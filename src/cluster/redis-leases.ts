import { createClient } from "@redis/client";
import { z } from "zod";
import type { Log } from "../log.ts";
import { CLAIM, RELEASE, RENEW, SETTLE } from "./lease-scripts.ts";
import { type Claim, LEASE_MS, type Leases, type Renewal } from "./leases.ts";
import { nameOf, type ShardBlock } from "./shard-block.ts";

const PREFIX = "marshal:";
const COUNT_KEY = `${PREFIX}lease-count`;
const GENERATION_KEY = `${PREFIX}generation`;
const SETTLED_KEY = `${PREFIX}settled`;

/** An answer that takes longer helps nobody: the lease would end meanwhile. */
const ANSWER_MS = 2_500;
const RECONNECT_MS = 250;

/** Redis cannot be used for leases, in words for the operator. */
class LeaseError extends Error {
  override readonly name = "LeaseError";
}

export interface RedisLeases extends Leases {
  close(): Promise<void>;
}

/** The key that the lease of a block's first shard lies under: all of a block are claimed and renewed together. */
export function fenceKeyOf(block: ShardBlock): string {
  return leaseKey(block.count, block.ids[0] ?? 0);
}

const claimAnswer = z.union([
  z.tuple([z.literal("claimed"), z.number(), z.number()]),
  z.tuple([z.literal("taken")]),
  z.tuple([z.literal("other-count"), z.string()]),
  z.tuple([z.literal("wait"), z.number()]),
]);
const renewal = z.enum(["renewed", "taken", "gone", "changed"]);

/**
 * Leases on a connection of their own, so that nothing of the store delays a renewal. It comes back by itself; while it
 * is lost every call rejects at once.
 */
export async function openRedisLeases(url: string, log: Log): Promise<RedisLeases> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: ANSWER_MS, reconnectStrategy: () => RECONNECT_MS },
  });
  // The store's connection logs what is wrong; this listener keeps the emitter from throwing.
  client.on("error", (err: unknown) => log.debug({ err }, "the connection of the lease is broken"));
  const connected = client
    .connect()
    .catch((err: unknown) => log.debug({ err }, "the connection of the lease was given up"));
  // One that takes longer goes on by itself: until then calls reject, and a claim is tried again.
  await answeredInTime(connected, () => undefined).catch(() => undefined);

  async function run(script: string, keys: readonly string[], given: readonly string[]): Promise<unknown> {
    const asked = client.eval(script, { keys: [...keys], arguments: [...given] });
    return await answeredInTime(asked, () => hangUp());
  }

  /** A connection that does not answer is of no use: a new one may reach another machine. */
  function hangUp(): void {
    if (!client.isOpen) return;
    client.destroy();
    client.connect().catch(() => undefined);
  }

  return {
    async claim(block, token): Promise<Claim> {
      const keys = [GENERATION_KEY, COUNT_KEY, SETTLED_KEY, ...leaseKeys(block)];
      const given = [token, String(LEASE_MS), String(block.count), nameOf(block)];
      const answer = claimAnswer.parse(await run(CLAIM, keys, given));
      switch (answer[0]) {
        case "claimed":
          return { kind: "claimed", generation: answer[1], isStoreInDoubt: answer[2] === 1 };
        case "other-count":
          return { kind: "other-count", count: Number(answer[1]) };
        case "wait":
          return { kind: "wait", forMs: answer[1] };
        default:
          return { kind: "taken" };
      }
    },
    async renew({ block, token, generation }): Promise<Renewal> {
      const given = [token, String(LEASE_MS), String(block.count), String(generation)];
      return renewal.parse(await run(RENEW, [GENERATION_KEY, COUNT_KEY, ...leaseKeys(block)], given));
    },
    async release({ block, token }) {
      const all = Array.from({ length: block.count }, (_, id) => leaseKey(block.count, id));
      await run(RELEASE, [COUNT_KEY, ...all], [token]);
    },
    async settle({ block, token, generation }) {
      await run(SETTLE, [SETTLED_KEY, fenceKeyOf(block)], [token, nameOf(block), String(generation)]);
    },
    async liveCount() {
      const count = await answeredInTime(client.get(COUNT_KEY), () => hangUp());
      return count === null ? undefined : Number(count);
    },
    close: async () => {
      if (client.isOpen) client.destroy();
    },
  };
}

function leaseKey(count: number, id: number): string {
  return `${PREFIX}lease:${count}:${id}`;
}

function leaseKeys({ ids, count }: ShardBlock): readonly string[] {
  return ids.map((id) => leaseKey(count, id));
}

async function answeredInTime<T>(asked: Promise<T>, onLate: () => void): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new LeaseError("Redis did not answer in time"));
    onLate();
  }, ANSWER_MS);
  try {
    return await Promise.race([asked, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
