import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { missing, parseLine, suggestions, whyUnknown } from "../../../src/sandbox/web/page/slash.ts";
import type { CommandView } from "../../../src/sandbox/web/protocol.ts";

const option = (name: string, required: boolean) => ({
  name,
  required,
  description: name,
  type: 3,
  autocomplete: false,
  choices: [],
  channelTypes: [],
});
const commands: readonly CommandView[] = [
  { line: "run", description: "Run", options: [] },
  {
    line: "run command",
    description: "Run a command",
    options: [option("text", true), option("server", false)],
  },
  { line: "run preset add", description: "Add a preset", options: [] },
  { line: "server status", description: "Status", options: [option("server", false)] },
];
const values = (line: string) => Object.fromEntries(parseLine(line, commands)?.values ?? []);

describe("a command that is written out", () => {
  test("is found by its whole name, the longer before the shorter", () => {
    assert.equal(parseLine("/run command text: :h hi", commands)?.command.line, "run command");
    assert.equal(parseLine("/run", commands)?.command.line, "run");
    assert.equal(parseLine("/runs", commands), undefined);
  });

  test("takes options by name with a colon, in any order", () => {
    assert.deepEqual(values("/run command server: River City text: :h hi: all"), {
      server: "River City",
      text: ":h hi: all",
    });
  });

  test("gives words without a name to the first option that must be given", () => {
    assert.deepEqual(values("/run command :h hello"), { text: ":h hello" });
    assert.deepEqual(values("/run command :h hello server: East"), { text: ":h hello", server: "East" });
  });

  test("knows what is missing", () => {
    const parsed = parseLine("/run command", commands);
    assert.ok(parsed);
    assert.equal(missing(parsed.command, parsed.values)?.name, "text");
    assert.equal(missing(parsed.command, new Map([["text", ":h"]])), undefined);
  });

  test("is told that there is no such subcommand, and which there are", () => {
    assert.equal(whyUnknown("/server stats", commands), '/server has no subcommand "stats": status.');
    assert.equal(whyUnknown("/run preset drop x", commands), '/run preset has no subcommand "drop": add.');
    assert.equal(whyUnknown("/server", commands), "/server needs a subcommand: status.");
    assert.match(whyUnknown("/ban Sam", commands), /^There is no command \/ban/);
    assert.match(whyUnknown("/", commands), /^Type the name/);
  });

  test("is told of words that belong to no option", () => {
    assert.equal(parseLine("/run preset add now", commands)?.tooMuch, "now");
    assert.equal(parseLine("/run preset add", commands)?.tooMuch, undefined);
  });

  test("is suggested by its beginning first, then by what it holds", () => {
    assert.deepEqual(
      suggestions("/ser", commands).map(({ line }) => line),
      ["server status"],
    );
    assert.deepEqual(suggestions("/", commands).length, 4);
    assert.deepEqual(
      suggestions("/command", commands).map(({ line }) => line),
      ["run command"],
    );
  });
});
