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

test("as many presets as may be kept are all listed, however long they are; the texts give way", async () => {
  const few = await listed(3, `:h ${"long ".repeat(90)}`);
  assert.ok(few.includes("long ".repeat(50)), few);
  const many = await listed(50, `:h ${"long ".repeat(90)}`);
  for (let n = 0; n < 50; n++) assert.ok(many.includes(`**Preset ${n}** \`:h long`), `Preset ${n}`);
});
