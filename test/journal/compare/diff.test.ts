import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { JoinEntry, LogEntry, LogList } from "../../../src/domain/model.ts";
import { type Diff, diff } from "../../../src/journal/compare/diff.ts";
import type { Look as Answered } from "../../../src/journal/compare/gap.ts";
import type { Retained } from "../../../src/journal/compare/retained.ts";
import { factsOf, type Said } from "../../../src/journal/compare/window-facts.ts";
import { type Look, shown, snapshotWith, type TrueRow, visible } from "./log-model.ts";

const START_S = 1_000;

function step(
  state: Retained | undefined,
  list: LogList,
  rows: readonly LogEntry[],
  over: Partial<Answered> = {},
): Diff<Said> {
  const facts = factsOf(snapshotWith(list, rows), list, "salt");
  assert.ok(facts);
  const seconds = rows.map(({ atS }) => atS);
  return diff(state, facts, {
    hasPlayers: true,
    recent: true,
    continuous: false,
    isNew: false,
    isOld: false,
    wasEmpty: false,
    fullest: 0,
    rows: rows.length,
    reachedS: undefined,
    oldestS: rows.length === 0 ? undefined : Math.min(...seconds),
    newestS: rows.length === 0 ? undefined : Math.max(...seconds),
    wholeS: undefined,
    takenAtS: Math.max(0, ...seconds),
    presentS: undefined,
    ...over,
  });
}

/** Words for an item, by which the model and the diff are compared: not the identity of src. */
function words({ kind, entry }: Said): string {
  const who = entry.kind === "modCall" ? entry.caller.name : entry.kind === "join" ? entry.player.name : "?";
  const by = kind === "answer" ? ` answered by ${entry.moderator.name}` : "";
  return `${entry.kind} ${entry.atS} ${who}${by}`;
}

function counted(all: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of all) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}

/** Rows arrive in time; names are few, so that equal rows in one second are common. */
function streamOf(length: { minLength: number; maxLength: number }): fc.Arbitrary<readonly TrueRow[]> {
  const row = fc.record({
    afterS: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 9 }) },
    ),
    lateS: fc.oneof(
      { weight: 9, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 }) },
    ),
    name: fc.constantFrom("ann", "bob"),
    answerAfterS: fc.option(fc.integer({ min: 0, max: 60 })),
  });
  return fc.array(row, { ...length, size: "max" }).map((rows) => {
    let nowS = START_S;
    return rows.map(({ afterS, lateS, name, answerAfterS }) => {
      nowS += afterS;
      const entry: LogEntry = { kind: "modCall", atS: nowS - lateS, caller: { name } };
      const answered = answerAfterS === null ? {} : { answered: { atS: nowS + answerAfterS, name: "mod" } };
      return { entry, arrivedAtS: nowS, ...answered };
    });
  });
}

const order = fc.constantFrom("oldest first", "newest first", "any");

/** Polls of the stream in time, and old answers served again in between. */
function looksAt(rows: readonly TrueRow[], capacities: fc.Arbitrary<number>): fc.Arbitrary<readonly Look[]> {
  const endS = (rows.at(-1)?.arrivedAtS ?? START_S) + 70;
  const look = fc.record({
    afterS: fc.integer({ min: 0, max: 30 }),
    capacity: capacities,
    order,
    again: fc.nat(),
  });
  return fc.array(look, { minLength: 2, maxLength: 40, size: "max" }).map((drawn) => {
    const looks: Look[] = [];
    let atS = START_S - 1;
    for (const { afterS, again, ...rest } of drawn) {
      atS = Math.min(endS, atS + afterS);
      looks.push({ atS, ...rest });
      const old = looks[again % (looks.length * 3)];
      if (old !== undefined) looks.push(old);
    }
    looks.push({ atS: endS, capacity: rows.length, order: "newest first" });
    return looks;
  });
}

/** Everything that a run of the diff over these looks puts out, after the baseline. */
function runOver(rows: readonly TrueRow[], looks: readonly Look[], list: LogList = "modCalls") {
  let state: Retained | undefined;
  const out: string[] = [];
  let gaps = 0;
  for (const look of looks) {
    const result = step(state, list, shown(rows, look));
    state = result.next;
    out.push(...result.fresh.map(words));
    if (result.gap !== undefined) gaps += 1;
  }
  return { out: counted(out), gaps };
}

/**
 * What should come out, by true index: rows and answers that some look after the first showed, and the first did
 * not. `older`: rows that were in the log before the first look, whether it showed them or not.
 * Equal rows of one second of which no look showed both cannot be told apart by anybody: `vague` names them.
 */
function expected(rows: readonly TrueRow[], looks: readonly Look[]) {
  const first = looks[0];
  assert.ok(first);
  const name = (index: number) => `modCall ${rows[index]?.entry.atS} ${nameOf(rows[index])}`;
  const seen = new Map<string, Set<number>>();
  const vague = new Set<string>();
  const out: string[] = [];
  const older = new Set<string>();
  for (const [index, row] of rows.entries()) if (row.arrivedAtS <= first.atS) older.add(name(index));
  for (const look of looks) {
    const here = new Set(visible(rows, look));
    const note = (index: number, what: string) => {
      const before = seen.get(what) ?? new Set();
      seen.set(what, before);
      if (before.has(index)) return;
      if ([...before].some((other) => !here.has(other))) vague.add(name(index));
      before.add(index);
      if (look !== first) out.push(what);
    };
    for (const index of here) {
      note(index, name(index));
      const answeredAtS = rows[index]?.answered?.atS;
      if (answeredAtS !== undefined && answeredAtS <= look.atS) note(index, `${name(index)} answered by mod`);
    }
  }
  return { out: counted(out), vague, older };
}

function nameOf(row: TrueRow | undefined): string {
  return row?.entry.kind === "modCall" ? row.entry.caller.name : "?";
}

function assertEachOnce(
  rows: readonly TrueRow[],
  looks: readonly Look[],
  options: { past: boolean },
): number {
  const { out } = runOver(rows, looks);
  const should = expected(rows, looks);
  let compared = 0;
  for (const key of new Set([...Object.keys(out), ...Object.keys(should.out)])) {
    const row = key.replace(" answered by mod", "");
    if (should.vague.has(row)) continue;
    const wanted = should.out[key] ?? 0;
    const got = out[key] ?? 0;
    compared += wanted;
    if (options.past && should.older.has(row))
      assert.ok(got <= wanted, `${key} came out ${got} times, not ${wanted}`);
    else assert.equal(got, wanted, key);
  }
  return compared;
}

describe("diff: each entry exactly once", () => {
  test("over any split into overlapping windows, in any order, with equal rows, late rows, changing mod calls and old answers served again", () => {
    const world = streamOf({ minLength: 1, maxLength: 60 }).chain((rows) =>
      fc.tuple(fc.constant(rows), looksAt(rows, fc.constant(rows.length))),
    );
    let compared = 0;
    fc.assert(
      fc.property(world, ([rows, looks]) => {
        compared += assertEachOnce(rows, looks, { past: false });
      }),
      { numRuns: 400 },
    );
    assert.ok(compared > 4_000, `only ${compared} entries were compared`);
  });

  test("when windows grow and shrink: whatever was shown once came out once", () => {
    const world = streamOf({ minLength: 1, maxLength: 80 }).chain((rows) =>
      fc.tuple(fc.constant(rows), looksAt(rows, fc.integer({ min: 0, max: 40 }))),
    );
    let compared = 0;
    fc.assert(
      fc.property(world, ([rows, looks]) => {
        // A window that grows shows rows from before the first look: they are past, and may stay unposted.
        compared += assertEachOnce(rows, looks, { past: true });
      }),
      { numRuns: 400 },
    );
    assert.ok(compared > 3_000, `only ${compared} entries were compared`);
  });

  test("when the log is cleared because the server restarts", () => {
    const world = streamOf({ minLength: 5, maxLength: 60 }).chain((rows) =>
      fc.tuple(
        fc.constant(rows),
        looksAt(rows, fc.constant(rows.length)),
        fc.integer({ min: START_S, max: (rows.at(-1)?.arrivedAtS ?? START_S) + 1 }),
      ),
    );
    fc.assert(
      fc.property(world, ([rows, looks, clearedAtS]) => {
        const cleared = looks.map((look) => (look.atS > clearedAtS ? { ...look, clearedAtS } : look));
        assertEachOnce(rows, cleared, { past: true });
      }),
      { numRuns: 300 },
    );
  });

  test("over thousands of rows, far more than are retained, with windows served again from long ago", () => {
    const world = fc.tuple(
      streamOf({ minLength: 900, maxLength: 1_500 }),
      fc.integer({ min: 30, max: 120 }),
      fc.array(fc.nat(), { minLength: 10, maxLength: 30 }),
    );
    fc.assert(
      fc.property(world, ([rows, capacity, again]) => {
        const looks: Look[] = [];
        let index = 0;
        for (const draw of again) {
          // Each window still shows the whole newest second of the one before: a third of it is new at most.
          for (let polls = 0; polls < 10; polls++) {
            const row = rows[index];
            if (row !== undefined) looks.push({ atS: row.arrivedAtS, capacity, order: "any" });
            index += Math.ceil(capacity / 3);
          }
          const old = looks[draw % looks.length];
          if (old !== undefined && looks.length > 1) looks.push(old);
        }
        assert.ok(assertEachOnce(rows, looks, { past: false }) > 200);
        assert.equal(runOver(rows, looks).gaps, 0);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});

function joins(...rows: readonly (readonly [atS: number, name: string])[]): JoinEntry[] {
  return rows.map(([atS, name]) => ({ kind: "join", atS, player: { name, id: name.length }, joined: true }));
}

function many(fromS: number, count: number): JoinEntry[] {
  return joins(...Array.from({ length: count }, (_, index) => [fromS + index, `p${fromS + index}`] as const));
}

function after(...windows: readonly (readonly LogEntry[])[]): Retained {
  let state: Retained | undefined;
  for (const window of windows) state = step(state, "joinLogs", window).next;
  assert.ok(state);
  return state;
}

function names(result: Diff<Said>): readonly string[] {
  return result.fresh.map(({ entry }) => (entry.kind === "join" ? entry.player.name : "?"));
}

describe("diff: rules", () => {
  test("posts nothing of the first window, and all of what follows an empty first one", () => {
    assert.deepEqual(step(undefined, "joinLogs", many(1, 5)).fresh, []);
    assert.deepEqual(names(step(after([]), "joinLogs", joins([7, "a"], [8, "b"]))), ["a", "b"]);
  });

  test("never posts rows much older than the first window, which show when the window grows, but late ones", () => {
    const state = after(many(500, 10));
    assert.deepEqual(names(step(state, "joinLogs", many(400, 41))), []);
    assert.deepEqual(names(step(state, "joinLogs", [...joins([495, "late"]), ...many(500, 11)])), [
      "late",
      "p510",
    ]);
  });

  test("never posts what an old answer shows that was served before the first window", () => {
    const old = many(440, 60);
    assert.deepEqual(names(step(after(many(460, 60)), "joinLogs", old)), []);
    const anew = step(undefined, "joinLogs", [], { reachedS: 520 }).next;
    assert.deepEqual(
      names(step(anew, "joinLogs", many(401, 60))),
      [],
      "the log was empty, and old entries are old",
    );
    assert.deepEqual(names(step(anew, "joinLogs", joins([461, "late"], [521, "new"]))), ["late", "new"]);
  });

  test("puts out the oldest first whichever end of the log is new", () => {
    const state = after(joins([1, "x"]));
    const window = joins([1, "x"], [5, "a"], [5, "b"], [6, "c"]);
    assert.deepEqual(names(step(state, "joinLogs", window)), ["a", "b", "c"]);
    assert.deepEqual(names(step(state, "joinLogs", window.toReversed())), ["a", "b", "c"]);
  });

  test("says that nothing has changed when an old answer is served again", () => {
    const windows = [many(1, 50), many(20, 50), many(40, 50)];
    const state = after(...windows);
    for (const window of windows) assert.equal(step(state, "joinLogs", window).changed, false);
  });

  test("retains 300 identities at least, three windows at most, and posts nothing at or below the floor", () => {
    let state = after(many(0, 50));
    for (let fromS = 25; fromS <= 1_000; fromS += 25) state = step(state, "joinLogs", many(fromS, 50)).next;
    assert.equal(state.seconds.length, 300);
    assert.equal(state.floorS, 749);
    assert.deepEqual(names(step(state, "joinLogs", joins([749, "late"]))), []);
    assert.deepEqual(names(step(state, "joinLogs", joins([750, "late"]))), ["late"]);
    const long = step(state, "joinLogs", many(900, 400)).next;
    assert.ok(long.seconds.length > 500 && long.longest === 400);
  });

  test("evicts whole seconds only", () => {
    const crowd = joins(...Array.from({ length: 40 }, (_, index) => [10, `n${index}`] as const));
    let state = step(after([]), "joinLogs", crowd).next;
    for (let fromS = 100; fromS < 380; fromS += 40) state = step(state, "joinLogs", many(fromS, 40)).next;
    assert.equal(state.seconds.length, 320);
    state = step(state, "joinLogs", many(370, 30)).next;
    assert.equal(state.seconds.length, 300);
    assert.equal(state.floorS, 10);
  });

  test("gets over one stray row from long ago without keeping everything since", () => {
    let state = after(joins([3, "stray"], [1_000, "p1000"]));
    for (let fromS = 1_000; fromS < 5_000; fromS += 40) {
      state = step(state, "joinLogs", [...joins([3, "stray"]), ...many(fromS, 50)]).next;
    }
    assert.ok(state.seconds.length <= 310, `${state.seconds.length} identities are retained`);
  });
});

describe("diff: rows from the far future that an earlier version kept", () => {
  const absurdS = 4_000_000_000;
  const poisoned: Retained = {
    floorS: 999,
    longest: 50,
    calm: 0,
    seconds: [1_000, 1_001, absurdS],
    hashes: [1, 2, 3],
    counts: [1, 1, 1],
  };

  test("are forgotten with the next answer, and gaps are noticed again", () => {
    const jump = step(poisoned, "joinLogs", many(2_000, 5));
    assert.deepEqual(jump.gap, { fromS: 941, toS: 2_060, isRestart: true });
    assert.equal(jump.next.seconds.at(-1), 2_004);
    assert.equal(jump.next.floorS, 999);
  });

  test("leave no floor under which everything would stay unposted", () => {
    const seconds = [absurdS, absurdS + 1, absurdS + 2];
    const mended = step({ ...poisoned, floorS: absurdS - 1, seconds }, "joinLogs", many(2_000, 100));
    assert.deepEqual(
      mended.next.seconds.filter((atS) => atS > 10_000),
      [],
    );
    assert.equal(
      mended.fresh.length,
      60,
      "what came in the last minute is new, the rest may have been posted",
    );
  });

  test("differ from times that only our own clock finds late: nothing is forgotten without a row that shows it", () => {
    const state = after(many(absurdS, 5));
    const none = step(state, "joinLogs", [], { takenAtS: 5 });
    assert.deepEqual([none.next, none.changed], [state, false]);
    assert.deepEqual(step(state, "joinLogs", many(absurdS, 5), { takenAtS: 5 }).fresh, []);
  });
});

describe("diff: gaps", () => {
  test("is announced once when nothing is shared and newer rows are there", () => {
    const state = after(many(1, 50));
    const jump = step(state, "joinLogs", many(100, 50));
    assert.deepEqual(jump.gap, { fromS: 0, toS: 160 });
    assert.equal(step(jump.next, "joinLogs", many(110, 50)).gap, undefined);
    assert.equal(step(jump.next, "joinLogs", many(1, 50)).gap, undefined);
  });

  test("begins and ends where a row that comes a minute late could lie", () => {
    const state = after(many(1_000, 50));
    assert.deepEqual(step(state, "joinLogs", many(2_000, 200)).gap, { fromS: 989, toS: 2_060 });
    const isRestart = true;
    const anew = step(state, "joinLogs", many(2_000, 10));
    assert.deepEqual(
      anew.gap,
      { fromS: 989, toS: 2_060, isRestart },
      "a log without known rows dropped none",
    );
  });

  test("begins a minute before the last look at the log, and ends with the look that shows it", () => {
    const state = after(many(1_000, 50));
    const found = (over: Partial<Answered>) => step(state, "joinLogs", many(2_000, 10), over).gap;
    const isRestart = true;
    const looked = { wholeS: 1_900, takenAtS: 2_500 };
    assert.deepEqual(found(looked), { fromS: 1_840, toS: 2_060, isRestart });
    assert.deepEqual(found({ ...looked, presentS: 2_500 }), { fromS: 1_840, toS: 2_060, isRestart });
    assert.deepEqual(found({ ...looked, presentS: 2_012 }), { fromS: 1_840, toS: 2_012, isRestart });
    assert.deepEqual(found({ ...looked, presentS: 1_990 }), { fromS: 1_840, toS: 2_000, isRestart });
    assert.deepEqual(found({ wholeS: 1_000 }), { fromS: 989, toS: 2_060, isRestart });
  });

  test("is announced for the first rows of an empty log from the last look at it on, where that is known", () => {
    const first = (state: Retained, wholeS?: number) =>
      step(state, "joinLogs", many(2_000, 50), { fullest: 50, wholeS }).gap;
    const anew = step(undefined, "joinLogs", [], { reachedS: 1_500 }).next;
    assert.deepEqual(first(anew, 1_900), { fromS: 1_840, toS: 2_060 });
    assert.deepEqual(first(anew), { fromS: 1_440, toS: 2_060 });
  });

  test("is not hidden by a row that is minutes ahead of its time", () => {
    const state = after([...many(1_000, 50), ...joins([1_640, "ahead"])]);
    const gap = step(state, "joinLogs", many(1_200, 50), { wholeS: 1_049 }).gap;
    assert.deepEqual(gap, { fromS: 989, toS: 1_260, isRestart: true });
  });

  test("is not announced while windows overlap, nor for the first rows of an empty log", () => {
    assert.equal(step(after(many(1, 50)), "joinLogs", many(50, 50)).gap, undefined);
    assert.equal(step(after([]), "joinLogs", many(50, 19)).gap, undefined);
  });

  test("is announced where all that a full window shares are rows of a second of which others are gone: equal rows that came later may hide the gap", () => {
    const known = after([...many(51, 48), ...joins([100, "bob"], [100, "cy"])]);
    const next = (...rows: JoinEntry[]) =>
      step(known, "joinLogs", [...rows, ...many(101, 50 - rows.length)]).gap;
    assert.deepEqual(next(...joins([100, "bob"])), { fromS: 40, toS: 161 });
    assert.equal(next(...joins([100, "bob"], [100, "cy"])), undefined, "the second is whole");
    assert.equal(next(...many(98, 1), ...joins([100, "bob"])), undefined, "another second is whole");
    const short = step(known, "joinLogs", [...joins([100, "bob"]), ...many(101, 30)]).gap;
    assert.equal(short, undefined, "nothing falls out of a log that is not full");
  });

  test("is announced for the first rows of an empty log only when it is as long as logs of its kind get elsewhere", () => {
    const first = (length: number, fullest: number) =>
      step(after([]), "joinLogs", many(100, length), { fullest }).gap;
    assert.deepEqual(first(50, 50), { toS: 160 });
    assert.equal(first(49, 50), undefined);
    assert.equal(first(5, 5), undefined);
  });

  test("is announced for them too when that length is not known yet and the log is long, however short the absence", () => {
    const first = (length: number, recent: boolean) =>
      step(after([]), "joinLogs", many(100, length), { recent }).gap;
    for (const recent of [true, false]) {
      assert.deepEqual(first(20, recent), { toS: 160 });
      assert.equal(first(19, recent), undefined);
    }
  });

  test("is not announced for a window of old rows only", () => {
    const state = after(many(100, 50));
    assert.equal(step(state, "joinLogs", many(1, 20)).gap, undefined);
  });

  /** What the polls of a server say, one after the other: `quiet` saw no players, `late` comes after a long time. */
  type Poll = readonly [
    what: "quiet" | "quiet again" | "busy" | "busy again" | "late quiet",
    rows: readonly LogEntry[],
  ];

  /** The gap that is told when a few new rows follow these polls; `again`: the server surely went on since the last. */
  function gapAfter(polls: readonly Poll[], again = false, recent = true): Diff<Said>["gap"] {
    let state = after(known);
    for (const [what, rows] of polls) {
      const continuous = what.endsWith(" again");
      const recent = what !== "late quiet";
      state = step(state, "joinLogs", rows, { hasPlayers: what.startsWith("busy"), recent, continuous }).next;
    }
    return step(state, "joinLogs", many(100, 3), { recent, continuous: again }).gap;
  }
  const known = many(1, 50);
  const gap = { fromS: 0, toS: 160, isRestart: true };

  test("is silent when the server was seen empty twice and its log is a new, shorter one", () => {
    for (const last of [known, []])
      assert.equal(
        gapAfter([
          ["quiet", known],
          ["quiet", last],
        ]),
        undefined,
      );
  });

  test("is announced when an old answer, players or a log cleared too early leave room for a loss", () => {
    const doubtful: readonly (readonly Poll[])[] = [
      [["quiet", known]],
      [
        ["quiet", known],
        ["quiet", known],
        ["busy", known],
      ],
      [
        ["busy", []],
        ["quiet", []],
        ["quiet", []],
      ],
      [
        ["quiet", []],
        ["quiet", []],
      ],
      [
        ["quiet", known],
        ["late quiet", []],
      ],
    ];
    for (const polls of doubtful) assert.deepEqual(gapAfter(polls, true), gap, JSON.stringify(polls));
  });

  test("is silent when the new log was seen empty and the server has surely not started anew since", () => {
    const anew: readonly Poll[] = [
      ["quiet", known],
      ["quiet", []],
      ["busy", []],
    ];
    assert.equal(gapAfter(anew, true), undefined);
    assert.deepEqual(gapAfter(anew, false), gap, "it may have started twice");
    assert.equal(gapAfter([...anew, ["busy again", []], ["busy again", []]], true), undefined);
    assert.deepEqual(gapAfter([...anew, ["busy", []]], true), gap, "it may have started twice before that");
    assert.equal(gapAfter(anew, true, false), undefined, "however long that took");
  });

  test("is silent when everybody had left a log that was seen empty before the server started once more", () => {
    const left: readonly Poll[] = [
      ["quiet", known],
      ["quiet", []],
      ["busy", []],
      ["quiet again", []],
    ];
    const idle: readonly Poll[] = [...left, ["quiet again", []]];
    assert.equal(gapAfter(idle, false), undefined);
    assert.equal(gapAfter([...idle, ["quiet", []]], false), undefined, "also after the start");
    assert.equal(gapAfter([...idle, ["busy", []]], true), undefined);
    assert.deepEqual(gapAfter([...idle, ["busy", []]], false), gap, "it may have started under players");
    assert.deepEqual(gapAfter(left, false), gap, "one answer may be an old one");
    assert.deepEqual(
      gapAfter([...idle, ["late quiet", []]], false),
      gap,
      "an evening may have come and gone",
    );
  });

  test("is silent when one answer that is surely new showed the server empty", () => {
    for (const isNew of [true, false]) {
      const left = joins([60, "last leaves"]);
      const empty = step(after(known), "joinLogs", [...known, ...left], { hasPlayers: false, isNew }).next;
      const told = step(empty, "joinLogs", many(100, 3)).gap;
      assert.deepEqual(told, isNew ? undefined : gap);
    }
  });

  /** A log that stood full and is empty now, while other logs bring new rows. */
  const cleared = { isNew: true, oldestS: 1_100, newestS: 1_130, takenAtS: 1_130, wholeS: 1_080 };

  test("is announced at once when a log was cleared under players, and not again by its first rows", () => {
    const state = after(many(1_000, 50));
    const once = step(state, "joinLogs", [], cleared);
    assert.equal(once.gap, undefined, "the service may have left the list out for once");
    const twice = step(once.next, "joinLogs", [], { ...cleared, wasEmpty: true });
    assert.deepEqual(twice.gap, { fromS: 1_020, toS: 1_160, isRestart: true });
    const soon = step(once.next, "joinLogs", [], { ...cleared, wasEmpty: true, presentS: 1_131 });
    assert.deepEqual(soon.gap, { fromS: 1_020, toS: 1_131, isRestart: true }, "none ends in the future");
    assert.equal(twice.changed, true);
    const again = step(twice.next, "joinLogs", [], { ...cleared, wasEmpty: true, continuous: true });
    assert.equal(again.gap, undefined);
    const first = step(again.next, "joinLogs", many(2_000, 3), { continuous: true });
    assert.deepEqual([first.gap, first.fresh.length], [undefined, 3]);
    const old = step(again.next, "joinLogs", many(1_000, 50));
    assert.equal(step(old.next, "joinLogs", many(2_000, 3), { continuous: true }).gap, undefined);
  });

  test("is announced once more when the server may have started again before the first rows", () => {
    const state = step(after(many(1_000, 50)), "joinLogs", [], { ...cleared, wasEmpty: true }).next;
    const broken = step(state, "joinLogs", [], { ...cleared, wasEmpty: true, continuous: false });
    assert.equal(broken.gap, undefined, "nothing new stands in it: there may be nothing to tell");
    const first = step(broken.next, "joinLogs", many(2_000, 3), { continuous: true, wholeS: 1_500 });
    assert.deepEqual(first.gap, { fromS: 1_440, toS: 2_060, isRestart: true });
    assert.equal(step(first.next, "joinLogs", many(2_000, 4)).gap, undefined);
  });

  test("is not announced for a cleared log where nobody was there, or where the answer may be an old one", () => {
    const state = after(many(1_000, 50));
    const old = { ...cleared, wasEmpty: true, isNew: false };
    assert.equal(step(state, "joinLogs", [], old).gap, undefined);
    const empty = step(state, "joinLogs", many(1_000, 51), { hasPlayers: false, isNew: true }).next;
    assert.equal(step(empty, "joinLogs", [], { ...cleared, wasEmpty: true }).gap, undefined);
  });

  test("is announced even then when the last answer is long ago", () => {
    assert.deepEqual(
      gapAfter(
        [
          ["quiet", known],
          ["quiet", []],
        ],
        false,
        false,
      ),
      gap,
    );
  });

  test("is announced even then when the log is as long as ever: rows may have fallen out of it", () => {
    const once = step(after(many(1, 50)), "joinLogs", many(1, 50), { hasPlayers: false }).next;
    const before = step(once, "joinLogs", many(1, 50), { hasPlayers: false }).next;
    assert.deepEqual(step(before, "joinLogs", many(100, 50)).gap, { fromS: 0, toS: 160 });
  });
});

describe("a log of eight rows", () => {
  const join = (atS: number, name: string): JoinEntry => ({
    kind: "join",
    atS,
    player: { name },
    joined: true,
  });

  test("says that twins of one second may be missing where its window shows nothing else that was known", () => {
    const before = [..."abcdef"].map((name, nth) => join(START_S + nth, name));
    const known = [...before, join(START_S + 9, "twin"), join(START_S + 9, "other")];
    const first = step(undefined, "joinLogs", known, { fullest: 8 });
    // A row that came after the twin has fallen out: the one that stands there is another one of the same second.
    const window = [
      join(START_S + 9, "twin"),
      ...[..."hijklmn"].map((name, nth) => join(START_S + 10 + nth, name)),
    ];
    const next = step(first.next, "joinLogs", window, { fullest: 8 });
    assert.notEqual(next.gap, undefined);
  });
});
