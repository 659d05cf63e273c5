import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { serverOption } from "../../../commands/server-option.ts";
import { type Command, defineAction, defineCommand, defineEntry } from "../../../src/discord/command.ts";
import { createCommandRegistry } from "../../../src/discord/interactions/command-registry.ts";
import { createDispatch } from "../../../src/discord/interactions/dispatch.ts";
import { md } from "../../../src/domain/escaped.ts";
import { Failure } from "../../../src/domain/failure.ts";
import type { Actor } from "../../../src/domain/guild.ts";
import type { Button, MessageBody } from "../../../src/domain/message.ts";
import { FakeAnswers, formOf, optionsOf, textOf } from "../../support/fake-answers.ts";
import { actorOf, FakeWorld, keptLog } from "../../support/fake-services.ts";
import { FakeMetrics } from "../../support/network.ts";
import { serverStatus } from "../../support/server-status.ts";

const person = actorOf();

interface Said {
  readonly server: string | undefined;
  readonly word: string | undefined;
}

/** A command that says which server it was run for, and how often. */
function rig(first: "ephemeral" | "public" = "ephemeral", serverIsFilter = false) {
  const world = new FakeWorld();
  const ran: Said[] = [];
  const command: Command = defineCommand({
    name: "say",
    description: "Says",
    entry: defineEntry<Said>({
      description: "Says",
      first,
      serverIsFilter,
      options: [serverOption],
      parse: (options) => ({ server: options.string("server"), word: options.string("word") }),
      autocomplete: async ({ options }) => [{ name: options.string("server") ?? "none", value: "x" }],
      async execute({ args }) {
        ran.push(args);
        return { content: md`done` };
      },
    }),
    actions: {
      "say-again": defineAction({
        first: "ephemeral",
        execute: ({ argument }) => {
          throw new Failure("denied", "A tier is needed.", { wants: "tier", bindingId: argument });
        },
      }),
    },
  });
  const log = keptLog();
  const ports = { owed: {} } as Pick<Parameters<typeof createDispatch>[0], "owed">;
  const registry = createCommandRegistry([command]);
  const { services, clock, random } = world;
  const dispatch = createDispatch({
    registry,
    services,
    clock,
    random,
    metrics: new FakeMetrics(),
    log,
    ...ports,
  });
  const type = async (values: Readonly<Record<string, string>> = {}, actor: Actor = person) => {
    const answers = new FakeAnswers();
    const options = optionsOf(values);
    await dispatch.handle({ kind: "command", id: "i1", command: "say", path: "", options, actor, answers });
    return answers;
  };
  const press = async (customId: string, actor: Actor = person) => {
    const answers = new FakeAnswers();
    const parts = { values: [], form: formOf({}), messageId: "9" };
    await dispatch.handle({ kind: "press", id: "i2", messageOf: "i1", customId, actor, answers, ...parts });
    return answers;
  };
  const complete = async () => {
    const answers = new FakeAnswers();
    const typing = { command: "say", path: "", option: "word", typed: "", options: optionsOf() };
    await dispatch.handle({ kind: "typing", ...typing, actor: person, answers });
    return answers.offered?.[0]?.name;
  };
  const linkTwo = async () => {
    const day = await world.linkServer(person.guildId, serverStatus({ name: "Day" }), "k1");
    const night = await world.linkServer(person.guildId, serverStatus({ name: "Night", joinKey: "n" }), "k2");
    return { day, night };
  };
  return { world, ran, type, press, complete, linkTwo };
}

function buttonsOf(body: MessageBody | undefined): readonly Button[] {
  return (body?.rows ?? []).flat().filter((part) => part.kind === "button");
}

const idOf = (body: MessageBody | undefined, label: string) =>
  buttonsOf(body).find((button) => button.label === label)?.id ?? "";

describe("which server a command means", () => {
  test("with one server, or where one is named, nobody is asked", async () => {
    const { world, type, ran, linkTwo } = rig();
    const { id } = await world.linkServer(person.guildId);
    await type();
    assert.deepEqual(ran, [{ server: id, word: undefined }]);
    const { night } = await linkTwo();
    await type({ server: night.id });
    assert.equal(ran.at(-1)?.server, night.id);
  });

  test("with several and no default: a button for each, and the command goes on with what was typed", async () => {
    const { type, press, ran, linkTwo } = rig();
    const { night } = await linkTwo();
    const asked = await type({ word: "hello" });
    assert.match(textOf(asked.original), /Which server/);
    assert.deepEqual(
      buttonsOf(asked.original).map(({ label }) => label),
      ["Day", "Night"],
    );
    assert.deepEqual(ran, [], "nothing is begun before the answer");
    const answered = await press(idOf(asked.original, "Night"));
    assert.deepEqual(ran, [{ server: night.id, word: "hello" }]);
    assert.deepEqual(answered.calls, ["defer update", "edit @original"]);
  });

  test("a second press runs nothing, another person's press neither, and after 15 minutes nobody's", async () => {
    const { type, press, ran, linkTwo, world } = rig();
    await linkTwo();
    const first = idOf((await type()).original, "Day");
    assert.match(
      textOf((await press(first, { ...person, userId: "200" })).original),
      /This question was already answered/,
    );
    await Promise.all([press(first), press(first)]);
    assert.equal(ran.length, 1);
    const second = idOf((await type()).original, "Day");
    await world.clock.advance(15 * 60_000);
    assert.match(textOf((await press(second)).original), /This question was already answered/);
    assert.equal(ran.length, 1);
  });

  test("a public command asks only who typed it, and answers for all", async () => {
    const { type, press, linkTwo } = rig("public");
    await linkTwo();
    const asked = await type();
    assert.deepEqual(asked.calls, ["defer public", "remove", "followUp ephemeral"]);
    const answered = await press(idOf(asked.followUps[0]?.body, "Day"));
    assert.deepEqual(answered.calls, ["defer public", "edit @original"]);
  });

  test("the default answers, in its channel the channel's own; typing sees the same server", async () => {
    const { type, ran, linkTwo, world, complete } = rig();
    const { day, night } = await linkTwo();
    assert.equal(await complete(), "none");
    await world.settings.change(person.guildId, (before) => ({ ...before, defaultServer: day.id }));
    await type();
    assert.equal(await complete(), day.id);
    await world.settings.change(person.guildId, (before) => ({
      ...before,
      channelServers: { [person.channelId]: night.id },
    }));
    await type();
    assert.deepEqual(
      ran.map(({ server }) => server),
      [day.id, night.id],
    );
  });

  test("a press that is refused for want of a tier offers the roles of the server that it was about", async () => {
    const { press, linkTwo } = rig();
    const { night } = await linkTwo();
    const refused = await press(`say-again:${night.id}`, { ...person, manageGuild: true });
    assert.equal(idOf(refused.original, "Choose roles"), `guide-roles:${night.id}`);
  });

  test("a search that a server only narrows is never asked", async () => {
    const { type, ran, linkTwo } = rig("ephemeral", true);
    await linkTwo();
    await type();
    assert.deepEqual(ran, [{ server: undefined, word: undefined }]);
  });

  test("more servers than fit are on further pages", async () => {
    const { type, press, world } = rig();
    for (let at = 0; at < 23; at++) {
      const status = serverStatus({ name: `S${at}`, joinKey: `j${at}` });
      await world.linkServer(person.guildId, status, `key-${at}`);
    }
    const asked = (await type()).original;
    assert.equal(asked?.rows?.length, 5);
    const turned = (await press(idOf(asked, "▶"))).original;
    assert.deepEqual(
      buttonsOf(turned).map(({ label }) => label),
      ["S20", "S21", "S22", "◀", "▶"],
    );
  });

  test("one person has at most five open questions, and displaces nobody else's", async () => {
    const { type, press, linkTwo } = rig();
    await linkTwo();
    const others = idOf((await type({}, { ...person, userId: "200" })).original, "Day");
    const ids: string[] = [];
    for (let at = 0; at < 6; at++) ids.push(idOf((await type()).original, "Day"));
    assert.match(textOf((await press(ids[0] ?? "")).original), /This question was already answered/);
    assert.match(textOf((await press(ids[1] ?? "")).original), /done/);
    assert.match(textOf((await press(others, { ...person, userId: "200" })).original), /done/);
  });
});
