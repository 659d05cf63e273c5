import { LEASE_MS } from "../../src/cluster/lease-times.ts";
import type { Claim, LeaseId, Leases, Renewal } from "../../src/cluster/leases.ts";
import { nameOf } from "../../src/cluster/shard-block.ts";
import type { VirtualClock } from "../support/clock.ts";

interface Kept {
  readonly value: string;
  readonly endsMs: number;
}

interface State {
  keys: Map<string, Kept>;
  generation: number;
  run: number;
  sinceMs: number;
  settled: Map<string, number>;
}

/**
 * What Redis keeps of leases, on a virtual clock: keys that end, a run id, and the writes of the last seconds, which a
 * failover may lose. `redis-leases.test.ts` holds it against the real one.
 */
export class ModelRedis {
  readonly #clock: VirtualClock;
  #state: State = { keys: new Map(), generation: 0, run: 0, sinceMs: 0, settled: new Map() };
  /** States before each write, for a failover to go back to. */
  readonly #past: { readonly atMs: number; readonly state: State }[] = [];
  #run = 1;
  isGone = false;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** Another machine, or the same one again, that has lost the writes of the last `backMs`. */
  failOver(backMs: number): void {
    const toMs = this.#nowMs() - backMs;
    while ((this.#past.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) > toMs) {
      const before = this.#past.pop();
      if (before !== undefined) this.#state = before.state;
    }
    this.#run += 1;
  }

  /** Whether a fenced write with this token would be taken. */
  takes({ block, token }: LeaseId): boolean {
    return !this.isGone && this.#get(`${block.count}:${block.ids[0]}`) === token;
  }

  leases(): Leases {
    return {
      claim: async (block, token) => this.#write(() => this.#claim(block, token)),
      renew: async (lease) => this.#write(() => this.#renew(lease)),
      release: async ({ block, token }) =>
        this.#write(() => {
          for (let id = 0; id < block.count; id++) {
            if (this.#get(`${block.count}:${id}`) === token) this.#state.keys.delete(`${block.count}:${id}`);
          }
          const isTheirs = this.#get("count") === String(block.count);
          if (isTheirs && !this.#anyOf(block.count)) this.#state.keys.delete("count");
        }),
      settle: async ({ block, token, generation }) =>
        this.#write(() => {
          if (this.#get(`${block.count}:${block.ids[0]}`) === token)
            this.#state.settled.set(nameOf(block), generation);
        }),
      liveCount: async () =>
        this.#write(() => {
          const count = this.#get("count");
          return count === undefined ? undefined : Number(count);
        }),
    };
  }

  #claim(block: LeaseId["block"], token: string): Claim {
    this.#observe();
    const waitMs = this.#state.sinceMs + LEASE_MS - this.#nowMs();
    if (waitMs > 0) return { kind: "wait", forMs: waitMs };
    const count = this.#get("count");
    if (count !== undefined && Number(count) !== block.count)
      return { kind: "other-count", count: Number(count) };
    if (block.ids.some((id) => this.#get(`${block.count}:${id}`) !== undefined)) return { kind: "taken" };
    this.#grant(block, token);
    const settled = this.#state.settled.get(nameOf(block)) ?? 1;
    const { generation } = this.#state;
    return { kind: "claimed", generation, isStoreInDoubt: settled !== generation, isOlderCopy: false };
  }

  #renew({ block, token, generation }: LeaseId): Renewal {
    this.#observe();
    const holders = block.ids.map((id) => this.#get(`${block.count}:${id}`));
    if (holders.some((holder) => holder !== undefined && holder !== token)) return "taken";
    if (holders.includes(undefined)) return "gone";
    if (generation !== this.#state.generation) return "changed";
    this.#grant(block, token);
    return "renewed";
  }

  #grant(block: LeaseId["block"], token: string): void {
    const endsMs = this.#nowMs() + LEASE_MS;
    for (const id of block.ids) this.#state.keys.set(`${block.count}:${id}`, { value: token, endsMs });
    this.#state.keys.set("count", { value: String(block.count), endsMs });
  }

  #observe(): void {
    if (this.#state.run === this.#run) return;
    this.#state.run = this.#run;
    this.#state.generation += 1;
    this.#state.sinceMs = this.#nowMs();
  }

  #write<T>(work: () => T): T {
    if (this.isGone) throw new Error("Redis is gone");
    const { keys, settled } = this.#state;
    const before = { ...this.#state, keys: new Map(keys), settled: new Map(settled) };
    this.#past.push({ atMs: this.#nowMs(), state: before });
    if (this.#past.length > 500) this.#past.shift();
    return work();
  }

  #anyOf(count: number): boolean {
    return Array.from({ length: count }, (_, id) => this.#get(`${count}:${id}`)).some(
      (holder) => holder !== undefined,
    );
  }

  #get(key: string): string | undefined {
    const kept = this.#state.keys.get(key);
    return kept !== undefined && kept.endsMs > this.#nowMs() ? kept.value : undefined;
  }

  #nowMs(): number {
    return this.#clock.monotonicMs();
  }
}
