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

/** They would never grow older, and not be in the reader's language; "since 5 minutes ago" is no English. */
test("no age is written out, and none stands behind a since", () => {
  const lines = globSync(["commands/**/*.ts", "src/!(sandbox)/**/*.ts", "src/*.ts"]).flatMap((file) =>
    readFileSync(file, "utf8").split("\n"),
  );
  assert.deepEqual(
    lines.filter((line) => /\$\{[^`]*\} (s|min|h|d|seconds|minutes|hours|days) ago/.test(line)),
    [],
  );
  assert.deepEqual(
    lines.filter((line) => /since <t:\$\{[^`]*?\}:R>/.test(line)),
    [],
  );
});
