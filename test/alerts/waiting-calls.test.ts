import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callId, takeDue, type WaitingCalls } from "../../src/alerts/windows/waiting-calls.ts";
import type { ModCallEntry } from "../../src/domain/model.ts";

const WITHIN_S = 60;

function call(atS: number, caller: number): ModCallEntry {
  return { kind: "modCall", atS, caller: { name: `P${caller}`, id: caller } };
}

function waitingFor(calls: readonly ModCallEntry[]): WaitingCalls {
  return new Map(calls.map((one) => [callId(one), one]));
}

function due(waiting: WaitingCalls, shown: readonly ModCallEntry[], presentS: number, isTaken = false) {
  return takeDue(waiting, shown, { withinS: WITHIN_S, presentS }, () => isTaken).map(({ id }) => id);
}

describe("calls that wait for too long", () => {
  const calls = [call(100_300, 3), call(100_200, 2)];

  test("are posted once, oldest first, as each becomes due", () => {
    const waiting = waitingFor(calls);
    assert.deepEqual(due(waiting, calls, 100_259), []);
    assert.deepEqual(due(waiting, calls, 100_360), ["100200 2", "100300 3"]);
    assert.deepEqual(due(waiting, calls, 100_400), []);
    assert.equal(waiting.size, 0);
  });

  test("wait on while staff has them in hand, and while the log does not show them", () => {
    const waiting = waitingFor(calls);
    assert.deepEqual(due(waiting, calls, 100_400, true), []);
    assert.deepEqual(due(waiting, [], 100_400), []);
    assert.deepEqual(due(waiting, calls, 100_400), ["100200 2", "100300 3"]);
  });

  test("are not forgotten because the service stated a time of tomorrow for a while", () => {
    const waiting = waitingFor(calls.slice(1));
    assert.deepEqual(due(waiting, calls, 186_400), []);
    assert.deepEqual(due(waiting, calls, 100_260), ["100200 2"]);
  });

  test("are forgotten after six hours, so that what is kept stays bounded", () => {
    const waiting = waitingFor(calls);
    assert.deepEqual(due(waiting, [], 100_200 + 6 * 3_600 + 1), []);
    assert.deepEqual([...waiting.keys()], ["100300 3"]);
  });
});
