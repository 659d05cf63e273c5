import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { PlayerRefs, playerRef } from "../../../src/api/rows/player-ref.ts";

describe("the players that rows name", () => {
  test("are one object each, however many rows of an answer name them", () => {
    const players = new PlayerRefs();
    const values = [
      ...Array.from({ length: 200 }, (_, nth) => `Name_${nth}:${nth}`),
      "Remote Server",
      "a:",
      "a:1",
    ];
    const first = values.map((value) => players.of(value));
    assert.deepEqual(
      first,
      values.map((value) => playerRef(value)),
    );
    assert.equal(new Set(first).size, values.length);
    for (const [index, value] of values.entries()) assert.equal(players.of(value), first[index]);
  });

  test("have a name, or are none", () => {
    for (const value of ["", " ", ":123", " :5"]) assert.equal(new PlayerRefs().of(value), undefined);
  });

  test("have the name and id that were written, whatever stands in the name", () => {
    const name = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "");
    fc.assert(
      fc.property(name, fc.nat({ max: Number.MAX_SAFE_INTEGER }), (text, id) => {
        assert.deepEqual(playerRef(`${text}:${id}`), { name: text, id });
      }),
    );
  });
});
