import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../../src/domain/failure.ts";
import { createNoHistory } from "../../../src/history/no-history.ts";
import { createPermissions } from "../../../src/runs/permission/permissions.ts";
import { linkedServer } from "../../support/bindings.ts";
import { actorOf, FakeWorld } from "../../support/fake-services.ts";

test("permissions that cannot be read are no refusal: the store's error reaches whoever asks", async () => {
  const world = new FakeWorld();
  const away = new StoreError("Redis is away");
  const permissions = createPermissions({
    settings: { ...world.settings, of: async () => await Promise.reject(away), known: () => undefined },
    snapshots: world.services.snapshots,
    clock: world.clock,
    history: createNoHistory().players,
    report: assert.fail,
  });
  const actor = actorOf({ guildId: "1", userId: "2", roleIds: ["staff"] });
  const binding = linkedServer({ guildId: "1" });
  await assert.rejects(permissions.decide(actor, binding, ":kick Ann"), away);
  await assert.rejects(permissions.decideCalls(actor, binding), away);
  await assert.rejects(permissions.decideModerator(actor, binding), away);
  await assert.rejects(permissions.mayRun(actor, binding), away);
  assert.equal(permissions.known(actor, "b"), undefined, "who may do what is not known, not denied");
});
