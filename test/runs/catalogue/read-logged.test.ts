import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseCommand } from "../../../src/runs/catalogue/parse-command.ts";
import { readLogged } from "../../../src/runs/catalogue/read-logged.ts";

/** Signs on which the reading depends. */
const signs = fc.string({ unit: fc.constantFrom(":", ",", " ", "a", "kick", "\u200b", "\n"), maxLength: 12 });

/** As patterns say it that are clear and, on a line of colons, try every one of them. */
function slowly(text: string): string {
  return text
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu, "")
    .replace(/(?: ?,)+/g, ",")
    .replace(/^(:+\S+ ),/, "$1")
    .replace(/,$/, "")
    .trim();
}

test("what is overlooked in a logged text is what the clear patterns overlook", () => {
  fc.assert(
    fc.property(signs, (text) => {
      const read = readLogged(text);
      if (read !== undefined) assert.deepEqual(read, parseCommand(slowly(text)));
      else assert.throws(() => parseCommand(slowly(text)));
    }),
  );
  assert.deepEqual(readLogged(":kick \u200b ,Ann,")?.targetTexts, ["Ann"]);
});

test("a line of a million colons, commas or spaces is read to its end", () => {
  // A pattern that tries each of them against each would not come back.
  for (const sign of [":", ",", " ", " ,", "\u200b ", "a,"])
    for (const start of ["", ":", ":kick "])
      for (const end of ["", "x"]) readLogged(start + sign.repeat(1_000_000 / sign.length) + end);
});
