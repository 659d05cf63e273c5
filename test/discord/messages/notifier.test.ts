import assert from "node:assert/strict";
import { test } from "node:test";
import { md } from "../../../src/domain/escaped.ts";
import { notifierOf, startDiscordRig } from "../../support/discord-rig.ts";

const body = { content: md`It ran` };

test("a person is told or is not: who keeps an answer for them learns which", async (t) => {
  const rig = await startDiscordRig(t, []);
  const { guild, member, emulated } = rig;
  const notifier = notifierOf(rig);
  const tell = () => notifier.person(guild.id, member.member.id, body);
  assert.equal(await tell(), "told");
  assert.equal(member.dms().length, 1);
  emulated.faults.set({ outage: "5xx" });
  assert.equal(await tell(), "refused");
  emulated.faults.set({ outage: undefined });
  member.member.closeDms();
  assert.equal(await tell(), "refused");
  assert.equal(member.dms().length, 1);
});
