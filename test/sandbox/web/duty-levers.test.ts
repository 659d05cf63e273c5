import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { placeOn } from "../../../src/sandbox/service/town/map.ts";
import { openStage, type Stage } from "../../../src/sandbox/stage.ts";
import { dutyLevers } from "../../../src/sandbox/web/duty-levers.ts";

describe("the levers of what staff does about shifts", () => {
  let stage: Stage;

  before(async () => {
    stage = await openStage({ seed: 9, serverKey: "duty-river", traffic: "quiet", live: false });
    stage.town.empty();
  });
  after(() => stage.close());

  const pull = (id: string) => {
    const lever = dutyLevers(stage).find((one) => one.id === id);
    assert.ok(lever, id);
    return lever.pull();
  };
  const typed = () => stage.town.record.commands.map(({ command }) => command);
  const here = () => stage.town.players.map(({ name }) => name);

  test("come for duty, come to play, stand still, leave without an end, end it", () => {
    pull("duty-come");
    pull("duty-play");
    assert.deepEqual([here(), typed()], [["Dana_Duty", "Paul_Plays"], [":log duty"]]);
    assert.equal(stage.town.world.staffHere().length, 2, "both have a rank in the game");
    pull("duty-still");
    const path = stage.town.world.staffHere()[0]?.path;
    assert.ok(path);
    const { nowS } = stage.town.world;
    assert.deepEqual(placeOn(path, nowS + 600), placeOn(path, nowS));
    pull("duty-forget");
    assert.deepEqual([here(), typed().length], [["Paul_Plays"], 1]);
    assert.match(String(pull("duty-forget")), /not in the game/);
    pull("duty-off");
    assert.equal(typed().at(-1), ":log off");
  });
});
