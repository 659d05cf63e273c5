import assert from "node:assert/strict";
import { test } from "node:test";
import { CounterGroup } from "../../../src/api/limits/counter-group.ts";
import { ServerClock } from "../../../src/api/limits/server-clock.ts";
import type { SourceId } from "../../../src/domain/model.ts";

const [a, b, c] = ["a", "b", "c"] as SourceId[] as [SourceId, SourceId, SourceId];

/** A name, and what it makes of answers that come one after the other, a second apart. */
function scene() {
  const name = new CounterGroup("hash", new ServerClock(0));
  let nowMs = 1_000_000;
  const hear = (source: SourceId, limit: number, remaining: number, resetMs: number) => {
    nowMs += 1_000;
    const told = { bucket: "global", limit, remaining, resetMs };
    return name.assign({ source, quota: told, sentMs: nowMs - 50, readMs: nowMs, refused: false });
  };
  return { name, hear };
}

test("keys that one counter can have answered are counted by one", () => {
  const { name, hear } = scene();
  assert.equal(hear(a, 12, 11, 1_050_000).named, hear(b, 12, 10, 1_050_000).named);
  assert.equal(name.buckets.length, 1);
});

test("a limit that changed for all is no sign of several counters", () => {
  const { name, hear } = scene();
  for (const [limit, resetMs] of [
    [12, 1_050_000],
    [10, 1_060_000],
    [15, 1_070_000],
  ] as const)
    for (const [n, source] of [a, b, c].entries())
      assert.equal(hear(source, limit, 8 - n, resetMs).regrouped, false);
  assert.equal(name.buckets.length, 1);
});

test("a limit that comes back after another key's shows servers with limits of their own, each counted anew", () => {
  const { name, hear } = scene();
  const before = hear(a, 12, 11, 1_050_000).named;
  hear(c, 12, 10, 1_050_000);
  hear(b, 3, 2, 1_060_000);
  const heard = hear(a, 12, 11, 1_070_000);
  assert.equal(heard.regrouped, true);
  assert.notEqual(heard.named, before, "what was learned of a mixture is forgotten");
  assert.equal(name.of(c), heard.named, "a key that was told the same limit goes along unasked");
  assert.notEqual(name.of(b), heard.named);
  assert.equal(name.largest, heard.named);
  assert.equal(hear(b, 3, 1, 1_075_000).named, name.of(b));
  assert.equal(
    hear(a, 12, 10, 1_070_000).regrouped,
    false,
    "an earlier end than the other's surprises nobody now",
  );
  assert.equal(name.buckets.length, 2);
});

test("one contradiction may be a service that restarted; two of one key make it a counter of its own", () => {
  const { name, hear } = scene();
  hear(a, 12, 3, 1_050_000);
  assert.deepEqual([hear(b, 12, 9, 1_040_000).odd, name.buckets.length], [true, 1]);
  hear(a, 12, 2, 1_050_000);
  const second = hear(b, 12, 8, 1_040_000);
  assert.deepEqual([second.odd, name.buckets.length], [false, 2]);
  assert.notEqual(second.named, name.of(a));
});

test("what a reset that is a second off would explain as well takes three in a row", () => {
  const { name, hear } = scene();
  hear(a, 12, 3, 1_050_000);
  for (const remaining of [9, 8]) {
    assert.deepEqual([hear(b, 12, remaining, 1_050_000).odd, name.buckets.length], [false, 1]);
    hear(a, 12, 2, 1_050_000);
  }
  assert.notEqual(hear(b, 12, 7, 1_050_000).named, name.of(a));
});

test("three keys that are told the same number at once have a counter each, at once", () => {
  const name = new CounterGroup("hash", new ServerClock(0));
  const told = { bucket: "global", limit: 12, remaining: 11, resetMs: 1_001_000 };
  const at = (ms: number) => ({ sentMs: ms - 80, readMs: ms });
  name.assign({ source: a, quota: told, ...at(1_000_000), refused: false });
  name.assign({ source: b, quota: told, ...at(1_000_010), refused: false });
  assert.equal(name.buckets.length, 1, "two may lie on either side of the end of a window");
  assert.equal(name.assign({ source: c, quota: told, ...at(1_000_020), refused: false }).regrouped, true);
  assert.equal(new Set([a, b, c].map((source) => name.of(source))).size, 3);
});

test("a key that was given a counter of its own by mistake goes back when others spend from it", () => {
  const name = new CounterGroup("hash", new ServerClock(0));
  const others = ["d", "e"] as SourceId[] as [SourceId, SourceId];
  const told = { bucket: "global", limit: 12, remaining: 11, resetMs: 1_001_000 };
  const at = (ms: number) => ({ sentMs: ms - 80, readMs: ms });
  for (const source of others)
    name.assign({ source, quota: { ...told, remaining: 5 }, ...at(999_000), refused: false });
  for (const source of [a, b, c]) name.assign({ source, quota: told, ...at(1_000_000), refused: false });
  assert.equal(name.join(a), true);
  assert.equal(name.of(a), name.largest);
  assert.equal(name.join(others[0]), false, "it shared before");
});
