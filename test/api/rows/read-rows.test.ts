import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readLists } from "../../../src/api/schema.ts";

/** Few names and seconds, so that rows are equal; some spelt oddly, some that cannot be read. */
const good = fc.record({
  Join: fc.boolean(),
  Timestamp: fc.constantFrom(1_700_000_000, "1700000000", 1_700_000_000_000),
  Player: fc.constantFrom("Ann:1", "Bob:2", "Remote Server"),
});
type GoodRow = typeof good extends fc.Arbitrary<infer R> ? R : never;
const odd = fc.constantFrom(null, 7, {}, { Join: true, Timestamp: 0, Player: "Ann:1" }, { Join: 1 });

test("a row that cannot be read is counted, and takes none of its neighbours along", () => {
  const rows = fc.array(
    fc.oneof(
      fc.record({ row: good, isGood: fc.constant(true) }),
      fc.record({ row: odd, isGood: fc.constant(false) }),
    ),
  );
  fc.assert(
    fc.property(rows, (listed) => {
      const readable = listed.flatMap(({ row, isGood }) => (isGood ? [row as GoodRow] : []));
      const { lists, skippedRows } = readLists({ JoinLogs: listed.map(({ row }) => row) }, ["joinLogs"]);
      assert.deepEqual(
        lists.joinLogs?.map(({ joined, atS, player }) => [joined, atS, player.name]),
        readable.map((row) => [row.Join, 1_700_000_000, row.Player.split(":")[0]]),
      );
      assert.equal(skippedRows.joinLogs ?? 0, listed.length - readable.length);
    }),
  );
});

test("a moderator call has its moderator once somebody answered", () => {
  const call = { Caller: "Ann:1", Timestamp: 1_700_000_000 };
  const read = (row: unknown) => readLists({ ModCalls: [row] }, ["modCalls"]).lists.modCalls?.[0]?.moderator;
  assert.equal(read(call), undefined);
  assert.equal(read({ ...call, Moderator: null }), undefined);
  assert.equal(read({ ...call, Moderator: 5 }), undefined);
  assert.deepEqual(read({ ...call, Moderator: "Mo:9" }), { name: "Mo", id: 9 });
});
