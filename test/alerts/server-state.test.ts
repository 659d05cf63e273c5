import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromStored, parseServerState, type ServerState, storedForm } from "../../src/alerts/server-state.ts";

describe("what is remembered of a server's alerts", () => {
  const state: ServerState = {
    guildId: "1",
    seen: new Map([
      ["kills", { floorS: 10, seconds: new Map([[12, new Map([["p1 p2", 2]])]]) }],
      ["commands", { floorS: Number.NEGATIVE_INFINITY, seconds: new Map() }],
    ]),
    rules: new Map(),
  };

  test("comes back from the store as it was", () => {
    const stored: unknown = JSON.parse(JSON.stringify(storedForm(state)));
    assert.deepEqual(fromStored(parseServerState(stored)), state);
  });

  test("is read as the release before wrote it, with the second of a row in its key", () => {
    const before = {
      guildId: "1",
      seen: [
        { stream: "kills", floorS: 10, rows: { "12 p1 p2": 2 } },
        { stream: "commands", floorS: null, rows: {} },
      ],
      rules: [],
    };
    assert.deepEqual(fromStored(parseServerState(before)), state);
  });
});
