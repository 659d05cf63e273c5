import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { me } from "../../commands/me.ts";
import { importActions } from "../../commands/me-import.ts";
import type { Services } from "../../src/discord/services.ts";
import { type Binding, EMPTY_POLICY } from "../../src/domain/guild.ts";
import { isFailure } from "../support/failures.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

/** Two servers with Managers of their own; Ann was raised on the western one. */
class TwoServers {
  readonly world = new FakeWorld();
  unlinked = 0;
  west: Binding | undefined;
  readonly services: Services = {
    ...this.world.services,
    accounts: {
      ...this.world.services.accounts,
      of: async (_, userId) => ({ userId, player: { name: "Ann", id: 11 }, linkedAtMs: 0 }),
      list: async () => [
        { userId: "ann", player: { name: "Ann", id: 11 }, linkedAtMs: 0, importId: "i1" },
        { userId: "bob", player: { name: "Bob", id: 12 }, linkedAtMs: 0, importId: "i2" },
      ],
      undoImport: async () => {
        this.unlinked += 1;
        return 1;
      },
      unlink: async (_, userId) => {
        this.unlinked += 1;
        return { userId, player: { name: "Ann", id: 11 }, linkedAtMs: 0 };
      },
    },
    ranks: {
      ...this.world.services.ranks,
      list: () => [
        {
          bindingId: this.west?.id ?? "",
          mappings: [],
          keeper: undefined,
          pause: undefined,
          raised: [{ playerId: 11, name: "Ann", rank: "mod", state: "raised" }],
          left: [],
          events: [],
        },
      ],
    },
  };

  async start(): Promise<this> {
    const { guildId } = actorOf({});
    const east = await this.world.linkServer(guildId);
    this.west = await this.world.linkServer(
      guildId,
      serverStatus({ name: "West", ownerId: 7, joinKey: "west" }),
      "other-key",
    );
    const policies = {
      [east.id]: { ...EMPTY_POLICY, roleTiers: { east: "manager" as const } },
      [this.west.id]: { ...EMPTY_POLICY, roleTiers: { west: "manager" as const } },
    };
    await this.world.settings.change(guildId, (before) => ({ ...before, policies }));
    return this;
  }

  undoImport(roleIds: readonly string[], importId: string): Promise<unknown> {
    const actor = actorOf({ roleIds, manageGuild: false });
    const press = { actor, argument: importId } as never;
    return Promise.resolve(importActions["me-import-undo"].execute(press, this.services));
  }

  unlink(roleIds: readonly string[], memberId = "ann"): Promise<unknown> {
    const actor = actorOf({ roleIds, manageGuild: false });
    const { subcommands } = me;
    assert.ok(subcommands !== undefined && "unlink" in subcommands);
    return Promise.resolve(subcommands.unlink.execute({ actor, args: { memberId } } as never, this.services));
  }
}

describe("/me unlink of somebody whom Marshal raised", () => {
  test("is for Managers of the server where they have the rank, and for themselves", async () => {
    const two = await new TwoServers().start();
    await assert.rejects(two.unlink(["east"]), isFailure("denied"));
    assert.equal(two.unlinked, 0);
    await two.unlink(["west"]);
    await two.unlink([], actorOf({}).userId);
    assert.equal(two.unlinked, 2);
  });

  test("by the list that linked them is for the same Managers", async () => {
    const two = await new TwoServers().start();
    await assert.rejects(two.undoImport(["east"], "i1"), isFailure("denied"));
    assert.equal(two.unlinked, 0);
    await two.undoImport(["east"], "i2");
    await two.undoImport(["west"], "i1");
    assert.equal(two.unlinked, 2);
  });
});
