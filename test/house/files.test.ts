import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** A file of about this length reads well; a longer one says at its head why it is one file. */
const GOOD_LINES = 200;
const MOST_LINES = 300;
/** The first line of a longer file. */
const REASON = /^\/\/ Over 200 lines: .{20,}\.$/;
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
    const lines = text.split("\n").length - 1;
    return { path, text, lines: REASON.test(text.split("\n")[0] ?? "") ? lines - 1 : lines };
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

  test(`say in their first line why they have more than ${GOOD_LINES}, and only then`, () => {
    const wrong = sources.filter(({ text, lines }) => {
      const [first = ""] = text.split("\n");
      return REASON.test(first) !== lines > GOOD_LINES;
    });
    assert.deepEqual(
      wrong.map(({ path, lines }) => `${path}: ${lines}`),
      [],
      "the first line reads: // Over 200 lines: REASON.",
    );
  });

  test("write constants in upper case", () => {
    const lower = sources.flatMap(({ path, text }) =>
      [...text.matchAll(PLAIN_CONSTANT)].map(([, name]) => `${path}: ${name}`),
    );
    assert.deepEqual(lower, []);
  });
});
