import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LogEntry, Player, ServerState, SourceId } from "../../../src/domain/model.ts";
import { callPasses, passes, teamsOf } from "../../../src/feeds/delivery/filter.ts";
import { status } from "../../support/feeds-rig.ts";

const player = (name: string, team: string): Player => ({
  player: { name, id: name.length },
  team,
  permission: "Normal",
  wantedStars: 0,
});

function stateAt(atMs: number): ServerState {
  const value = [player("Cop", "Police"), player("Fireman", "Fire")];
  return { source: "s" as SourceId, status, statusAtMs: atMs, lists: { players: { atMs, value } } };
}

const kill: LogEntry = {
  kind: "kill",
  atS: 1,
  killer: { name: "Fireman", id: 7 },
  killed: { name: "Cop", id: 3 },
};
const command = (text: string): LogEntry => ({
  kind: "command",
  atS: 1,
  player: { name: "Cop", id: 3 },
  text,
});

describe("filter", () => {
  const teamOf = teamsOf(stateAt(0), 120_000);

  test("no filter, or an empty one, lets everything pass", () => {
    assert.ok(passes({}, kill, teamOf));
    assert.ok(passes({ teams: [], players: [], verbs: [] }, kill, teamOf));
  });

  test("a team is that of any person of the entry, in any case of letters", () => {
    assert.ok(passes({ teams: ["police"] }, kill, teamOf));
    assert.ok(!passes({ teams: ["DOT"] }, kill, teamOf));
  });

  test("an unknown player, a list that is missing or older than two minutes: unknown passes", () => {
    const stranger: LogEntry = { kind: "join", atS: 1, player: { name: "Who" }, joined: true };
    assert.ok(passes({ teams: ["DOT"] }, stranger, teamOf));
    assert.ok(passes({ teams: ["DOT"] }, kill, teamsOf(stateAt(0), 120_001)));
    assert.ok(passes({ teams: ["DOT"] }, kill, teamsOf(undefined, 0)));
  });

  test("players match by whole name or by id, never by a part", () => {
    assert.ok(passes({ players: ["cop"] }, kill, teamOf));
    assert.ok(passes({ players: ["7"] }, kill, teamOf));
    assert.ok(!passes({ players: ["co"] }, kill, teamOf));
  });

  test("verbs match the command's first word, with or without colon, in any case", () => {
    assert.ok(passes({ verbs: ["kick"] }, command(":Kick Bob"), teamOf));
    assert.ok(passes({ verbs: ["kick"] }, command("kick"), teamOf));
    assert.ok(!passes({ verbs: ["kick"] }, command(":pm Bob kick"), teamOf));
    assert.ok(!passes({ verbs: ["kick"] }, kill, teamOf));
  });

  test("all parts of a filter must agree", () => {
    assert.ok(passes({ players: ["cop"], verbs: ["ban"] }, command(":ban x"), teamOf));
    assert.ok(!passes({ players: ["bob"], verbs: ["ban"] }, command(":ban x"), teamOf));
  });

  test("emergency calls are filtered by their own team and by ids", () => {
    const call = { team: "Police", callerId: 5, unitIds: [8], startedAtS: 1, callNumber: 1 };
    assert.ok(callPasses({ teams: ["POLICE"], players: ["8"] }, call));
    assert.ok(!callPasses({ teams: ["Fire"] }, call));
    assert.ok(!callPasses({ players: ["9"] }, call));
  });
});
