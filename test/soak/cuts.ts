import { setTimeout as sleep } from "node:timers/promises";
import { Prng } from "../../src/sandbox/service/prng.ts";
import { reads, withFeeds } from "./feed-stage.ts";
import { feedSoakOptions } from "./options.ts";
import { LEASE_WAIT_MS, openMachine } from "./store-machine.ts";

/** Long enough for a batch to be frozen, posted and acknowledged before the power goes. */
const LONGEST_LIFE_MS = 12_000;
/** What a power cut takes at most: sqlite's log by some seconds, Redis with `appendfsync everysec` by one. */
const LONGEST_BACK_MS = { sqlite: 6_000, redis: 1_000 } as const;

/**
 * Power cuts of the machine on which the real bot process and its store run, at random moments during the town's busiest
 * hour: both end at once, and the store has lost its last writes.
 *
 *   npm run soak -- cuts [--times 20] [--seed 1] [--per-minute 240] [--stores sqlite,redis] [--nonces 3,130]
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { times, seed, perMinute, stores, noncesMs } = feedSoakOptions(args, {
    times: 20,
    stores: "sqlite,redis",
    nonces: "3,130",
  });
  let held = true;
  for (const store of stores) {
    for (const nonceMs of noncesMs) {
      console.log(`${store}, nonces forgotten after ${nonceMs / 1_000} s: ${times} power cuts`);
      const random = new Prng(seed);
      const machine = await openMachine(store);
      const backMs: number[] = [];
      const exact = await withFeeds({ seed, perMinute, nonceMs, machine }, async (stage) => {
        const { bot } = stage;
        for (let cut = 1; cut <= times; cut += 1) {
          machine.poweredOn();
          // Every other life is counted from its first read: were none ever read, the game's log would really move on.
          const isFromRead = cut % 2 === 0;
          if (isFromRead) await reads(stage, 1);
          await sleep((isFromRead ? 0 : LEASE_WAIT_MS[store] + 1_000) + random.next() * LONGEST_LIFE_MS);
          await bot.kill();
          backMs.push(await machine.cutPower(random.next() * LONGEST_BACK_MS[store]));
          // Sometimes the machine is away for longer than Discord remembers anything of it.
          if (cut % 4 === 0) await sleep(4_000);
          bot.start();
        }
      });
      const mean = backMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, backMs.length);
      console.log(
        `the store was set back by ${Math.round(mean)} ms on average, ${Math.max(...backMs)} at most`,
      );
      held &&= exact;
    }
  }
  return held;
}
