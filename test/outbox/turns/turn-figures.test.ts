import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Turn, TurnClass } from "../../../src/domain/ports/turns.ts";
import { TurnDesk } from "../../../src/outbox/turns/turn-desk.ts";
import { VirtualClock } from "../../support/clock.ts";
import { FakeMetrics } from "../../support/network.ts";

const CLASSES = ["run", "round", "first", "batch", "change", "refresh"] as const;

/** Asks for turns, each of which ends at once or is withdrawn, and knows who waits. */
class Askers {
  readonly clock = new VirtualClock();
  readonly desk = new TurnDesk({
    clock: this.clock,
    metrics: new FakeMetrics(),
    guildOf: (channel) => channel,
  });
  readonly waiting = new Map<AbortController, { readonly class: TurnClass; readonly sinceMs: number }>();

  ask(name: TurnClass, channel: number): void {
    const gone = new AbortController();
    this.waiting.set(gone, { class: name, sinceMs: this.clock.monotonicMs() });
    const over = () => this.waiting.delete(gone);
    const wanted = { class: name, channelId: `c${channel}`, request: "send", waiting: () => [0] } as const;
    const done = (turn: Turn) => {
      over();
      turn.done("taken");
    };
    void this.desk.take(wanted, gone.signal).then(done, over);
  }

  withdraw(at: number): void {
    [...this.waiting.keys()][at]?.abort();
  }

  /** What waits, all gone through. */
  counted() {
    const waiting = [...this.waiting.values()];
    const nowMs = this.clock.monotonicMs();
    return {
      waiting: Object.fromEntries(
        CLASSES.map((name) => [name, waiting.filter((one) => one.class === name).length]),
      ),
      oldestWaitMs: waiting.reduce((longest, { sinceMs }) => Math.max(longest, nowMs - sinceMs), 0),
    };
  }
}

test("what waits for a turn, and for how long the first of it: exactly what going through all of it gives", async () => {
  const step = fc.record({
    asks: fc.array(fc.record({ name: fc.constantFrom(...CLASSES), channel: fc.nat(3) }), { maxLength: 30 }),
    withdraws: fc.array(fc.nat(20), { maxLength: 3 }),
    forMs: fc.nat(400),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const askers = new Askers();
      for (const { asks, withdraws, forMs } of steps) {
        for (const { name, channel } of asks) askers.ask(name, channel);
        for (const at of withdraws) askers.withdraw(at);
        await askers.clock.advance(forMs);
        const { waiting, oldestWaitMs } = askers.desk.figures();
        assert.deepEqual({ waiting, oldestWaitMs }, askers.counted());
      }
      askers.desk.stop();
    }),
    { numRuns: 40 },
  );
});
