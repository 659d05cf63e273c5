import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nearestCommand, nearestNames } from "../../../src/runs/catalogue/did-you-mean.ts";
import { parseCommand } from "../../../src/runs/catalogue/parse-command.ts";
import { player } from "../../support/runs-rig.ts";

/** Whom a text with one misspelt name may mean, of those in the game and those whom its logs still name. */
function near(
  text: string,
  { here = [], left = [], gone = [] }: Readonly<Partial<Record<"here" | "left" | "gone", readonly string[]>>>,
) {
  const command = parseCommand(text);
  const targets = command.targetTexts.map((one) => ({ text: one, players: [], staff: [] }));
  const people = {
    players: here.map((name, index) => player(name, 40 + index)),
    seen: new Map(left.map((name, index) => [80 + index, name])),
    kept: [],
    left: gone.map((name, index) => ({ player: { name, id: 90 + index }, atS: 1 })),
    staff: { admins: new Map(), mods: new Map(), helpers: new Map() },
    ownerId: 0,
    coOwnerIds: [],
    ageMs: 0,
  };
  return nearestNames(command, { targets, people }).map(({ name }) => name);
}

describe("the nearest verb", () => {
  const meant = (text: string, may = true) => nearestCommand(parseCommand(text), () => may).meant;

  test("by the letters that differ, before one that only begins so", () => {
    assert.equal(meant(":kcik Ada spam"), ":kick Ada spam");
    assert.equal(meant(":kikc Ada"), ":kick Ada");
  });

  test("else one that begins so, as the short forms of other bots do", () => {
    assert.equal(meant(":k Ada spam"), ":kick Ada spam");
    assert.equal(meant(":unj Ada"), ":unjail Ada");
    assert.equal(meant(":x Ada"), undefined);
  });

  test("else one that holds it", () => {
    assert.equal(meant(":fire house"), ":startfire house");
    assert.equal(meant(":log"), undefined, "the game has it");
    assert.equal(meant(":art"), undefined, "a short word stands in many by chance");
  });

  test("none that does what the typed one would take back", () => {
    assert.equal(meant(":unkill Ada"), undefined);
    assert.equal(meant(":unbann Ada"), ":unban Ada");
  });

  test("none for a verb that the game has, or has by another name", () => {
    assert.equal(meant(":m hello"), undefined);
    assert.equal(meant(":kick Ada"), undefined);
  });

  test("none for a word that each object of JavaScript has", () => {
    assert.deepEqual(
      nearestCommand(parseCommand(":constructor Ada"), () => true),
      {},
    );
  });
});

describe("the nearest names", () => {
  const here = ["AtlasTheGreat6676", "Atlas4071", "Atlas_RP", "Atlas_70"];

  test("none for somebody who has just left: the name was typed right", () => {
    assert.deepEqual(near(":heal SammyFan", { here: ["SamFan"] }), ["SamFan"]);
    assert.deepEqual(near(":heal sammyfan", { here: ["SamFan"], gone: ["SammyFan"] }), []);
    assert.deepEqual(
      near(":heal Sammy", { here: ["SamFan"], gone: ["SammyFan"] }),
      [],
      "as one beginning means",
    );
  });

  test("of those whose beginning is as near, the nearest whole names, then the shorter", () => {
    assert.deepEqual(near(":kick Atals", { here }), ["Atlas_RP", "Atlas_70", "Atlas4071"]);
    assert.deepEqual(near(":kick tlas", { here }), ["Atlas_RP", "Atlas_70", "Atlas4071"]);
  });

  test("first whose beginning is nearest, however long the name", () => {
    assert.deepEqual(near(":kick Atalss", { here: ["Atlas_70", "AtlassTheGreat6676"] }), [
      "AtlassTheGreat6676",
      "Atlas_70",
    ]);
  });

  test("nearness goes before who is in the game, which decides between those that are as near", () => {
    assert.deepEqual(near(":ban Atals", { here: ["AtlasTheGreat6676"], left: ["Atlas_70"] }), [
      "Atlas_70",
      "AtlasTheGreat6676",
    ]);
    assert.deepEqual(near(":ban Atals", { here: ["Atlas_RP"], left: ["Atlas_70"] }), [
      "Atlas_RP",
      "Atlas_70",
    ]);
  });
});
