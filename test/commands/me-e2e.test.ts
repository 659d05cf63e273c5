import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../src/domain/failure.ts";
import type { Exchange, Message } from "../../src/sandbox/discord/types.ts";
import { type RunCommandsRig, startRunCommandsRig } from "../support/run-commands-rig.ts";
import { player } from "../support/runs-rig.ts";

function messageOf(exchange: Exchange): Message {
  assert.ok(exchange.message !== undefined, "there is no answer");
  return exchange.message;
}

async function typeInGame(rig: RunCommandsRig, text: string, name = "Alice", id = 11): Promise<void> {
  const atS = Math.floor(rig.runs.clock.nowMs() / 1_000);
  await rig.runs.journal.take(rig.runs.snapshot([{ kind: "command", atS, player: { name, id }, text }]));
}

async function codeIn(rig: RunCommandsRig, exchange: Exchange): Promise<string> {
  const text = await rig.reads(exchange, /:log marshal \d{6}/);
  return /marshal (\d{6})/.exec(text)?.[1] ?? "";
}

describe("/me", () => {
  test("links an account by the code, shows it, and unlinks it by a press; only they see any of it", async (t) => {
    const rig = await startRunCommandsRig(t);
    await rig.reads(await rig.mod.slash(rig.channel, "me show"), /have not linked/);
    const linking = await rig.mod.slash(rig.channel, "me link");
    const code = await codeIn(rig, linking);
    assert.match(linking.text, /Keep the code to yourself/);
    assert.match(linking.text, /For others a Manager runs/);
    const lead = await rig.manager.slash(rig.channel, "me link");
    await codeIn(rig, lead);
    assert.match(lead.text, /Link others with/);
    assert.equal(messageOf(linking).ephemeralFor, rig.mod.member.id);
    await typeInGame(rig, `:log marshal ${code}`);
    await rig.reads(linking, /You are \*\*/);
    assert.match(linking.text, /\*\*\[Alice\]\(https:\/\/www\.roblox\.com\/users\/11\/profile\)\*\*/);
    await rig.reads(await rig.mod.slash(rig.channel, "me link"), /already linked to Alice/);
    await rig.reads(
      await rig.mod.slash(rig.channel, "me show"),
      /Linked [^\n]*, proven in the game by a code/,
    );
    const undone = await rig.mod.click(messageOf(linking), "Unlink");
    await rig.reads(undone, /no longer linked to you/);
    await rig.reads(await rig.mod.slash(rig.channel, "me unlink"), /no linked game account/);
  });

  test("nobody may be mentioned who did not allow it, and each decides for themselves", async (t) => {
    const rig = await startRunCommandsRig(t);
    const asked = await rig.mod.slash(rig.channel, "me mentions");
    await rig.reads(asked, /never mentions you/);
    await rig.reads(await rig.mod.click(messageOf(asked), "Mention me"), /may mention you/);
    await rig.reads(await rig.mod.slash(rig.channel, "me mentions"), /may mention you/);
    await rig.reads(await rig.member.slash(rig.channel, "me mentions"), /never mentions you/);
    await rig.reads(await rig.mod.slash(rig.channel, "me mentions", { allow: false }), /never mentions you/);
    await rig.reads(await rig.mod.slash(rig.channel, "me mentions"), /never mentions you/);
  });

  test("a code that nobody types expires, and a button gives a new one in its place", async (t) => {
    const rig = await startRunCommandsRig(t);
    const linking = await rig.member.slash(rig.channel, "me link");
    const code = await codeIn(rig, linking);
    await rig.runs.clock.advance(10 * 60_000);
    await rig.reads(linking, /has expired/);
    const renewed = await rig.member.click(messageOf(linking), "New code");
    assert.notEqual(await codeIn(rig, renewed), code);
  });

  test("a Manager links somebody else by a name that was seen; nobody else may, and staff list shows it", async (t) => {
    const rig = await startRunCommandsRig(t);
    const options = { member: { id: rig.mod.member.id }, player: "bobby" };
    await rig.reads(
      await rig.mod.slash(rig.channel, "me link", options),
      /Only Managers can link by name[\s\S]*To link your own account, run .*me link alone/,
    );
    await rig.reads(
      await rig.mod.slash(rig.channel, "me link", { ...options, member: { id: rig.owner.member.id } }),
      /Only Managers can link somebody else's account/,
    );
    await rig.reads(
      await rig.manager.slash(rig.channel, "me link", { ...options, player: "Nobody_Here" }),
      /was not seen/,
    );
    await rig.reads(await rig.manager.slash(rig.channel, "me link", { player: "bobby" }), /give both/);
    await rig.reads(await rig.manager.slash(rig.channel, "me link", options), /is \*\*Bobby\*\* in the game/);
    await rig.reads(
      await rig.owner.slash(rig.channel, "staff list"),
      /Game accounts[\s\S]*Bobby[^\n]*linked by <@\d+>'s word/,
    );
    const who = { member: { id: rig.mod.member.id } };
    await rig.reads(await rig.member.slash(rig.channel, "me show", who), /Only staff/);
    await rig.reads(
      await rig.admin.slash(rig.channel, "me show", who),
      /Bobby[\s\S]*Linked <t:\d+:R> by <@\d+>'s word/,
    );
    await rig.reads(await rig.admin.slash(rig.channel, "me unlink", who), /Only Managers/);
    await rig.reads(await rig.manager.slash(rig.channel, "me unlink", who), /no longer linked to <@/);
  });

  test("a Manager finds everybody who is in the server, also where nobody has asked for its players yet", async (t) => {
    const rig = await startRunCommandsRig(t);
    rig.runs.unread = ["players", "staff"];
    const options = { member: { id: rig.mod.member.id }, player: "Bobby" };
    await rig.reads(await rig.manager.slash(rig.channel, "me link", options), /is \*\*Bobby\*\* in the game/);

    rig.runs.unread = ["players", "staff"];
    rig.runs.freshFailure = new Failure("unreachable", "No answer.");
    const unseen = { member: { id: rig.admin.member.id }, player: "Alice" };
    const refused = await rig.manager.slash(rig.channel, "me link", unseen);
    assert.doesNotMatch(await rig.reads(refused, /service/), /was not seen/);
  });

  test("holders of Manage Server are offered everybody who is in the server", async (t) => {
    const rig = await startRunCommandsRig(t);
    const offered = async (typed: string) => {
      const options = { member: { id: rig.mod.member.id }, player: typed };
      return (await rig.owner.autocomplete(rig.channel, "me link", options, "player")).map(
        ({ value }) => value,
      );
    };
    assert.deepEqual(await offered(""), ["Alice", "Bob", "Bobby"]);
    assert.deepEqual(await offered("bobb"), ["Bobby"]);
  });

  test("a name with marks in it neither formats, pings nor links", async (t) => {
    const rig = await startRunCommandsRig(t);
    rig.runs.players = [player("[x](https://e.vil) <@1> @everyone `**", 77)];
    const linking = await rig.mod.slash(rig.channel, "me link");
    const code = await codeIn(rig, linking);
    await typeInGame(rig, `:log marshal ${code}`, "[x](https://e.vil) <@1> @everyone `**", 77);
    const text = await rig.reads(linking, /You are \*\*/);
    assert.doesNotMatch(text, /<@1>|@everyone|\]\(https:\/\/e\.vil/);
    const list = await rig.reads(await rig.owner.slash(rig.channel, "staff list"), /Game accounts/);
    assert.doesNotMatch(list, /<@1>|@everyone|\]\(https:\/\/e\.vil/);
  });
});
