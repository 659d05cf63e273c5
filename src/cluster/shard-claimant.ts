import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Log } from "../log.ts";
import { HeldLease } from "./held-lease.ts";
import type { Leases } from "./leases.ts";
import { nameOf, type ShardBlock, wholeBlock } from "./shard-block.ts";

const CLAIM_EVERY_MS = 1_000;
/** Discord's recommendation changes over weeks. */
const COUNT_KEPT_MS = 10 * 60_000;

export interface ShardClaimantParts {
  readonly leases: Leases;
  /** The blocks that may be claimed, in any order; `auto`: all shards of the count that Discord recommends. */
  readonly wanted: "auto" | readonly ShardBlock[];
  /** Asks Discord how many shards it recommends. */
  recommendedCount(): Promise<number>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Why nothing is claimed yet. */
export type ClaimState = "free" | "taken" | "other-count" | "redis-changed" | "redis-gone" | "discord-gone";

const WORDS: Readonly<Record<ClaimState, string>> = {
  free: "claiming a free block of shards",
  taken: "standing by: other processes have all shards; this one takes over if one fails",
  "other-count": "standing by: processes with another number of shards are still running (SHARDS)",
  "redis-changed": "waiting one lease, because this Redis is new to Marshal, or was restarted or replaced",
  "redis-gone": "Redis is not answering; nothing is posted, run or read until it does",
  "discord-gone": "Discord does not say how many shards it wants",
};

/** Claims a block of shards, and stands by while none is free. */
export class ShardClaimant {
  readonly #parts: ShardClaimantParts;
  #standing: ClaimState = "free";
  #count: { readonly count: number; readonly readMs: number } | undefined;

  constructor(parts: ShardClaimantParts) {
    this.#parts = parts;
  }

  /** Why nothing is claimed, in words for the operator. */
  get words(): string {
    return WORDS[this.#standing];
  }

  /**
   * Resolves with the first lease that is had. `first` is tried before the others, such as the block that was held until
   * now; `onTaken` hears each time that another process was found to hold it. Rejects with the signal's reason.
   */
  async claim(signal: AbortSignal, first?: ShardBlock, onTaken: () => void = () => {}): Promise<HeldLease> {
    const { clock, log, random } = this.#parts;
    for (;;) {
      signal.throwIfAborted();
      const found = await this.#tryOnce(first);
      if (found instanceof HeldLease) {
        this.#standing = "free";
        log.info({ block: nameOf(found.lease.block) }, "this process serves these shards now");
        return found;
      }
      if (found !== this.#standing) log.info({ why: found }, WORDS[found]);
      this.#standing = found;
      if (found === "taken" || found === "other-count") onTaken();
      // Standbys that all try in the same moment would find each block taken by the others, in the same order.
      await clock.sleep(CLAIM_EVERY_MS * (0.75 + 0.5 * random.next()), signal);
    }
  }

  async #tryOnce(first: ShardBlock | undefined): Promise<HeldLease | ClaimState> {
    const { leases, clock, random, log } = this.#parts;
    const blocks = await this.#blocks(first);
    if (typeof blocks === "string") return blocks;
    for (const block of blocks) {
      const token = random.id() + random.id();
      const sent = { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
      try {
        const claim = await leases.claim(block, token);
        if (claim.kind === "claimed") {
          const { generation, isStoreInDoubt, isOlderCopy } = claim;
          const lease = { block, token, generation };
          return new HeldLease({ leases, lease, sent, isStoreInDoubt, isOlderCopy, clock, log });
        }
        if (claim.kind === "other-count") return "other-count";
        if (claim.kind === "wait") return "redis-changed";
      } catch (err) {
        log.debug({ err }, "no claim could be made");
        return "redis-gone";
      }
    }
    return "taken";
  }

  async #blocks(first: ShardBlock | undefined): Promise<readonly ShardBlock[] | ClaimState> {
    const { wanted, leases, clock, log } = this.#parts;
    if (wanted !== "auto") {
      const others = wanted.filter((block) => first === undefined || nameOf(block) !== nameOf(first));
      return first === undefined ? wanted : [first, ...others];
    }
    if (first !== undefined) return [first];
    try {
      // A standby asks Discord nothing.
      if ((await leases.liveCount()) !== undefined) return "taken";
    } catch (err) {
      log.debug({ err }, "the leases could not be read");
      return "redis-gone";
    }
    const nowMs = clock.monotonicMs();
    if (this.#count === undefined || nowMs - this.#count.readMs > COUNT_KEPT_MS) {
      try {
        this.#count = { count: await this.#parts.recommendedCount(), readMs: nowMs };
      } catch (err) {
        log.warn({ err }, "Discord did not say how many shards it recommends");
        return "discord-gone";
      }
    }
    return [wholeBlock(this.#count.count)];
  }
}
