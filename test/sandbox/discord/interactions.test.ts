import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AutocompleteInteraction,
  ButtonStyle,
  type ChatInputCommandInteraction,
  ComponentType,
  type MessageComponentInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
  TextInputStyle,
} from "discord.js";
import type { Modal } from "../../../src/sandbox/discord/types.ts";
import { type BotRig, startBot } from "./rig.ts";

const text = { type: 3, name: "text", description: "t", required: true, autocomplete: true };
const definitions = [
  { name: "server", description: "s", options: [{ type: 1, name: "status", description: "x" }] },
  {
    name: "run",
    description: "r",
    options: [
      { type: 1, name: "command", description: "x", options: [text] },
      {
        type: 1,
        name: "all",
        description: "x",
        options: [
          { type: 4, name: "count", description: "x", min_value: 1, max_value: 5 },
          { type: 5, name: "dry", description: "x" },
          { type: 6, name: "who", description: "x" },
          { type: 7, name: "where", description: "x", channel_types: [0] },
          { type: 8, name: "role", description: "x" },
          { type: 3, name: "mode", description: "x", choices: [{ name: "Fast", value: "f" }] },
        ],
      },
    ],
  },
];

async function startRunBot(t: Parameters<typeof startBot>[0]): Promise<BotRig> {
  const rig = await startBot(t);
  await rig.client.application.commands.set(definitions);
  return rig;
}

function onCommand(rig: BotRig, act: (interaction: ChatInputCommandInteraction) => Promise<unknown>): void {
  rig.handle(async (interaction) => {
    if (interaction.isChatInputCommand()) await act(interaction);
  });
}

const buttons = {
  type: ComponentType.ActionRow,
  components: [
    { type: ComponentType.Button, style: ButtonStyle.Primary, custom_id: "again", label: "Run again" },
    { type: ComponentType.Button, style: ButtonStyle.Link, url: "https://example.com", label: "Help" },
    { type: ComponentType.Button, style: ButtonStyle.Danger, custom_id: "off", label: "Off", disabled: true },
  ],
} as const;

test("a slash command is answered by a message that all see", async (t) => {
  const rig = await startRunBot(t);
  onCommand(rig, (interaction) => interaction.reply(`status of ${interaction.guild?.name}`));
  const exchange = await rig.person.slash(rig.channel, "server status");
  assert.deepEqual(
    [exchange.kind, exchange.text, exchange.ephemeral],
    ["message", "status of Riverside", false],
  );
  assert.equal(rig.discord.messages(rig.channel).at(-1)?.interaction?.commandName, "server status");
  assert.deepEqual(rig.thrown, []);
});

test("an ephemeral answer is seen by its person alone", async (t) => {
  const rig = await startRunBot(t);
  onCommand(rig, (interaction) => interaction.reply({ content: "psst", flags: MessageFlags.Ephemeral }));
  const exchange = await rig.person.slash(rig.channel, "server status");
  assert.equal(exchange.ephemeral, true);
  assert.equal(rig.discord.messages(rig.channel).length, 0);
  assert.deepEqual(
    rig.person.sees(rig.channel).map((message) => message.content),
    ["psst"],
  );
  const other = rig.discord.as(rig.guild.addMember({ name: "Nosy" }));
  assert.deepEqual(other.sees(rig.channel), []);
});

test("a deferred answer is thinking until it is filled, and that is no edit", async (t) => {
  const rig = await startRunBot(t);
  const gate = Promise.withResolvers<void>();
  onCommand(rig, async (interaction) => {
    await interaction.deferReply();
    await gate.promise;
    await interaction.editReply("done");
    await interaction.editReply("really done");
  });
  const exchange = await rig.person.slash(rig.channel, "server status");
  assert.deepEqual([exchange.deferred, exchange.pending, exchange.message?.thinking], [true, true, true]);
  gate.resolve();
  await exchange.settled((one) => one.text === "really done");
  assert.deepEqual([exchange.message?.edits, exchange.message?.thinking], [1, false]);
  assert.deepEqual(
    exchange.message?.history.map((version) => version.content),
    ["done"],
  );
});

test("the original can be read, deleted, and followed up; a follow-up may be ephemeral, edited and deleted", async (t) => {
  const rig = await startRunBot(t);
  const seen: string[] = [];
  onCommand(rig, async (interaction) => {
    const response = await interaction.reply({ content: "first", withResponse: true });
    seen.push(response.resource?.message?.content ?? "", (await interaction.fetchReply()).content);
    const follow = await interaction.followUp({ content: "second", flags: MessageFlags.Ephemeral });
    await interaction.editReply({ message: follow, content: "second, edited" });
    const third = await interaction.followUp("third");
    await interaction.deleteReply(third);
    await interaction.deleteReply();
    await interaction.followUp("last");
  });
  const exchange = await rig.person.slash(rig.channel, "server status");
  await exchange.settled((one) => one.followUps.some((message) => message.content === "last"));
  assert.deepEqual(seen, ["first", "first"]);
  assert.equal(exchange.message, undefined);
  assert.deepEqual(
    exchange.followUps.map((message) => message.content),
    ["second, edited", "last"],
  );
  assert.equal(exchange.followUps[0]?.ephemeralFor, rig.member.id);
});

test("the first follow-up after a deferral fills it and keeps its visibility", async (t) => {
  const rig = await startRunBot(t);
  onCommand(rig, async (interaction) => {
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    await interaction.followUp("meant for all");
  });
  const exchange = await rig.person.slash(rig.channel, "server status");
  await exchange.settled();
  assert.deepEqual(
    [exchange.text, exchange.ephemeral, exchange.followUps.length],
    ["meant for all", true, 0],
  );
});

test("options of every type arrive, with what they name", async (t) => {
  const rig = await startRunBot(t);
  const role = rig.guild.addRole({ name: "Staff" });
  let got: unknown[] = [];
  onCommand(rig, async (interaction) => {
    const { options } = interaction;
    got = [
      options.getSubcommand(),
      options.getInteger("count"),
      options.getBoolean("dry"),
      options.getUser("who")?.username,
      options.getMember("who") !== null,
      options.getChannel("where")?.name,
      options.getRole("role")?.name,
      options.getString("mode"),
      interaction.memberPermissions?.has("UseApplicationCommands"),
      interaction.appPermissions.has("SendMessages"),
    ];
    await interaction.reply("ok");
  });
  const options = { count: 3, dry: true, who: rig.member, where: rig.channel, role, mode: "Fast" };
  await rig.person.slash(rig.channel, "run all", options);
  assert.deepEqual(got, ["all", 3, true, "mo", true, "general", "Staff", "f", true, true]);
});

test("what the client would not send throws: unknown command, option, sub-command, missing or wrong value", async (t) => {
  const rig = await startRunBot(t);
  const slash = (line: string, options = {}): Promise<unknown> =>
    rig.person.slash(rig.channel, line, options);
  await assert.rejects(slash("nope"), /unknown/);
  await assert.rejects(slash("server start"), /no sub-command/);
  await assert.rejects(slash("run command"), /needs the option text/);
  await assert.rejects(slash("run command", { text: "x", nope: 1 }), /no option nope/);
  await assert.rejects(slash("run all", { count: 9 }), /out of range/);
  await assert.rejects(slash("run all", { mode: "slow" }), /not one of its choices/);
  await assert.rejects(slash("run all", { dry: "yes" }), /yes or no/);
});

test("a command with default_member_permissions is shown to those who have them", async (t) => {
  const rig = await startBot(t);
  await rig.client.application.commands.set([
    { name: "setup", description: "s", defaultMemberPermissions: "32" },
    { name: "admin", description: "s", defaultMemberPermissions: "0" },
  ]);
  rig.handle(async (interaction) => {
    if (interaction.isChatInputCommand()) await interaction.reply("ok");
  });
  await assert.rejects(rig.person.slash(rig.channel, "setup"), /not visible/);
  rig.member.addRole(rig.guild.addRole({ name: "Manager", permissions: ["ManageGuild"] }));
  assert.equal((await rig.person.slash(rig.channel, "setup")).text, "ok");
  assert.deepEqual(
    rig.person.commands(rig.channel).map((command) => command.name),
    ["setup"],
  );
  const owner = rig.discord.as(rig.guild.owner);
  assert.deepEqual(
    owner.commands(rig.channel).map((command) => command.name),
    ["setup", "admin"],
  );
});

test("autocompletion gives the focused text and takes choices", async (t) => {
  const rig = await startRunBot(t);
  rig.handle(async (interaction) => {
    if (!interaction.isAutocomplete()) return;
    const focused = (interaction as AutocompleteInteraction).options.getFocused();
    await interaction.respond([{ name: `${focused}ck`, value: `${focused}ck` }]);
  });
  const choices = await rig.person.autocomplete(rig.channel, "run command", { text: ":ki" }, "text");
  assert.deepEqual(choices, [{ name: ":kick", value: ":kick" }]);
});

test("a button updates its message, at once or deferred; by label or custom id", async (t) => {
  const rig = await startRunBot(t);
  let clicks = 0;
  rig.handle(async (interaction) => {
    if (interaction.isChatInputCommand()) await interaction.reply({ content: "0", components: [buttons] });
    if (!interaction.isButton()) return;
    clicks++;
    if (clicks === 1) {
      await interaction.update({ content: "1" });
      return;
    }
    await interaction.deferUpdate();
    await interaction.editReply({ content: "2", components: [] });
    await interaction.followUp({ content: "note", flags: MessageFlags.Ephemeral });
  });
  const { message } = await rig.person.slash(rig.channel, "server status");
  assert.ok(message);
  const first = await rig.person.click(message, "Run again");
  assert.deepEqual([first.kind, message.content, message.edits], ["update", "1", 1]);
  const second = await rig.person.click(message, "again");
  await second.settled((one) => one.followUps.length === 1);
  assert.deepEqual([second.deferred, message.content, message.components.length], [true, "2", 0]);
  assert.deepEqual(rig.thrown, []);
});

test("a disabled button, a link and a button on a message one does not see cannot be pressed", async (t) => {
  const rig = await startRunBot(t);
  onCommand(rig, (interaction) =>
    interaction.reply({ content: "x", components: [buttons], flags: MessageFlags.Ephemeral }),
  );
  const { message } = await rig.person.slash(rig.channel, "server status");
  assert.ok(message);
  await assert.rejects(rig.person.click(message, "Off"), /disabled/);
  await assert.rejects(rig.person.click(message, "Help"), /link/);
  await assert.rejects(rig.person.click(message, "Nope"), /no button/);
  const other = rig.discord.as(rig.guild.addMember({ name: "Nosy" }));
  await assert.rejects(other.click(message, "again"), /does not see/);
});

test("selects of texts, roles, channels and users give their values and what they name", async (t) => {
  const rig = await startRunBot(t);
  const role = rig.guild.addRole({ name: "Staff" });
  const got: unknown[] = [];
  const select = (type: number, id: string, more = {}): unknown => ({
    type: 1,
    components: [{ type, custom_id: id, max_values: 2, ...more }],
  });
  rig.handle(async (interaction) => {
    if (interaction.isStringSelectMenu()) got.push(interaction.values);
    if (interaction.isRoleSelectMenu()) got.push(interaction.roles.map((one) => one?.name));
    if (interaction.isChannelSelectMenu()) got.push(interaction.channels.map((one) => one.id));
    if (interaction.isUserSelectMenu()) got.push(interaction.users.map((one) => one.username));
    await (interaction as MessageComponentInteraction).deferUpdate();
  });
  const options = [
    { label: "A", value: "a" },
    { label: "B", value: "b" },
  ];
  await rig.rest.post(`/channels/${rig.channel.id}/messages`, {
    body: {
      content: "choose",
      components: [select(3, "s", { options }), select(6, "r"), select(8, "c"), select(5, "u")],
    },
  });
  const message = rig.discord.messages(rig.channel).at(-1);
  assert.ok(message);
  await rig.person.select(message, "s", ["a", "B"]);
  await rig.person.select(message, "r", [role]);
  await rig.person.select(message, "c", [rig.channel]);
  await rig.person.select(message, "u", [rig.member]);
  assert.deepEqual(got, [["a", "b"], ["Staff"], [rig.channel.id], ["mo"]]);
  await assert.rejects(rig.person.select(message, "s", ["z"]), /no option z/);
  await assert.rejects(rig.person.select(message, "s", ["a", "b", "a"]), /takes 1 to 2/);
  assert.deepEqual(rig.thrown, []);
});

test("a modal of classic inputs opens, keeps what was prefilled and is answered", async (t) => {
  const rig = await startRunBot(t);
  rig.handle(async (interaction) => {
    if (interaction.isChatInputCommand())
      await interaction.showModal({
        custom_id: "link",
        title: "Link a server",
        components: [
          input("key", { max_length: 10 }),
          input("note", { required: false, value: "prefilled" }),
        ],
      });
    if (interaction.isModalSubmit()) {
      const { fields } = interaction;
      await interaction.reply(`${fields.getTextInputValue("key")}/${fields.getTextInputValue("note")}`);
    }
  });
  const { modal, kind } = await rig.person.slash(rig.channel, "server status");
  assert.equal(kind, "modal");
  assert.ok(modal);
  assert.deepEqual(
    modal.fields.map((field) => [field.customId, field.label, field.required]),
    [
      ["key", "Label of key", true],
      ["note", "Label of note", false],
    ],
  );
  await assert.rejects(rig.person.submit(modal, { key: "" }), /1 to 10/);
  await assert.rejects(rig.person.submit(modal, { key: "x".repeat(11) }), /1 to 10/);
  await assert.rejects(rig.person.submit(modal, { nope: "x" }), /no field nope/);
  const exchange = await rig.person.submit(modal, { key: "abc" });
  assert.equal(exchange.text, "abc/prefilled");
  const other = rig.discord.as(rig.guild.addMember({ name: "Nosy" }));
  await assert.rejects(other.submit(modal, { key: "abc" }), /someone else/);
});

function input(id: string, more: object): { type: 1; components: never[] } {
  const component = { type: 4, custom_id: id, label: `Label of ${id}`, style: TextInputStyle.Short, ...more };
  return { type: 1, components: [component as never] };
}

test("a modal of labels takes texts, strings, roles and channels; from a button it may update the message", async (t) => {
  const rig = await startRunBot(t);
  const role = rig.guild.addRole({ name: "Staff" });
  const label = (id: string, component: object): never =>
    ({ type: 18, label: id, description: "d", component: { custom_id: id, ...component } }) as never;
  let got: unknown[] = [];
  rig.handle(async (interaction) => {
    if (interaction.isButton())
      await interaction.showModal({
        custom_id: "m",
        title: "All",
        components: [
          label("text", { type: 4, style: 2 }),
          label("string", { type: 3, options: [{ label: "One", value: "1" }] }),
          label("role", { type: 6, required: false }),
          label("channel", { type: 8, channel_types: [0] }),
          { type: 10, content: "A word of explanation" } as never,
        ],
      });
    if (interaction.isModalSubmit()) {
      const { fields } = interaction as ModalSubmitInteraction;
      got = [
        fields.getTextInputValue("text"),
        fields.getStringSelectValues("string"),
        fields.getSelectedRoles("role")?.map((one) => one?.name),
        fields.getSelectedChannels("channel")?.map((one) => one?.name),
      ];
      if (interaction.isFromMessage()) await interaction.update("updated by the form");
    }
  });
  await rig.rest.post(`/channels/${rig.channel.id}/messages`, {
    body: { content: "card", components: [buttons] },
  });
  const message = rig.discord.messages(rig.channel).at(-1);
  assert.ok(message);
  const { modal } = await rig.person.click(message, "again");
  const filled = modal as Modal;
  await rig.person.submit(filled, {
    text: "two\nlines",
    string: ["One"],
    role: [role],
    channel: [rig.channel],
  });
  assert.deepEqual(rig.thrown, []);
  assert.deepEqual(got, ["two\nlines", ["1"], ["Staff"], ["general"]]);
  assert.equal(message.content, "updated by the form");
});

test("a bot that stays silent leaves its person without an answer", async (t) => {
  const rig = await startRunBot(t);
  const exchange = await rig.person.slash(rig.channel, "server status", {}, { waitMs: 5 });
  assert.deepEqual(
    [exchange.kind, exchange.message, exchange.answeredAfterMs],
    ["none", undefined, undefined],
  );
});
