import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { CleanEnd } from "../../src/domain/ports/clean-stop.ts";
import {
  createCleanStop,
  markCopyIn,
  parseCleanEnd,
  readCopyMark,
  type StoredEnd,
} from "../../src/store/clean-stop.ts";
import { openStore } from "../../src/store/open-store.ts";
import { VirtualClock } from "../support/clock.ts";
import { needsRedis, startRedis } from "../support/redis-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

const clock = new VirtualClock();
const end: CleanEnd = { unsettled: ["feed-1"] };

async function cleanStopOf(url: string) {
  const store = await openStore(url, { runsIn: "caller" });
  const clock = new VirtualClock();
  const documents = store.documents("clean-stop", parseCleanEnd, "full");
  return { store, clock, cleanStop: createCleanStop(store, { documents, key: "end" }, clock) };
}

describe("the mark of a clean stop", () => {
  test("is there for one start, and for no second one", async (t) => {
    const folder = tempFolder();
    t.after(() => folder.remove());
    const { store, cleanStop } = await cleanStopOf(`sqlite:${join(folder.path, "a.sqlite")}`);
    t.after(() => store.close());
    assert.equal(await cleanStop.take(), undefined);
    await cleanStop.leave(end);
    assert.deepEqual(await cleanStop.take(), end);
    assert.equal(await cleanStop.take(), undefined);
  });

  test("is not believed an hour later, or of a time to come: the store may have been put back from a backup", async (t) => {
    const folder = tempFolder();
    t.after(() => folder.remove());
    const { store, clock, cleanStop } = await cleanStopOf(`sqlite:${join(folder.path, "a.sqlite")}`);
    t.after(() => store.close());
    for (const [laterMs, expected] of [
      [50 * 60_000, end],
      [61 * 60_000, undefined],
      [-61 * 60_000, undefined],
    ] as const) {
      await cleanStop.leave(end);
      clock.step(laterMs);
      assert.deepEqual(await cleanStop.take(), expected);
    }
  });

  test("of a copy is over when a bot began on it, and when that was is known from then on", async (t) => {
    const folder = tempFolder();
    t.after(() => folder.remove());
    const { store, clock } = await cleanStopOf(`sqlite:${join(folder.path, "a.sqlite")}`);
    t.after(() => store.close());
    const documents = store.documents("clean-stop", parseCleanEnd, "full");
    assert.equal((await readCopyMark(documents, clock)).wholeSinceMs, undefined);
    await markCopyIn(store);
    const atMs = clock.nowMs();
    const copy = await readCopyMark(documents, clock);
    assert.deepEqual([copy.isCopy, copy.wholeSinceMs], [true, atMs]);
    await copy.lookedThrough();
    clock.step(86_400_000);
    const later = await readCopyMark(documents, clock);
    assert.deepEqual([later.isCopy, later.wholeSinceMs], [false, atMs]);
    await later.lookedThrough();
    assert.equal((await readCopyMark(documents, clock)).wholeSinceMs, atMs);
  });

  test("is not believed where its end cannot be made to last: a power cut could bring it back", async () => {
    const kept = new Map<string, StoredEnd>([["end", { ...end, endedAtMs: clock.nowMs() }]]);
    const documents = {
      get: async (key: string) => kept.get(key),
      set: async (key: string, value: StoredEnd) => void kept.set(key, value),
      delete: async (key: string) => void kept.delete(key),
      async *entries() {},
    };
    assert.equal(
      await createCleanStop({ flush: async () => false }, { documents, key: "end" }, clock).take(),
      undefined,
    );
    assert.equal(kept.size, 0);
  });

  test("with Redis is believed only where Redis says that it is on the disk", needsRedis(), async (t) => {
    const server = await startRedis();
    t.after(() => server.stop());
    const { store, cleanStop } = await cleanStopOf(server.url);
    t.after(() => store.close());
    await cleanStop.leave(end);
    const taken = await cleanStop.take();
    assert.deepEqual(taken, (await store.flush()) ? end : undefined);
    assert.equal(await cleanStop.take(), undefined);
  });
});
