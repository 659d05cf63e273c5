import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { KeyGuard } from "../../../src/api/keys/key-guard.ts";
import type { SourceId } from "../../../src/domain/model.ts";

const [first, second, third] = ["a", "b", "c"] as [SourceId, SourceId, SourceId];
const NOBODY: ReadonlySet<SourceId> = new Set();

/** A guard that saw the service take these keys, one a second. */
function guardOf(...sources: readonly SourceId[]): KeyGuard {
  const guard = new KeyGuard();
  for (const [at, source] of sources.entries()) {
    const nowMs = (at + 1) * 1_000;
    guard.taken(source, { sentMs: nowMs, nowMs, wave: undefined });
  }
  return guard;
}

describe("the key that a probe is made with", () => {
  test("is the one that was taken last, also where an earlier one was taken again", () => {
    assert.equal(guardOf().lastTaken(NOBODY), undefined);
    assert.equal(guardOf(first, second, third).lastTaken(NOBODY), third);
    assert.equal(guardOf(first, second, third, first).lastTaken(NOBODY), first);
  });

  test("is the last but one where the last is left out, and so on", () => {
    const guard = guardOf(first, second, third);
    assert.equal(guard.lastTaken(new Set([third])), second);
    assert.equal(guard.lastTaken(new Set([third, second])), first);
    assert.equal(guard.lastTaken(new Set([third, second, first])), undefined);
  });

  test("is none that the service has spoken against since, nor one whose server it no longer shows", () => {
    const spoken: readonly ((guard: KeyGuard) => unknown)[] = [
      (guard) => guard.refusedBare(third, true, 9_000),
      (guard) => guard.refusedBare(third, false, 9_000),
      (guard) => guard.restoreRejected(third, { atMs: 9_000, why: "no", parked: true }, 9_000),
      (guard) => guard.noLongerFresh(third),
    ];
    for (const speak of spoken) {
      const guard = guardOf(first, second, third);
      speak(guard);
      assert.equal(guard.lastTaken(NOBODY), second);
    }
  });

  test("is none that only an earlier process saw taken", () => {
    const guard = new KeyGuard();
    guard.restoreTaken(first, { takenAtMs: 5_000 }, { ms: 6_000, wallMs: 6_000 });
    assert.equal(guard.lastTaken(NOBODY), undefined);
  });
});
