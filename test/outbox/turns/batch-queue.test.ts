import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BatchQueue, type WaitingBatch } from "../../../src/outbox/turns/batch-queue.ts";

/** A feed with entries of these ages, which notes how often they were counted. */
class Feed implements WaitingBatch {
  readonly weight = 1;
  readonly guild: string;
  arrivals: number[];
  counted = 0;

  constructor(guild: string, arrivals: number[]) {
    this.guild = guild;
    this.arrivals = arrivals;
  }

  waiting(): number[] {
    this.counted += 1;
    return this.arrivals;
  }
}

function queueOf(guilds: number): { readonly queue: BatchQueue<Feed>; readonly feeds: readonly Feed[] } {
  const queue = new BatchQueue<Feed>();
  const feeds = Array.from({ length: guilds }, (_, n) => new Feed(`g${n}`, [0]));
  for (const feed of feeds) queue.add(feed);
  queue.find(() => true, 0);
  for (const feed of feeds) feed.counted = 0;
  return { queue, feeds };
}

const sum = (feeds: readonly Feed[]) => feeds.reduce((all, { counted }) => all + counted, 0);

describe("feeds that wait for a turn", () => {
  test("each is counted anew within a second, and goes first once it holds the most", () => {
    const { queue, feeds } = queueOf(400);
    const [busy] = feeds.slice(-1);
    assert.ok(busy !== undefined);
    busy.arrivals = Array.from({ length: 20 }, () => 0);
    for (let nowMs = 20; nowMs <= 1_100; nowMs += 20) queue.find(() => true, nowMs);
    assert.ok(feeds.every(({ counted }) => counted >= 1));
    assert.equal(
      queue.find(() => true, 1_120),
      busy,
    );
  });

  test("of thousands a part is counted at a turn, and all of them after a millisecond for each", () => {
    const { queue, feeds } = queueOf(4_000);
    let most = 0;
    for (let nowMs = 20; nowMs <= 4_100; nowMs += 20) {
      const before = sum(feeds);
      queue.find(() => true, nowMs);
      most = Math.max(most, sum(feeds) - before);
    }
    assert.ok(most <= 40, `${most} at once`);
    assert.ok(feeds.every(({ counted }) => counted >= 1));
    assert.ok(sum(feeds) <= 4_200, `${sum(feeds)} in 4 s`);
  });

  test("since when the first of all waits is known after a pause at once", () => {
    const { queue, feeds } = queueOf(3_000);
    for (const feed of feeds) feed.arrivals = [50_000];
    const [first] = feeds.slice(7);
    assert.ok(first !== undefined);
    first.arrivals = [40_000];
    queue.find(() => true, 60_000);
    assert.equal(queue.oldestMs, 40_000);
  });
});
