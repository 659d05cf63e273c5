import assert from "node:assert/strict";
import { test } from "node:test";
import { md } from "../../../src/domain/escaped.ts";
import { startDiscordRig } from "../../support/discord-rig.ts";

const body = { content: md`It ran` };

test("a person is told, cannot be told, or may be told later: who keeps an answer for them learns which", async (t) => {
  const { discord, guild, member, emulated } = await startDiscordRig(t, []);
  const tell = () => discord.notifier.person(guild.id, member.member.id, body);
  assert.equal(await tell(), "told");
  assert.equal(member.dms().length, 1);
  emulated.faults.set({ outage: "5xx" });
  assert.equal(await tell(), "away");
  emulated.faults.set({ outage: undefined });
  member.member.closeDms();
  assert.equal(await tell(), "refused");
  assert.equal(member.dms().length, 1);
});
