import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceId } from "../../src/domain/model.ts";
import type { Metrics } from "../../src/domain/ports/metrics.ts";
import type { RecordedAnswer } from "../../src/history/ingest/recorded-answer.ts";
import { Recorder } from "../../src/history/ingest/recorder.ts";
import { RecordingState } from "../../src/history/ingest/recording-state.ts";
import type { Log } from "../../src/log.ts";
import { settle, VirtualClock } from "../support/clock.ts";
import { memoryJournal } from "../support/memory-journal.ts";
import { ann, BINDING, bob, GUILD, START_S, snapshotOf } from "./rig.ts";

const NO_NEWS = {
  unread: async () => [],
  places: () => [],
  pass: () => undefined,
  readAnew: () => undefined,
};

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
      journal: NO_NEWS,
      random: { next: () => 0.5, id: () => "id" },
      servers: () => 1,
      presentS: () => undefined,
      linksOf: () => [{ guildId: GUILD, bindingId: BINDING, linkedAtS: START_S }],
      tracks: () => false,
      hitBy: () => [],
      callsOnCards: () => [],
      accountOf: async () => undefined,
      store: async (answers) => ({ rows: answers.length, refused: 0 }),
      onStored({ rows }) {
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

test("several hundred answers that are stored together are made in many turns, so that nobody waits for all of them", async () => {
  const clock = new VirtualClock();
  let [made, turns] = [0, 0];
  const seen = new Set<number>();
  let isStored = false;
  const recorder = new Recorder({
    clock,
    journal: NO_NEWS,
    random: { next: () => 0.5, id: () => "id" },
    servers: () => 1_000,
    presentS: () => undefined,
    linksOf: () => [{ guildId: GUILD, bindingId: BINDING, linkedAtS: START_S }],
    tracks() {
      made += 1;
      return false;
    },
    hitBy: () => [],
    callsOnCards: () => [],
    accountOf: async () => undefined,
    async store(answers) {
      isStored = true;
      return { rows: answers.length, refused: 0 };
    },
    onStored: () => undefined,
    onFailed: (error) => assert.fail(String(error)),
    onDropped: () => assert.fail("dropped"),
  });
  for (let n = 0; n < 200; n += 1) recorder.take({ ...snapshotOf({}, START_S), source: `s${n}` as SourceId });
  await clock.advance(5_000);
  for (; !isStored && turns < 1_000; turns += 1) {
    seen.add(made);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(made, 200);
  assert.ok(seen.size >= 10, `others had a turn ${seen.size} times`);
});

test("of more than a thousand servers an answer that waits for others is kept without its rows, and is stored as it came", async () => {
  const clock = new VirtualClock();
  const town = snapshotOf({ players: [{ ...bob, permission: "Server Moderator" }, ann] }, START_S);
  const taken = { ...town, source: "s1" as SourceId, lists: { ...town.lists, queue: [7, 8] } };
  const stored: RecordedAnswer[] = [];
  const recorder = new Recorder({
    clock,
    journal: NO_NEWS,
    random: { next: () => 0.5, id: () => "id" },
    servers: () => 2_000,
    presentS: () => undefined,
    linksOf: () => [{ guildId: GUILD, bindingId: BINDING, linkedAtS: START_S }],
    tracks: () => true,
    hitBy: () => [],
    callsOnCards: () => [],
    accountOf: async () => undefined,
    async store(answers) {
      stored.push(...answers);
      return { rows: answers.length, refused: 0 };
    },
    onStored: () => undefined,
    onFailed: (error) => assert.fail(String(error)),
    onDropped: () => assert.fail("dropped"),
  });
  recorder.take(taken);
  const players = structuredClone(taken.lists.players);
  // Whoever held the rows themselves would see them go.
  (taken.lists.players as unknown[]).length = 0;
  taken.lists.queue.length = 0;
  await clock.advance(5_000);
  for (let turn = 0; turn < 100 && stored.length === 0; turn += 1)
    await new Promise((resolve) => setImmediate(resolve));
  const [answer] = stored;
  assert.deepEqual(
    answer?.players?.map(({ player, permission }) => [player, permission]),
    players?.map(({ player, permission }) => [player, permission]),
  );
  assert.deepEqual([answer?.players?.length, answer?.queue], [2, 2]);
});

test("a database too slow for all answers: said once, as not working, until nothing waits any more", async () => {
  const clock = new VirtualClock();
  const said: unknown[] = [];
  const line = (fields: object) => void said.push("reason" in fields ? fields.reason : "recorded");
  const log: Log = { debug: line, info: line, warn: line, error: line, child: () => log };
  const counted = new Map<string, number>();
  const metrics: Metrics = {
    count: (name, _, by = 1) => void counted.set(name, (counted.get(name) ?? 0) + by),
    observe: () => undefined,
  };
  const state: RecordingState = new RecordingState({
    log,
    metrics,
    queued: () => recorder.queued,
    onWorking: () => undefined,
  });
  const recorder: Recorder = new Recorder({
    clock,
    journal: NO_NEWS,
    random: { next: () => 0.5, id: () => "id" },
    servers: () => 1,
    presentS: () => undefined,
    linksOf: () => [{ guildId: GUILD, bindingId: BINDING, linkedAtS: START_S }],
    tracks: () => false,
    hitBy: () => [],
    callsOnCards: () => [],
    accountOf: async () => undefined,
    async store(answers) {
      await clock.sleep(15_000);
      return { rows: answers.length, refused: 0 };
    },
    onStored: (stored) => state.onStored(stored),
    onFailed: (error) => state.onFailed(error, String(error)),
    onDropped: (answers) => state.onDropped(answers),
  });
  state.onTrouble(undefined);
  for (let s = 0; s < 60; s += 1) {
    recorder.take(snapshotOf({ kills: [[ann, bob, START_S + s]] }, START_S + s));
    await clock.advance(1_000);
  }
  assert.match(state.trouble ?? "", /slower than answers come/);
  assert.ok((counted.get("marshal_history_dropped_total") ?? 0) > 10);
  await clock.advance(60_000);
  assert.equal(state.trouble, undefined);
  assert.deepEqual(said, [
    "recorded",
    "its database is slower than answers come, so some are left out",
    "recorded",
  ]);
});

test("a database that was too slow for a moment is told as working again although answers come all the time", async () => {
  const said: unknown[] = [];
  const line = (fields: object) => void said.push("reason" in fields ? fields.reason : "recorded");
  const log: Log = { debug: line, info: line, warn: line, error: line, child: () => log };
  const metrics: Metrics = { count: () => undefined, observe: () => undefined };
  const state = new RecordingState({ log, metrics, queued: () => 5, onWorking: () => undefined });
  state.onTrouble(undefined);
  const stored = { rows: 1, refused: 0 };
  state.onDropped(1);
  state.onStored(stored);
  assert.match(
    state.trouble ?? "",
    /slower than answers come/,
    "some were left out since the last were stored",
  );
  state.onStored(stored);
  assert.equal(state.trouble, undefined);
  assert.equal(said.length, 3);
});

test("what a server shows that nobody records is left out, and says nothing of the database", async () => {
  const clock = new VirtualClock();
  const journal = memoryJournal({ clock });
  const reader = journal.reader("history", "window");
  const recorder = new Recorder({
    clock,
    journal: reader,
    random: { next: () => 0.5, id: () => "id" },
    servers: () => 1,
    presentS: () => undefined,
    linksOf: () => [],
    tracks: () => false,
    hitBy: () => [],
    callsOnCards: () => [],
    accountOf: async () => undefined,
    store: () => assert.fail("stored"),
    onStored: () => assert.fail("stored"),
    onFailed: (error) => assert.fail(String(error)),
    onDropped: () => assert.fail("dropped"),
  });
  for (const s of [1, 2]) {
    const look = snapshotOf({ kills: [[ann, bob, START_S + s]] }, START_S + s);
    await journal.take(look);
    recorder.take(look);
    await settle();
    assert.deepEqual([await reader.unread(look), recorder.queued], [[], 0]);
  }
});

test("answers of many servers wait a moment for each other and are stored together, of few at once", async () => {
  for (const [servers, expected] of [
    [100, [1, 2]],
    [101, [3]],
  ] as const) {
    const clock = new VirtualClock();
    const stored: number[] = [];
    const recorder = new Recorder({
      clock,
      journal: NO_NEWS,
      random: { next: () => 0.5, id: () => "id" },
      servers: () => servers,
      presentS: () => undefined,
      linksOf: () => [{ guildId: GUILD, bindingId: BINDING, linkedAtS: START_S }],
      tracks: () => false,
      hitBy: () => [],
      callsOnCards: () => [],
      accountOf: async () => undefined,
      store: async (answers) => ({ rows: answers.length, refused: 0 }),
      onStored: ({ rows }) => void stored.push(rows),
      onFailed: (error) => assert.fail(String(error)),
      onDropped: () => assert.fail("dropped"),
    });
    for (const s of [1, 2, 3]) recorder.take(snapshotOf({ kills: [[ann, bob, START_S + s]] }, START_S + s));
    await settle();
    await clock.advance(5_000);
    assert.deepEqual(stored, expected);
  }
});
