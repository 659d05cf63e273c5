import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, type TestContext, test } from "node:test";
import fc from "fast-check";
import type { RowsTextChange } from "../../src/store/keyv-documents.ts";
import { textsLeft } from "../../src/store/sqlite/pending-pages.ts";
import type { FileAnswer, FileOutcome, FileRequest, RowChange } from "../../src/store/sqlite/requests.ts";
import { openServedFile } from "../../src/store/sqlite/served-file.ts";
import { settle, VirtualClock } from "../support/clock.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import { tempFolder } from "../support/temp-folder.ts";

function pathOf(t: TestContext): string {
  const folder = tempFolder();
  t.after(() => folder.remove());
  return join(folder.path, "m.sqlite");
}

/** A store file whose changes wait for their places by this clock; without one they have them at once. */
async function opened(
  path: string,
  clock?: VirtualClock,
  soon: (work: () => void, inMs: number) => void = queueMicrotask,
) {
  const file = await openServedFile({
    path,
    lockWaitMs: 0,
    sleep: () => settle(),
    soon,
    sync: async () => undefined,
    monotonicMs: clock === undefined ? undefined : () => clock.monotonicMs(),
  });
  const outcomes: FileOutcome[] = [];
  return {
    close: () => file.close(),
    async ask<R extends FileRequest>(request: R): Promise<FileAnswer> {
      const { promise, resolve } = Promise.withResolvers<FileOutcome>();
      file.take(request, resolve);
      const outcome = await promise;
      outcomes.push(outcome);
      if (outcome.kind === "refused") throw outcome.error;
      return outcome.value;
    },
  };
}

type Change = RowChange | RowsTextChange;
const write = (...changes: readonly Change[]): FileRequest => ({
  kind: "write",
  changes,
  durability: "normal",
  turn: "in-turn",
});
const set = (key: string, text: string | undefined = key): RowChange => ({ namespace: "x", key, text });
const gone = (key: string): RowChange => ({ namespace: "x", key, text: undefined });
const row = (list: string, seq: number, from = seq): RowsTextChange => ({
  table: "r",
  list,
  seq,
  from,
  text: `${seq}`,
});
const read = (...keys: string[]): FileRequest => ({ kind: "read", namespace: "x", keys, nowMs: 0 });
const page: FileRequest = { kind: "page", namespace: "x", after: "", nowMs: 0 };
const rowsOf = (list: string, from = 0): FileRequest => ({
  kind: "rows",
  table: "r",
  list,
  from,
  limit: 100,
});

/** How many groups wait for their places, and how many documents have theirs, as another program finds them. */
function inFile(path: string): { readonly pending: number; readonly placed: number } {
  const other = new DatabaseSync(path, { readOnly: true });
  try {
    const placed = Number(other.prepare("SELECT count(*) AS n FROM documents").get()?.n);
    return { pending: textsLeft(other).length, placed };
  } finally {
    other.close();
  }
}

describe("a group that waits for more writes", () => {
  /** Two writes have come together, so that the next one waits for more. */
  async function waiting(t: TestContext) {
    const asked: { readonly work: () => void; readonly inMs: number }[] = [];
    const goOn = () => {
      for (const { work } of asked.splice(0)) work();
    };
    const path = pathOf(t);
    const file = await opened(path, new VirtualClock(), (work, inMs) => asked.push({ work, inMs }));
    t.after(() => file.close());
    const two = [file.ask(write(set("a"))), file.ask(write(set("b")))];
    goOn();
    await Promise.all(two);
    const written = file.ask(write(set("c"), gone("b")));
    assert.ok((asked.at(-1)?.inMs ?? 0) > 0);
    return { path, file, asked, goOn, written };
  }

  test("waits on for a read of what none of them changes, which is answered at once", async (t) => {
    const { path, file, goOn, written } = await waiting(t);
    assert.deepEqual(await file.ask(read("a", "d")), ["a", undefined]);
    assert.equal(inFile(path).pending, 1);
    goOn();
    await written;
    assert.equal(inFile(path).pending, 2);
  });

  test("goes at once for a read of what one of them changes, which sees it", async (t) => {
    const { file, asked, goOn, written } = await waiting(t);
    const found = file.ask(read("a", "b", "c"));
    assert.equal(asked.at(-1)?.inMs, 0);
    goOn();
    assert.deepEqual(await found, ["a", undefined, "c"]);
    await written;
  });

  test("goes at once for a write that nobody waits for, and the wait that was begun begins no second one", async (t) => {
    const { path, file, asked, goOn, written } = await waiting(t);
    const [begun] = asked.splice(0);
    const kept = file.ask({ ...write(set("answer")), turn: "at-once" });
    assert.equal(asked.at(-1)?.inMs, 0);
    goOn();
    await Promise.all([written, kept]);
    const next = file.ask(write(set("e")));
    begun?.work();
    assert.equal(inFile(path).pending, 2, "its own wait is not over");
    goOn();
    await next;
    assert.equal(inFile(path).pending, 3);
  });
});

describe("changes that wait for their places", () => {
  test("are read as if they had them, also those of a listing, which puts them there", async (t) => {
    const path = pathOf(t);
    const file = await opened(path, new VirtualClock());
    t.after(() => file.close());
    await file.ask(write(set("a", "1"), set("b")));
    await file.ask(write(set("a", "2"), gone("b"), row("l", 1), row("l", 2)));
    assert.deepEqual(inFile(path), { pending: 2, placed: 0 });
    assert.deepEqual(await file.ask(read("a", "b")), ["2", undefined]);
    assert.deepEqual(await file.ask(write(gone("a"), gone("b"))), [true, false]);
    await file.ask(write(set("a", "3")));
    assert.deepEqual(await file.ask(page), [["a", "3"]]);
    assert.deepEqual(inFile(path), { pending: 0, placed: 1 });
    assert.deepEqual(await file.ask(rowsOf("l")), [
      [1, "1"],
      [2, "2"],
    ]);
  });

  test("get them after some seconds, each document once, and wait no longer at a close", async (t) => {
    const path = pathOf(t);
    const clock = new VirtualClock();
    const file = await opened(path, clock);
    for (let n = 0; n < 50; n++) await file.ask(write(set(`${n % 5}`, `${n}`)));
    assert.deepEqual(inFile(path), { pending: 50, placed: 0 });
    await clock.advance(40_000);
    await file.ask(write(set("late")));
    assert.deepEqual(inFile(path), { pending: 0, placed: 6 });
    await file.ask(write(set("last")));
    await file.close();
    assert.deepEqual(inFile(path), { pending: 0, placed: 7 });
  });

  test("are found by the next process where one was killed, however far they had come", async (t) => {
    const path = pathOf(t);
    const killed = await opened(path, new VirtualClock());
    await killed.ask(write(set("a", "1"), row("l", 1)));
    await killed.ask(write(set("a", "2"), row("l", 3, 2)));
    // What a kill leaves: the file and its log as they are.
    const other = new DatabaseSync(path);
    const copy = pathOf(t);
    other.exec(`VACUUM INTO '${copy}'`);
    other.close();
    await killed.close();
    const next = await opened(copy);
    t.after(() => next.close());
    assert.deepEqual(await next.ask(read("a")), ["2"]);
    assert.deepEqual(await next.ask(rowsOf("l")), [
      [1, "1"],
      [3, "3"],
    ]);
    assert.deepEqual(inFile(copy).pending, 0);
  });

  test("are found in the form that version 2 of the file had for them, which goes", async (t) => {
    const path = pathOf(t);
    await (await opened(path)).close();
    const before = new DatabaseSync(path);
    before.exec("CREATE TABLE pending (id INTEGER PRIMARY KEY, changes TEXT NOT NULL) STRICT");
    const add = before.prepare("INSERT INTO pending (changes) VALUES (?)");
    for (const changes of [[set("a", "1"), row("l", 1)], [set("a", "2")]]) add.run(JSON.stringify(changes));
    before.exec("PRAGMA user_version = 2");
    before.close();
    const file = await opened(path, new VirtualClock());
    t.after(() => file.close());
    assert.deepEqual(await file.ask(read("a")), ["2"]);
    assert.deepEqual(await file.ask(rowsOf("l")), [[1, "1"]]);
    const after = new DatabaseSync(path, { readOnly: true });
    t.after(() => after.close());
    assert.equal(after.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'pending'").get(), undefined);
  });

  test("are read on a full disk, and refuse more until they have found room", async (t) => {
    const disk = smallDisk(t, 512);
    if (disk === undefined) return t.skip("no disk can be mounted here");
    const clock = new VirtualClock();
    const file = await opened(join(disk, "m.sqlite"), clock);
    t.after(() => file.close());
    await file.ask(write(set("a")));
    const makeRoom = fillDisk(disk);
    await assert.rejects(file.ask(write(set("large", "x".repeat(100_000)))), /full/);
    assert.deepEqual(await file.ask(read("a", "large")), ["a", undefined]);
    assert.deepEqual(await file.ask(page), [["a", "a"]]);
    makeRoom();
    await file.ask(read("a"));
    await file.ask(write(set("b")));
    assert.deepEqual(await file.ask(page), [
      ["a", "a"],
      ["b", "b"],
    ]);
  });

  test("make no difference to anybody who asks, whatever is asked and whenever a process ends", async () => {
    const key = fc.constantFrom("a", "b", "c");
    const change = fc.oneof(
      fc.tuple(key, fc.string({ maxLength: 4 })).map(([k, v]): Change => set(k, v)),
      key.map((k): Change => gone(k)),
      fc
        .tuple(fc.constantFrom("l", "m"), fc.nat(12), fc.nat(3))
        .map(([l, seq, n]): Change => row(l, seq, Math.max(0, seq - n))),
      fc
        .tuple(fc.constantFrom("l", "m"), fc.nat(12))
        .map(([list, below]): Change => ({ table: "r", list, below })),
    );
    const request = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => write(...changes)),
      },
      { weight: 2, arbitrary: fc.constant(read("a", "b", "c")) },
      { weight: 1, arbitrary: fc.constantFrom(page, rowsOf("l"), rowsOf("m", 5)) },
    );
    const step = fc.record({
      request,
      afterMs: fc.constantFrom(0, 0, 5_000, 31_000),
      ends: fc.nat(9).map((n) => n === 0),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const folder = tempFolder();
        const clock = new VirtualClock();
        const paths = [join(folder.path, "waiting.sqlite"), join(folder.path, "at-once.sqlite")] as const;
        let waiting = await opened(paths[0], clock);
        let atOnce = await opened(paths[1]);
        for (const { request: one, afterMs, ends } of steps) {
          await clock.advance(afterMs);
          const [found, expected] = await Promise.all([waiting.ask(one), atOnce.ask(one)]);
          // Of rows nobody asks whether they changed anything.
          if (one.kind !== "write") assert.deepEqual(found, expected);
          if (!ends) continue;
          await Promise.all([waiting.close(), atOnce.close()]);
          [waiting, atOnce] = [await opened(paths[0], clock), await opened(paths[1])];
        }
        for (const one of [page, rowsOf("l"), rowsOf("m")])
          assert.deepEqual(await waiting.ask(one), await atOnce.ask(one));
        await Promise.all([waiting.close(), atOnce.close()]);
        folder.remove();
      }),
      { numRuns: 40 },
    );
  });
});
