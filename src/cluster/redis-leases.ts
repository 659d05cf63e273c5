import { z } from "zod";
import type { Log } from "../log.ts";
import { CLAIM, RELEASE, RENEW, SETTLE } from "./lease-scripts.ts";
import { LEASE_MS } from "./lease-times.ts";
import type { Claim, Leases, Renewal } from "./leases.ts";
import { openRedisLine } from "./redis-line.ts";
import { nameOf, type ShardBlock } from "./shard-block.ts";

const PREFIX = "marshal:";
const COUNT_KEY = `${PREFIX}lease-count`;
const GENERATION_KEY = `${PREFIX}generation`;
const SETTLED_KEY = `${PREFIX}settled`;

export interface RedisLeases extends Leases {
  close(): Promise<void>;
}

/** The key that the lease of a block's first shard lies under: all of a block are claimed and renewed together. */
export function fenceKeyOf(block: ShardBlock): string {
  return leaseKey(block.count, block.ids[0] ?? 0);
}

const claimAnswer = z.union([
  z.tuple([z.literal("claimed"), z.number(), z.number(), z.number()]),
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
  const line = await openRedisLine(url, log);

  return {
    async claim(block, token): Promise<Claim> {
      const keys = [GENERATION_KEY, COUNT_KEY, SETTLED_KEY, ...leaseKeys(block)];
      const given = [token, String(LEASE_MS), String(block.count), nameOf(block)];
      const answer = claimAnswer.parse(await line.run(CLAIM, keys, given));
      switch (answer[0]) {
        case "claimed": {
          const [kind, generation, inDoubt, olderCopy] = answer;
          return { kind, generation, isStoreInDoubt: inDoubt === 1, isOlderCopy: olderCopy === 1 };
        }
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
      return renewal.parse(await line.run(RENEW, [GENERATION_KEY, COUNT_KEY, ...leaseKeys(block)], given));
    },
    async release({ block, token }) {
      const all = Array.from({ length: block.count }, (_, id) => leaseKey(block.count, id));
      await line.run(RELEASE, [COUNT_KEY, ...all], [token, String(block.count)]);
    },
    async settle({ block, token, generation }) {
      await line.run(SETTLE, [SETTLED_KEY, fenceKeyOf(block)], [token, nameOf(block), String(generation)]);
    },
    async liveCount() {
      const count = await line.get(COUNT_KEY);
      return count === undefined ? undefined : Number(count);
    },
    close: () => line.close(),
  };
}

function leaseKey(count: number, id: number): string {
  return `${PREFIX}lease:${count}:${id}`;
}

function leaseKeys({ ids, count }: ShardBlock): readonly string[] {
  return ids.map((id) => leaseKey(count, id));
}
