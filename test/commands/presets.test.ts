import assert from "node:assert/strict";
import { test } from "node:test";
import { presets } from "../../commands/run-presets.ts";
import { textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";

const actor = actorOf({ manageGuild: true });

async function listed(count: number, text: string): Promise<string> {
  const world = new FakeWorld();
  const kept = Array.from({ length: count }, (_, n) => ({ name: `Preset ${n}`, text, createdBy: "1" }));
  await world.settings.change(actor.guildId, (settings) => ({ ...settings, presets: kept }));
  const { list } = presets.subcommands;
  assert.ok(list !== undefined && "execute" in list);
  const on = { actor, args: undefined, signal: new AbortController().signal, reference: "r" };
  const reply = await list.execute(on, world.services);
  assert.ok(!(Symbol.asyncIterator in reply));
  return textOf(reply);
}

test("an unknown name is answered by what who typed it can do", async () => {
  const world = new FakeWorld();
  const { use } = presets.subcommands;
  assert.ok(use !== undefined && "execute" in use);
  const tries = async (name: string, who = actor) => {
    const args = { name, server: undefined, dry: undefined, values: {} };
    const on = { actor: who, args, signal: new AbortController().signal, reference: "r" };
    const answer = use.execute(on, world.services);
    assert.ok(Symbol.asyncIterator in answer);
    for await (const _ of answer) assert.fail("it ran");
  };
  await assert.rejects(
    tries("nothing"),
    /There is no preset "nothing"\. None are saved yet\. A Manager can add one with \/run preset save\.$/,
  );
  await assert.rejects(tries(":h hi"), /There is no preset ":h hi"\. Send a command with \/run command\.$/);
  const kept = [{ name: "Hello", text: ":h hello", createdBy: "1" }];
  await world.settings.change(actor.guildId, (settings) => ({ ...settings, presets: kept }));
  await assert.rejects(tries("nothing"), /There is no preset "nothing"\. \/run preset list shows them\.$/);
  await assert.rejects(tries("nothing", actorOf({ manageGuild: false })), /Only staff can see the presets/);
});

test("as many presets as may be kept are all listed, however long they are; the texts give way", async () => {
  const few = await listed(3, `:h ${"long ".repeat(90)}`);
  assert.ok(few.includes("long ".repeat(50)), few);
  const many = await listed(50, `:h ${"long ".repeat(90)}`);
  for (let n = 0; n < 50; n++) assert.ok(many.includes(`**Preset ${n}** \`:h long`), `Preset ${n}`);
});
