import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Outcome } from "../../../src/api/http/classify.ts";
import type { Exchange } from "../../../src/api/limits/in-flight.ts";
import { RouteWaits } from "../../../src/api/limits/route-waits.ts";
import { Failure } from "../../../src/domain/failure.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import { ServerKey } from "../../../src/domain/server-key.ts";

const MINUTE_MS = 60_000;

function read(server: number): Exchange {
  const key = new ServerKey(`key-${server}`);
  return {
    source: `s${server}` as SourceId,
    key,
    route: "read",
    waitingClass: "poll",
    path: "/v2/server?a=b",
  };
}

function fails(toldMs: number | undefined): Outcome {
  return { kind: "failure", failure: new Failure("platform", "503"), routeWait: { toldMs } };
}

const GOOD: Outcome = { kind: "ok", json: {}, dateMs: undefined };

const steps = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 2 * MINUTE_MS }),
    server: fc.integer({ min: 0, max: 2 }),
    answer: fc.oneof(
      fc.constant<"good">("good"),
      fc.constant<"page">("page"),
      fc.integer({ min: 1_000, max: 60 * MINUTE_MS }),
    ),
  }),
  { maxLength: 60 },
);

test("a wait that was named is kept by its server; one server alone holds no other for over a minute", () => {
  fc.assert(
    fc.property(steps, (answers) => {
      const waits = new RouteWaits();
      const toldUntilMs = new Map<number, number>();
      const inTrouble = new Set<number>();
      let lastTroubleMs = Number.NEGATIVE_INFINITY;
      let lastOfTwoMs = Number.NEGATIVE_INFINITY;
      let nowMs = 0;
      for (const { afterMs, server, answer } of answers) {
        nowMs += afterMs;
        const outcome = answer === "good" ? GOOD : fails(answer === "page" ? undefined : answer);
        waits.onAnswer(read(server), outcome, nowMs);
        if (answer === "good") inTrouble.clear();
        else {
          inTrouble.add(server);
          lastTroubleMs = nowMs;
          if (inTrouble.size > 1) lastOfTwoMs = nowMs;
        }
        if (typeof answer === "number")
          toldUntilMs.set(server, Math.max(toldUntilMs.get(server) ?? 0, nowMs + answer));

        for (const [told, untilMs] of toldUntilMs)
          if (untilMs > nowMs) assert.ok(waits.readyAtMs(read(told), nowMs) >= untilMs);
        const stranger = waits.readyAtMs(read(9), nowMs);
        if (lastOfTwoMs === Number.NEGATIVE_INFINITY)
          assert.ok(stranger <= Math.max(nowMs, lastTroubleMs + MINUTE_MS), `${stranger} at ${nowMs}`);
        assert.equal(waits.readyAtMs({ ...read(0), path: "/v1/server" }, nowMs), nowMs, "another route");
      }
    }),
  );
});

test("after the wait of all one request asks for all, and a good answer lets everybody go", () => {
  const waits = new RouteWaits();
  for (const server of [1, 2]) waits.onAnswer(read(server), fails(undefined), 0);
  assert.equal(waits.readyAtMs(read(3), 0), 5_000);
  waits.onStarted(read(3));
  assert.equal(waits.readyAtMs(read(4), 5_000), Number.POSITIVE_INFINITY);
  waits.onEnded(read(3));
  waits.onAnswer(read(3), fails(undefined), 5_000);
  assert.equal(waits.readyAtMs(read(4), 5_000), 15_000, "twice as long");
  waits.onAnswer(read(3), GOOD, 15_000);
  waits.onStarted(read(3));
  assert.equal(waits.readyAtMs(read(4), 15_000), 15_000);
});
