import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { commands } from "../../commands/index.ts";
import { linesOf } from "../e2e/sweep-walk.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FILE = /`((?:\.\.?\/|[\w-]+\/)*[\w.*-]+\.(?:ts|md|ya?ml|json))`/g;
const FOLDER = /`((?:src|test|commands|deploy|docs)\/(?:[\w-]+\/)*)`/g;
const LINK = /\]\((?!https?:)([^)#]+)/g;
const SCRIPT = /`npm run ([\w:-]+)/g;
/** Where a bot keeps its data: these files come with a start. */
const MADE_LATER = /^data\//;

const documents = globSync(["*.md", "docs/*.md", "src/**/README.md"], { cwd: ROOT }).filter(
  (path) => path !== "CHANGELOG.md",
);
const wings = globSync("src/*/README.md", { cwd: ROOT }).map((path) => dirname(path));
const files = globSync(["src/**/*.{ts,md}", "commands/*.ts", "test/**/*.ts", "deploy/**/*.*"], { cwd: ROOT });

const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name);

/**
 * Named from the root or from the document's folder. A README in src may also give the end of a path below its folder,
 * the other documents the bare name of a file.
 */
function isThere(document: string, name: string): boolean {
  const folder = dirname(document);
  if (existsSync(join(ROOT, name)) || existsSync(join(ROOT, folder, name))) return true;
  if (folder.startsWith("src/")) return filesBelow(folder).some(endsWith(name));
  return !name.includes("/") && files.some((path) => basename(path) === name);
}

const filesBelow = (folder: string) => files.filter((path) => path.startsWith(`${folder}/`));

/** Whether a path ends in this name, in which a star stands for a part of a name. */
function endsWith(name: string): (path: string) => boolean {
  const end = name.replaceAll(".", "\\.").replaceAll("*", "[\\w-]*");
  return (path) => new RegExp(`(?:^|/)${end}$`).test(path);
}

/** The commands in a cell: the first is whole, each later one gives what stands in place of its last word. */
function commandsNamedIn(cell: string): readonly string[] {
  const [first = "", ...others] = found(cell, /`\/?([^`]+)`/g).map((name) => name.replace(/ \w+:.*$/, ""));
  const before = first.split(" ").slice(0, -1);
  return [first, ...others.map((name) => [...before, name].join(" "))];
}

describe("the documents", () => {
  test("are found", () => {
    assert.ok(documents.length > 12 && wings.length > 8, `${documents.length} and ${wings.length}`);
  });

  test("name files and folders that are there", () => {
    const missing = documents.flatMap((path) => {
      const text = textOf(path);
      const names = [...found(text, FILE), ...found(text, FOLDER), ...found(text, LINK)];
      return names
        .filter((name) => !MADE_LATER.test(name) && !isThere(path, name))
        .map((name) => `${path}: ${name}`);
    });
    assert.deepEqual(missing, []);
  });

  test("name scripts that package.json has", () => {
    const scripts = Object.keys(JSON.parse(textOf("package.json")).scripts);
    const missing = documents.flatMap((path) =>
      found(textOf(path), SCRIPT)
        .filter((script) => !scripts.includes(script))
        .map((script) => `${path}: ${script}`),
    );
    assert.deepEqual(missing, []);
  });

  test("name every command and subcommand in the table of docs/commands.md", () => {
    const rows = textOf("docs/commands.md")
      .split("\n")
      .filter((line) => line.startsWith("| `/"));
    const named = new Set(rows.flatMap((row) => commandsNamedIn(row.split("|")[1] ?? "")));
    const missing = linesOf(commands).filter(({ line }) => !named.has(line));
    assert.deepEqual(
      missing.map(({ line }) => `/${line}`),
      [],
    );
  });

  test("at each wing's door name every file of the wing, or the room that it is in", () => {
    const unnamed = wings.flatMap((wing) => {
      const text = textOf(`${wing}/README.md`);
      const named = found(text, FILE).map(endsWith);
      const rooms = found(text, /`((?:[\w-]+\/)+)`/g);
      return filesBelow(wing)
        .filter((path) => path.endsWith(".ts"))
        .map((path) => relative(wing, path))
        .filter((path) => !named.some((isIt) => isIt(path)) && !rooms.some((room) => path.startsWith(room)))
        .map((path) => `${wing}/${path}`);
    });
    assert.deepEqual(unnamed, []);
  });
});
