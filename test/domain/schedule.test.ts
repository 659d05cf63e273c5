import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ruleWords } from "../../src/discord/render/schedule-cards.ts";
import { Failure } from "../../src/domain/failure.ts";
import { ruleOf, type ScheduleRule, SHORTEST_INTERVAL_MIN, WEEKDAYS } from "../../src/domain/schedule.ts";

const read = (typed: string) => ruleWords(ruleOf(typed));
const refused = (typed: string, why: RegExp) =>
  assert.throws(
    () => ruleOf(typed),
    (error) => error instanceof Failure && error.code === "bad-command" && why.test(error.message),
    typed,
  );

describe("when a schedule runs, as people write it", () => {
  const said: readonly (readonly [typed: string, words: string])[] = [
    ["20:00", "daily at 20:00"],
    ["8pm", "daily at 20:00"],
    ["12am", "daily at 00:00"],
    ["12:30 pm", "daily at 12:30"],
    ["Every day at 8.30 PM", "daily at 20:30"],
    ["daily 9:05", "daily at 09:05"],
    ["21:00, 18:00", "daily at 18:00 and 21:00"],
    ["06:00 12:00 and 18:00", "daily at 06:00, 12:00 and 18:00"],
    ["fri 20:00", "Fri at 20:00"],
    ["every Friday at 8pm", "Fri at 20:00"],
    ["fridays and sat 20:00", "Fri, Sat at 20:00"],
    ["tues, thurs 7:00", "Tue, Thu at 07:00"],
    ["mon-fri 18:00", "Mon–Fri at 18:00"],
    ["Mon – Fri 18:00", "Mon–Fri at 18:00"],
    ["weekdays 18:00, 21:00", "Mon–Fri at 18:00 and 21:00"],
    ["weekend 12:00", "Sat, Sun at 12:00"],
    ["sat-mon 12:00", "Mon, Sat, Sun at 12:00"],
    ["mon-sun 12:00", "daily at 12:00"],
    ["every 30 min", "every 30 min"],
    ["every 90m", "every 1 h 30 min"],
    ["every 1 h 30 minutes", "every 1 h 30 min"],
    ["every 2 hours", "every 2 h"],
    ["every hour", "every 1 h"],
    ["hourly", "every 1 h"],
    ["every 24h", "every 24 h"],
    ['"mon-fri 18:00"', "Mon–Fri at 18:00"],
  ];
  for (const [typed, words] of said) test(`"${typed}" is ${words}`, () => assert.equal(read(typed), words));

  test("what cannot be read gets examples, and never a guess", () => {
    for (const typed of ["", "soon", "20", "fri", "every friday", "25:00", "13pm", "0pm", "20:60", "20h"]) {
      refused(typed, /Write "20:00"/);
    }
    for (const typed of [
      "every",
      "every other day 20:00",
      "* * * * *",
      "mo 20:00",
      "mon-fri-sun 20:00",
      "20:00:00",
      "constructor 20:00",
    ]) {
      refused(typed, /Write "20:00"/);
    }
  });

  test("nothing comes more often than every ten minutes", () => {
    refused("every 9 min", /shortest interval/);
    refused("every 0 h", /shortest interval/);
    refused("20:00, 20:09", /at least 10 minutes apart/);
    refused("23:55, 00:02", /at least 10 minutes apart/);
    refused("every 25 h", /longest/);
    refused("1:00 2:00 3:00 4:00 5:00 6:00 7:00", /at most 6/);
  });

  test("whatever is typed is read as a rule within these limits, or refused in words", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "every",
        "mon",
        "fri-tue",
        "weekends",
        "20:00",
        "8pm",
        "30",
        "min",
        "h",
        ",",
        "-",
        "at",
      ),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        let rule: ScheduleRule;
        try {
          rule = ruleOf(pieces.join(" "));
        } catch (error) {
          assert.ok(error instanceof Failure, String(error));
          return;
        }
        if (rule.kind === "every") {
          assert.ok(rule.minutes >= SHORTEST_INTERVAL_MIN && rule.minutes <= 1_440);
          return;
        }
        assert.ok(rule.days.length > 0 && rule.days.every((day) => WEEKDAYS.includes(day)));
        assert.ok(
          rule.times.length > 0 && rule.times.every((time) => /^([01]\d|2[0-3]):[0-5]\d$/.test(time)),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test("its words, typed again, are the same rule", () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 95 }), { minLength: 1, maxLength: 6 });
    const days = fc.subarray([...WEEKDAYS], { minLength: 1 });
    const rules = fc.oneof(
      fc.integer({ min: 10, max: 1_440 }).map((minutes) => ({ kind: "every", minutes }) as const),
      fc.tuple(days, times).map(([on, quarters]) => {
        const at = quarters
          .toSorted((a, b) => a - b)
          .map(
            (quarter) =>
              `${String(quarter >> 2).padStart(2, "0")}:${String((quarter % 4) * 15).padStart(2, "0")}`,
          );
        return { kind: "times", days: on, times: at } as const;
      }),
    );
    fc.assert(fc.property(rules, (rule) => assert.deepEqual(ruleOf(ruleWords(rule)), rule)));
  });
});
