import assert from "node:assert/strict";
import { test } from "node:test";
import { settle } from "../../support/clock.ts";
import { startDiscordRig } from "../../support/discord-rig.ts";

test("a bot that is timed out can post nowhere until that is over, whatever its roles say", async (t) => {
  const { discord, guild, channel } = await startDiscordRig(t, []);
  const access = () => discord.guilds.channelAccess(guild.id, channel.id);
  const isOpen = async () => (await access()).kind === "open";
  assert.ok(await isOpen());
  const untilMs = Date.parse("2100-01-01T00:00:00Z");
  guild.bot.timeOut(untilMs);
  // It reaches the bot by the gateway, in its own time.
  for (let n = 0; n < 1_000 && (await isOpen()); n++) await settle();
  assert.deepEqual(await access(), { kind: "timed-out", untilMs });
  guild.bot.timeOut(undefined);
  for (let n = 0; n < 1_000 && !(await isOpen()); n++) await settle();
  assert.ok(await isOpen());
});
