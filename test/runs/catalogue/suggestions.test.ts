import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parseCommand } from "../../../src/runs/catalogue/parse-command.ts";
import { complete } from "../../../src/runs/catalogue/suggestions.ts";
import { binding, player, RunsRig } from "../../support/runs-rig.ts";

const players = () => ["Alice", "Bob", "Bobby"];
const anything = () => true;
const values = (typed: string, may: (text: string) => boolean = anything) =>
  complete({ typed, players, may }).map(({ value }) => value);

describe("autocompletion", () => {
  test("neither asks the service nor demands a poll, however much somebody types", () => {
    const rig = new RunsRig();
    for (const typed of [":k", ":kick", ":kick b"])
      rig.runs.catalogue.complete(binding.source, typed, anything);
    rig.runs.catalogue.complete(undefined, ":kick b", anything);
    assert.equal(rig.demandsPut.size, 0);
  });

  test("offers verbs, with or without the colon, the exact one first", () => {
    assert.deepEqual(values(":ki"), [":kick", ":kill"]);
    assert.ok(values("ki").includes(":kick"));
    assert.equal(values(":m")[0], ":m");
    assert.equal(values("").length, 25);
  });

  test("names nobody who plays for :unban", () => {
    assert.deepEqual(
      [values(":unban "), values(":unban b"), values(":ban b")],
      [[], [], [":ban Bob", ":ban Bobby"]],
    );
  });

  test("begins with what people use, and offers nothing that only a body in the game can do", () => {
    assert.deepEqual(values("").slice(0, 4), [":hint", ":message", ":pm", ":kick"]);
    for (const typed of ["b", ":to", "view", ":sn", "kl", ":cm", ":bring "]) {
      assert.ok(
        !values(typed).some((value) => /^:(bring|to|tocar|toatv|view|snf|kl|cmds)\b/.test(value)),
        typed,
      );
    }
    assert.deepEqual(
      values(":startfire "),
      ["house", "brush", "building", "dumpster"].map((kind) => `:startfire ${kind}`),
    );
    assert.deepEqual(values(":startfire b"), [":startfire brush", ":startfire building"]);
    assert.deepEqual(
      [":startfire hosue", ":startfire bulding", ":weather storm", ":weather ran", ":time 5"].map((typed) =>
        values(typed),
      ),
      [[":startfire house"], [":startfire building"], [":weather thunderstorm"], [":weather rain"], []],
    );
  });

  test("offers nothing that kills or shuts down before a letter of it was typed", () => {
    for (const typed of ["", ":"]) {
      const offered = complete({ typed, players, may: (text) => !/^:(weather|time|log)/.test(text) });
      for (const verb of ["kill", "down", "shutdown"])
        assert.ok(!offered.some(({ value }) => value === `:${verb}`), `${typed} ${verb}`);
    }
    for (const verb of ["kill", "down", "shutdown"])
      assert.ok(values(`:${verb[0]}`).includes(`:${verb}`), verb);
  });

  test("offers live players after the verb; the value is the whole text with the exact name", () => {
    assert.deepEqual(values(":kick bo"), [":kick Bob", ":kick Bobby"]);
    assert.deepEqual(values(":kick Alice,b"), [":kick Alice,Bob", ":kick Alice,Bobby"]);
    assert.deepEqual(values(":tp Bob al"), [":tp Bob Alice"]);
    assert.deepEqual(values(":weather r"), [":weather rain"]);
  });

  test("hides the verbs that the person may not run, and the players behind them", () => {
    const may = (text: string) => /^:(kill|hint|h)( |$)/.test(text);
    assert.deepEqual(values(":k", may), [":kill"]);
    assert.deepEqual(values(":h", may), [":h"]);
    assert.deepEqual(values(":m", may), []);
    assert.deepEqual(values(":kick bo", may), []);
    assert.deepEqual(values(":kill bo", may), [":kill Bob", ":kill Bobby"]);
    assert.deepEqual(
      values("", () => false),
      [],
    );
  });

  test("offers further targets and second players, without those who are named already", () => {
    assert.deepEqual(values(":kick Alice, b"), [":kick Alice,Bob", ":kick Alice,Bobby"]);
    assert.deepEqual(values(":kick Bob,b"), [":kick Bob,Bobby"]);
    assert.deepEqual(values(":tp Alice,Bob "), [":tp Alice,Bob Bobby"]);
    assert.deepEqual(values(":tp Alice, Bob b"), [":tp Alice, Bob Bobby"]);
  });

  test("offers names by a part of them and mistyped ones, and verbs that were mistyped", () => {
    assert.deepEqual(values(":kick lice"), [":kick Alice"]);
    assert.deepEqual(values(":kick Alcie"), [":kick Alice"]);
    assert.deepEqual(values(":kick Bbby"), [":kick Bobby"]);
    assert.deepEqual(values(":kick zzz"), []);
    assert.deepEqual(values(":weahter"), [":weather"]);
    assert.deepEqual(values(":kcik"), [":kick"]);
  });

  test("leaves out the players whom the person may not target", async () => {
    const rig = new RunsRig();
    rig.players = [player("Bob", 12), player("Bossy", 21, "Server Administrator")];
    const may = await rig.runs.permissions.mayRun(rig.actor("mod"), binding);
    const offered = rig.runs.catalogue.complete(binding.source, ":kick bo", may).map(({ value }) => value);
    assert.deepEqual(offered, [":kick Bob"]);
  });

  test("offers nothing for free text and for what it does not know", () => {
    assert.deepEqual(values(":h bo"), []);
    assert.deepEqual(values(":explode bo"), []);
    assert.deepEqual(values(":kick Bob al"), []);
  });

  test("gives at most 25 choices of at most 100 characters, each a command that can be read", () => {
    const many = () => Array.from({ length: 60 }, (_, index) => `Player${index}`);
    fc.assert(
      fc.property(
        fc.constantFrom(":kick ", "ban ", ":", ":pm Player1,", ":w"),
        fc.string({ maxLength: 120 }),
        (a, b) => {
          for (const { name, value } of complete({ typed: `${a}${b}`, players: many, may: anything })) {
            assert.ok(name.length <= 100 && value.length <= 100 && value.startsWith(":"));
          }
        },
      ),
      { numRuns: 500 },
    );
    assert.equal(complete({ typed: ":kick p", players: many, may: anything }).length, 25);
    for (const { value } of complete({ typed: ":kick p", players: many, may: anything }))
      assert.equal(parseCommand(value).targetTexts.length, 1);
  });
});
