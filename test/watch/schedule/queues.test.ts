import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { GuildRotation } from "../../../src/watch/schedule/guild-rotation.ts";
import { Heap } from "../../../src/watch/schedule/heap.ts";

describe("a heap", () => {
  test("gives what stands in it by key, then by age, whatever was put in, moved or taken out", () => {
    const step = fc.record({ item: fc.nat(12), key: fc.option(fc.nat(6), { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const heap = new Heap<number>();
        let model: { item: number; key: number }[] = [];
        for (const { item, key } of steps) {
          model = model.filter((one) => one.item !== item);
          if (key === undefined) heap.delete(item);
          else {
            heap.set(item, key);
            model.push({ item, key });
          }
        }
        const expected = model.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
        const given: number[] = [];
        for (let next = heap.first(); next !== undefined; next = heap.first()) {
          given.push(next.item);
          heap.delete(next.item);
        }
        assert.deepEqual(given, expected);
      }),
    );
  });
});

describe("turns", () => {
  const item = (guild: object, name: string) => ({ guild, name });

  test("go round over guilds, and within one by what became due first", () => {
    const [many, one, late] = [{}, {}, {}];
    const rotation = new GuildRotation<ReturnType<typeof item>>();
    for (const [index, name] of ["m1", "m2", "m3"].entries()) rotation.set(item(many, name), index);
    rotation.set(item(one, "o1"), 5);
    rotation.set(item(late, "l1"), 100);
    const served: string[] = [];
    for (let next = rotation.first(10); next !== undefined; next = rotation.first(10)) {
      served.push(next.name);
      rotation.delete(next);
    }
    assert.deepEqual(served, ["m1", "o1", "m2", "m3"]);
    assert.equal(rotation.first(100)?.name, "l1");
  });

  test("pass over guilds that may have nothing now", () => {
    const [greedy, other] = [{}, {}];
    const rotation = new GuildRotation<ReturnType<typeof item>>();
    rotation.set(item(greedy, "g"), 1);
    rotation.set(item(other, "o"), 2);
    assert.equal(rotation.first(5, (guild) => guild !== greedy)?.name, "o");
    assert.equal(rotation.first(5)?.name, "g");
  });
});
