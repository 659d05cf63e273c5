import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { knownVariables, root, textOf } from "./deploy-files.ts";

/** The cells of every table of a document whose last column names tests. */
function threatsIn(path: string): readonly (readonly string[])[] {
  const rows = textOf(path)
    .split("\n")
    .filter((line) => line.startsWith("| ") && /`test\/[^`]*` \|$/.test(line));
  return rows.map((row) => row.split("|").map((cell) => cell.trim()));
}

describe("what is documented for operators", () => {
  test("each threat names what stands against it, and a test that is there", () => {
    for (const [path, least] of [
      ["docs/hosting.md", 15],
      ["SECURITY.md", 6],
    ] as const) {
      const threats = threatsIn(path);
      assert.ok(threats.length >= least, `${threats.length} in ${path}`);
      for (const [, threat = "", against = "", shown = ""] of threats) {
        assert.ok(threat.length > 10 && against.length > 10, `${path}: ${threat}`);
        for (const [, file = ""] of shown.matchAll(/`([^`]+)`/g))
          assert.ok(existsSync(join(root, file)), `${path}: ${threat}: ${file}`);
      }
    }
  });

  test("every variable has its row, and no other stands there", () => {
    const rows = [...textOf("docs/hosting.md").matchAll(/^\| `([A-Z_]+)` \| [^|]*[a-z]/gm)].map(
      ([, name]) => name,
    );
    assert.deepEqual([...new Set(rows)].sort(), [...knownVariables()].sort());
  });

  test("files and scripts that are named are there", () => {
    const text = textOf("docs/hosting.md");
    for (const [, path = ""] of text.matchAll(/`((?:deploy|docs|src|test)\/[\w./-]+)`/g))
      assert.ok(existsSync(join(root, path)), path);
    const scripts = Object.keys(JSON.parse(textOf("package.json")).scripts);
    for (const [, script = ""] of text.matchAll(/`npm run ([\w:]+)/g))
      assert.ok(scripts.includes(script), script);
  });
});
