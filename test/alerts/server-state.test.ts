import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromStored, parseServerState, type ServerState, storedForm } from "../../src/alerts/server-state.ts";
import type { AlertRow } from "../../src/domain/alert.ts";

describe("what is remembered of a server's alerts", () => {
  const state: ServerState = {
    guildId: "1",
    seen: new Map([
      ["kills", { floorS: 10, seconds: new Map([[12, ["p1 p2", "p1 p2", "p3 p1"]]]) }],
      ["commands", { floorS: Number.NEGATIVE_INFINITY, seconds: new Map() }],
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
          calls: {
            doneS: new Map([
              ["1767225600 1000", 1767225600],
              ["1767225600 a name with spaces", 1767225600],
            ]),
          },
          incidents: [],
          refused: undefined,
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
    const doneS = new Map(kills.map(({ atS, other }) => [`${atS} ${other.id}`, atS]));
    const rule = { sprees, told: 0, incidents: [], calls: { doneS } };
    const full = { ...state, rules: new Map([["one", rule]]) };
    const before = {
      sprees: Array.from(sprees, ([subject, spree]) => ({ subject, ...spree })),
      calls: [...doneS],
    };
    const length = (value: unknown) => JSON.stringify(value).length;
    assert.ok(length(storedForm(full)) < (length(before) * 2) / 3);
  });

  test("is read as the release before wrote it, with sprees as objects and the second of each call", () => {
    const { rules, ...others } = storedForm(busy);
    const [rule] = rules;
    const sprees = Array.from(busy.rules.get("one")?.sprees ?? [], ([subject, spree]) => ({
      subject,
      ...spree,
    }));
    const calls = [...(busy.rules.get("one")?.calls?.doneS ?? [])];
    const before = written({ ...others, rules: [{ ...rule, sprees, calls }] });
    assert.deepEqual(fromStored(parseServerState(before)), busy);
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

  test("is read as releases before wrote it, with how often a row was seen", () => {
    const asList = [
      [12, "p1 p2", 2],
      [12, "p3 p1", 1],
    ];
    const byKey = { "12 p1 p2": 2, "12 p3 p1": 1 };
    for (const [kills, none] of [
      [asList, []],
      [byKey, {}],
    ]) {
      const seen = [
        { stream: "kills", floorS: 10, rows: kills },
        { stream: "commands", floorS: null, rows: none },
      ];
      assert.deepEqual(fromStored(parseServerState({ guildId: "1", seen, rules: [] })), state);
    }
  });
});
