import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { countFeeds } from "../../src/feeds/feed-counts.ts";
import { mostInATurn } from "../support/most-in-a-turn.ts";

type Busy = Parameters<typeof countFeeds>[0] extends Iterable<infer One> ? One : never;

const busy = (count: number, drawn: Pick<Busy, "undelivered" | "oldestWaitMs" | "lateSinceMs">): Busy => ({
  feed: { id: `feed-${count}`, kind: "joins", channelId: `channel-${count}` },
  ...drawn,
});

/** All at once and one figure after the other, as it was counted while it held up the event loop. */
function atOnce(feeds: readonly Busy[]) {
  const waiting = feeds
    .map(({ feed, undelivered, lateSinceMs }) => ({
      feedId: feed.id,
      kind: feed.kind,
      channelId: feed.channelId,
      undelivered,
      ...(lateSinceMs === undefined ? {} : { lateSinceMs }),
    }))
    .filter((feed) => feed.undelivered > 0 || feed.lateSinceMs !== undefined);
  return {
    undelivered: feeds.reduce((sum, { undelivered }) => sum + undelivered, 0),
    late: feeds.filter(({ lateSinceMs }) => lateSinceMs !== undefined).length,
    oldestWaitMs: feeds.reduce((longest, { oldestWaitMs }) => Math.max(longest, oldestWaitMs), 0),
    waiting: waiting.slice(0, 100),
  };
}

describe("what waits of all feeds", () => {
  test("is exactly what a count of all at once gives", async () => {
    const drawn = fc.record({
      undelivered: fc.nat(3),
      oldestWaitMs: fc.nat(9_000),
      lateSinceMs: fc.option(fc.nat(9_000), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { maxLength: 130, size: "max" }), async (all) => {
        const feeds = all.map((one, at) => busy(at, one));
        assert.deepEqual(await countFeeds(feeds), atOnce(feeds));
      }),
      { numRuns: 40 },
    );
  });

  test("while Discord is away for 10,000 communities it is counted in many turns, and is the same", async () => {
    let looks = 0;
    const feeds = Array.from({ length: 40_000 }, (_, at) => {
      const one = busy(at, { undelivered: at % 3, oldestWaitMs: 0, lateSinceMs: undefined });
      return Object.defineProperty(one, "oldestWaitMs", {
        get() {
          looks += 1;
          return at;
        },
      });
    });
    let counted: object = {};
    const most = await mostInATurn(
      () => looks,
      async () => {
        counted = await countFeeds(feeds);
      },
    );
    assert.ok(most <= 100, `${most} feeds in a turn`);
    assert.deepEqual(counted, atOnce(feeds));
  });
});
