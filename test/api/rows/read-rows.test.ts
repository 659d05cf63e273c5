import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createLogMemory, readLists } from "../../../src/api/schema.ts";
import type { LogList } from "../../../src/domain/model.ts";

const logs: readonly LogList[] = ["joinLogs", "killLogs", "commandLogs", "modCalls"];

/** Few names and seconds, so that rows repeat; some odd, some unreadable. */
const who = fc.constantFrom("Ann:1", "Bob:2", "Remote Server", " ", "Ann:22", 7);
const atS = fc.constantFrom(1_700_000_000, 1_700_000_001, "1700000001", 1_700_000_000_000, 0);
const log = <T>(row: fc.Arbitrary<T>) => fc.array(fc.oneof({ weight: 9, arbitrary: row }, fc.constant(null)));
const answer = fc.record({
  JoinLogs: log(fc.record({ Join: fc.boolean(), Timestamp: atS, Player: who })),
  KillLogs: log(fc.record({ Killed: who, Killer: who, Timestamp: atS })),
  CommandLogs: log(fc.record({ Player: who, Timestamp: atS, Command: fc.constantFrom(":h a", ":h b") })),
  ModCalls: log(
    fc.record(
      { Caller: who, Timestamp: atS, Moderator: fc.option(who) },
      { requiredKeys: ["Caller", "Timestamp"] },
    ),
  ),
});

/** As the client gets it, text and all. */
function sent(wire: unknown, memory: ReturnType<typeof createLogMemory>): unknown {
  return memory.parse(JSON.stringify(wire));
}

test("what is remembered of the answer before changes nothing in what an answer says", () => {
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 6 }), (answers) => {
      const memory = createLogMemory();
      for (const wire of answers)
        assert.deepEqual(readLists(sent(wire, memory), logs), readLists(wire, logs));
    }),
    { numRuns: 300 },
  );
});

const join = (n: number) => ({ Join: n % 2 === 0, Timestamp: 1_700_000_000 + n, Player: `Player${n}:${n}` });
const window = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => join(from + n));

for (const [order, arranged] of [
  ["newest", (rows: readonly unknown[]) => rows.toReversed()],
  ["oldest", (rows: readonly unknown[]) => rows],
] as const)
  test(`of a log that shows its ${order} row first only the new rows are read`, () => {
    const memory = createLogMemory();
    const read = (rows: readonly unknown[]) =>
      readLists(sent({ JoinLogs: arranged(rows) }, memory), ["joinLogs"]).lists.joinLogs ?? [];
    const before = new Set(read(window(0, 100)));
    const after = read(window(30, 130));
    assert.equal(after.filter((entry) => before.has(entry)).length, 70);
    assert.equal(new Set(after).size, 100);
  });

test("two equal rows in one second stay two entries", () => {
  const memory = createLogMemory();
  const read = (JoinLogs: readonly unknown[]) =>
    readLists(sent({ JoinLogs }, memory), ["joinLogs"]).lists.joinLogs ?? [];
  assert.equal(read([join(1)]).length, 1);
  const twins = read([join(1), join(1), join(2)]);
  assert.equal(twins.length, 3);
  assert.notEqual(twins[0], twins[1]);
});

test("a mod call that was answered meanwhile is read anew", () => {
  const memory = createLogMemory();
  const call = { Caller: "Ann:1", Timestamp: 1_700_000_000 };
  const read = (row: unknown) =>
    readLists(sent({ ModCalls: [row] }, memory), ["modCalls"]).lists.modCalls?.[0];
  assert.equal(read(call)?.moderator, undefined);
  assert.deepEqual(read({ ...call, Moderator: "Mo:9" })?.moderator, { name: "Mo", id: 9 });
  assert.equal(read({ ...call, Moderator: null })?.moderator, undefined);
});
