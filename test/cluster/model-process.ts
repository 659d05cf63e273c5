import type { HeldLease } from "../../src/cluster/held-lease.ts";
import type { Leases } from "../../src/cluster/leases.ts";
import { nameOf, type ShardBlock } from "../../src/cluster/shard-block.ts";
import { ShardClaimant } from "../../src/cluster/shard-claimant.ts";
import type { Clock, Random } from "../../src/domain/ports/clock.ts";
import { createLog } from "../../src/log.ts";
import type { VirtualClock } from "../support/clock.ts";

/** A process that claims, works while it may, and claims again; it can stand still, sleep with its machine, or be killed. */
export class ModelProcess {
  readonly #clock: VirtualClock;
  readonly #killed = new AbortController();
  #isStopped = false;
  /** How far this machine's wall is ahead of what its monotonic clock counted. */
  #sleptMs = 0;
  #lease: HeldLease | undefined;
  #held: (() => void)[] = [];

  constructor(parts: {
    readonly clock: VirtualClock;
    readonly random: Random;
    readonly leases: Leases;
    readonly wanted: "auto" | readonly ShardBlock[];
    readonly count: () => number;
  }) {
    const { clock, random, leases, wanted, count } = parts;
    this.#clock = clock;
    const claimant = new ShardClaimant({
      leases: this.#late(leases, random),
      wanted,
      recommendedCount: async () => count(),
      clock: this.#ownClock(),
      random,
      log: createLog({ level: "error", write: () => {} }),
    });
    void this.#run(claimant);
  }

  /** The block that it works for at this moment; undefined: it does nothing. */
  get working(): HeldLease | undefined {
    if (this.#isStopped || this.#killed.signal.aborted) return undefined;
    return this.#lease?.refusal() === undefined ? this.#lease : undefined;
  }

  get block(): string | undefined {
    const lease = this.working;
    return lease === undefined ? undefined : nameOf(lease.lease.block);
  }

  /** SIGSTOP: nothing of it runs, time goes on. */
  stop(): void {
    this.#isStopped = true;
  }

  /** SIGCONT: all that fell due meanwhile runs now. */
  continue(): void {
    this.#isStopped = false;
    const held = this.#held;
    this.#held = [];
    for (const work of held) work();
  }

  /** The machine slept for so long: its monotonic clock did not count it. */
  slept(ms: number): void {
    this.#sleptMs += ms;
  }

  kill(): void {
    this.stop();
    this.#held = [];
    this.#killed.abort(new Error("killed"));
  }

  async release(): Promise<void> {
    await this.#lease?.release();
  }

  async #run(claimant: ShardClaimant): Promise<void> {
    try {
      for (;;) {
        this.#lease = await claimant.claim(this.#killed.signal);
        await this.#lease.ended;
      }
    } catch {
      // Killed.
    }
  }

  #ownClock(): Clock {
    const clock = this.#clock;
    return {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs() - this.#sleptMs,
      after: (delayMs, work) => clock.after(delayMs, () => this.#whenItRuns(work)),
      sleep: async (delayMs, signal) => {
        await clock.sleep(delayMs, signal);
        await this.#turn();
      },
    };
  }

  /** Redis answers late, and an answer is read only when the process runs. */
  #late(leases: Leases, random: Random): Leases {
    const late =
      <Given extends readonly unknown[], T>(call: (...given: Given) => Promise<T>) =>
      async (...given: Given): Promise<T> => {
        await this.#clock.sleep(random.next() * 200);
        const answer = await call(...given).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        await this.#clock.sleep(random.next() ** 4 * 4_000);
        await this.#turn();
        if ("error" in answer) throw answer.error;
        return answer.value;
      };
    return {
      claim: late(leases.claim),
      renew: late(leases.renew),
      release: late(leases.release),
      settle: late(leases.settle),
      liveCount: late(leases.liveCount),
    };
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#whenItRuns(resolve));
  }

  #whenItRuns(work: () => void): void {
    if (this.#killed.signal.aborted) return;
    if (this.#isStopped) this.#held.push(work);
    else work();
  }
}
