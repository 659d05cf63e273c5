import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromStored, parseServerState, type ServerState, storedForm } from "../../src/alerts/server-state.ts";
import type { AlertRow } from "../../src/domain/alert.ts";

describe("what is remembered of a server's alerts", () => {
  const state: ServerState = {
    guildId: "1",
    marks: new Map([
      ["killLogs", { lineage: "l1", seq: 7, newestS: 70 }],
      ["modCalls", { lineage: "l2", seq: 1, newestS: Number.NEGATIVE_INFINITY }],
    ]),
    counted: new Map([
      ["runs", { floorS: 10, ids: new Map([["r1", 12]]) }],
      ["outside", { floorS: Number.NEGATIVE_INFINITY, ids: new Map([["12 0 :kick", 12]]) }],
    ]),
    rules: new Map(),
  };

  const rows: readonly AlertRow[] = [
    { atS: 20, other: { name: "Ann", id: 1 } },
    { atS: 21, other: { name: "No account" } },
    { atS: 22, text: ':kick "Bob" \\ 1, 2' },
    { atS: 23, text: "", other: { name: "", id: 0 } },
    { atS: 24 },
  ];
  const busy: ServerState = {
    ...state,
    rules: new Map([
      [
        "one",
        {
          sprees: new Map([
            ["p1", { rows: [...rows], open: { firedAtS: 19, lastS: 25 } }],
            ["n name with spaces", { rows: [{ atS: 30 }] }],
            ["p2", { rows: [] }],
          ]),
          level: { isArmed: true, seen: 1 },
          told: 3,
          waiting: new Map([
            ["1767225600 1000", { atS: 1767225600, caller: { name: "Ann", id: 1000 } }],
            ["1767225600 a name with spaces", { atS: 1767225600, caller: { name: "a name with spaces" } }],
          ]),
          incidents: [],
        },
      ],
    ]),
  };
  const written = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  test("comes back from the store as it was", () => {
    for (const one of [state, busy]) {
      assert.deepEqual(fromStored(parseServerState(written(storedForm(one)))), one);
    }
  });

  test("takes less than two thirds of what it took as objects", () => {
    const kills = Array.from({ length: 50 }, (_, nth) => ({
      atS: 1_767_225_600 + nth,
      other: { name: `Player${nth}`, id: 1_000 + nth },
    }));
    const sprees = new Map(kills.map((row, nth) => [`p${nth}`, { rows: [row, row] }]));
    const rule = { sprees, told: 0, incidents: [] };
    const full = { ...state, rules: new Map([["one", rule]]) };
    const before = { sprees: Array.from(sprees, ([subject, spree]) => ({ subject, ...spree })) };
    const length = (value: unknown) => JSON.stringify(value).length;
    assert.ok(length(storedForm(full)) < (length(before) * 2) / 3);
  });

  test("is refused where a spree ends in the middle of a row, or a cell is of another kind", () => {
    const stored = (spree: unknown) => ({
      ...storedForm(state),
      rules: [{ id: "one", told: 0, incidents: [], sprees: spree }],
    });
    parseServerState(stored(["p1", null, null, 1, 20, null, "Ann", 1]));
    for (const bad of [
      ["p1", null, null, 1, 20, null, "Ann"],
      ["p1", null, null, 2, 20, null, "Ann", 1],
      ["p1", null, null, 1, 20, 5, "Ann", 1],
      ["p1", null, null, 1, "20", null, "Ann", 1],
      ["p1", null],
    ]) {
      assert.throws(() => parseServerState(stored(bad)), JSON.stringify(bad));
    }
  });

  test("goes on from what an earlier version counted by itself: what is unread is new, and calls of before do not wait", () => {
    const seen = [
      { stream: "kills", floorS: 10, rows: [12, "p1 p2"] },
      { stream: "commands", floorS: null, rows: [] },
      { stream: "runs", floorS: 10, rows: [12, "r1"] },
    ];
    const rule = { id: "one", sprees: [], told: 0, incidents: [], calls: ["12 1"] };
    const { marks, rules } = fromStored(parseServerState({ guildId: "1", seen, rules: [rule] }));
    assert.deepEqual(
      [...marks],
      [
        ["killLogs", { lineage: "", seq: 0, newestS: 70 }],
        ["commandLogs", { lineage: "", seq: 0, newestS: Number.NEGATIVE_INFINITY }],
      ],
    );
    assert.deepEqual(rules.get("one")?.settled, new Set(["12 1"]));
  });
});
