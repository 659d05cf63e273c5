import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure, type FailureCode, type FailureDetails } from "../../../src/domain/failure.ts";
import { type AttemptResult, nextAttempt } from "../../../src/runs/queue/next-attempt.ts";

const nowMs = 1_000_000;
const over: AttemptResult = { kind: "over" };
const again = (inMs: number): AttemptResult => ({ kind: "again", inMs });

describe("after a failed attempt", () => {
  const cases: readonly (readonly [
    what: string,
    code: FailureCode,
    details: FailureDetails,
    more: { readonly haltUntilMs?: number; readonly leftMs?: number },
    next: AttemptResult,
  ])[] = [
    ["a wait that was told is waited", "rate-limited", { retryAtMs: nowMs + 7_000 }, {}, again(7_000)],
    ["a wait that was not told is five seconds", "rate-limited", {}, {}, again(5_000)],
    ["a halt that lasts longer is waited", "blocked", {}, { haltUntilMs: nowMs + 60_000 }, again(60_000)],
    ["a wait that is over by now is none", "rate-limited", { retryAtMs: nowMs - 5 }, {}, again(0)],
    ["what was held back at its first byte is checked anew", "expired", {}, {}, again(250)],
    ["a wait beyond its expiry ends it", "rate-limited", {}, { leftMs: 5_000 }, over],
    ["expired is expired", "expired", {}, { leftMs: 0 }, over],
    ["what may have run is never sent again", "rate-limited", { ran: "unknown" }, {}, over],
    ["what ran is never sent again", "rate-limited", { ran: "yes" }, {}, over],
    ["a refusal is an answer", "bad-command", {}, {}, over],
    ["silence is no reason to repeat", "unreachable", {}, {}, over],
  ];
  for (const [what, code, details, { haltUntilMs, leftMs = 600_000 }, next] of cases) {
    test(what, () =>
      assert.deepEqual(
        nextAttempt({ failure: new Failure(code, "words", details), nowMs, haltUntilMs, leftMs }),
        next,
      ),
    );
  }
});
