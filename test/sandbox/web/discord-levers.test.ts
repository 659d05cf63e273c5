import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openStage, type Stage } from "../../../src/sandbox/stage.ts";
import { DiscordLevers } from "../../../src/sandbox/web/discord-levers.ts";

describe("Levers of Discord", () => {
  let stage: Stage;
  let levers: DiscordLevers;
  before(async () => {
    stage = await openStage({ seed: 3, serverKey: "discord-levers", traffic: "quiet", live: false });
    levers = new DiscordLevers(stage);
  });
  after(() => stage.close());
  const lever = (id: string) => {
    const found = levers.levers().find((one) => one.id === id);
    if (found === undefined) throw new Error(`there is no lever ${id}`);
    return found;
  };

  test("Marshal may give roles below its own only after the lever", () => {
    const { guild } = stage.cast;
    const top = () => Math.max(...guild.bot.roles.map(({ position }) => position));
    assert.ok(!guild.bot.may("ManageRoles") && top() < guild.role("On Duty").position);
    lever("manage-roles").pull();
    assert.ok(guild.bot.may("ManageRoles") && top() > guild.role("On Duty").position);
  });

  test("each permission is given and taken by itself", () => {
    const { bot } = stage.cast.guild;
    const has = () => [bot.may("ManageRoles"), bot.may("CreatePrivateThreads")];
    assert.deepEqual(has(), [true, false]);
    lever("private-threads").pull();
    assert.deepEqual(has(), [true, true]);
    assert.equal(lever("private-threads").isOn?.(), true);
    lever("manage-roles").pull();
    assert.deepEqual(has(), [false, true]);
    lever("private-threads").pull();
    assert.deepEqual(has(), [false, false]);
    assert.ok(bot.may("EmbedLinks"), "what the invite asks for stays");
  });

  test("a member becomes staff, and is no longer", () => {
    const { member, staffRole } = stage.cast;
    assert.match(String(lever("staff-role").pull()), /has @/);
    assert.ok(member.roles.includes(staffRole));
    assert.match(String(lever("staff-role").pull()), /has lost @/);
    assert.ok(!member.roles.includes(staffRole));
  });

  test("clearing opens #kills for the bot again, and a channel that was deleted stays so", () => {
    const { kills } = stage.cast.channels;
    const { bot } = stage.cast.guild;
    lever("lock-out").pull();
    assert.ok(!bot.may("SendMessages", kills));
    levers.clear();
    assert.ok(bot.may("SendMessages", kills));
    lever("delete-channel").pull();
    levers.clear();
    assert.ok(kills.deleted);
    assert.match(String(lever("delete-channel").pull()), /A new #kills/);
  });
});
