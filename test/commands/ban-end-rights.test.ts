import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { run } from "../../commands/run.ts";
import type { Reply } from "../../src/discord/command.ts";
import type { Services } from "../../src/discord/services.ts";
import type { BanEnd } from "../../src/domain/ban-end.ts";
import { type Binding, EMPTY_POLICY } from "../../src/domain/guild.ts";
import { isFailure } from "../support/failures.ts";
import { textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const { guildId } = actorOf({});

/** Two servers with Managers of their own; on the western one a ban ends by itself that "setter" has set. */
async function twoServers() {
  const world = new FakeWorld();
  const east = await world.linkServer(guildId);
  const joinKey = "west";
  const west: Binding = await world.linkServer(
    guildId,
    serverStatus({ name: "West", ownerId: 7, joinKey }),
    "other-key",
  );
  const policies = {
    [east.id]: { ...EMPTY_POLICY, roleTiers: { east: "manager" as const } },
    [west.id]: { ...EMPTY_POLICY, roleTiers: { west: "manager" as const, east: "viewer" as const } },
  };
  await world.settings.change(guildId, (before) => ({ ...before, policies }));
  const end: BanEnd = {
    id: "run1",
    guildId,
    bindingId: west.id,
    serverName: "West",
    playerId: 11,
    playerName: "Ann",
    byId: "setter",
    byName: "setter",
    channelId: "c",
    text: ":ban 11",
    sentAtMs: 0,
    endsAtMs: 60_000,
    state: "held",
    tries: 0,
  };
  const done: string[] = [];
  const services: Services = {
    ...world.services,
    permissions: {
      ...world.permissions,
      decide: async ({ roleIds }) =>
        roleIds.includes("bans") ? { allowed: true, why: "" } : { allowed: false, why: "no" },
    },
    banEnds: {
      ...world.services.banEnds,
      list: () => [{ end, waits: undefined }],
      keepBanned: async () => {
        done.push("kept");
        return end;
      },
      letEnd: async () => {
        done.push("let");
        return end;
      },
    },
  };
  const list = async (roleIds: readonly string[]) => {
    const given = { ...services, banEnds: { ...services.banEnds, list: () => [] } };
    const entry = run.subcommands.bans.execute({ actor: actorOf({ roleIds }) } as never, given);
    return textOf((await entry) as Reply);
  };
  const press = (action: "run-ban-keep" | "run-ban-let", roleIds: readonly string[], userId = "other") => {
    const actor = actorOf({ roleIds, userId, manageGuild: false });
    return Promise.resolve(run.actions?.[action]?.execute({ actor, argument: "run1" } as never, services));
  };
  return { press, list, done, end };
}

test("the answer does not say that a player stays banned of whom nobody knows", async () => {
  const { press, end } = await twoServers();
  const said = async (heldFor: BanEnd["heldFor"], why: string) => {
    Object.assign(end, { heldFor, why });
    return textOf((await press("run-ban-keep", ["west"])) as Reply);
  };
  assert.match(await said("unlinked", "West was unlinked."), /Ann stays banned/);
  const why = "Its un-ban got no answer, and the game's log does not show it.";
  const text = await said("lift-unknown", why);
  assert.match(text, /no longer ends by itself\. Its un-ban got no answer/);
  assert.doesNotMatch(text, /stays banned/);
});

describe("the end of a ban", () => {
  test("is for Managers of its server to decide, not of another one", async () => {
    const { press, done } = await twoServers();
    await assert.rejects(press("run-ban-keep", ["east"]), isFailure("denied"));
    await assert.rejects(press("run-ban-let", ["east"]), isFailure("denied"));
    assert.deepEqual(done, []);
    await press("run-ban-let", ["west"]);
    await press("run-ban-keep", ["west"]);
    assert.deepEqual(done, ["let", "kept"]);
  });

  test("is advised where there is none only to who may ban there", async () => {
    const { list } = await twoServers();
    assert.match(await list(["east", "bans"]), /No ban ends by itself\. Give one an end with `for:`/);
    assert.match(await list(["west"]), /No ban ends by itself\.(?! Give)/);
  });

  test("is taken away by who set it only as long as they may ban without one", async () => {
    const { press, done } = await twoServers();
    await assert.rejects(press("run-ban-keep", ["east"], "setter"), isFailure("denied"));
    await press("run-ban-keep", ["east", "bans"], "setter");
    assert.deepEqual(done, ["kept"]);
  });
});
