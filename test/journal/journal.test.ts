import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type {
  CommandEntry,
  JoinEntry,
  Lists,
  LogEntry,
  ModCallEntry,
  SourceId,
} from "../../src/domain/model.ts";
import { snapshotWith } from "./compare/log-model.ts";
import { join, joins, Rig, source, started, wordOf } from "./rig.ts";

const newSource = "bb" as SourceId;

describe("journal: entries", () => {
  test("posts nothing of the first window, then numbers new entries in order", async () => {
    const rig = await started();
    await rig.take(joins(1, 5));
    assert.deepEqual(await rig.names(1), []);
    await rig.take(joins(1, 8).reverse());
    const items = await rig.journal.read({ source, list: "joinLogs" }, 1, 10);
    assert.deepEqual(
      items.map((item) => [item.seq, wordOf(item)]),
      [
        [1, "p6"],
        [2, "p7"],
        [3, "p8"],
      ],
    );
    assert.equal(rig.journal.head(source, "joinLogs"), 4);
    assert.deepEqual(await rig.names(3), ["p8"]);
  });

  test("is written once for a poll that changed it, and not for one that did not", async () => {
    const rig = await started();
    await rig.take(joins(1, 5));
    const [before, heads] = [rig.store.writes, rig.store.heads.writes];
    await rig.take(joins(1, 9));
    assert.equal(rig.store.writes, before + 1);
    await rig.take(joins(1, 9));
    await rig.take(joins(3, 5));
    assert.equal(rig.store.writes, before + 1);
    assert.equal(rig.store.heads.writes, heads, "its head is not written for a few entries");
  });

  test("ignores lists that no feed reads", async () => {
    const rig = await started();
    await rig.take(joins(1, 5), "killLogs");
    assert.deepEqual(rig.store.heads.keys, ["aa:joinLogs"]);
  });

  test("puts a gap before the entries that follow it", async () => {
    const rig = await started();
    await rig.take(joins(1, 5));
    await rig.take(joins(100, 5));
    assert.deepEqual(await rig.names(1), ["gap 0-160", "p100", "p101", "p102", "p103", "p104"]);
  });

  test("knows by one log that another, which began anew, has not begun twice", async () => {
    for (const [stays, told] of [
      [true, ["command"]],
      [false, ["gap 40-260", "command"]],
    ] as const) {
      const rig = await started();
      await rig.journal.attachAtHead("commands", source, "commandLogs");
      let atMs = 1_000_000;
      const look = async (players: number, logs: Partial<Lists>) => {
        atMs += 60_000;
        await rig.journal.take({ ...snapshotWith("joinLogs", [], { players, atMs }), source, lists: logs });
      };
      const command = (atS: number): CommandEntry => ({
        kind: "command",
        atS,
        player: { name: "ann" },
        text: ":h",
      });
      const old = { joinLogs: joins(1, 5), commandLogs: [1, 2, 3, 4, 5].map(command) };
      for (const players of [5, 0, 0]) await look(players, old);
      await look(1, { joinLogs: joins(100, 1), commandLogs: [] });
      await look(2, { joinLogs: joins(stays ? 100 : 101, 2), commandLogs: [command(200)] });
      const items = await rig.journal.read({ source, list: "commandLogs" }, 1, 10);
      assert.deepEqual(items.map(wordOf), told);
    }
  });

  test("knows after a restart how long such logs get: a first window of that length may have lost its beginning", async () => {
    const rig = await started();
    for (const fromS of [1, 11, 21]) await rig.take(joins(fromS, 30));
    const head = rig.journal.head(source, "joinLogs");
    rig.restart();
    await rig.journal.attach("feed", { source, list: "joinLogs" }, head);
    rig.journal.trimFromNow();
    for (const [feedId, of, count, told] of [
      ["whole", "cc" as SourceId, 29, "p100"],
      ["cut", newSource, 30, "gap undefined-160"],
    ] as const) {
      await rig.journal.attachAtHead(feedId, of, "joinLogs");
      await rig.take([], "joinLogs", of);
      await rig.take(joins(100, count), "joinLogs", of);
      assert.equal((await rig.names(1, of))[0], told, feedId);
    }
  });

  test("does not take a log for full because its calls are answered", async () => {
    const rig = await started();
    const calls = (count: number, answered: number): ModCallEntry[] =>
      Array.from({ length: count }, (_, index) => ({
        kind: "modCall",
        atS: 100 + index,
        caller: { name: `p${index}` },
        ...(index < answered ? { moderator: { name: "mod" } } : {}),
      }));
    await rig.journal.attachAtHead("calls", source, "modCalls");
    for (const answered of [0, 5, 9]) await rig.take(calls(25, answered), "modCalls");
    assert.equal((await rig.stored("modCalls"))?.fullest ?? 0, 0);
  });

  test("says how long somebody stayed whose join was seen, in the first window or later", async () => {
    const rig = await started();
    const there = join(10, "ann");
    await rig.take([there]);
    const left = { ...there, atS: 70, joined: false };
    const stranger = join(75, "bob", false);
    await rig.take([there, left, stranger]);
    const items = await rig.journal.read({ source, list: "joinLogs" }, 1, 10);
    assert.deepEqual(
      items.map((item) => (item.kind === "entry" ? item.stayedS : "?")),
      [60, undefined],
    );
  });

  test("says which kill of a streak one is, over polls and a restart, until a minute passes without one", async () => {
    const rig = new Rig();
    rig.journal.trimFromNow();
    await rig.journal.attachAtHead("feed", source, "killLogs");
    const ann = { name: "ann", id: 1 };
    const kill = (atS: number, killer = ann): LogEntry => {
      return { kind: "kill", atS, killer, killed: { name: `victim${atS}`, id: atS } };
    };
    const rows = [kill(100)];
    await rig.take(rows, "killLogs");
    rows.push(kill(120), kill(121, { name: "bob", id: 2 }));
    await rig.take(rows, "killLogs");
    rig.restart();
    await rig.journal.attach("feed", { source, list: "killLogs" }, 1);
    rows.push(kill(140), kill(200), kill(261));
    await rig.take(rows, "killLogs");
    const items = await rig.journal.read({ source, list: "killLogs" }, 1, 10);
    const streaks = items.map((item) => (item.kind === "entry" ? item.streak : "?"));
    assert.deepEqual(streaks, [
      { nth: 2, withinS: 20 },
      undefined,
      { nth: 3, withinS: 40 },
      { nth: 4, withinS: 100 },
      undefined,
    ]);
  });

  test("gives a mod call and its answer as two items, each once", async () => {
    const rig = new Rig();
    rig.journal.trimFromNow();
    await rig.journal.attachAtHead("feed", source, "modCalls");
    const call: LogEntry = { kind: "modCall", atS: 5, caller: { name: "ann", id: 1 } };
    const moderator = { name: "mod", id: 2 };
    await rig.take([], "modCalls");
    await rig.take([call, call], "modCalls");
    await rig.take([{ ...call, moderator }, call], "modCalls");
    await rig.take([call, call], "modCalls");
    await rig.take(
      [
        { ...call, moderator },
        { ...call, moderator },
      ],
      "modCalls",
    );
    const items = await rig.journal.read({ source, list: "modCalls" }, 1, 10);
    assert.deepEqual(
      items.map((item) => item.kind),
      ["entry", "entry", "answer", "answer"],
    );
    assert.deepEqual(items[0]?.kind === "entry" ? items[0].entry : undefined, call);
    assert.deepEqual(items[2]?.kind === "answer" ? items[2].entry.moderator : undefined, moderator);
  });

  test("takes answers that arrive at once one after the other", async () => {
    const rig = await started();
    await rig.take([]);
    await Promise.all([rig.take(joins(1, 3)), rig.take(joins(1, 5)), rig.take(joins(1, 4))]);
    assert.deepEqual(await rig.names(1), ["p1", "p2", "p3", "p4", "p5"]);
  });

  test("wakes its listeners after the write", async () => {
    const rig = await started();
    const woken: string[] = [];
    const stop = rig.journal.onItems((of, list) => woken.push(`${of} ${list} ${rig.store.writes}`));
    await rig.take(joins(1, 5));
    await rig.take(joins(1, 6));
    stop();
    await rig.take(joins(1, 7));
    assert.deepEqual(woken, ["aa joinLogs 3"]);
  });
});

describe("journal: crashes and a failing store", () => {
  test("goes on where it was after a restart", async () => {
    const rig = await started();
    await rig.take(joins(1, 5));
    await rig.take(joins(1, 7));
    rig.restart();
    await rig.journal.attach("feed", { source, list: "joinLogs" }, 2);
    await rig.take(joins(3, 7));
    assert.deepEqual(await rig.names(2), ["p7", "p8", "p9"]);
  });

  test("finds again what could not be written, under the same numbers", async () => {
    const rig = await started();
    await rig.take(joins(1, 5));
    rig.store.heads.failure = new Error("disk full");
    await assert.rejects(rig.take(joins(1, 7)), /disk full/);
    assert.deepEqual(await rig.names(1), []);
    rig.store.heads.failure = undefined;
    await rig.take(joins(1, 8));
    assert.deepEqual(await rig.names(1), ["p6", "p7", "p8"]);
    assert.equal(rig.journal.head(source, "joinLogs"), 4);
  });

  test("has nothing twice where a write was refused and done all the same", async () => {
    const rig = await started();
    await rig.take([]);
    await rig.take(joins(1, 3));
    for (const [refused, taken] of [
      [4, 5],
      [40, 41],
    ] as const) {
      rig.store.lostAnswer = new Error("the answer is lost");
      await assert.rejects(rig.take(joins(1, refused)), /the answer is lost/);
      rig.store.lostAnswer = undefined;
      await rig.take(joins(1, taken));
      const before = rig.journal;
      rig.restart();
      await rig.journal.attach("feed", { source, list: "joinLogs" }, 1);
      await rig.take(joins(1, taken));
      const names = joins(1, taken).map(({ player }) => player.name);
      assert.deepEqual(await rig.names(1), names);
      assert.equal(rig.journal.head(source, "joinLogs"), before.head(source, "joinLogs"));
    }
  });

  test("goes on with the feed's number when a power cut set the journal back behind it", async () => {
    const rig = await started();
    await rig.take(joins(1, 5));
    rig.restart();
    await rig.journal.attach("feed", { source, list: "joinLogs" }, 9);
    await rig.take(joins(1, 6));
    assert.deepEqual(
      (await rig.journal.read({ source, list: "joinLogs" }, 9, 5)).map((item) => item.seq),
      [9],
    );
  });

  test("keeps a baseline a baseline when the process dies before the first poll", async () => {
    const rig = await started();
    await rig.take(joins(1, 5));
    await rig.journal.detach("feed");
    const fromSeq = await rig.journal.attachAtHead("feed", source, "joinLogs");
    rig.restart();
    await rig.journal.attach("feed", { source, list: "joinLogs" }, fromSeq);
    rig.journal.trimFromNow();
    await rig.take(joins(1, 9));
    assert.deepEqual(await rig.names(fromSeq), []);
    await rig.take(joins(1, 10));
    assert.deepEqual(await rig.names(fromSeq), ["p10"]);
  });
});

describe("journal: rows with absurd times", () => {
  const absurdS = 4_000_000_000;

  /** What a version before the filter stored: it took a row of the year 2096 for the newest of its log. */
  async function poisoned(): Promise<Rig> {
    const rig = await started();
    await rig.take(joins(1_000, 60));
    await rig.take([...joins(1_001, 59), join(absurdS, "p1070")]);
    rig.journal.acknowledge("feed", 2);
    rig.restart();
    await rig.journal.attach("feed", { source, list: "joinLogs" }, 2);
    rig.journal.trimFromNow();
    assert.equal((await rig.stored())?.retained?.seconds.at(-1), absurdS);
    return rig;
  }

  test("that an earlier version stored hide no gap", async () => {
    const rig = await poisoned();
    await rig.take(joins(2_000, 60));
    const [first, ...others] = await rig.names(2);
    assert.equal(first, "gap 940-2060");
    assert.equal(others.length, 60);
    assert.equal((await rig.stored())?.retained?.seconds.at(-1), 2_059);
  });

  test("that an earlier version stored repeat nothing, and later joins count again", async () => {
    const rig = await poisoned();
    const again = { ...join(1_070, "p1070"), player: { name: "p1070", id: absurdS } };
    await rig.take([...joins(1_001, 59), again]);
    await rig.take([...joins(1_002, 58), again, { ...again, atS: 1_090, joined: false }]);
    const items = await rig.journal.read({ source, list: "joinLogs" }, 2, 10);
    assert.deepEqual(
      items.map((item) => [wordOf(item), item.kind === "entry" ? item.stayedS : undefined]),
      [
        ["p1070", undefined],
        ["p1070", 20],
      ],
    );
  });

  test("of a few minutes, which stand, neither hide a gap nor delay its beginning, in the next process either", async () => {
    for (const [fromS, gap] of [
      [1_200, "gap 998-1260"],
      [1_600, "gap 999-1660"],
    ] as const) {
      const rig = await started();
      const look = (rows: readonly JoinEntry[], atMs: number) =>
        rig.journal.take({ ...snapshotWith("joinLogs", rows, { atMs }), source });
      await look([...joins(1_000, 59), join(1_500, "ahead")], 1_059_000);
      rig.restart();
      await rig.journal.attach("feed", { source, list: "joinLogs" }, 1);
      await look(joins(fromS, 60), (fromS + 60) * 1_000);
      assert.equal((await rig.names(1))[0], gap);
    }
  });
});

describe("journal: looks at several logs", () => {
  const killer = { name: "k", id: 1 };
  const kill = (atS: number): LogEntry => ({ kind: "kill", atS, killer, killed: { name: "v", id: 2 } });

  /** A server whose kills were seen, which then restarts under its players; joins go on at 2,000. */
  async function restarted(): Promise<{
    rig: Rig;
    look: (fromS: number, kills: readonly LogEntry[]) => Promise<void>;
  }> {
    const rig = await started();
    await rig.journal.attachAtHead("kills", source, "killLogs");
    const look = async (fromS: number, kills: readonly LogEntry[]) => {
      await rig.clock.advance(5_000);
      const lists = { joinLogs: joins(fromS, 10), killLogs: kills } as Partial<Lists>;
      await rig.journal.take({ ...snapshotWith("joinLogs", [], { atMs: 9_000_000 }), source, lists });
    };
    await look(1_000, [kill(1_003)]);
    await look(1_005, [kill(1_003)]);
    await look(2_000, []);
    return { rig, look };
  }

  async function kills(rig: Rig): Promise<readonly string[]> {
    return (await rig.journal.read({ source, list: "killLogs" }, 1, 100)).map(wordOf);
  }

  test("a restart is announced when other logs prove it, not with the next row hours later", async () => {
    const { rig, look } = await restarted();
    assert.deepEqual(await kills(rig), []);
    await look(2_005, []);
    assert.deepEqual(await kills(rig), ["gap 954-2065"]);
    await look(2_010, []);
    await look(2_015, [kill(2_020)]);
    assert.deepEqual(await kills(rig), ["gap 954-2065", "kill"]);
  });

  test("a restart that was announced before the process ended is not announced again after it", async () => {
    const { rig, look } = await restarted();
    await look(2_005, []);
    rig.restart();
    await rig.journal.attach("feed", { source, list: "joinLogs" }, 1);
    await rig.journal.attach("kills", { source, list: "killLogs" }, 1);
    rig.journal.trimFromNow();
    await look(2_010, [kill(2_015)]);
    assert.deepEqual(await kills(rig), ["gap 954-2065", "kill"]);
  });

  test("looks that could not be kept in between change nothing: their rows show that it was one start", async () => {
    const { rig, look } = await restarted();
    await look(2_005, []);
    rig.store.heads.failure = new Error("disk full");
    await assert.rejects(look(2_010, []), /disk full/);
    await assert.rejects(look(2_015, [kill(2_013)]), /disk full/);
    rig.store.heads.failure = undefined;
    await look(2_020, [kill(2_013)]);
    assert.deepEqual(await kills(rig), ["gap 954-2065", "kill"]);
  });

  test("an old answer in between changes nothing", async () => {
    const { rig, look } = await restarted();
    await look(2_005, []);
    await look(1_005, [kill(1_003)]);
    await look(2_010, [kill(2_015)]);
    assert.deepEqual(await kills(rig), ["gap 954-2065", "kill"]);
  });

  test("an old answer from after the restart, in which the log is empty as well, does not make for a second notice", async () => {
    const { rig, look } = await restarted();
    await look(2_005, []);
    await look(2_000, []);
    await look(2_010, [kill(2_015)]);
    assert.deepEqual(await kills(rig), ["gap 954-2065", "kill"]);
  });
});

describe("journal: several feeds", () => {
  test("lets a second feed start at the head of what the first reads", async () => {
    const rig = await started();
    await rig.take(joins(1, 5));
    await rig.take(joins(1, 8));
    assert.equal(await rig.journal.attachAtHead("other", source, "joinLogs"), 4);
    assert.deepEqual(await rig.names(1), ["p6", "p7", "p8"]);
  });

  test("keeps what the slowest feed still needs, and lets it go with the next change", async () => {
    const rig = await started("slow");
    await rig.journal.attachAtHead("quick", source, "joinLogs");
    await rig.take([]);
    await rig.take(joins(1, 4));
    rig.journal.acknowledge("quick", 5);
    assert.deepEqual(await rig.names(1), ["p1", "p2", "p3", "p4"]);
    rig.journal.acknowledge("slow", 4);
    assert.deepEqual(await rig.names(4), ["p4"]);
    await rig.take(joins(1, 5));
    assert.deepEqual(rig.rowNumbers(), [4, 5]);
    await rig.take(joins(1, 40));
    assert.deepEqual(rig.rowNumbers(), [4, 5, 40]);
    rig.journal.acknowledge("quick", 41);
    rig.journal.acknowledge("slow", 41);
    await rig.take(joins(1, 80));
    assert.deepEqual(rig.rowNumbers(), [80], "with the next head");
  });

  test("drops nothing before every feed has had the time to attach", async () => {
    const rig = await started("one");
    await rig.journal.attachAtHead("two", source, "joinLogs");
    await rig.take([]);
    await rig.take(joins(1, 4));
    rig.restart();
    await rig.journal.attach("one", { source, list: "joinLogs" }, 5);
    await rig.take(joins(1, 5));
    await rig.journal.attach("two", { source, list: "joinLogs" }, 1);
    rig.journal.trimFromNow();
    assert.deepEqual(await rig.names(1), ["p1", "p2", "p3", "p4", "p5"]);
  });

  test("goes away with its last feed", async () => {
    const rig = await started("one");
    await rig.journal.attachAtHead("two", source, "joinLogs");
    await rig.take([]);
    await rig.take(joins(1, 300));
    await rig.journal.detach("one");
    assert.equal(await rig.journal.journals(), 1);
    await rig.journal.detach("two");
    assert.deepEqual([rig.store.heads.keys, rig.rowNumbers(), await rig.journal.journals()], [[], [], 0]);
  });
});

describe("journal: a replaced key", () => {
  test("takes entries, numbers and counts along, and keeps the old journal for feeds that stay", async () => {
    const rig = await started();
    await rig.take(joins(1, 5));
    await rig.take(joins(1, 305));
    assert.equal(await rig.journal.move(source, newSource, "joinLogs"), "moved");
    await rig.journal.attach("feed", { source: newSource, list: "joinLogs" }, 1);
    await rig.take(joins(2, 305), "joinLogs", newSource);
    assert.deepEqual(await rig.names(299, newSource), ["p304", "p305", "p306"]);
    assert.equal((await rig.names(1, newSource)).length, 301);
    assert.ok(rig.texts.heads.has("aa:joinLogs"));
  });

  test("says so when another guild brought the journal already, when there is another one, and when there is none", async () => {
    const rig = await started();
    await rig.take(joins(1, 5));
    assert.equal(await rig.journal.move(source, newSource, "joinLogs"), "moved");
    await rig.take(joins(1, 6), "joinLogs", newSource);
    assert.equal(await rig.journal.move(source, newSource, "joinLogs"), "same");
    const third = "cc" as SourceId;
    await rig.journal.attachAtHead("third", third, "joinLogs");
    assert.equal(await rig.journal.move(source, third, "joinLogs"), "other");
    assert.equal(await rig.journal.move(source, third, "killLogs"), "none");
  });

  test("tells a guild that links the new key later, as a gap, what is no longer kept for it", async () => {
    const rig = await started("first");
    await rig.journal.attachAtHead("second", source, "joinLogs");
    await rig.take([]);
    await rig.take(joins(1, 3));
    await rig.journal.move(source, newSource, "joinLogs");
    await rig.journal.attach("first", { source: newSource, list: "joinLogs" }, 4);
    await rig.take(joins(1, 6), "joinLogs", newSource);
    rig.journal.acknowledge("first", 6);
    await rig.take(joins(1, 60), "joinLogs", newSource);
    assert.equal(await rig.journal.move(source, newSource, "joinLogs"), "same");
    await rig.journal.attach("second", { source: newSource, list: "joinLogs" }, 2);
    const items = await rig.journal.read({ source: newSource, list: "joinLogs" }, 2, 3);
    assert.deepEqual(
      items.map((item) => [item.seq, wordOf(item)]),
      [
        [3, "gap undefined-60"],
        [4, "p4"],
        [5, "p5"],
      ],
    );
    assert.deepEqual(await rig.names(60, newSource), ["p60"]);
    assert.deepEqual(rig.warnings, [], "nothing that was to be kept is missing");
  });

  test("survives two moves against each other", async () => {
    const rig = await started();
    await rig.take(joins(1, 5));
    const moves = [
      rig.journal.move(source, newSource, "joinLogs"),
      rig.journal.move(newSource, source, "joinLogs"),
    ];
    assert.deepEqual(await Promise.all(moves), ["moved", "same"]);
  });
});
