import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { quietOf, thresholdOf } from "../../commands/alert-args.ts";
import { isQuiet } from "../../src/alerts/quiet-hours.ts";
import { ALERT_KINDS, alertKind } from "../../src/domain/alert-kinds.ts";
import { isFailure } from "../support/failures.ts";

describe("what people type as a threshold", () => {
  test("is read as it is offered, and in other words", () => {
    for (const kind of ALERT_KINDS) for (const offered of alertKind(kind).offered) thresholdOf(kind, offered);
    assert.deepEqual(thresholdOf("kills", undefined), { count: 5, withinS: 60 });
    assert.deepEqual(thresholdOf("kills", " 7 IN 2 min"), { count: 7, withinS: 120 });
    assert.deepEqual(thresholdOf("kills", "3/45"), { count: 3, withinS: 45 });
    assert.deepEqual(thresholdOf("outside", "1 in 10 min"), { count: 1, withinS: 600 });
    assert.deepEqual(thresholdOf("calls", "10"), { withinS: 600 });
    assert.deepEqual(thresholdOf("calls", "90 s"), { withinS: 90 });
    assert.deepEqual(thresholdOf("full", "30 players"), { count: 30 });
    assert.deepEqual(thresholdOf("full", "all places taken"), {});
    assert.deepEqual(thresholdOf("empty", "3"), { count: 3 });
  });

  test("is refused with an example where it cannot be meant", () => {
    for (const [kind, typed] of [
      ["kills", "many"],
      ["kills", "1 in 60 s"],
      ["kills", "5 in 3 s"],
      ["kills", "51 in 60 s"],
      ["kills", "5 in 90 min"],
      ["calls", "20 s"],
      ["full", "0"],
      ["empty", "-1"],
    ] as const) {
      assert.throws(() => thresholdOf(kind, typed), isFailure("bad-command"), typed);
    }
  });

  test("that can't be read are answered with a list of examples", () => {
    assert.throws(() => thresholdOf("calls", "soon"), /Write it like "[^"]+"(, "[^"]+")* or "[^"]+"\.$/);
  });
});

describe("quiet hours", () => {
  test("are read with and without minutes, over midnight too", () => {
    assert.deepEqual(quietOf("22:00-07:00"), { fromMinute: 1_320, toMinute: 420 });
    assert.deepEqual(quietOf("9 - 17:30"), { fromMinute: 540, toMinute: 1_050 });
    assert.deepEqual(quietOf("20-24"), { fromMinute: 1_200, toMinute: 0 });
    for (const typed of ["night", "25-7", "7-7", "7:70-8"]) {
      assert.throws(() => quietOf(typed), isFailure("bad-command"), typed);
    }
  });

  test("hold by the clocks of the zone", () => {
    const night = quietOf("22:00-07:00");
    const at = (hour: number) => Date.UTC(2026, 6, 1, hour);
    assert.deepEqual(
      [20, 21, 22, 4, 5, 12].map((hour) => isQuiet(night, "Europe/Berlin", at(hour))),
      [true, true, true, true, false, false],
    );
    assert.equal(isQuiet(quietOf("9-17"), "UTC", at(9)), true);
    assert.equal(isQuiet(quietOf("9-17"), "UTC", at(17)), false);
  });
});
