import assert from "node:assert/strict";
import { test } from "node:test";
import { storeOn } from "../../src/store/sqlite/open-sqlite.ts";
import type { FileRequest, StoreLine } from "../../src/store/sqlite/requests.ts";
import { withWritesTimed } from "../../src/store/timed-writes.ts";
import { VirtualClock } from "../support/clock.ts";
import { FakeMetrics } from "../support/network.ts";

const TEXT = (value: unknown) => String(value);

/** A store whose line takes so long for each request; it refuses while `isBroken`. */
function rig(takesMs: number) {
  const clock = new VirtualClock();
  const metrics = new FakeMetrics();
  const state = { isBroken: false };
  const line = {
    async ask({ kind }: FileRequest) {
      await clock.sleep(takesMs);
      if (state.isBroken) throw new Error("the disk is full");
      return kind === "read" ? [] : [true];
    },
  } as unknown as StoreLine;
  const store = withWritesTimed(
    storeOn(line, "x", () => clock.nowMs()),
    { clock, metrics },
  );
  return { clock, metrics, state, store };
}

test("each write is measured from being asked for until it is stored, by its durability; reads are not", async () => {
  const { clock, metrics, store } = rig(250);
  const full = store.documents("audit", TEXT, "full");
  const normal = store.documents("journal", TEXT, "normal");
  const done = Promise.all([
    full.set("a", "1"),
    normal.delete("b"),
    normal.get("c"),
    store.write([{ namespace: "journal", key: "d", value: "1" }]),
    store.write([
      { namespace: "journal", key: "d", value: "1" },
      { namespace: "audit", key: "e", deleted: true },
    ]),
  ]);
  await clock.advance(1_000);
  await done;
  const of = (kind: string) => `marshal_store_write_seconds ${kind} 0.25`;
  assert.deepEqual(metrics.observed.sort(), [of("full"), of("full"), of("normal"), of("normal")]);
});

test("a write that is refused is not measured, and its refusal arrives", async () => {
  const { clock, metrics, state, store } = rig(10);
  state.isBroken = true;
  const refused = assert.rejects(store.documents("audit", TEXT, "full").set("a", "1"), /the disk is full/);
  await clock.advance(100);
  await refused;
  assert.deepEqual(metrics.observed, []);
});
