import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { LogEntry, LogList, SourceId } from "../../src/domain/model.ts";
import type { JournalHead, JournalRow } from "../../src/journal/journal-records.ts";
import { emptyHead, nextHead, replayed } from "../../src/journal/next-head.ts";
import { opened } from "../../src/journal/open-journal.ts";
import { lookOf, noteLook, readAnswer } from "../../src/journal/server-answer.ts";
import { snapshotWith } from "./compare/log-model.ts";
import { joins, type Rig, source, started } from "./rig.ts";

const list = "joinLogs";
const newSource = "bb" as SourceId;

/** Polls of one log: what happened before each, how many rows it shows, whether the log has begun anew. */
const polls = fc.array(
  fc.record({
    news: fc.array(
      fc.record({
        who: fc.constantFrom("ann", "bob", "cid"),
        afterS: fc.integer({ min: 0, max: 70 }),
        n: fc.nat(5),
      }),
      { maxLength: 12 },
    ),
    shown: fc.constantFrom(3, 20, 400),
    begins: fc.integer({ min: 0, max: 20 }).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 40 },
);

function happened(
  of: LogList,
  { who, n }: { readonly who: string; readonly n: number },
  atS: number,
): LogEntry {
  const player = { name: who, id: who.length };
  if (of === "joinLogs") return { kind: "join", atS, player, joined: n > 2 };
  if (of === "killLogs") return { kind: "kill", atS, killer: player, killed: { name: `v${n}` } };
  return { kind: "modCall", atS, caller: player, ...(n > 2 ? { moderator: { name: "mod" } } : {}) };
}

describe("what rows make of a journal", () => {
  test("is what the answers made of it", () => {
    let plain = 0;
    fc.assert(
      fc.property(fc.constantFrom<LogList>("joinLogs", "killLogs", "modCalls"), polls, (of, given) => {
        const open = opened(source, of);
        let head = emptyHead("lineage", 1);
        let [atS, lookId] = [1_000, 0];
        let log: LogEntry[] = [];
        for (const { news, shown, begins } of given) {
          if (begins) log = [];
          for (const one of news) {
            atS += one.afterS;
            log.push(happened(of, one, atS));
          }
          const look = snapshotWith(of, log.slice(-shown), { atMs: (atS + 1) * 1_000 });
          open.head = head;
          const answer = readAnswer([open], look, ++lookId);
          const seen = { ...lookOf(open, answer, lookId), fullest: shown };
          const step = nextHead({ head, list: of, snapshot: look, neededSeq: 0, look: seen });
          const { advance } = step;
          noteLook(open, answer, { ...step, rows: 0, monotonicMs: lookId, grownBy: advance?.grownBy ?? 0 });
          if (advance?.isPlain === true) {
            plain += 1;
            const seq = advance.head.nextSeq - 1;
            assert.deepEqual(
              asStored(replayed(head, seq, rowOf(advance.added, advance.head))),
              asStored(advance.head),
            );
          }
          head = advance?.head ?? head;
        }
      }),
      { numRuns: 200 },
    );
    assert.ok(plain > 500, String(plain));
  });

  function rowOf(added: readonly object[], { retained, fullest }: JournalHead): JournalRow {
    const { longest = 0, calm = 0, reachedS } = retained ?? {};
    return { items: added as JournalRow["items"], seenAtMs: 1, state: { longest, calm, reachedS, fullest } };
  }

  function asStored({ tail: _, tailFrom: __, ...state }: JournalHead): unknown {
    return JSON.parse(JSON.stringify(state));
  }
});

describe("a long backlog", () => {
  /** Joins of players p11 to p1050, of which the first has number 1, in answers that show a hundred. */
  async function backlog(): Promise<Rig> {
    const rig = await started();
    await rig.take(joins(1, 10));
    for (let fromS = 1; fromS <= 951; fromS += 50) await rig.take(joins(fromS, 100));
    return rig;
  }

  test("is kept outside the memory and read across it", async () => {
    const rig = await backlog();
    assert.equal((await rig.names(1)).length, 1_040);
    const part = await rig.journal.read({ source, list }, 250, 20);
    assert.deepEqual(
      part.map((item) => item.seq),
      Array.from({ length: 20 }, (_, index) => 250 + index),
    );
  });

  test("is as long in the next process, and nothing of it comes again", async () => {
    const rig = await backlog();
    const names = await rig.names(1);
    rig.restart();
    await rig.journal.attach("feed", { source, list }, 1);
    await rig.take(joins(951, 100));
    assert.deepEqual(await rig.names(1), names);
    await rig.take(joins(951, 101));
    assert.deepEqual(await rig.names(1_041), ["p1051"]);
  });

  test("is told as a gap where the store has lost some of it, once for what stood together, and logged", async () => {
    const rig = await backlog();
    for (const seq of rig.rowNumbers().slice(3, 5)) rig.texts.rows.delete(`aa:joinLogs ${seq}`);
    const names = await rig.names(1);
    const gapAt = names.findIndex((name) => name.startsWith("gap"));
    const next = Number(names[gapAt + 1]?.slice(1));
    assert.equal(names.filter((name) => name.startsWith("gap")).length, 1);
    assert.equal(names[gapAt], `gap undefined-${next + 60}`);
    assert.equal(names.at(-1), "p1050");
    // Whoever reads on after the notice goes on behind what is lost.
    const items = await rig.journal.read({ source, list }, 1, 10_000);
    assert.equal((items[gapAt]?.seq ?? 0) + 1, items[gapAt + 1]?.seq);
    await rig.names(1);
    assert.equal(rig.warnings.length, 1);
    // Where the feed moves to another key the rest goes along.
    assert.equal(await rig.journal.move(source, newSource, list), "moved");
    await rig.journal.attach("feed", { source: newSource, list }, 1);
    assert.deepEqual(await rig.names(1, newSource), names);
  });

  test("goes when it is delivered, with the next head, also when the store refuses at first", async () => {
    const rig = await backlog();
    rig.journal.acknowledge("feed", 600);
    rig.store.heads.failure = new Error("locked");
    await assert.rejects(rig.take(joins(1_000, 60)), /locked/);
    const kept = rig.rowNumbers();
    assert.ok((kept[0] ?? 600) < 200);
    rig.store.heads.failure = undefined;
    await rig.take(joins(1_000, 61));
    assert.ok((rig.rowNumbers()[0] ?? 0) >= 600, String(rig.rowNumbers()[0]));
    assert.equal((await rig.names(600)).length, 451);
  });

  test("costs an entry its own size, however long the log is", async () => {
    const rig = await started();
    await rig.take(joins(1, 1_000));
    let [bytes, entries] = [0, 0];
    rig.store.onWrite = (changes) => {
      bytes += JSON.stringify(changes).length;
    };
    for (let at = 1; at <= 400; at++) {
      await rig.take(joins(1 + at, 1_000));
      entries += 1;
      rig.journal.acknowledge("feed", entries);
    }
    assert.ok(bytes / entries < 500, `${Math.round(bytes / entries)} bytes an entry`);
  });
});

describe("a journal of the release before", () => {
  test("gets today's form when it is read first, and keeps all that waits to be posted", async () => {
    const rig = await started();
    await rig.take(joins(1, 5));
    await rig.take(joins(1, 7));
    await rig.take(joins(1, 12));
    const names = await rig.names(1);
    const items = await rig.journal.read({ source, list }, 1, 100);
    // As that release wrote it: the newest in the head, earlier ones in chunks.
    const stored = JSON.parse(JSON.stringify(await rig.stored())) as Record<string, unknown>;
    const { tailFrom: _, ...head } = stored;
    const chunks = [{ id: 3, firstSeq: 1, lastSeq: 4 }];
    rig.texts.rows.clear();
    const before = { ...head, chunks, nextChunk: 4, tail: items.slice(4), marks: { history: 3 } };
    rig.texts.heads.set("aa:joinLogs", JSON.stringify(before));
    rig.texts.chunks.set("aa:joinLogs:3", JSON.stringify({ items: items.slice(0, 4) }));
    rig.restart();
    rig.store.heads.failure = new Error("not now");
    await assert.rejects(rig.journal.attach("feed", { source, list }, 1), /not now/);
    rig.store.heads.failure = undefined;
    await rig.journal.attach("feed", { source, list }, 1);
    assert.deepEqual([...rig.texts.chunks.keys()], []);
    assert.deepEqual(await rig.names(1), names);
    rig.journal.trimFromNow();
    await rig.take(joins(1, 13));
    rig.restart();
    await rig.journal.attach("feed", { source, list }, 1);
    await rig.take(joins(1, 13));
    assert.deepEqual(await rig.names(1), [...names, "p13"]);
  });
});
