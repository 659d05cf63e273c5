import assert from "node:assert/strict";
import { test } from "node:test";
import { dropAll } from "../../src/leased-parts.ts";
import { createOutbox } from "../../src/outbox/create-outbox.ts";
import { seededRandom, settle, VirtualClock } from "../support/clock.ts";
import { discordsClock, FakeSink } from "../support/fake-sink.ts";
import { FakeMetrics } from "../support/network.ts";

const TWENTY_MINUTES_MS = 20 * 60_000;

test("a process that has served for long and loses its lease because the store is away leaves no record of its end, and lives on", async () => {
  const clock = new VirtualClock();
  let left = 0;
  const outbox = createOutbox({
    cleanStop: {
      take: async () => ({ unsettled: [] }),
      leave: async () => {
        left += 1;
        throw new Error("the store is away");
      },
    },
    sink: Object.assign(new FakeSink(discordsClock(clock)), { remove: async () => undefined }),
    direct: { open: async (userId) => userId, bodyFrom: (_, body) => body },
    clock,
    random: seededRandom(5),
    metrics: new FakeMetrics(),
    guildOf: () => "g",
    possiblyRepeated: (body) => body,
    isPossiblyRepeated: () => false,
    report: () => undefined,
  });
  await outbox.start();
  await clock.advance(TWENTY_MINUTES_MS);

  const done = async () => undefined;
  await dropAll({
    discord: { quiet: done, stop: done },
    readiness: { stop: () => undefined },
    heldKeys: { stop: () => undefined },
    outbox,
    service: { close: done },
    store: { close: done },
    runs: { drop: done },
    history: { drop: done },
    feeds: { channels: () => [] },
    knownStore: undefined,
  });
  // What rejects without being waited for ends the process, and fails this test.
  await settle();
  assert.equal(left, 0);
});
