import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openStage, type Stage } from "../../../src/sandbox/stage.ts";
import { LinkCodes } from "../../../src/sandbox/web/link-code.ts";

describe("the lever that types the code of /me link", () => {
  let stage: Stage;

  before(async () => {
    stage = await openStage({ seed: 9, serverKey: "link-code-river", traffic: "quiet", live: false });
    stage.town.empty();
  });
  after(() => stage.close());

  test("says what to do first where no code waits", () => {
    assert.match(new LinkCodes(stage).type(), /type \/me link first/);
    assert.equal(stage.town.record.commands.length, 0);
  });

  test("types the newest code as staff of the game, each time another of them, who come in where nobody is", () => {
    const { owner, channels } = stage.cast;
    const codes = new LinkCodes(stage);
    stage.discord.as(owner).post(channels.staff, "`:log marshal 111111`");
    stage.discord.as(owner).post(channels.staff, "`:log marshal 222222`");
    const said = [codes.type(), codes.type()];
    const typed = stage.town.record.commands.map(({ command, player, remote }) => ({
      command,
      player,
      remote,
    }));
    assert.equal(typed.length, 2);
    assert.ok(typed.every(({ command, remote }) => command === ":log marshal 222222" && !remote));
    assert.notEqual(typed[0]?.player, typed[1]?.player);
    const staff = stage.town.world.staffHere().map(({ ref }) => `${ref.name}:${ref.id}`);
    assert.ok(typed.every(({ player }) => staff.includes(player)));
    assert.match(said[0] ?? "", /types :log marshal 222222 in the game/);
  });
});
