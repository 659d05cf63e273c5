import assert from "node:assert/strict";
import { test } from "node:test";
import { md } from "../../../src/domain/escaped.ts";
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

test("a thread that Discord archived takes messages, which revive it; a locked one only of those who manage threads", async (t) => {
  const { discord, emulated, guild, channel } = await startDiscordRig(t, []);
  const thread = guild.addChannel({ name: "kills", type: "thread", parentId: channel.id });
  const kind = async () => (await discord.guilds.channelAccess(guild.id, thread.id)).kind;
  // It reaches the bot by the gateway, in its own time.
  const becomes = async (wanted: string) => {
    for (let n = 0; n < 1_000 && (await kind()) !== wanted; n++) await settle();
    assert.equal(await kind(), wanted);
  };
  thread.archive();
  assert.equal(await kind(), "open");
  await discord.sink.send(thread.id, { content: md`Ann was killed`, nonce: "n1" });
  assert.deepEqual([thread.archived, emulated.messages(thread).length], [false, 1]);
  thread.archive({ locked: true });
  await becomes("closed");
  channel.allowBot("ManageThreads");
  await becomes("open");
  await discord.sink.send(thread.id, { content: md`Bo was killed`, nonce: "n2" });
  assert.equal(emulated.messages(thread).length, 2);
});
