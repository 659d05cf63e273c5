import assert from "node:assert/strict";
import { test } from "node:test";
import { ButtonStyle, type Interaction, MessageFlags, type TextChannel } from "discord.js";
import { OpenApi } from "../../support/openapi.ts";
import { type BotRig, refusalOf, startBot } from "./rig.ts";

const file = process.env.DISCORD_OPENAPI;
const skip = file === undefined ? "DISCORD_OPENAPI does not name Discord's OpenAPI description" : false;

test("every request and answer of a run fits Discord's OpenAPI description", { skip }, async (t) => {
  if (file === undefined) return;
  const rig = await startBot(t, { record: true });
  await useInteractions(rig);
  await useChannels(rig);
  await useRefusals(rig);
  const api = OpenApi.read(file);
  const { traffic } = rig.discord;
  assert.deepEqual(rig.thrown, []);
  assert.ok(traffic.length > 45, `${traffic.length} exchanges were recorded`);
  const problems = new Set(traffic.flatMap((exchanged) => api.check(exchanged)));
  assert.deepEqual([...problems].slice(0, 20), []);
  t.diagnostic(
    `${traffic.length} exchanges on ${new Set(traffic.map((one) => `${one.method} ${one.path}`)).size} addresses fit`,
  );
});

const row = (...components: object[]): never => ({ type: 1, components }) as never;
const button = { type: 2, style: ButtonStyle.Primary, custom_id: "go", label: "Go", emoji: { name: "🚓" } };
const link = { type: 2, style: ButtonStyle.Link, label: "Help", url: "https://example.com/help" };
const select = {
  type: 3,
  custom_id: "s",
  placeholder: "Pick",
  options: [{ label: "A", value: "a", description: "d" }],
};

async function onInteraction(interaction: Interaction): Promise<void> {
  if (interaction.isAutocomplete()) await interaction.respond([{ name: "a", value: "a" }]);
  if (interaction.isChatInputCommand()) {
    await interaction.deferReply({ flags: MessageFlags.Ephemeral, withResponse: true });
    await interaction.editReply({ content: "c", components: [row(button, link), row(select)] });
    await interaction.fetchReply();
    const note = await interaction.followUp({ content: "f", flags: MessageFlags.Ephemeral });
    await interaction.editReply({ message: note, content: "g" });
    await interaction.deleteReply(note);
  }
  if (interaction.isButton()) {
    const input = { type: 4, custom_id: "k", style: 1, min_length: 1, max_length: 20, placeholder: "p" };
    const label = (component: object, name: string): never =>
      ({ type: 18, label: name, description: "d", component }) as never;
    await interaction.showModal({
      custom_id: "m",
      title: "T",
      components: [
        row({ ...input, label: "K" }),
        label({ ...input, custom_id: "l" }, "L"),
        label({ type: 6, custom_id: "r", required: false }, "R"),
      ],
    });
  }
  if (interaction.isModalSubmit()) await interaction.reply({ content: "thanks", withResponse: true });
  if (interaction.isStringSelectMenu())
    await interaction.update({ content: "chosen", components: [], withResponse: true });
}

async function useInteractions(rig: BotRig): Promise<void> {
  const text = {
    type: 3,
    name: "text",
    description: "t",
    required: true,
    autocomplete: true,
    max_length: 100,
  };
  const option = {
    type: 1,
    name: "command",
    description: "x",
    options: [text, { type: 8, name: "role", description: "r" }],
  };
  const setup = {
    name: "setup",
    description: "s",
    defaultMemberPermissions: "32",
    contexts: [0],
    integrationTypes: [0],
  };
  const run = { name: "run", description: "r", options: [option] };
  await rig.client.application.commands.set([run, setup]);
  await rig.client.application.commands.set([run], rig.guild.id);
  await rig.client.application.commands.fetch();
  await rig.client.application.commands.fetch({ guildId: rig.guild.id });
  rig.handle(async (interaction) => onInteraction(interaction as Interaction));
  await rig.person.autocomplete(rig.channel, "run command", { text: "a" }, "text");
  const exchange = await rig.person.slash(rig.channel, "run command", { text: "a" });
  await exchange.settled((one) => one.message?.content === "c");
  const message = exchange.message;
  assert.ok(message);
  const { modal } = await rig.person.click(message, "go");
  assert.ok(modal);
  await rig.person.submit(modal, { k: "1", l: "2" });
  await rig.person.select(message, "s", ["a"]);
}

async function useChannels(rig: BotRig): Promise<void> {
  const { client, guild, channel, member } = rig;
  const role = guild.addRole({ name: "Staff", mentionable: true, color: 0xff0000 });
  guild.setBotPermissions([
    "ViewChannel",
    "SendMessages",
    "SendMessagesInThreads",
    "EmbedLinks",
    "AttachFiles",
    "ReadMessageHistory",
    "ManageMessages",
    "ManageThreads",
    "ManageChannels",
    "CreatePublicThreads",
    "CreatePrivateThreads",
  ]);
  const text = (await client.channels.fetch(channel.id)) as TextChannel;
  const embed = {
    title: "t",
    description: "d",
    color: 1,
    url: "https://example.com",
    timestamp: new Date(0).toISOString(),
    fields: [{ name: "n", value: "v" }],
    footer: { text: "f" },
    author: { name: "a" },
    image: { url: "attachment://a.png" },
  };
  const sent = await text.send({
    content: `<@&${role.id}> <@${member.id}>`,
    embeds: [embed],
    files: [
      { attachment: Buffer.from("x"), name: "a.png" },
      { attachment: Buffer.from("y"), name: "b.txt", description: "y" },
    ],
    components: [row(button, link)],
    nonce: "n1",
    enforceNonce: true,
    allowedMentions: { roles: [role.id], parse: [] },
  });
  await sent.edit({ content: "e", allowedMentions: { parse: [] } });
  await sent.reply({ content: "r", flags: MessageFlags.SuppressNotifications });
  await text.messages.fetch({ limit: 5, around: sent.id });
  await text.messages.fetch({ message: sent.id, force: true });
  await text.sendTyping();
  const thread = await text.threads.create({ name: "case", autoArchiveDuration: 60 });
  await thread.send("in it");
  await thread.setArchived(true);
  await (await text.send("starter")).startThread({ name: "from a message" });
  const [a, b] = [await text.send("a"), await text.send("b")];
  await text.bulkDelete([a, b]);
  await sent.delete();
  const seen = await client.guilds.fetch({ guild: guild.id, force: true });
  await seen.channels.fetch();
  await seen.channels.fetchActiveThreads();
  await seen.roles.fetch();
  await seen.members.fetch({ user: member.id, force: true });
  await client.guilds.fetch();
  await (await client.users.fetch(member.id, { force: true })).send("dm");
  await client.application.fetch();
  await client.user.fetch();
  await rig.rest.get("/gateway");
  await rig.rest.get("/oauth2/applications/@me").catch(() => undefined);
}

async function useRefusals(rig: BotRig): Promise<void> {
  const { rest, channel, member } = rig;
  const post = (body: object, id = channel.id): Promise<unknown> =>
    rest.post(`/channels/${id}/messages`, { body });
  const refused = [
    await refusalOf(post({ content: "x".repeat(2001), embeds: [{ title: "x".repeat(300) }] })),
    await refusalOf(post({})),
    await refusalOf(post({ content: "x" }, "1")),
    await refusalOf(rest.get(`/channels/${channel.id}/messages/1`)),
  ];
  assert.deepEqual(
    refused.map((one) => one.code),
    [50035, 50006, 10003, 10008],
  );
  channel.denyBot("SendMessages");
  assert.equal((await refusalOf(post({ content: "x" }))).code, 50013);
  member.closeDms();
  assert.equal((await refusalOf(post({ content: "x" }, member.dm?.id))).code, 50007);
  rig.discord.faults.set({ rateLimitNext: 1, rateLimitRetryAfterMs: 1 });
  // By fetch: @discordjs/rest would wait out the second and ask again.
  const headers = { authorization: `Bot ${rig.discord.token}` };
  assert.equal((await fetch(`${rig.discord.apiUrl}/v10/channels/${channel.id}`, { headers })).status, 429);
}
