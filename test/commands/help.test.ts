import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commands } from "../../commands/index.ts";
import { createCommandRegistry } from "../../src/discord/interactions/command-registry.ts";
import { HELP_TASKS, type HelpView, helpMessage } from "../../src/discord/render/help.ts";
import { textOf } from "../support/fake-answers.ts";

const registry = createCommandRegistry(commands);
const member: HelpView = {
  linked: true,
  staff: false,
  takesCalls: false,
  moderator: false,
  hasDuty: true,
  manageGuild: false,
  docsUrl: undefined,
  commandId: (name) => (commands.some((command) => command.name === name) ? "1234567890" : undefined),
};
const moderator = { ...member, staff: true, takesCalls: true, moderator: true };
const read = (view: HelpView) => textOf(helpMessage(view));
/** What a reader sees of a mention of a command. */
const seen = (view: HelpView) =>
  read(view)
    .replaceAll(/<(\/[^:>]+):\d+>/g, "$1")
    .split("\n");

describe("/help", () => {
  test("shows what this person can do, by mentions that can be pressed", () => {
    assert.match(read(member), /<\/server status:1234567890>/);
    assert.doesNotMatch(read(member), /\/setup|\/run/);
    assert.match(read(moderator), /<\/run command:1234567890>/);
    assert.match(read({ ...member, manageGuild: true }), /<\/setup start:1234567890>/);
    assert.match(read({ ...member, commandId: () => undefined }), /`\/server status`/);
  });

  test("names for a role with one command, or with the calls alone, only what it can do", () => {
    const ofOne = read({ ...member, staff: true });
    assert.match(ofOne, /\/run command[\s\S]*\/me link/);
    assert.doesNotMatch(ofOne, /server calls|server at|player show|case search|stats server|duty now/);
    const ofCalls = read({ ...member, takesCalls: true });
    assert.match(ofCalls, /server calls[\s\S]*server at/);
    assert.doesNotMatch(ofCalls, /run command|player show|case search|stats server|\/duty |me link/);
  });

  test("gives an owner the order of the first evening, and a member nothing that they cannot do", () => {
    const owner = seen({ ...member, linked: false, manageGuild: true });
    const places = ["setup start", "server status", "run command", "diagnose"].map((path) =>
      owner.findIndex((line) => line.includes(`/${path}`)),
    );
    assert.deepEqual(places, [2, 3, 4, 5]);
    assert.doesNotMatch(read({ ...member, linked: false }), /\//);
  });

  test("has at most 23 lines for everybody, each narrow enough for a phone", () => {
    for (const linked of [true, false])
      for (const staff of [true, false])
        for (const manageGuild of [true, false]) {
          const lines = seen({ ...(staff ? moderator : member), linked, manageGuild });
          assert.ok(lines.length <= 23, `${lines.length} lines`);
          for (const line of lines.filter((one) => one.includes("/"))) assert.ok(line.length <= 38, line);
        }
  });

  test("names by task what there is: cases, alerts, statistics, schedules, the rewind; members read nothing that needs staff", () => {
    const text = seen({ ...moderator, manageGuild: true }).join("\n");
    for (const path of [
      "case search",
      "alert list",
      "stats server",
      "schedule list",
      "server at",
      "stats weekly",
      "duty start",
      "duty now",
      "duty board",
      "session setup",
      "rule list",
      "rank list",
    ])
      assert.ok(text.includes(`/${path}`), path);
    assert.doesNotMatch(read(member), /me link|case|stats/);
  });

  test("speaks of duty to staff only where a type of it is set up", () => {
    const text = read({ ...moderator, manageGuild: true, hasDuty: false });
    assert.doesNotMatch(text, /duty start|duty now/);
    assert.match(text, /duty board/, "who manages the server can set it up");
  });

  test("names only commands that there are", () => {
    const paths = Object.values(HELP_TASKS)
      .flat()
      .flatMap((task) => ("also" in task ? [task.path, task.also] : [task.path]));
    for (const path of paths) {
      const [command = "", ...rest] = path.split(" ");
      assert.ok(registry.entry(command, rest.join(" ")) !== undefined, path);
    }
  });

  test("links to the documentation where the operator says where it is", () => {
    assert.deepEqual(helpMessage({ ...member, docsUrl: "https://docs.example/marshal" }).rows, [
      [{ kind: "button", style: "link", label: "Documentation", id: "https://docs.example/marshal" }],
    ]);
    assert.equal(helpMessage(member).rows, undefined);
  });
});
