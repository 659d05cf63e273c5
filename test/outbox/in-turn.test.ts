import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SinkRefusal, type SinkRequest } from "../../src/domain/failure.ts";
import type { Sink } from "../../src/domain/ports/sink.ts";
import { readAllAfter } from "../../src/outbox/in-turn.ts";
import { TurnDesk } from "../../src/outbox/turns/turn-desk.ts";
import { VirtualClock } from "../support/clock.ts";
import { FakeMetrics } from "../support/network.ts";

/** Reads of several channels that fail in one way, and what the desk then thinks of Discord. */
async function isAwayAfterReads(request: SinkRequest): Promise<boolean> {
  const clock = new VirtualClock(0);
  const desk = new TurnDesk({ clock, metrics: new FakeMetrics(), guildOf: (channelId) => channelId });
  const sink: Sink = {
    send: async () => ({ messageId: "1" }),
    edit: async () => {},
    readBack: async () => {
      throw new SinkRefusal("unknown", "not read", { request });
    },
  };
  const ports = { sink, turns: desk };
  for (const channelId of ["a", "b", "c", "d"]) {
    const read = readAllAfter(ports, { class: "batch", channelId, waiting: () => [0] }, "0");
    const failed = assert.rejects(read, SinkRefusal);
    await clock.advance(1_000);
    await failed;
  }
  const { isAway } = desk.figures();
  desk.stop();
  return isAway;
}

describe("whether Discord is away", () => {
  test("is told by requests that had no answer, not by those that Discord answered or that were never made", async () => {
    assert.equal(await isAwayAfterReads("unanswered"), true);
    assert.equal(await isAwayAfterReads("answered"), false, "an empty channel is an answer");
    assert.equal(await isAwayAfterReads("none"), false, "before the login nothing is asked");
  });
});
