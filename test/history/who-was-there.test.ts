import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JoinEntry, PlayerRef, Snapshot, SourceId } from "../../src/domain/model.ts";
import { WhoWasThere } from "../../src/history/who-was-there.ts";
import { serverStatus } from "../support/server-status.ts";

const ann = { name: "Ann", id: 1 };
const bob = { name: "Bob", id: 2 };
const row = (atS: number, joined: boolean): JoinEntry => ({ kind: "join", atS, joined, player: ann });
const isThere = (rows: readonly JoinEntry[], atS: number, listed = false) => {
  const there = new WhoWasThere();
  const snapshot = serverShowing("s1" as SourceId, listed ? [ann] : []);
  there.see({ ...snapshot, lists: { ...snapshot.lists, joinLogs: rows } });
  return there.at(snapshot.source, atS).length === 1;
};

describe("who was in a server at a second", () => {
  test("follows the join log, whatever its order and whatever the list says by now", () => {
    const rows = [row(30, false), row(10, true), row(50, true)];
    assert.deepEqual(
      [5, 10, 29, 30, 31, 49, 50].map((atS) => isThere(rows, atS)),
      [false, true, true, true, false, false, true],
    );
    assert.equal(isThere(rows, 40, true), false);
  });

  test("counts players that only a later leave shows, and players that only the list shows", () => {
    assert.equal(isThere([row(30, false)], 20), true);
    assert.equal(isThere([row(30, true)], 20), false);
    assert.equal(isThere([], 20, true), true);
  });
});

test("what was asked of one answer does not stand for the next, nor one server for another", () => {
  const there = new WhoWasThere();
  const [first, second] = ["s1" as SourceId, "s2" as SourceId];
  there.see(serverShowing(first, [ann]));
  there.see(serverShowing(second, [bob]));
  assert.deepEqual([there.at(first, 0), there.at(second, 0), there.at(first, 0)], [[ann], [bob], [ann]]);
  there.see(serverShowing(first, [ann, bob]));
  assert.deepEqual(there.at(first, 0), [ann, bob]);
});

describe("the players of servers who are remembered", () => {
  const source = "s1" as SourceId;

  test("are those lately in the list, and are forgotten when nobody has the server linked any more", () => {
    const memory = new WhoWasThere();
    const snapshot = serverShowing(source, [ann]);
    memory.see(snapshot);
    memory.see({ ...snapshot, takenAtMs: 60_000, lists: { players: [] } });
    assert.deepEqual(memory.at(source, 60), [ann]);
    memory.see({ ...snapshot, takenAtMs: 121_000, lists: { players: [] } });
    assert.deepEqual(memory.at(source, 121), []);
    memory.see({
      ...snapshot,
      lists: { ...snapshot.lists, joinLogs: [row(10, true), { ...row(11, true), player: bob }] },
    });
    assert.deepEqual(memory.named(source, "aNN"), [ann]);
    assert.deepEqual(memory.named(source, "An"), []);
    memory.forget(source);
    assert.deepEqual(memory.at(source, 0), []);
  });
});

function serverShowing(source: SourceId, players: readonly PlayerRef[]): Snapshot {
  return {
    source,
    askedAtMs: 0,
    takenAtMs: 0,
    status: serverStatus(),
    skippedRows: {},
    lists: { players: players.map((player) => ({ player, team: "", permission: "Normal", wantedStars: 0 })) },
  };
}
