import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { commands } from "../../commands/index.ts";
import { type Command, defineCommand, defineEntry } from "../../src/discord/command.ts";
import { createCommandRegistry } from "../../src/discord/interactions/command-registry.ts";
import { definitionsHash, parseRegistered } from "../../src/discord/interactions/registration.ts";
import { md } from "../../src/domain/escaped.ts";
import type { OwedMessages } from "../../src/domain/ports/notifier.ts";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import { discordIn } from "../support/discord-rig.ts";
import { FakeWorld, keptLog, textDocuments } from "../support/fake-services.ts";

const OWES_NOTHING: { readonly owed: OwedMessages } = { owed: { owe: async () => true } };

const hello = (description: string): Command =>
  defineCommand({
    name: "hello",
    description,
    entry: defineEntry<undefined>({
      description,
      first: "public",
      parse: () => undefined,
      execute: () => ({ content: md`hello` }),
    }),
  });

test("a restart registers only what has changed", async (t) => {
  const emulated = await EmulatedDiscord.start({ record: true });
  t.after(() => emulated.close());
  const registered = textDocuments();
  for (const description of ["first", "first", "second"]) {
    const discord = discordIn(emulated, new FakeWorld(), { registered });
    await discord.start([hello(description)], { ...new FakeWorld().services, ...OWES_NOTHING });
    await discord.stop();
  }
  assert.equal(emulated.traffic.filter(({ method }) => method === "PUT").length, 2);
  assert.equal(emulated.commands()[0]?.description, "second");
});

test("a store that was put back does not keep a newer version's commands in Discord", async (t) => {
  const emulated = await EmulatedDiscord.start({ record: true });
  t.after(() => emulated.close());
  const registered = textDocuments();
  const start = async (commands: readonly Command[], documents = registered) => {
    const discord = discordIn(emulated, new FakeWorld(), { registered: documents });
    await discord.start(commands, { ...new FakeWorld().services, ...OWES_NOTHING });
    await discord.stop();
  };
  const puts = () => emulated.traffic.filter(({ method }) => method === "PUT").length;
  await start([hello("first")]);
  const backup = textDocuments();
  for (const [id, mark] of registered.kept) backup.kept.set(id, mark);
  await start([hello("second"), { ...hello("new"), name: "newer" }]);
  assert.equal(emulated.commands().length, 2);

  await start([hello("first")], backup);
  assert.deepEqual(
    emulated.commands().map(({ name, description }) => [name, description]),
    [["hello", "first"]],
  );
  const before = puts();
  await start([hello("first")], backup);
  assert.equal(puts(), before, "what it finds there by then is its own");
});

test("commands that Discord refuses do not keep the bot from starting, and are tried again", async (t) => {
  const emulated = await EmulatedDiscord.start();
  t.after(() => emulated.close());
  const registered = textDocuments();
  const discord = discordIn(emulated, new FakeWorld(), { registered });
  t.after(() => discord.stop());
  await discord.start([hello("d".repeat(101))], { ...new FakeWorld().services, ...OWES_NOTHING });
  assert.equal(discord.state().ready, true);
  assert.equal(registered.kept.size, 0);
});

test("npm run deploy registers the commands by the environment alone, and says in words what is missing", async (t) => {
  const emulated = await EmulatedDiscord.start();
  t.after(() => emulated.close());
  const deploy = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, ["deploy/register.ts"], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    });
  const { stdout } = await deploy({ DISCORD_TOKEN: emulated.token, DISCORD_API_URL: emulated.apiUrl });
  assert.match(stdout, /registered \d+ commands/);
  assert.deepEqual(
    emulated
      .commands()
      .map(({ name }) => name)
      .sort(),
    commands.map(({ name }) => name).sort(),
  );
  await assert.rejects(deploy({}), /DISCORD_TOKEN/);
  await assert.rejects(
    deploy({ DISCORD_TOKEN: "wrong", DISCORD_API_URL: emulated.apiUrl }),
    /the commands could not be registered: Discord refuses DISCORD_TOKEN\. Get a new one/,
  );
});

test("a token that Discord does not accept ends the start with a line that names the variable", async (t) => {
  const emulated = await EmulatedDiscord.start({ token: "the-right-one" });
  t.after(() => emulated.close());
  const discord = discordIn(emulated, new FakeWorld(), { token: "a-wrong-one" });
  await assert.rejects(
    discord.start([], { ...new FakeWorld().services, ...OWES_NOTHING }),
    (error: unknown) => {
      assert.ok(error instanceof Error);
      assert.equal(error.name, "LoginError");
      assert.match(error.message, /DISCORD_TOKEN/);
      assert.doesNotMatch(error.message, /a-wrong-one/);
      return true;
    },
  );
});

for (const outage of ["down", "5xx"] as const) {
  test(`a Discord that is away at the start (${outage}) is waited for, and said once`, async (t) => {
    const emulated = await EmulatedDiscord.start();
    t.after(() => emulated.close());
    const [world, log] = [new FakeWorld(), keptLog()];
    const discord = discordIn(emulated, world, { log });
    t.after(() => discord.stop());
    emulated.faults.set({ outage });
    const started = discord.start([hello("first")], { ...world.services, ...OWES_NOTHING });
    await discord.away;
    const tries = emulated.traffic.length;
    await world.clock.advance(3_600_000);
    assert.ok(emulated.traffic.length - tries < 200, "it does not press");
    assert.equal(discord.state().ready, false);

    emulated.faults.clear();
    const waiting = setInterval(() => void world.clock.advance(30_000), 5);
    await started.finally(() => clearInterval(waiting));
    assert.equal(discord.state().ready, true);
    assert.equal(emulated.commands()[0]?.description, "first");
    const said = log.lines.filter(({ message }) => /cannot be reached/.test(message));
    assert.equal(said.length, 1);
  });
}

test("a stop while Discord is away ends the wait", async (t) => {
  const emulated = await EmulatedDiscord.start();
  t.after(() => emulated.close());
  const world = new FakeWorld();
  const discord = discordIn(emulated, world);
  emulated.faults.set({ outage: "down" });
  const started = discord.start([], { ...world.services, ...OWES_NOTHING });
  started.catch(() => undefined);
  await discord.away;
  await discord.stop();
  await assert.rejects(started, { name: "LoginError" });
});

test("the hash of the definitions changes with any word of them, and only then", () => {
  const hashOf = (description: string) =>
    definitionsHash(createCommandRegistry([hello(description)]).definitions);
  assert.equal(hashOf("a"), hashOf("a"));
  assert.notEqual(hashOf("a"), hashOf("b"));
  assert.throws(() => parseRegistered({}), TypeError);
});

test("groups of sub-commands are defined and found by their path", () => {
  const entry = defineEntry<undefined>({
    description: "d",
    first: "public",
    parse: () => undefined,
    execute: () => ({}),
  });
  const registry = createCommandRegistry([
    {
      name: "run",
      description: "r",
      subcommands: { command: entry, preset: { description: "p", subcommands: { add: entry } } },
    },
  ]);
  assert.equal(registry.entry("run", "preset add")?.entry, entry);
  assert.equal(registry.entry("run", "preset"), undefined);
  assert.deepEqual(
    registry.definitions[0]?.options?.map(({ type, name }) => [type, name]),
    [
      [1, "command"],
      [2, "preset"],
    ],
  );
});
