import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type DutyPart, stillS } from "../../src/domain/duty.ts";
import { StillTracker } from "../../src/duty/still-tracker.ts";

const staff = new Set([1, 2]);
const at = (id: number, x: number, z = 0) => ({
  ...{ player: { name: `P${id}`, id }, team: "", permission: "", wantedStars: 0, location: { x, z } },
});
const nowhere = { player: { name: "P1", id: 1 }, team: "", permission: "", wantedStars: 0 };

describe("minutes without a move", () => {
  test("are told from a quarter of an hour on, grow while they last, and end with a move, a leaving, or a gap", () => {
    const tracker = new StillTracker("b");
    const look = (untilS: number, players: Parameters<StillTracker["see"]>[0]) => {
      for (; nowS <= untilS; nowS += 30) tracker.see(players, staff, nowS);
    };
    let nowS = 0;
    look(870, [at(1, 5), at(3, 5)]);
    assert.deepEqual(tracker.takeChanges(), []);
    look(930, [at(1, 5), at(3, 5)]);
    const first = { bindingId: "b", playerId: 1, fromS: 0, untilS: 930 };
    assert.deepEqual(tracker.takeChanges(), [first]);
    assert.deepEqual(tracker.takeChanges(), [], "nothing new");
    look(990, [at(1, 5), at(2, 1)]);
    // A move of one, and nobody asked meanwhile.
    look(1_020, [at(1, 6), at(2, 1)]);
    const more = tracker.takeChanges();
    assert.deepEqual(more, [{ ...first, untilS: 990 }]);
    tracker.giveBack(more);
    look(1_050, [nowhere]);
    assert.deepEqual(tracker.takeChanges(), more);
    look(1_050 + 870, [at(1, 6)]);
    nowS += 700;
    look(nowS + 300, [at(1, 6)]);
    assert.deepEqual(tracker.takeChanges(), [], "a gap of looks says nothing");
    look(nowS + 900, [at(1, 6)]);
    assert.equal(tracker.takeChanges().length, 1);
    // The clock of the service is set back by an hour.
    nowS -= 3_600;
    look(nowS + 600, [at(1, 6)]);
    assert.deepEqual(tracker.takeChanges(), []);
  });

  test("belong to the parts of shifts that they touch, of the same account on the same server", () => {
    const part = (fromS: number, untilS: number, over: Partial<DutyPart> = {}): DutyPart => ({
      ...{ bindingId: "b", playerId: 1, fromS, untilS, mightFromS: fromS, mightUntilS: untilS, ...over },
    });
    const stills = [
      { bindingId: "b", playerId: 1, fromS: 900, untilS: 2_000 },
      { bindingId: "b", playerId: 2, fromS: 0, untilS: 9_000 },
      { bindingId: "c", playerId: 1, fromS: 0, untilS: 9_000 },
    ];
    assert.equal(stillS([part(0, 1_000), part(1_500, 3_000)], stills), 100 + 500);
    assert.equal(
      stillS([part(0, 1_000), part(1_500, 3_000)], stills, { fromS: 950, untilS: 1_600 }),
      50 + 100,
    );
    assert.equal(stillS([part(0, 1_000, { bindingId: "d" })], stills), 0);
  });
});
