import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hintsOf } from "../../commands/alert-add.ts";
import type { AlertRule } from "../../src/domain/alert.ts";
import { linkedServer } from "../support/bindings.ts";
import { FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const binding = linkedServer();
const rule = { guildId: "g1", channelId: "c1", bindingId: binding.id, kind: "full" } as AlertRule;

async function hints(count: number, { teams = [] as string[], isRead = true } = {}): Promise<string> {
  const world = new FakeWorld();
  world.bindingsById.set(binding.id, binding);
  const status = serverStatus({ maxPlayers: 40 });
  if (isRead)
    world.states.set(binding.source, { source: binding.source, status, lists: {}, atMs: 0 } as never);
  const about = { ping: undefined, hasQuiet: false, teams };
  return (await hintsOf(world.services, { ...rule, count }, about)).join("\n");
}

describe("what an alert's answer adds", () => {
  test("a number of players that the server has no room for", async () => {
    assert.match(await hints(41), /room for 40 players, so this alert would never come/);
    assert.doesNotMatch(await hints(40), /never come/);
    assert.doesNotMatch(await hints(41, { isRead: false }), /never come/);
  });

  test("a team that nobody has heard of", async () => {
    assert.match(await hints(30, { teams: ["Police", "Pirates"] }), /don't know the team `?Pirates/);
    assert.doesNotMatch(await hints(30, { teams: ["police"] }), /don't know/);
  });
});
