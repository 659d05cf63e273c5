import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** About 200 read well; a file that grows past this has two jobs. */
const MOST_LINES = 300;
/** A constant of the module that is a plain value: a number, a text, an expression, a list, a set. */
const PLAIN_CONSTANT = /^(?:export )?const ([a-z]\w*)(?:: [^=]+)? = (?:-?\d|["'`]|md`|\/[^/*]|new Set\()/gm;

interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

const sources: readonly Source[] = globSync(["src/**/*.ts", "commands/*.ts"], { cwd: ROOT })
  .filter((path) => !path.startsWith("src/sandbox/"))
  .map((path) => {
    const text = readFileSync(`${ROOT}/${path}`, "utf8");
    return { path, text, lines: text.split("\n").length - 1 };
  });

describe("the files of the bot", () => {
  test("are found", () => {
    assert.ok(sources.length > 200, `${sources.length} files`);
  });

  test(`have at most ${MOST_LINES} lines`, () => {
    const long = sources.filter(({ lines }) => lines > MOST_LINES);
    assert.deepEqual(
      long.map(({ path, lines }) => `${path}: ${lines}`),
      [],
    );
  });

  test("write constants in upper case", () => {
    const lower = sources.flatMap(({ path, text }) =>
      [...text.matchAll(PLAIN_CONSTANT)].map(([, name]) => `${path}: ${name}`),
    );
    assert.deepEqual(lower, []);
  });
});
