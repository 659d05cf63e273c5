import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Player } from "../../src/domain/model.ts";
import { StateTracker } from "../../src/duty/state-tracker.ts";

const staff = new Set([1]);
const as = (team: string, permission: string): readonly Player[] => [
  { player: { name: "P1", id: 1 }, team, permission, wantedStars: 0 },
];

describe("what looks showed of staff", () => {
  test("goes on where an answer does not tell a team or a rank", () => {
    const tracker = new StateTracker("b", [], undefined);
    tracker.see(as("Police", "Server Moderator"), staff, 10);
    tracker.takeChanges();
    assert.equal(tracker.see(as("", "Server Moderator"), staff, 20), false);
    assert.equal(tracker.see(as("Police", ""), staff, 30), false);
    assert.equal(tracker.see(as("Police", "Server Moderator"), staff, 40), false);
    assert.deepEqual(tracker.takeChanges(), []);
    assert.equal(tracker.see(as("Police", "Normal"), staff, 50), true);
    const ranks = tracker.takeChanges().map(({ rank, fromS, untilS }) => [rank, fromS, untilS]);
    assert.deepEqual(ranks, [
      ["Server Moderator", 10, 40],
      ["Normal", 50, undefined],
    ]);
  });
});
