import assert from "node:assert/strict";
import { test } from "node:test";
import { Recorder } from "../../src/history/ingest/recorder.ts";
import { settle, VirtualClock } from "../support/clock.ts";
import { ann, BINDING, bob, GUILD, START_S, snapshotOf } from "./rig.ts";

test("an answer that comes in the moment in which the one before is stored is stored as well", async () => {
  // After how many steps of promises it comes: the queue finds itself empty within a few of them.
  for (let steps = 0; steps < 12; steps += 1) {
    const stored: number[] = [];
    const again = async () => {
      for (let step = 0; step < steps; step += 1) await null;
      recorder.take(snapshotOf({ kills: [[bob, ann, START_S + 2]] }, START_S + 2));
    };
    const recorder = new Recorder({
      clock: new VirtualClock(),
      random: { next: () => 0.5, id: () => "id" },
      presentS: () => undefined,
      linksOf: () => [{ guildId: GUILD, bindingId: BINDING, linkedAtS: START_S }],
      targetsOf: () => [],
      store: async (answers) => answers.length,
      onStored(rows) {
        stored.push(rows);
        if (stored.length === 1) void again();
      },
      onFailed: (error) => assert.fail(String(error)),
      onDropped: () => assert.fail("dropped"),
    });
    recorder.take(snapshotOf({ kills: [[ann, bob, START_S + 1]] }, START_S + 1));
    for (let turn = 0; turn < 3; turn += 1) await settle();
    assert.deepEqual([stored, recorder.queued], [[1, 1], 0], `after ${steps} steps`);
  }
});
