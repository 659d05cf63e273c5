import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../src/domain/failure.ts";
import type { CommandEntry } from "../../src/domain/model.ts";
import type { Exchange, Message } from "../../src/sandbox/discord/types.ts";
import { type RunCommandsRig, startRunCommandsRig } from "../support/run-commands-rig.ts";
import { player } from "../support/runs-rig.ts";

/** What `/run` asks before it sends, and how its answers go on by themselves. */

function messageOf(exchange: Exchange): Message {
  assert.ok(exchange.message !== undefined, "there is no answer");
  return exchange.message;
}

function labelsOf(exchange: Exchange): string[] {
  const text = JSON.stringify(messageOf(exchange).components);
  return [...text.matchAll(/"label":"([^"]*)"/g)].map(([, label]) => label ?? "");
}

/** As it is shown: escaped, the first sentence as the title. */
const MEANT_WEATHER = /There is no \\?:wether[\s\S]*Did you mean \\?:weather \\?\(Administrators\\?\)\?/;
const NO_WETHER = /There is no \\?:wether[\s\S]*Type \\?: in \\?\/run command to see what you can run/;

const texts = (rig: RunCommandsRig) => rig.runs.sent.map(({ text }) => text);
const ask = (rig: RunCommandsRig, who: "mod" | "admin" | "manager" | "member", text: string) =>
  rig[who].slash(rig.channel, "run command", { text });

describe("before anything is sent", () => {
  test("a target that matches nobody is named in the plan, and Send anyway sends it", async (t) => {
    const rig = await startRunCommandsRig(t);
    const exchange = await ask(rig, "mod", ":kick Nobody_Here");
    const text = await rig.reads(exchange, /Not sent yet/);
    assert.match(text, /Send it anyway\?[\s\S]*Nobody in the server matches/);
    assert.deepEqual(labelsOf(exchange), ["Send anyway", "Do not send"]);
    assert.deepEqual(texts(rig), []);
    await rig.reads(await rig.mod.click(messageOf(exchange), "Send anyway"), /It ran/);
    assert.deepEqual(texts(rig), [":kick Nobody_Here"]);
  });

  test("a verb without its target is not sent, and the answer says how it is written", async (t) => {
    const rig = await startRunCommandsRig(t);
    const text = await rig.reads(await ask(rig, "manager", ":tp Alice"), /needs a second player/);
    assert.match(text, /:tp|:teleport/);
    assert.deepEqual(texts(rig), []);
  });

  test("who has linked their account moves themselves without a question, whatever their rank in the game", async (t) => {
    const rig = await startRunCommandsRig(t);
    rig.runs.players = [...rig.runs.players, player("Ada", 21)];
    await rig.reads(await ask(rig, "mod", ":tp Ada Alice"), /Ada[\s\S]*Administrator/);
    const { id, user } = rig.mod.member;
    const manager = { ...rig.runs.actor("manager"), guildId: rig.guild.id };
    await rig.runs.runs.accounts.vouch(manager, id ?? user.id, { name: "Ada", id: 21 });
    await rig.reads(await ask(rig, "mod", ":tp Ada Alice"), /It ran/);
    assert.deepEqual(texts(rig), [":tp Ada Alice"]);
  });

  test('an unknown verb gets "did you mean" in the person\'s reach, sent by one press', async (t) => {
    const rig = await startRunCommandsRig(t);
    const exchange = await ask(rig, "mod", ":kcik Alice afk");
    const text = await rig.reads(exchange, /Did you mean this/);
    assert.match(text, /`:kick Alice afk`/);
    assert.deepEqual(labelsOf(exchange), ["Send it", "Do not send"]);
    assert.deepEqual(rig.runs.audit.log, [], "a slip is no attempt at what is not allowed");
    await rig.reads(await rig.mod.click(messageOf(exchange), "Send it"), /It ran/);
    assert.deepEqual(texts(rig), [":kick Alice afk"]);
  });

  test("a mistyped verb is a typo for everybody, and no refusal in the audit", async (t) => {
    const rig = await startRunCommandsRig(t);
    const above = await rig.reads(await ask(rig, "mod", ":wether fog"), MEANT_WEATHER);
    const none = await rig.reads(await ask(rig, "member", ":wether fog"), NO_WETHER);
    for (const text of [none, above]) assert.doesNotMatch(text, /Only \w+ can|Manager|may not/);
    assert.doesNotMatch(none, /weather/);
    const dry = await rig.mod.slash(rig.channel, "run command", { text: ":wether fog", dry: true });
    await rig.reads(dry, MEANT_WEATHER);
    assert.deepEqual(rig.runs.audit.log, []);
    assert.deepEqual(texts(rig), []);
  });

  test("where the nearest verb needs a person in the game, no button sends it, and the answer says so", async (t) => {
    const rig = await startRunCommandsRig(t);
    const inGame =
      /There is no \\?:hlep[\s\S]*Did you mean \\?:help\? It works only for a person in the game; \\?\/help shows what Marshal can do/;
    for (const who of ["member", "mod", "admin"] as const) {
      const exchange = await ask(rig, who, ":hlep");
      const text = await rig.reads(exchange, inGame);
      assert.doesNotMatch(text, /Only \w+ can|Manager|may not|weather/);
      assert.deepEqual(labelsOf(exchange), []);
    }
    const dry = await rig.mod.slash(rig.channel, "run command", { text: ":hlep", dry: true });
    await rig.reads(dry, inGame);
    await rig.reads(
      await ask(rig, "mod", ":brng Alice"),
      /Did you mean \\?:bring\? It works only[\s\S]*use \\?:tp with two names/,
    );
    // A Manager may send what Marshal does not know, because the game may.
    const manager = await ask(rig, "manager", ":hlep");
    await rig.reads(manager, inGame);
    assert.deepEqual(labelsOf(manager), ["Send it", "Do not send"]);
    assert.doesNotMatch(JSON.stringify(messageOf(manager).components), /help/);
    assert.deepEqual(rig.runs.audit.log, []);
    assert.deepEqual(texts(rig), []);
  });

  test("a verb that does not exist is a slip before it is a question of tiers, and nothing in the audit", async (t) => {
    const rig = await startRunCommandsRig(t);
    for (const who of ["member", "mod", "admin"] as const) {
      const exchange = await ask(rig, who, ":warn Alice spam");
      const text = await rig.reads(exchange, /There is no \\?:warn[\s\S]*\\?\/case add writes a warning/);
      assert.doesNotMatch(text, /Only|Manager|tier/);
      assert.deepEqual(labelsOf(exchange), []);
      const nothing = await rig.reads(await ask(rig, who, ":frobnicate Alice"), /There is no \\?:frobnicate/);
      assert.doesNotMatch(nothing, /Only|Manager|tier/);
    }
    const dry = await rig.mod.slash(rig.channel, "run command", { text: ":frobnicate Alice", dry: true });
    const shown = await rig.reads(dry, /There is no \\?:frobnicate/);
    assert.doesNotMatch(shown, /You can't run this/);
    assert.deepEqual(rig.runs.audit.log, []);
    assert.deepEqual(texts(rig), []);
  });

  test("a Moderator who may not ban reads how to ask for it; who can't ask, or for whom nobody can, does not", async (t) => {
    const rig = await startRunCommandsRig(t);
    const way = /Only Administrators can run \\?:ban[\s\S]*Ask for the ban with \\?\/case ask\./;
    for (const text of [":ban Alice rdm", "ban Alice rdm"]) {
      const shown = await rig.reads(await ask(rig, "mod", text), way);
      assert.doesNotMatch(shown, /\*\*Next:\*\*/, "one way is enough");
    }
    const dry = await rig.mod.slash(rig.channel, "run command", { text: ":ban Alice rdm", dry: true });
    await rig.reads(dry, way);
    const [row] = rig.runs.audit.log;
    assert.doesNotMatch(JSON.stringify(row), /case ask/, "it is for the person");
    for (const [who, text] of [
      ["member", ":ban Alice rdm"],
      ["mod", ":ban all"],
      ["mod", ":unban Alice"],
    ] as const) {
      const shown = await rig.reads(await ask(rig, who, text), /Only Administrators can run/);
      assert.doesNotMatch(shown, /case ask/, `${who} ${text}`);
    }
    assert.deepEqual(texts(rig), []);
  });

  test("plain words are no verb: they are offered as a hint and as a message", async (t) => {
    const rig = await startRunCommandsRig(t);
    const exchange = await ask(rig, "mod", "hello all");
    const shown = await rig.reads(exchange, /starts with a colon/);
    assert.match(shown, /`:h hello all`[\s\S]*`:m hello all`/);
    assert.doesNotMatch(shown, /:hello|EVERYONE/);
    assert.deepEqual(labelsOf(exchange), ["Send :h", "Send :m", "Do not send"]);
    await rig.reads(await rig.mod.click(messageOf(exchange), "Send :m"), /It ran/);
    assert.deepEqual(texts(rig), [":m hello all"]);
    const refused = await rig.reads(await ask(rig, "member", "hello all"), /starts with a colon/);
    assert.doesNotMatch(refused, /:hello/);
  });

  test("a misspelt name behind a mistyped verb, or without the colon, gets the nearest names too", async (t) => {
    const rig = await startRunCommandsRig(t);
    const both = await ask(rig, "mod", ":kcik Alcie rdm");
    await rig.reads(both, /Did you mean this/);
    const near = labelsOf(both);
    assert.equal(near[0], "Alice");
    assert.ok(near.length <= 5, near.join(", "));
    const bare = await ask(rig, "mod", "kick Alcie rdm");
    await rig.reads(bare, /Did you mean this/);
    assert.equal(labelsOf(bare)[0], "Alice");
    await rig.mod.click(messageOf(bare), "Alice");
    await rig.reads(bare, /It ran|Send/);
    const short = await ask(rig, "mod", "k Alcie rdm");
    await rig.reads(short, /Did you mean this[\s\S]*`:kick Alcie rdm`/);
    assert.equal(labelsOf(short)[0], "Alice");
  });

  test("an id where the game takes a name is said to be one", async (t) => {
    const rig = await startRunCommandsRig(t);
    await rig.reads(await ask(rig, "mod", ":kick 12345678"), /:kick takes a name, not an id\./);
    const ban = await rig.reads(await ask(rig, "admin", ":ban 12345678 x"), /lasts until \\?:unban lifts it/);
    assert.doesNotMatch(ban, /takes a name/);
    assert.match(ban, /\[12345678\]\(https:\/\/www\.roblox\.com\/users\/12345678\/profile\)/);
    assert.deepEqual(texts(rig), []);
  });

  test("what needs somebody in the game is said to do nothing, and its button is neither red nor advised", async (t) => {
    const rig = await startRunCommandsRig(t);
    for (const [who, text] of [
      ["mod", ":to Alice"],
      ["mod", ":bring Alice"],
      ["mod", ":view Alice"],
      ["mod", ":help"],
    ] as const) {
      const asked = await ask(rig, who, text);
      await rig.reads(asked, /works only for a person in the game/);
      assert.deepEqual(labelsOf(asked), ["Send anyway", "Do not send"], text);
      assert.doesNotMatch(JSON.stringify(messageOf(asked).components), /"style":4/);
    }
    assert.deepEqual(texts(rig), []);
    const help = await ask(rig, "mod", ":help");
    await rig.reads(help, /works only for a person in the game/);
    rig.runs.answering = async () => {
      throw new Failure("bad-command", "The command you are attempting to run is restricted.");
    };
    const answer = await rig.reads(await rig.mod.click(messageOf(help), "Send anyway"), /did not run/);
    assert.match(answer, /^⛔ It works only in the game/);
    assert.match(answer, /\*\*Next:\*\* Use it in the game yourself\./);
    assert.doesNotMatch(answer, /Correct it|refused the command/);
  });

  test("a mistyped verb and a player are no words for everyone, also without the colon", async (t) => {
    const rig = await startRunCommandsRig(t);
    const warn = await ask(rig, "mod", "warn Alice rdm");
    await rig.reads(warn, /There is no \\?:warn[\s\S]*\\?\/case add writes a warning/);
    assert.deepEqual(labelsOf(warn), []);
    const kick = await ask(rig, "mod", "kcik Alice rdm");
    assert.match(await rig.reads(kick, /Did you mean this/), /`:kick Alice rdm`/);
    const short = await ask(rig, "mod", "k Alice rdm");
    assert.match(await rig.reads(short, /Did you mean this/), /`:kick Alice rdm`/);
    // Who has just left is nobody's name any more; one word alone is nothing to say either.
    const left = await rig.reads(await ask(rig, "mod", "kcik Turbo_1803"), /Did you mean this/);
    assert.match(left, /`:kick Turbo_1803`/);
    const help = await ask(rig, "mod", "hlep");
    await rig.reads(help, /There is no \\?:hlep[\s\S]*Did you mean \\?:help\?/);
    assert.deepEqual(labelsOf(help), []);
    for (const words of [
      "warn all of you",
      "note the new rules",
      "kcik,,",
      "hello Alice",
      "lol",
      "heap of people here",
    ]) {
      const said = await ask(rig, "mod", words);
      await rig.reads(said, /starts with a colon/);
      assert.deepEqual(labelsOf(said), ["Send :h", "Send :m", "Do not send"], words);
    }
    assert.deepEqual(texts(rig), []);
  });

  test("a message without its words is not sent", async (t) => {
    const rig = await startRunCommandsRig(t);
    await rig.reads(await ask(rig, "mod", ":pm Alice"), /:pm needs a message after the name/);
    await rig.reads(await ask(rig, "mod", ":h"), /:h needs a message/);
    assert.deepEqual(texts(rig), []);
  });

  test("a verb that does not exist is said first, and kinds only to who may run it", async (t) => {
    const rig = await startRunCommandsRig(t);
    // What the verb needs is for who may run it, too.
    await rig.reads(await ask(rig, "member", ":kcik"), /There is no \\:kcik\n[\s\S]*to see what you can run/);
    await rig.reads(await ask(rig, "mod", ":kcik"), /There is no \\:kcik\n[\s\S]*kick needs a player/);
    const above = /There is no \\:fire\n[\s\S]*Did you mean \\:startfire \\\(Administrators\\\)/;
    assert.doesNotMatch(await rig.reads(await ask(rig, "mod", ":fire castle"), above), /dumpster/);
    await rig.reads(
      await ask(rig, "admin", ":fire castle"),
      /There is no \\:fire\n[\s\S]*startfire needs a kind of fire\\?: house/,
    );
    await rig.reads(
      await ask(rig, "admin", ":fire hose"),
      /no \\:fire\n[\s\S]*Did you mean \\:startfire house/,
    );
    assert.doesNotMatch(
      await rig.reads(await ask(rig, "mod", ":startfire castle"), /Only Administrators/),
      /dumpster/,
    );
    assert.deepEqual(texts(rig), []);
  });

  test("a misspelt name gets the nearest names before Send anyway, each by one press", async (t) => {
    const rig = await startRunCommandsRig(t);
    rig.runs.players = ["Captain67", "Captain1", "Captain99", "Captains", "Bob"].map((name, at) =>
      player(name, 40 + at),
    );
    const exchange = await ask(rig, "mod", ":kick Capain67 afk");
    await rig.reads(exchange, /Nobody in the server matches "Capain67"[\s\S]*Did you mean/);
    const labels = labelsOf(exchange);
    assert.equal(labels[0], "Captain67");
    assert.deepEqual(labels.slice(-2), ["Send anyway", "Do not send"]);
    assert.ok(labels.length <= 5);
    await rig.reads(await rig.mod.click(messageOf(exchange), "Captain67"), /It ran/);
    assert.deepEqual(texts(rig), [":kick Captain67 afk"]);
    const ban = await ask(rig, "admin", ":ban Capain67");
    await rig.reads(ban, /Did you mean/);
    const again = await rig.admin.click(messageOf(ban), "Captain67");
    await rig.reads(again, /:ban Captain67[\s\S]*lasts until \\?:unban lifts it/);
    assert.deepEqual(texts(rig), [":kick Captain67 afk"]);
    assert.deepEqual(labelsOf(again), ["Send it", "Do not send"]);
  });

  test("a Manager may send an unknown verb anyway, and is told what a mass target is", async (t) => {
    const rig = await startRunCommandsRig(t);
    const exchange = await ask(rig, "manager", ":kcik Alice");
    await rig.reads(exchange, /Did you mean this/);
    assert.deepEqual(labelsOf(exchange), ["Send it", "Send :kcik anyway", "Do not send"]);
    await rig.reads(await rig.manager.click(messageOf(exchange), "Send :kcik anyway"), /It ran/);
    assert.deepEqual(texts(rig), [":kcik Alice"]);
    const mass = await ask(rig, "manager", ":kcik all");
    await rig.reads(mass, /Did you mean this/);
    const opened = await rig.manager.click(messageOf(mass), "Send :kcik anyway");
    assert.ok(opened.modal !== undefined, "the name is asked for this way as well");
  });

  test("a command without its colon is offered with one", async (t) => {
    const rig = await startRunCommandsRig(t);
    const exchange = await ask(rig, "mod", "kick Alice");
    assert.match(await rig.reads(exchange, /Did you mean this/), /`:kick Alice`/);
    assert.deepEqual(texts(rig), []);
    await rig.reads(await rig.mod.click(messageOf(exchange), "Send it"), /It ran/);
    assert.deepEqual(texts(rig), [":kick Alice"]);
    await rig.reads(await ask(rig, "mod", "hello"), /starts with a colon/);
    await rig.reads(await ask(rig, "mod", "ban Alice"), /Only Administrators can/);
    await rig.reads(await ask(rig, "mod", "warn Alice"), /case add writes a warning/);
  });

  test("a wrong name leaves the card with the form; the right one counts in any case, however invisible", async (t) => {
    const rig = await startRunCommandsRig(t);
    const exchange = await ask(rig, "manager", ":kill all");
    await rig.reads(exchange, /Send to EVERYONE\?/);
    const open = async () => {
      const { modal } = await rig.manager.click(messageOf(exchange), "Type the server's name");
      assert.ok(modal !== undefined);
      return modal;
    };
    const wrong = await rig.manager.submit(await open(), { name: "Liberty" });
    const text = await rig.reads(wrong, /That is not the server's name/);
    assert.match(text, /:kill all[\s\S]*Not sent yet/);
    assert.deepEqual(labelsOf(wrong), ["Type the server's name", "Do not send"]);
    const right = await rig.manager.submit(await open(), { name: "  LIBERTY\u200b county\ufe0f " });
    await rig.reads(right, /It ran/);
    assert.deepEqual(texts(rig), [":kill all"]);
  });

  test("a preset is found and run by its name; one with gaps goes on as a text", async (t) => {
    const rig = await startRunCommandsRig(t);
    const keep = async (name: string, text: string) =>
      rig.reads(await rig.manager.slash(rig.channel, "run preset save", { name, text }), /Saved/);
    await keep("Welcome", ":h Welcome to the city");
    await keep("warn", ":pm {player} Drive slowly");
    await keep("bye", ":ban {player}");
    const offered = async (typed: string) =>
      (await rig.mod.autocomplete(rig.channel, "run command", { text: typed }, "text")).map(
        ({ value }) => value,
      );
    assert.deepEqual((await offered("wel")).slice(0, 1), [":h Welcome to the city"]);
    assert.deepEqual((await offered("war")).slice(0, 1), [":pm"]);
    assert.ok(!(await offered("bye")).includes(":ban"));
    await rig.reads(await ask(rig, "mod", "welcome"), /It ran/);
    assert.deepEqual(texts(rig), [":h Welcome to the city"]);
    assert.equal([...rig.runs.audit.rows.values()].at(-1)?.origin, "preset");
    await rig.reads(await ask(rig, "mod", "warn"), /needs player/);
  });

  test("hostile names of players format, ping and link nothing on any of these cards", async (t) => {
    const rig = await startRunCommandsRig(t);
    rig.runs.players = [player("<@1>[x](https://e.vil)", 66), player("<@1>**b", 67)];
    for (const text of [":kill <@1>", ":kick [x](https://e.vil)", ":kcik <@&1>@everyone"]) {
      const shown = await rig.reads(await ask(rig, "manager", text), /Not sent yet/);
      // The label of a button is plain text to Discord.
      const formatted = shown.replace(/`[^`]*`/g, "").replace(/^\[.*\]$/gmu, "");
      assert.doesNotMatch(formatted, /<@[!&]?1>|@everyone|[^\\]\]\(https/);
    }
  });
});

describe("an answer goes on by itself", () => {
  test("what ran is seen in the log without a press", async (t) => {
    const rig = await startRunCommandsRig(t);
    const exchange = await ask(rig, "mod", ":h Welcome");
    await rig.reads(exchange, /It ran/);
    assert.deepEqual(labelsOf(exchange), ["Run again"]);
    const atS = Math.floor(rig.runs.clock.nowMs() / 1_000);
    const row: CommandEntry = { kind: "command", atS, player: { name: "Remote Server" }, text: ":h Welcome" };
    await rig.runs.journal.take(rig.runs.snapshot([row]));
    await rig.runs.clock.advance(5_000);
    await rig.reads(exchange, /It ran · seen in the log/);
    assert.equal([...rig.runs.answerTexts.keys()].length, 0);
  });

  test("the history is read page by page, refusals apart", async (t) => {
    const rig = await startRunCommandsRig(t);
    for (let n = 1; n <= 12; n++) {
      await rig.reads(await ask(rig, "mod", `:h number ${n}.`), /It ran/);
      await rig.runs.clock.advance(6_000);
    }
    await rig.reads(await ask(rig, "mod", ":ban Alice"), /Only Administrators can/);
    const first = await rig.mod.slash(rig.channel, "run history");
    const newest = await rig.reads(first, /number 12\./);
    assert.doesNotMatch(newest, /number 2\.|:ban/);
    assert.match(newest, /<t:\d+:R>/);
    assert.deepEqual(labelsOf(first), ["Older"]);
    const second = await rig.mod.click(messageOf(first), "Older");
    const older = await rig.reads(second, /number 1\./);
    assert.doesNotMatch(older, /number 3\./);
    assert.deepEqual(labelsOf(second), ["Newest"]);
    await rig.reads(await rig.mod.click(messageOf(first), "Newest"), /number 12\./);
    const gone = await rig.member.click(messageOf(first), "Older").catch(() => undefined);
    assert.ok(gone === undefined || !/number/.test(gone.text));
  });

  test("the queue is shown page by page, and a run of the page can be cancelled", async (t) => {
    const rig = await startRunCommandsRig(t);
    rig.runs.haltUntilMs = rig.runs.clock.nowMs() + 500_000;
    for (let n = 1; n <= 12; n++) await rig.reads(await ask(rig, "mod", `:h number ${n}.`), /not sent yet/);
    const first = await rig.mod.slash(rig.channel, "run queue");
    const shown = await rig.reads(first, /page 1 of 2/);
    assert.doesNotMatch(shown, /number 11\./);
    const second = await rig.mod.click(messageOf(first), "More");
    await rig.reads(second, /number 12\./);
    const last = (await rig.runs.runs.queue.waiting(rig.guild.id)).at(-1)?.record.id ?? "";
    const cancelled = await rig.mod.select(messageOf(first), "run-unqueue:1", [last]);
    const left = await rig.reads(cancelled, /Cancelled/);
    assert.match(left, /page 2 of 2[\s\S]*number 11\./);
    assert.doesNotMatch(left, /number 12\./);
  });
});
