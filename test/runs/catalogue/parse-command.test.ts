import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Failure } from "../../../src/domain/failure.ts";
import { parseCommand } from "../../../src/runs/catalogue/parse-command.ts";
import { catalogue, findVerb, usageOf } from "../../../src/runs/catalogue/verbs.ts";

/** The public list of command names (TychoTeam/prc.api-py, CommandName). */
const published =
  "kill killlogs kl down heal view spectate wanted unwanted arrest unjail jail free refresh respawn load bring teleport tp to tocar toatv kick ban unban bans helper unhelper helplers mod unmod mods moderators admin unadmin admins administrators h hint m message pm privatemessage prty priority peacetimer pt time startfire startnearfire snf stopfire stopdumpsterfire log logs commands cmds weather loadlayout unloadlayout shutdown".split(
    " ",
  );

describe("the catalogue", () => {
  test("knows every published verb", () => {
    assert.deepEqual(
      published.filter((name) => findVerb(name) === undefined),
      [],
    );
  });

  test("gives each name to one verb only", () => {
    const names = catalogue.flatMap(({ verb, aliases }) => [verb, ...aliases]);
    assert.equal(new Set(names).size, names.length);
  });

  test("has only inverses that exist, and reads only for Viewers", () => {
    for (const { verb, inverse, tier, danger, args } of catalogue) {
      if (inverse !== undefined) assert.ok(findVerb(inverse), `${verb} -> ${inverse}`);
      assert.equal(tier === "viewer", danger === "read", verb);
      if (danger === "read") assert.deepEqual(args, []);
    }
  });

  test("shows how a verb is used", () => {
    const kick = findVerb("kick");
    assert.equal(kick && usageOf(kick), ":kick players text");
  });
});

describe("parsing a command text", () => {
  test("reads verb, targets and the rest", () => {
    const command = parseCommand(":ban Alice,Bob breaking rules, again");
    assert.equal(command.verb, "ban");
    assert.deepEqual(command.targetTexts, ["Alice", "Bob"]);
    assert.equal(command.rest, "breaking rules, again");
    assert.equal(command.danger, "severe");
  });

  test("takes aliases and any case for the canonical verb", () => {
    assert.equal(parseCommand(":TP a b").verb, "teleport");
    assert.equal(parseCommand(":Arrest a").verb, "jail");
  });

  test("reads spaces at commas as more targets, never as fewer", () => {
    assert.deepEqual(parseCommand(":kill a, b ,c why").targetTexts, ["a", "b", "c"]);
  });

  test("does not take the words of a message for targets", () => {
    const command = parseCommand(":h all units, report");
    assert.deepEqual(command.targetTexts, []);
    assert.equal(command.mass, false);
  });

  test("knows all and others in any case, among others too", () => {
    for (const text of [":kill all", ":kill OTHERS", ":pm bob,All hi"])
      assert.equal(parseCommand(text).mass, true);
    assert.equal(parseCommand(":kill ally").mass, false);
  });

  test("takes further colons for one, and sends them as they were typed", () => {
    const command = parseCommand("::kick Bob why");
    assert.deepEqual([command.verb, command.targetTexts, command.rest], ["kick", ["Bob"], "why"]);
    assert.equal(command.text, "::kick Bob why");
    assert.equal(parseCommand(":::BAN Bob").verb, "ban");
  });

  test("lets joined emoji stand in free text", () => {
    assert.equal(parseCommand(":h Hi \u{1f468}\u200d\u{1f469}").verb, "hint");
    assert.equal(parseCommand(":kick Bob bye \u{1f468}\u200d\u{1f469}").verb, "kick");
  });

  test("gives an unknown verb to Managers, and reads its first word as targets", () => {
    const command = parseCommand(":explode all now");
    assert.deepEqual(
      [command.known, command.tier, command.mass, command.verb],
      [false, "manager", true, "explode"],
    );
  });

  test("suggests nothing for a text of invisible characters", () => {
    assert.throws(
      () => parseCommand("\u200b"),
      (error) => error instanceof Failure && !/Did you mean/.test(error.message),
    );
  });

  test("refuses a verb apart from its colon, with the hint", () => {
    assert.throws(() => parseCommand(": kick Bob"), {
      message: /space after the colon\. Did you mean :kick Bob\?/,
    });
    assert.throws(() => parseCommand(":"), { message: /nothing after the colon/ });
    assert.throws(() => parseCommand(": :)"), { message: /nothing after the colon/ });
  });

  test("refuses a text without a colon, with the hint", () => {
    assert.throws(() => parseCommand("kick Bob"), { code: "bad-command", message: /:kick Bob/ });
  });

  test("refuses no verb, empty names, control and invisible characters", () => {
    for (const text of [
      "",
      ":",
      ": kick a",
      ":kick a,",
      ":kick ,",
      ":kick a,,b",
      ":h a\nb",
      ":h a\u0000",
      ":h \u202eevil",
      ":h \ud800",
      ":ki\u200dck Bob",
      ":kick B\u200bob",
      ":kick Bob\u00ad",
      ":kick \u3164",
      ":kick Alice,B\u{e0041}ob why",
      "::",
      ":: kick Bob",
    ]) {
      assert.throws(() => parseCommand(text), { code: "bad-command" }, JSON.stringify(text));
    }
  });

  test("never rewrites what will be sent, and fails only as bad-command", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (tail) => {
        const text = `:${tail}`;
        try {
          assert.equal(parseCommand(text).text, text);
        } catch (error) {
          assert.ok(error instanceof Failure && error.code === "bad-command");
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("finds every target that was written, whatever the spaces", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_]{1,12}$/);
    const gap = fc.constantFrom(",", ", ", " ,", " , ");
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), gap, (names, comma) => {
        assert.deepEqual(parseCommand(`:kick ${names.join(comma)} reason`).targetTexts, names);
      }),
      { numRuns: 500 },
    );
  });
});
