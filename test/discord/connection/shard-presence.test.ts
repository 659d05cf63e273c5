import assert from "node:assert/strict";
import { test } from "node:test";
import { md } from "../../../src/domain/escaped.ts";
import { eventually, startDiscordRig } from "../../support/discord-rig.ts";

test("a shard that stays away is seen for as long as it is away, though the client calls itself ready", async (t) => {
  const { discord, emulated, world } = await startDiscordRig(t, []);
  const away = () => discord.state().shards[0]?.awayForMs;
  assert.equal(away(), 0);
  emulated.faults.set({ shardsAway: [0] });
  await eventually(() => (away() ?? 0) > 0);
  await world.clock.advance(60_000);
  assert.ok((away() ?? 0) >= 60_000);
  emulated.faults.set({ shardsAway: [] });
  await eventually(() => away() === 0);
});

test("what Discord took is counted, and whether it fails", async (t) => {
  const { discord, emulated, channel } = await startDiscordRig(t, []);
  const { messageId } = await discord.sink.send(channel.id, { content: md`a`, nonce: "1" });
  await discord.sink.edit(channel.id, messageId, { content: md`b` });
  assert.deepEqual(discord.state().sending, { taken: 2, failing: false });
  emulated.faults.set({ outage: "5xx" });
  await assert.rejects(discord.sink.send(channel.id, { content: md`c`, nonce: "2" }));
  assert.deepEqual(discord.state().sending, { taken: 2, failing: true });
  emulated.faults.clear();
  await discord.sink.send(channel.id, { content: md`c`, nonce: "2" });
  assert.deepEqual(discord.state().sending, { taken: 3, failing: false });
});
