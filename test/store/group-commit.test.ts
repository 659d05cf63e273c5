import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, type TestContext, test } from "node:test";
import fc from "fast-check";
import type { FileOutcome, FileRequest, FileWrite, RowChange } from "../../src/store/sqlite/requests.ts";
import { openServedFile, type ServedFile } from "../../src/store/sqlite/served-file.ts";
import { settle } from "../support/clock.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import { tempFolder } from "../support/temp-folder.ts";

interface Rig {
  readonly path: string;
  /** Asks under a name; how each ended stands in `ended`, in that order. */
  ask(name: string, request: FileRequest): void;
  readonly ended: string[];
  readonly outcomes: Map<string, FileOutcome>;
  /** Waits for the disk that are under way, each with its end. */
  readonly syncs: PromiseWithResolvers<void>[];
}

/** A store file whose disk is as slow as the test wants. */
async function openRig(t: TestContext, folder = folderOf(t)): Promise<Rig> {
  const path = join(folder, "m.sqlite");
  const syncs: PromiseWithResolvers<void>[] = [];
  const file: ServedFile = await openServedFile({
    path,
    lockWaitMs: 0,
    sleep: () => settle(),
    soon: queueMicrotask,
    sync: () => {
      const sync = Promise.withResolvers<void>();
      syncs.push(sync);
      return sync.promise;
    },
  });
  t.after(async () => {
    for (const sync of syncs) sync.resolve();
    await file.close();
  });
  const ended: string[] = [];
  const outcomes = new Map<string, FileOutcome>();
  const ask = (name: string, request: FileRequest) =>
    file.take(request, (outcome) => {
      ended.push(name);
      outcomes.set(name, outcome);
    });
  return { path, ask, ended, outcomes, syncs };
}

function folderOf(t: TestContext): string {
  const folder = tempFolder();
  t.after(() => folder.remove());
  return folder.path;
}

/** Its value is its key, where none is given. */
const row = (key: string, text = key): RowChange => ({ namespace: "x", key, text });
const gone = (key: string): RowChange => ({ namespace: "x", key, text: undefined });
const write = (changes: readonly RowChange[], more: Partial<FileWrite> = {}): FileWrite => ({
  kind: "write",
  changes,
  durability: "normal",
  turn: "in-turn",
  ...more,
});
const read = (...keys: string[]): FileRequest => ({ kind: "read", namespace: "x", keys, nowMs: 0 });
/** The schema refuses it. */
const REFUSED: RowChange = { namespace: "x", key: "refused", text: null as unknown as string };

/** What another program finds in the file. */
function keysIn(path: string): readonly unknown[] {
  const other = new DatabaseSync(path, { readOnly: true });
  try {
    return other
      .prepare("SELECT key FROM documents ORDER BY key")
      .all()
      .map(({ key }) => key);
  } finally {
    other.close();
  }
}

describe("a disk that is slow", () => {
  test("is waited for by full writes alone: neither normal writes nor reads wait for it", async (t) => {
    const { ask, ended, outcomes, syncs } = await openRig(t);
    ask("full", write([row("a")], { durability: "full" }));
    await settle();
    ask("normal", write([row("b")]));
    ask("read", read("a", "b"));
    await settle();
    assert.deepEqual(ended, ["normal", "read"]);
    assert.deepEqual(outcomes.get("read"), { kind: "answer", value: ["a", "b"] });
    syncs[0]?.resolve();
    await settle();
    assert.deepEqual(ended, ["normal", "read", "full"]);
  });

  test("full writes that come while it is waited for share the next wait", async (t) => {
    const { ask, ended, syncs } = await openRig(t);
    for (let n = 0; n < 50; n++) {
      ask(`${n}`, write([row(`${n}`)], { durability: "full" }));
      await settle();
    }
    assert.deepEqual([ended.length, syncs.length], [0, 1]);
    syncs[0]?.resolve();
    await settle();
    assert.deepEqual([ended, syncs.length], [["0"], 2]);
    syncs[1]?.resolve();
    await settle();
    assert.deepEqual([ended.length, syncs.length], [50, 2]);
  });

  test("a wait begins when everything asked for before stands in the file", async (t) => {
    const { path, ask, syncs } = await openRig(t);
    ask("normal", write([row("a")]));
    ask("full", write([row("b")], { durability: "full" }));
    ask("later", write([row("c")]));
    while (syncs.length === 0) await settle();
    assert.deepEqual(keysIn(path), ["a", "b", "c"]);
  });

  test("a halt waits for no group, and not for a wait that began before it", async (t) => {
    const { ask, ended, syncs } = await openRig(t);
    ask("first", write([row("a")], { durability: "full" }));
    await settle();
    for (let n = 0; n < 1_200; n++) ask(`many`, write([row(`many${n}`)]));
    ask("halt", write([row("h")], { durability: "full", turn: "ahead" }));
    ask("unit", write([row("u")], { turn: "ahead" }));
    await settle();
    assert.equal(ended[0], "unit", "it stands in the file before all that waited");
    assert.equal(syncs.length, 2);
    syncs[1]?.resolve();
    await settle();
    assert.ok(ended.includes("halt") && !ended.includes("first"));
  });

  test("a disk that refuses rejects the full writes that waited, and the next ones try again", async (t) => {
    const { ask, outcomes, syncs } = await openRig(t);
    ask("lost", write([row("a")], { durability: "full" }));
    await settle();
    ask("kept", write([row("b")], { durability: "full" }));
    await settle();
    syncs[0]?.reject(new Error("EIO"));
    await settle();
    assert.equal(outcomes.get("lost")?.kind, "refused");
    assert.equal(outcomes.get("kept"), undefined);
    syncs[1]?.resolve();
    await settle();
    assert.equal(outcomes.get("kept")?.kind, "answer");
  });
});

describe("what is refused", () => {
  test("is refused alone, whatever it was asked together with; of several changes none is made", async (t) => {
    const { ask, outcomes } = await openRig(t);
    ask("before", write([row("a")]));
    ask("refused", write([row("never"), REFUSED]));
    ask("single", write([REFUSED]));
    ask("after", write([row("b")]));
    ask("read", read("a", "never", "b"));
    await settle();
    const kinds = ["before", "refused", "single", "after"].map((name) => outcomes.get(name)?.kind);
    assert.deepEqual(kinds, ["answer", "refused", "refused", "answer"]);
    assert.deepEqual(outcomes.get("read"), { kind: "answer", value: ["a", undefined, "b"] });
  });

  test("on a full disk: what finds no room; the rest is written, and everything is read", async (t) => {
    const disk = smallDisk(t, 512);
    if (disk === undefined) return t.skip("no disk can be mounted here");
    const { ask, outcomes } = await openRig(t, disk);
    ask("before", write([row("a")]));
    await settle();
    const makeRoom = fillDisk(disk);
    ask("large", write([row("large", "x".repeat(100_000))]));
    ask("read", read("a", "large"));
    await settle();
    const refused = outcomes.get("large");
    assert.ok(refused?.kind === "refused" && /full/.test(String(refused.error)), String(refused?.kind));
    assert.deepEqual(outcomes.get("read"), { kind: "answer", value: ["a", undefined] });
    makeRoom();
    ask("later", write([row("b")]));
    await settle();
    assert.equal(outcomes.get("later")?.kind, "answer");
  });

  test("asked all at once or one after the other: the same is answered and stored", async (t) => {
    const key = fc.constantFrom("a", "b", "c");
    const change = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.oneof(
          fc.tuple(key, fc.string()).map(([k, v]) => row(k, v)),
          key.map(gone),
        ),
      },
      { weight: 1, arbitrary: fc.constant(REFUSED) },
    );
    const request = fc.oneof(
      fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => write(changes)),
      fc.constant(read("a", "b", "c")),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 20 }), async (requests) => {
        const [together, alone] = [await openRig(t), await openRig(t)];
        for (const [n, one] of requests.entries()) together.ask(`${n}`, one);
        for (const [n, one] of requests.entries()) {
          alone.ask(`${n}`, one);
          await settle();
        }
        await settle();
        const shown = ({ outcomes }: Rig) =>
          [...outcomes].map(([name, one]) => [name, one.kind, one.kind === "answer" ? one.value : undefined]);
        assert.deepEqual(shown(together), shown(alone));
        assert.equal(together.outcomes.size, requests.length);
      }),
      { numRuns: 40 },
    );
  });
});
