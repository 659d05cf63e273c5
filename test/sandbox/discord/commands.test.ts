import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalOf, startBot, startDiscord } from "./rig.ts";

test("commands are registered globally and for a guild, read back, and keep their ids", async (t) => {
  const { client, discord, guild, channel, person } = await startBot(t);
  const registered = discord.waitFor((event) => event.type === "commands-registered");
  const first = await client.application.commands.set([{ name: "run", description: "a" }]);
  const event = await registered;
  assert.equal(event.type === "commands-registered" && event.guildId, undefined);
  const second = await client.application.commands.set([
    { name: "run", description: "b" },
    { name: "help", description: "h" },
  ]);
  assert.equal(second.find((one) => one.name === "run")?.id, first.first()?.id);
  assert.equal((await client.application.commands.fetch()).size, 2);
  await client.application.commands.set([{ name: "run", description: "of this guild" }], guild.id);
  assert.deepEqual(
    person.commands(channel).map((command) => command.description),
    ["of this guild", "h"],
    "a guild's own command stands before the global one",
  );
  assert.equal(discord.commands(guild.id).length, 1);
});

test("one command can be made, changed and removed", async (t) => {
  const { client, discord } = await startBot(t);
  const command = await client.application.commands.create({ name: "run", description: "a" });
  await command.edit({ description: "b" });
  assert.equal(discord.commands()[0]?.description, "b");
  await command.delete();
  assert.equal(discord.commands().length, 0);
});

test("another application and an unknown command are refused", async (t) => {
  const { discord, rest } = await startDiscord(t);
  assert.equal((await refusalOf(rest.put("/applications/1/commands", { body: [] }))).code, 10002);
  assert.equal((await refusalOf(rest.get(`/applications/${discord.applicationId}/commands/1`))).code, 10063);
});

test("a command that is not for guilds is not shown in one", async (t) => {
  const { discord, rest, channel, person } = await startDiscord(t);
  const body = [
    { name: "here", description: "d", contexts: [0], integration_types: [0] },
    { name: "dm", description: "d", contexts: [1] },
  ];
  await rest.put(`/applications/${discord.applicationId}/commands`, { body });
  assert.deepEqual(
    person.commands(channel).map((command) => command.name),
    ["here"],
  );
});

test("the bot reads who it is and its application", async (t) => {
  const { client, discord } = await startBot(t);
  const application = await client.application.fetch();
  assert.deepEqual([application.id, application.name], [discord.applicationId, "Marshal"]);
  assert.equal((await client.user.fetch()).id, discord.applicationId);
});
