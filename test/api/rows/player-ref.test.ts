import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PlayerRefs, playerRef } from "../../../src/api/rows/player-ref.ts";

describe("the players that rows name", () => {
  test("are one object each, however many rows name them and however alike their ids end", () => {
    const players = new PlayerRefs();
    // Ids 1,000 apart end alike, and names without an id are as short as names can be.
    const values = Array.from({ length: 200 }, (_, nth) => `Name_${nth}:${1_000 * nth + 7}`);
    values.push("a", "ab", "abc", "Remote Server", "a:", "a:1", "a:10", "b:1");
    const first = values.map((value) => players.of(value));
    assert.deepEqual(
      first,
      values.map((value) => playerRef(value)),
    );
    assert.equal(new Set(first).size, values.length);
    for (const [index, value] of values.entries()) assert.equal(players.of(value), first[index]);
  });

  test("have a name, or are none", () => {
    const players = new PlayerRefs();
    for (const value of ["", " ", ":123", " :5"]) {
      assert.equal(players.of(value), undefined);
      assert.equal(players.of(value), undefined);
    }
  });

  test("are forgotten when there are more than a server's logs show at once, and read again", () => {
    const players = new PlayerRefs();
    const first = players.of("Ann:1");
    for (let id = 2; id <= 2_000; id++) assert.deepEqual(players.of(`P:${id}`), { name: "P", id });
    assert.deepEqual(players.of("Ann:1"), first);
    assert.notEqual(players.of("Ann:1"), first);
  });
});
