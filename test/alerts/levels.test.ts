import assert from "node:assert/strict";
import { test } from "node:test";
import { afterCount, type Level } from "../../src/alerts/windows/levels.ts";

/** The steps that a server shows with these numbers of 40 players, one a minute. */
function steps(players: readonly number[]): readonly string[] {
  let level: Level | undefined;
  return players.map((current, minute) => {
    const { level: next, step } = afterCount(
      level,
      { kind: "full" },
      { current, most: 40, atS: 60 * minute },
    );
    level = next;
    return step.kind;
  });
}

test("a server is full by two answers in a row, and again only after five minutes clearly below", () => {
  const none = (times: number) => Array.from({ length: times }, () => "none");
  assert.deepEqual(steps([10, 40, 39, 40, 40, 40]), [...none(4), "began", "none"]);
  assert.deepEqual(steps([10, 40, 40, 30, 40, 40]), [...none(2), "began", ...none(3)]);
  const away = Array.from({ length: 6 }, () => 30);
  assert.deepEqual(steps([10, 40, 40, ...away, 40, 40]), [
    ...[...none(2), "began", ...none(5), "ended"],
    ...["none", "began"],
  ]);
});

test("a server is told as full again although the service's clock was ahead when it began to empty", () => {
  const full = { kind: "full" } as const;
  let level: Level | undefined;
  const told: string[] = [];
  const look = (current: number, minute: number, aheadS = 0) => {
    const { level: next, step } = afterCount(level, full, { current, most: 40, atS: 60 * minute + aheadS });
    level = next;
    if (step.kind !== "none") told.push(`${step.kind} ${minute}`);
  };
  for (const minute of [0, 1, 2]) look(minute === 0 ? 10 : 40, minute);
  look(30, 3, 3 * 3_600);
  for (let minute = 4; minute < 12; minute += 1) look(30, minute);
  for (const minute of [12, 13]) look(40, minute);
  assert.deepEqual(told, ["began 2", "ended 9", "began 13"]);
});
