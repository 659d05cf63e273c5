import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DEFAULT_SETTINGS, EMPTY_POLICY } from "../../../src/domain/guild.ts";
import type { ScheduledWhat } from "../../../src/domain/schedule.ts";
import { parseCommand } from "../../../src/runs/catalogue/parse-command.ts";
import { textOf, whyNotScheduled, whyNotTheirs } from "../../../src/runs/schedules/may-schedule.ts";

const preset: ScheduledWhat = { kind: "preset", name: "Night" };
const why = (text: string, what: ScheduledWhat = { kind: "text", text }) =>
  whyNotScheduled(what, parseCommand(text)) ?? "may";

describe("what may run with nobody watching", () => {
  test("announcements, by every name of theirs", () => {
    for (const text of [":h Hello", ":hint Hello", ":m Hello", ":MESSAGE Hello"])
      assert.equal(why(text), "may");
  });

  test("other commands only as presets, which have a name and an owner", () => {
    assert.match(why(":time 12"), /preset save/);
    assert.equal(why(":time 12", preset), "may");
    assert.equal(why(":weather rain", preset), "may");
    assert.equal(why(":startfire house", preset), "may");
  });

  test("nothing that punishes, hits everyone, cannot be taken back, or is not known", () => {
    for (const text of [
      ":kick Bob",
      ":ban Bob",
      ":shutdown",
      ":pm all hi",
      ":heal others",
      ":kill Bob",
      ":jail Bob",
    ]) {
      assert.match(why(text, preset), /too serious to run unattended/, text);
      assert.match(why(text), /too serious to run unattended/, "no preset would help");
    }
    assert.match(why(":frobnicate", preset), /There is no :frobnicate that Marshal knows/);
    assert.equal(why(":wether rain", preset), "There is no :wether. Did you mean :weather rain?");
  });

  test("nothing that is for a player: nobody is written to, reloaded or un-banned again and again", () => {
    for (const text of [":pm Bob hi", ":refresh Bob", ":heal Bob", ":unban 123", ":unjail Bob"])
      assert.match(why(text, preset), /is for a player/, text);
  });

  test("no preset that asks for something", () => {
    assert.match(why(":pm Bob {text}", preset), /asks for text:/);
  });

  test("the text of a preset is that of now, under its name in any case", () => {
    const presets = [{ name: "night", text: ":time 0", createdBy: "1" }];
    assert.equal(textOf(preset, presets), ":time 0");
    assert.equal(textOf(preset, []), undefined);
  });
});

describe("whose schedules go on", () => {
  const settings = {
    ...DEFAULT_SETTINGS,
    policies: {
      b1: { ...EMPTY_POLICY, roleTiers: { man: "manager", mod: "moderator" } as const },
      b2: {
        ...EMPTY_POLICY,
        denied: [{ roleId: "man", verb: "hint" }],
        roleTiers: { man: "manager" } as const,
      },
    },
  };
  const theirs = (roleIds: readonly string[], bindingId = "b1", manageGuild = false) =>
    whyNotTheirs(settings, { roleIds, manageGuild }, { bindingId, command: parseCommand(":h Hello") }) ??
    "theirs";

  test("those of Managers who may run the command on that server", () => {
    assert.equal(theirs(["man"]), "theirs");
    assert.match(theirs(["mod"]), /Only Managers can own/);
    assert.match(theirs([]), /Only Managers can own/);
    assert.match(theirs(["man"], "b2"), /may no longer run/);
    assert.match(theirs(["man"], "unlinked"), /may no longer run/);
  });

  test("who manages the Discord server still needs the right to run it", () => {
    assert.equal(theirs(["mod"], "b1", true), "theirs");
    assert.match(theirs([], "b1", true), /may no longer run/);
  });
});
