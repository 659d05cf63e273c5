import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type KnownCalls, newlyDue, unchangedSince } from "../../src/alerts/windows/waiting-calls.ts";
import type { ModCallEntry } from "../../src/domain/model.ts";

const WITHIN_S = 60;

function call(atS: number, caller: number, moderator?: number): ModCallEntry {
  const made = { kind: "modCall" as const, atS, caller: { name: `P${caller}`, id: caller } };
  return moderator === undefined ? made : { ...made, moderator: { name: `M${moderator}`, id: moderator } };
}

/** One look at a log, as the alerts take it. Gives the ids of the calls that are posted now. */
function look(known: KnownCalls, calls: readonly ModCallEntry[], presentS: number): readonly string[] {
  const { settled } = unchangedSince(known, calls);
  return newlyDue(known, calls, { withinS: WITHIN_S, presentS, settled }, () => false).map(({ id }) => id);
}

describe("calls that wait for too long", () => {
  const looks = fc.array(
    fc.record({
      /** Calls that came since, each with what it takes to be answered: 0 never. */
      came: fc.array(fc.record({ caller: fc.nat(3), answeredAfter: fc.nat(4) }), { maxLength: 4 }),
      afterS: fc.nat(400),
      shown: fc.integer({ min: 0, max: 8 }),
      /** The answer of an earlier look is served again. */
      isOld: fc.boolean(),
    }),
    { maxLength: 40 },
  );

  test("are the same whether rows that were looked at before are looked at again or not", () => {
    fc.assert(
      fc.property(looks, (some) => {
        const [passing, looking]: KnownCalls[] = [{ doneS: new Map() }, { doneS: new Map() }];
        assert.ok(passing !== undefined && looking !== undefined);
        let nowS = 100_000;
        let log: { row: ModCallEntry; left: number }[] = [];
        let [before, latest]: (readonly ModCallEntry[])[] = [[], []];
        for (const { came, afterS, shown, isOld } of some) {
          nowS += afterS;
          log = log.map(({ row, left }) =>
            left === 1 ? { row: call(row.atS, row.caller.id ?? 0, 9), left: 0 } : { row, left: left - 1 },
          );
          log.push(
            ...came.map(({ caller, answeredAfter }) => ({ row: call(nowS, caller), left: answeredAfter })),
          );
          [before, latest] = [latest, log.slice(-shown).map(({ row }) => row)];
          const calls = isOld && before !== undefined ? before : (latest ?? []);
          const limits = { withinS: WITHIN_S, presentS: nowS };
          const all: readonly string[] = newlyDue(looking, calls, limits, () => false).map(({ id }) => id);
          assert.deepEqual(look(passing, calls, nowS), all);
          assert.deepEqual(passing.doneS, looking.doneS);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("need no further look once they are done, as long as they stand there", () => {
    const known: KnownCalls = { doneS: new Map() };
    const [first, second, third] = [call(100, 1, 9), call(200, 2), call(300, 3)];
    assert.deepEqual(look(known, [first, second, third], 270), ["200 2"]);
    assert.deepEqual(unchangedSince(known, [first, second, third]), { rows: 3, settled: 2 });
    assert.deepEqual(unchangedSince(known, [second, third, call(400, 4)]), { rows: 2, settled: 1 });
    assert.deepEqual(unchangedSince(known, [first, call(200, 2, 9), third]), { rows: 1, settled: 1 });
    assert.deepEqual(unchangedSince(known, [third]), { rows: 1, settled: 0 });
    assert.deepEqual(unchangedSince(known, [call(100, 1, 9)]), { rows: 0, settled: 0 });
    assert.deepEqual(unchangedSince(known, []), { rows: 0, settled: 0 });
  });

  test("are forgotten when the log no longer shows them, so that what is kept stays bounded", () => {
    const known: KnownCalls = { doneS: new Map() };
    const log = Array.from({ length: 2_000 }, (_, nth) => call(nth * 60, nth, 9));
    for (let shown = 100; shown <= log.length; shown += 10) {
      look(known, log.slice(shown - 100, shown), shown * 60);
    }
    assert.ok(known.doneS.size <= 160, String(known.doneS.size));
    assert.ok(known.doneS.has("119940 1999") && known.doneS.has("114000 1900"));
  });
});
