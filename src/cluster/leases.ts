import type { ShardBlock } from "./shard-block.ts";

export interface Claimed {
  readonly kind: "claimed";
  /** Grows whenever Redis was restarted or another one took its place: the last seconds of what it kept may be gone. */
  readonly generation: number;
  /** That happened since the store of this block was last known to be settled. */
  readonly isStoreInDoubt: boolean;
  /** Since then somebody put back an older copy of what Redis keeps, and marked it so: more than seconds may be gone. */
  readonly isOlderCopy: boolean;
}

/** What came of a claim. `wait`: nobody may claim yet, because Redis is not the one that it was. */
export type Claim =
  | Claimed
  | { readonly kind: "taken" }
  | { readonly kind: "other-count"; readonly count: number }
  | { readonly kind: "wait"; readonly forMs: number };

/** What came of a renewal: it stands, another process holds it, nobody does, or Redis is not the one that it was. */
export type Renewal = "renewed" | "taken" | "gone" | "changed";

/** A claim that was made and is to be kept. */
export interface LeaseId {
  readonly block: ShardBlock;
  /** Random, fresh for each claim. */
  readonly token: string;
  readonly generation: number;
}

/** Leases as Redis keeps them; every call is one step there. Calls reject while Redis cannot be reached or written. */
export interface Leases {
  /** Claims all shards of the block, or none. */
  claim(block: ShardBlock, token: string): Promise<Claim>;
  renew(lease: LeaseId): Promise<Renewal>;
  /** Gives it up at once, so that nobody has to wait it out. Does nothing to a lease of another. */
  release(lease: LeaseId): Promise<void>;
  /** What the store holds of this block has been looked through since Redis last changed. */
  settle(lease: LeaseId): Promise<void>;
  /** How many shards there are by the leases that live now; undefined: there is none. */
  liveCount(): Promise<number | undefined>;
}
