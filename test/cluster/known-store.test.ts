import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { KnownStore } from "../../src/known-store.ts";
import { createLog } from "../../src/log.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { FakeSink } from "../support/fake-sink.ts";
import { outboxOver } from "../support/outbox.ts";

const lines: string[] = [];
const log = createLog({ level: "info", write: (line) => lines.push(line) });
const CHANNELS = [
  ["guild-1", "channel-1"],
  ["guild-2", "channel-2"],
] as const;

/** A process that knew the store "old"; each holds its own memory of it. */
function rigOf() {
  const clock = new VirtualClock();
  const sink = new FakeSink(clock);
  const newStore = { id: "new", madeAtMs: clock.nowMs() };
  const knowing = () => new KnownStore({ id: "old", channels: CHANNELS }, log);
  /** A lease of a process: what it posts within a minute. */
  const lease = async (known: KnownStore, isOurs = (_guildId: string) => true) => {
    const outbox = outboxOver(sink, clock);
    known.announce({ posts: outbox.posts, random: seededRandom(3), isOurs });
    await clock.advance(60_000);
    return outbox;
  };
  return {
    clock,
    sink,
    newStore,
    knowing,
    lease,
    posted: (channel: string) => sink.messages(channel).length,
  };
}

describe("a store that is new to a process that knew another", () => {
  test("is said once in each channel that is still known, and in the log", async () => {
    const { sink, newStore, knowing, lease, posted } = rigOf();
    const known = knowing();
    known.onStore(newStore);
    await lease(known);
    await lease(known);
    assert.deepEqual([posted("channel-1"), posted("channel-2")], [1, 1]);
    assert.match(sink.text("channel-1"), /No game server is linked.*\/setup start/);
    assert.ok(lines.some((line) => line.includes("the store is new")));
  });

  test("is said once by several processes, whichever serves first", async () => {
    const { sink, newStore, lease, posted } = rigOf();
    const feeds = [["guild-1", "channel-1b"], ...CHANNELS] as const;
    const others = [...feeds, ["guild-1", "channel-1a"] as const];
    for (const channels of [others, others.toReversed()]) {
      const known = new KnownStore({ id: "old", channels }, log);
      known.onStore(newStore);
      await lease(known);
    }
    const all = ["channel-1", "channel-1a", "channel-1b"];
    assert.deepEqual(all.map(posted), [1, 0, 0], sink.text("channel-1"));
  });

  test("is said of the guilds that the process serves", async () => {
    const { newStore, knowing, lease, posted } = rigOf();
    const known = knowing();
    known.onStore(newStore);
    await lease(known, (guildId) => guildId === "guild-2");
    assert.deepEqual([posted("channel-1"), posted("channel-2")], [0, 1]);
  });

  test("is said by the next lease where Discord was away, though that one began with nothing linked", async () => {
    const { sink, newStore, knowing, lease, posted } = rigOf();
    const known = knowing();
    known.onStore(newStore);
    sink.fault = () => "unknown";
    const first = await lease(known);
    void first.stop();
    known.remember([]);
    sink.fault = () => undefined;
    await lease(known);
    assert.equal(posted("channel-1"), 1);
  });

  test("is no news once a backup is back, nor where the store stayed", async () => {
    const { newStore, knowing, lease, posted } = rigOf();
    const known = knowing();
    known.onStore(newStore);
    assert.equal(known.isNew, true);
    known.onStore({ id: "old", madeAtMs: 0 });
    await lease(known);
    assert.deepEqual([known.isNew, posted("channel-1")], [false, 0]);
  });

  test("goes to where the feeds posted last", async () => {
    const { newStore, knowing, lease, posted } = rigOf();
    const known = knowing();
    known.onStore({ id: "old", madeAtMs: 0 });
    known.remember([["guild-1", "channel-9"]]);
    known.onStore(newStore);
    await lease(known);
    assert.deepEqual([posted("channel-1"), posted("channel-9")], [0, 1]);
  });
});
