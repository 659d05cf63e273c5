import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseCommand } from "../../../src/runs/catalogue/parse-command.ts";
import { complete } from "../../../src/runs/catalogue/suggestions.ts";
import { binding, RunsRig } from "../../support/runs-rig.ts";

const players = () => ["Alice", "Bob", "Bobby"];
const values = (typed: string) => complete(typed, players).map(({ value }) => value);

describe("autocompletion", () => {
  it("neither asks the service nor demands a poll, however much somebody types", () => {
    const rig = new RunsRig();
    for (const typed of [":k", ":kick", ":kick b"]) rig.runs.words.complete(binding.source, typed);
    rig.runs.words.complete(undefined, ":kick b");
    assert.equal(rig.demandsPut.size, 0);
  });

  it("offers verbs, with or without the colon, the exact one first", () => {
    assert.equal(values(":ki")[0], ":kill");
    assert.ok(values("ki").includes(":kick"));
    assert.equal(values(":m")[0], ":m");
    assert.equal(values("").length, 25);
  });

  it("offers live players after the verb; the value is the whole text with the exact name", () => {
    assert.deepEqual(values(":kick bo"), [":kick Bob", ":kick Bobby"]);
    assert.deepEqual(values(":kick Alice,b"), [":kick Alice,Bob", ":kick Alice,Bobby"]);
    assert.deepEqual(values(":tp Bob al"), [":tp Bob Alice"]);
    assert.deepEqual(values(":weather r"), [":weather rain"]);
  });

  it("offers nothing for free text and for what it does not know", () => {
    assert.deepEqual(values(":h bo"), []);
    assert.deepEqual(values(":explode bo"), []);
    assert.deepEqual(values(":kick Bob al"), []);
  });

  it("gives at most 25 choices of at most 100 characters, each a command that can be read", () => {
    const many = () => Array.from({ length: 60 }, (_, index) => `Player${index}`);
    fc.assert(
      fc.property(
        fc.constantFrom(":kick ", "ban ", ":", ":pm Player1,", ":w"),
        fc.string({ maxLength: 120 }),
        (a, b) => {
          for (const { name, value } of complete(`${a}${b}`, many)) {
            assert.ok(name.length <= 100 && value.length <= 100 && value.startsWith(":"));
          }
        },
      ),
      { numRuns: 500 },
    );
    assert.equal(complete(":kick p", many).length, 25);
    for (const { value } of complete(":kick p", many))
      assert.equal(parseCommand(value).targetTexts.length, 1);
  });
});
