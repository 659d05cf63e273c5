import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "../../commands/index.ts";

/** Every text of the menu of commands: descriptions and the names of choices. */
function textsOf(part: unknown): readonly string[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    if (typeof value === "string") return key === "description" || key === "name" ? [value] : [];
    return textsOf(value);
  });
}

/** What native readers stumbled over; docs/words.md has what took its place. */
const ODD =
  /with nothing:|if you name none|begins? (?:so|anew)|whom they let|\bstands?\b|any more|goes? on\b|of somebody|show how it is|what is set|nowhere|takes it (?:back|away)/i;

test("the menu of commands has none of the words that readers stumbled over", () => {
  const texts = commands.flatMap((command) => textsOf(command));
  assert.ok(texts.length > 300, `${texts.length} texts were found`);
  assert.deepEqual(
    texts.filter((text) => ODD.test(text)),
    [],
  );
});
