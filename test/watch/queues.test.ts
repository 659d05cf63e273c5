import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Heap } from "../../src/watch/heap.ts";
import { Turns } from "../../src/watch/turns.ts";

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
    const turns = new Turns<ReturnType<typeof item>>();
    for (const [index, name] of ["m1", "m2", "m3"].entries()) turns.set(item(many, name), index);
    turns.set(item(one, "o1"), 5);
    turns.set(item(late, "l1"), 100);
    const served: string[] = [];
    for (let next = turns.first(10); next !== undefined; next = turns.first(10)) {
      served.push(next.name);
      turns.delete(next);
    }
    assert.deepEqual(served, ["m1", "o1", "m2", "m3"]);
    assert.equal(turns.first(100)?.name, "l1");
  });

  test("pass over guilds that may have nothing now", () => {
    const [greedy, other] = [{}, {}];
    const turns = new Turns<ReturnType<typeof item>>();
    turns.set(item(greedy, "g"), 1);
    turns.set(item(other, "o"), 2);
    assert.equal(turns.first(5, (guild) => guild !== greedy)?.name, "o");
    assert.equal(turns.first(5)?.name, "g");
  });
});
