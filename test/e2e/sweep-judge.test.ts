import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TrafficEntry } from "../../src/sandbox/discord/settings.ts";
import { isRepeatedAnswer } from "./sweep-judge.ts";

const PATH = "/interactions/1/token/callback";
const BODY = { type: 5, data: { flags: 64 } };

function entry(changes: Partial<TrafficEntry> = {}): TrafficEntry {
  return {
    atMs: 0,
    method: "POST",
    path: PATH,
    query: "",
    contentType: "application/json",
    body: BODY,
    status: 204,
    answer: undefined,
    answerHeaders: {},
    ...changes,
  };
}

const refused = entry({ status: 400, answer: { code: 40_060, message: "answered already" } });
const sentAt = (...times: readonly number[]) => times.map((machineMs) => ({ path: PATH, machineMs }));
const other = { path: "/interactions/2/token/callback", machineMs: 0 };

describe("a first answer that Discord refuses because it stands already", () => {
  test("was sent again as it should be where the try before had its time-out", () => {
    assert.ok(isRepeatedAnswer(refused, [entry(), refused], sentAt(1_000, 4_000)));
    assert.ok(isRepeatedAnswer(refused, [entry(), refused, refused], sentAt(0, 3_001, 6_002)));
    assert.ok(isRepeatedAnswer(refused, [entry(), refused], [other, ...sentAt(10_000, 13_400)]));
  });

  test("is a defect where it was sent again sooner than that, or where nobody saw it sent before", () => {
    assert.ok(!isRepeatedAnswer(refused, [entry(), refused], sentAt(1_000, 1_000)));
    assert.ok(!isRepeatedAnswer(refused, [entry(), refused], sentAt(1_000, 3_500)));
    assert.ok(!isRepeatedAnswer(refused, [entry(), refused, refused], sentAt(0, 3_000, 3_010)));
    assert.ok(!isRepeatedAnswer(refused, [entry(), refused], [other, ...sentAt(10_000)]));
  });

  test("is a defect where something else had been answered, or another interaction", () => {
    const apart = sentAt(0, 3_000);
    assert.ok(!isRepeatedAnswer(refused, [entry({ body: { type: 6 } }), refused], apart));
    assert.ok(!isRepeatedAnswer(refused, [entry({ path: other.path }), refused], apart));
    assert.ok(!isRepeatedAnswer(refused, [refused], apart));
  });

  test("is no other refusal", () => {
    const late = entry({ status: 404, answer: { code: 10_062, message: "late" } });
    assert.ok(!isRepeatedAnswer(late, [entry(), late], sentAt(0, 3_000)));
  });
});
