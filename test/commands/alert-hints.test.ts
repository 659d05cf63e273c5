import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callsBefore, hintsOf } from "../../commands/alert-add.ts";
import type { AlertRule } from "../../src/domain/alert.ts";
import { linkedServer } from "../support/bindings.ts";
import { FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const binding = linkedServer();
const rule = { guildId: "g1", channelId: "c1", bindingId: binding.id, kind: "full" } as AlertRule;

async function hints(
  count: number,
  { teams = [] as string[], isRead = true, kind = "full" as AlertRule["kind"] } = {},
): Promise<string> {
  const world = new FakeWorld();
  world.bindingsById.set(binding.id, binding);
  const status = serverStatus({ maxPlayers: 40 });
  if (isRead)
    world.states.set(binding.source, { source: binding.source, status, lists: {}, atMs: 0 } as never);
  const about = { ping: undefined, hasQuiet: false, teams };
  return (await hintsOf(world.services, { ...rule, count, kind }, about)).join("\n");
}

describe("what an alert's answer adds", () => {
  test("a number of players that the server has no room for", async () => {
    assert.match(await hints(41), /room for 40 players, so this alert would never come/);
    assert.doesNotMatch(await hints(40), /never come/);
    assert.doesNotMatch(await hints(41, { isRead: false }), /never come/);
    assert.doesNotMatch(await hints(50, { kind: "kills" }), /never come/);
  });

  test("that calls which wait already are not counted, where there are any", () => {
    const world = new FakeWorld();
    const says = (callers: readonly string[], kind: "calls" | "kills" = "calls") => {
      const value = callers.map((name, at) => ({
        kind: "modCall",
        caller: { name, id: at + 1 },
        atS: 100,
        ...(name === "Answered" ? { moderator: { name: "Mo", id: 99 } } : {}),
      }));
      const lists = { modCalls: { atMs: 160_000, value } };
      const state = { source: binding.source, status: serverStatus(), lists, statusAtMs: 160_000 };
      world.states.set(binding.source, state as never);
      return callsBefore(world.services, kind, binding).join("\n");
    };
    assert.match(says(["Ann", "Bob"]), /2 calls are waiting already\..*doesn't count calls from before/);
    assert.match(says(["Ann", "Answered"]), /1 call is waiting already/);
    assert.equal(says(["Answered"]), "");
    assert.equal(says(["Ann"], "kills"), "");
    world.states.clear();
    assert.deepEqual(callsBefore(world.services, "calls", binding), []);
  });

  test("a team that nobody has heard of", async () => {
    assert.match(await hints(30, { teams: ["Police", "Pirates"] }), /don't know the team `?Pirates/);
    assert.doesNotMatch(await hints(30, { teams: ["police"] }), /don't know/);
  });
});
