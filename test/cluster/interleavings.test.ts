import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LEASE_MS } from "../../src/cluster/lease-times.ts";
import { type ShardBlock, wholeBlock } from "../../src/cluster/shard-block.ts";
import { type seededRandom as Seeded, seededRandom, VirtualClock } from "../support/clock.ts";
import { ModelProcess } from "./model-process.ts";
import { ModelRedis } from "./model-redis.ts";

const STEP_MS = 250;
const SEEDS = 40;
/** A lease that has to be waited out, a claim that comes a little later, and slow answers. */
const BACK_WITHIN_MS = 2 * LEASE_MS + 15_000;

interface World {
  readonly clock: VirtualClock;
  readonly random: ReturnType<typeof Seeded>;
  readonly redis: ModelRedis;
  readonly processes: ModelProcess[];
  count: number;
}

function world(seed: number, wanted: readonly ("auto" | readonly ShardBlock[])[]): World {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const redis = new ModelRedis(clock);
  const made: World = { clock, random, redis, processes: [], count: 1 };
  for (const each of wanted) {
    const own = seededRandom(seed * 1_000 + made.processes.length);
    const parts = { clock, random: own, leases: redis.leases(), wanted: each, count: () => made.count };
    made.processes.push(new ModelProcess(parts));
  }
  return made;
}

/** No two processes that run may work for one shard of a count, nor for shards of two counts. */
function assertOneEach({ processes, redis }: World, seed: number): void {
  const leases = processes.flatMap(({ working }) => (working === undefined ? [] : [working.lease]));
  const shards = leases.flatMap(({ block }) => block.ids.map((id) => `${id}/${block.count}`));
  assert.equal(new Set(shards).size, shards.length, `seed ${seed}: ${shards.join(" ")}`);
  assert.ok(new Set(leases.map(({ block }) => block.count)).size <= 1, `seed ${seed}: two counts`);
  const takers = processes.flatMap(({ working }) =>
    working !== undefined && redis.takes(working.lease) ? [working.lease.token] : [],
  );
  assert.equal(new Set(takers).size, takers.length);
}

/** Each step something may go wrong, and be mended some steps later. */
function disturb(w: World, mend: (() => void)[]): void {
  const { random, redis, processes } = w;
  const one = processes[Math.floor(random.next() * processes.length)];
  if (one === undefined) return;
  const dice = random.next();
  if (dice < 0.02) {
    one.stop();
    mend.push(() => one.continue());
  } else if (dice < 0.03) {
    redis.isGone = true;
    mend.push(() => {
      redis.isGone = false;
    });
  } else if (dice < 0.04) redis.failOver(random.next() * 2_000);
  else if (dice < 0.045) one.slept(random.next() * 30_000);
  else if (dice < 0.055) void one.release();
  else if (dice < 0.06) w.count = 1 + Math.floor(random.next() * 3);
}

async function badHour(w: World, seed: number): Promise<void> {
  const mend: { readonly atMs: number; readonly work: () => void }[] = [];
  for (let step = 0; step < 1_200; step++) {
    const begun: (() => void)[] = [];
    disturb(w, begun);
    for (const work of begun) mend.push({ atMs: w.clock.monotonicMs() + w.random.next() * 25_000, work });
    for (const [index, { atMs, work }] of [...mend.entries()].reverse()) {
      if (atMs > w.clock.monotonicMs()) continue;
      mend.splice(index, 1);
      work();
    }
    await w.clock.advance(STEP_MS);
    assertOneEach(w, seed);
  }
  for (const { work } of mend) work();
}

describe("processes that claim shards from one Redis", () => {
  test("two of them, whatever happens: never both at work, and in the end one of them", async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const w = world(seed, ["auto", "auto"]);
      await badHour(w, seed);
      await w.clock.until(() => w.processes.some(({ working }) => working !== undefined), BACK_WITHIN_MS);
      assertOneEach(w, seed);
    }
  });

  test("three of them for two blocks: each block is served by one, and one stands by", async () => {
    const blocks: readonly ShardBlock[] = [
      { ids: [0, 1], count: 4 },
      { ids: [2, 3], count: 4 },
    ];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const w = world(seed, [blocks, blocks, blocks]);
      await badHour(w, seed);
      const served = () => w.processes.flatMap(({ block }) => block ?? []).sort();
      await w.clock.until(() => served().length === 2, BACK_WITHIN_MS);
      assert.deepEqual(served(), ["0-1/4", "2-3/4"], `seed ${seed}`);
    }
  });

  test("a killed holder is replaced after its lease, and a release is taken up at once", async () => {
    const w = world(1, ["auto", "auto"]);
    await w.clock.until(() => w.processes.some(({ working }) => working !== undefined));
    const first = w.processes.find(({ working }) => working !== undefined);
    const second = w.processes.find((process) => process !== first);
    const killedMs = w.clock.monotonicMs();
    first?.kill();
    await w.clock.until(() => second?.working !== undefined);
    const afterMs = w.clock.monotonicMs() - killedMs;
    assert.ok(afterMs > 0 && afterMs <= LEASE_MS + 6_000, `${afterMs} ms`);
  });

  test("processes of another count wait until the last lease of the first is over", async () => {
    const w = world(3, [[wholeBlock(2)], [wholeBlock(4)]]);
    await w.clock.until(() => w.processes.some(({ working }) => working !== undefined));
    await w.clock.advance(60_000);
    assert.equal(w.processes.flatMap(({ block }) => block ?? []).length, 1);
    const holder = w.processes.find(({ working }) => working !== undefined);
    const before = holder?.block;
    holder?.kill();
    await w.clock.advance(BACK_WITHIN_MS);
    const now = w.processes.flatMap(({ block }) => block ?? []);
    assert.equal(now.length, 1);
    assert.notEqual(now[0], before);
  });

  test("after a failover nobody works for the length of a lease, and the store is in doubt until it is settled", async () => {
    const w = world(5, ["auto"]);
    const [only] = w.processes;
    await w.clock.until(() => only?.working !== undefined);
    assert.equal(only?.working?.isStoreInDoubt, false);
    w.redis.failOver(1_000);
    await w.clock.until(() => only?.working === undefined);
    const lostMs = w.clock.monotonicMs();
    await w.clock.until(() => only?.working !== undefined);
    assert.ok(w.clock.monotonicMs() - lostMs > LEASE_MS - 3_500);
    assert.equal(only?.working?.isStoreInDoubt, true);

    await w.redis.leases().release(only?.working?.lease ?? assert.fail());
    await w.clock.advance(BACK_WITHIN_MS);
    assert.equal(only?.working?.isStoreInDoubt, true, "nobody has looked through it");
    const settled = only?.working?.settle();
    await w.clock.advance(5_000);
    await settled;
    await w.redis.leases().release(only?.working?.lease ?? assert.fail());
    await w.clock.advance(BACK_WITHIN_MS);
    assert.equal(only?.working?.isStoreInDoubt, false);
  });
});
