import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Failure } from "../../src/domain/failure.ts";
import { meantServer } from "../../src/domain/server-choice.ts";
import { renamed, uniqueName } from "../../src/domain/server-names.ts";
import { clockIn, zoneNamed } from "../../src/domain/time-zones.ts";
import { anyText } from "../support/any-text.ts";
import { linkedServer } from "../support/bindings.ts";

const named = (...names: readonly string[]) => names.map((name) => ({ name }));

test("two servers with one name get different numbers", () => {
  assert.equal(uniqueName("Riverside", []), "Riverside");
  assert.equal(uniqueName("Riverside", named("riverside")), "Riverside 2");
  assert.equal(uniqueName("Riverside", named("Riverside", "Riverside 2")), "Riverside 3");
});

test("a long name is cut at a word, and invisible characters make no difference", () => {
  assert.equal(
    uniqueName("Riverside Roleplay | Strict | Staffed all day and all night | Join now", []),
    "Riverside Roleplay | Strict | Staffed",
  );
  assert.equal(uniqueName("River\u200bside", named("Riverside")), "Riverside 2");
  assert.equal(uniqueName("\u200b\u202e ", []), "Server");
});

test("a name of a million signs is cut like a short one", () => {
  for (const sign of [" ", "!", "|", "a ", "\u200b"]) {
    const name = uniqueName(`Riverside ${sign.repeat(1_000_000)}x`, []);
    assert.ok([...name].length <= 40 && name.startsWith("Riverside"), name);
  }
  assert.equal(uniqueName(`A ${"!".repeat(60)}`, []), "A");
  assert.equal(uniqueName("!".repeat(60), []), "!".repeat(40));
});

test("whatever a server calls itself, its name here is short, visible and not like another", () => {
  fc.assert(
    fc.property(anyText(), fc.array(fc.string(), { maxLength: 5 }), (own, others) => {
      const name = uniqueName(own, named(...others));
      assert.ok(name.trim() !== "" && [...name].length <= 43, JSON.stringify(name));
      assert.ok(!others.some((other) => other.toLowerCase() === name.toLowerCase()));
    }),
  );
});

test("a name that shows nothing, is too long or is taken is refused in words", () => {
  const refused = (wanted: string, words: RegExp) =>
    assert.throws(
      () => renamed(wanted, named("Night")),
      (error) => error instanceof Failure && words.test(error.message),
    );
  refused("\u200b", /letters or digits/);
  refused("x".repeat(41), /40 characters/);
  refused("night", /Another server/);
  assert.equal(renamed("  Day  server ", named("Night")), "Day server");
  assert.equal(renamed("x".repeat(40), []), "x".repeat(40));
});

test("the server of the channel is meant before the default, and the only one always", () => {
  const binding = (id: string) => linkedServer({ id, name: id });
  const both = [binding("a"), binding("b")];
  assert.equal(meantServer(both, {}, "9"), undefined);
  assert.equal(meantServer(both, { defaultServer: "a" }, "9")?.id, "a");
  assert.equal(meantServer(both, { defaultServer: "a", channelServers: { 9: "b" } }, "9")?.id, "b");
  assert.equal(meantServer(both, { defaultServer: "gone" }, "9"), undefined);
  assert.equal(meantServer([binding("a")], { defaultServer: "b" }, "9")?.id, "a");
});

test("zones are found however they are typed; what is none is not guessed", () => {
  assert.equal(zoneNamed(" europe/berlin "), "Europe/Berlin");
  assert.equal(zoneNamed("america/new york"), "America/New_York");
  assert.equal(zoneNamed("utc"), "UTC");
  assert.equal(zoneNamed("Berlin"), "Europe/Berlin");
  assert.equal(zoneNamed("sao paulo"), "America/Sao_Paulo");
  for (const none of ["", "+01:00", "Ber", "Europe/Nowhere"]) assert.equal(zoneNamed(none), undefined, none);
  assert.equal(clockIn("Europe/Berlin", Date.UTC(2026, 6, 4, 17, 4)), "Sat 19:04");
});
