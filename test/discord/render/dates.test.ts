import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** Discord's styles of a time: ago, a time of day with and without seconds, a date with its time, a date. */
const STYLES = new Set(["R", "T", "t", "f", "D"]);

test("dates and times have one format everywhere", () => {
  const files = globSync(["commands/**/*.ts", "src/!(sandbox)/**/*.ts", "src/*.ts"]);
  const used = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/<t:\$\{.*?\}:(\w)>/g)].map(([, style = ""]) => ({
      file,
      style,
    })),
  );
  assert.ok(used.length > 50, `${used.length} times were found`);
  assert.deepEqual(
    used.filter(({ style }) => !STYLES.has(style)),
    [],
  );
});
