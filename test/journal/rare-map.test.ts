import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RareMap } from "../../src/journal/open-journal.ts";

test("a RareMap holds what a Map holds, however many entries come and go", () => {
  const key = fc.constantFrom("a", "b", "c");
  const step = fc.oneof(
    fc.record({ act: fc.constant("set" as const), key, value: fc.option(fc.nat(9), { nil: undefined }) }),
    fc.record({ act: fc.constant("delete" as const), key }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const [rare, map] = [new RareMap<string, number | undefined>(), new Map<string, number | undefined>()];
      for (const one of steps) {
        if (one.act === "set") {
          rare.set(one.key, one.value);
          map.set(one.key, one.value);
        } else {
          rare.delete(one.key);
          map.delete(one.key);
        }
        assert.equal(rare.size, map.size);
        assert.deepEqual([...rare.values()].toSorted(), [...map.values()].toSorted());
        for (const name of ["a", "b", "c"]) {
          assert.equal(rare.has(name), map.has(name));
          assert.equal(rare.get(name), map.get(name));
        }
      }
    }),
  );
});
