import { setTimeout as sleep } from "node:timers/promises";
import { Prng } from "../../src/sandbox/service/prng.ts";
import { reads, withFeeds } from "./feed-stage.ts";
import { feedSoakOptions } from "./options.ts";
import { LEASE_WAIT_MS, openMachine } from "./store-machine.ts";

/**
 * Every other life is counted from the start of the process, where it reads its store; the others from its first read of
 * the server, so that they end among polls and posts however slow the machine starts it.
 */
const LONGEST_LIFE_MS = 6_000;

/**
 * `kill -9` of the real bot process, again and again at random moments, during the town's busiest hour.
 *
 *   npm run soak -- kills [--times 50] [--seed 1] [--per-minute 240] [--stores sqlite,redis] [--nonces 130]
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { times, seed, perMinute, stores, noncesMs } = feedSoakOptions(args, {
    times: 50,
    stores: "sqlite",
    nonces: "130",
  });
  let held = true;
  for (const store of stores) {
    for (const nonceMs of noncesMs) {
      console.log(`${store}, nonces forgotten after ${nonceMs / 1_000} s: ${times} kills`);
      const random = new Prng(seed);
      const machine = await openMachine(store);
      const exact = await withFeeds({ seed, perMinute, nonceMs, machine }, async (stage) => {
        for (let kill = 1; kill <= times; kill += 1) {
          if (kill % 2 === 0) await reads(stage, 1);
          // The first read comes after the lease of the process before.
          const waitMs = kill % 2 === 0 ? 0 : LEASE_WAIT_MS[store];
          await sleep(waitMs + random.next() * LONGEST_LIFE_MS);
          await stage.bot.restart("kill");
        }
      });
      held &&= exact;
    }
  }
  return held;
}
