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
