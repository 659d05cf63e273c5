import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "../../commands/index.ts";
import { createCommandRegistry } from "../../src/discord/interactions/command-registry.ts";
import { helpCard } from "../../src/discord/render/help.ts";
import { textOf } from "../support/fake-answers.ts";

const { summaries } = createCommandRegistry(commands);
const nobody = { commands: summaries, linked: true, staff: false, manageGuild: false };
const read = (view: typeof nobody) => textOf({ cards: [helpCard(view)] });

test("help shows everybody what is open, and managers what they set up", () => {
  assert.match(read(nobody), /\/server status/);
  assert.doesNotMatch(read(nobody), /\/setup|\/run/);
  assert.match(read({ ...nobody, manageGuild: true }), /\/setup link/);
});

test("help names the first step where nothing is linked", () => {
  assert.match(read({ ...nobody, linked: false }), /someone with the Manage Server permission/i);
  assert.match(read({ ...nobody, linked: false, manageGuild: true }), /Begin with `\/setup link`/);
});

test("help stays within Discord's limits whatever commands there are", () => {
  const many = Array.from({ length: 60 }, (_, n) => ({
    ...{ path: `/command number${n}`, description: "d".repeat(100), manageGuild: n % 2 === 0 },
  }));
  const card = helpCard({ ...nobody, commands: many, manageGuild: true });
  const fields = card.fields ?? [];
  assert.ok(fields.every(({ value }) => value.length <= 1_024 && value.length > 0));
  assert.equal(fields.flatMap(({ value }) => value.split("\n")).length, 60);
});
