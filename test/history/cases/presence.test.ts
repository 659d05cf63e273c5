import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JoinEntry } from "../../../src/domain/model.ts";
import { presentAt } from "../../../src/history/cases/presence.ts";

const ann = { name: "Ann", id: 1 };
const row = (atS: number, joined: boolean): JoinEntry => ({ kind: "join", atS, joined, player: ann });
const isThere = (rows: readonly JoinEntry[], atS: number, listed = false) =>
  presentAt({ players: listed ? [ann] : [], joins: rows }, atS).length === 1;

describe("who was in a server at a second", () => {
  test("follows the join log, whatever its order and whatever the list says by now", () => {
    const rows = [row(30, false), row(10, true), row(50, true)];
    assert.deepEqual(
      [5, 10, 29, 30, 31, 49, 50].map((atS) => isThere(rows, atS)),
      [false, true, true, true, false, false, true],
    );
    assert.equal(isThere(rows, 40, true), false);
  });

  test("counts whom only a later leave shows, and whom only the list shows", () => {
    assert.equal(isThere([row(30, false)], 20), true);
    assert.equal(isThere([row(30, true)], 20), false);
    assert.equal(isThere([], 20, true), true);
  });
});
