import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { PlayerRefs, playerRef } from "../../../src/api/rows/player-ref.ts";

describe("the players that rows name", () => {
  test("are one object each where their ids end differently, and are right where they end alike", () => {
    const players = new PlayerRefs();
    const values = [
      ...Array.from({ length: 60 }, (_, nth) => `Name_${nth}:${nth}`),
      "Remote Server",
      "a:",
      "Bo:1059",
    ];
    for (const value of [...values, ...values]) assert.deepEqual(players.of(value), playerRef(value));
    assert.equal(players.of("Name_7:7"), players.of("Name_7:7"));
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
