import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cases } from "../../commands/case.ts";
import { giveReason } from "../../commands/case-flow.ts";
import type { Options, Press, Reply } from "../../src/discord/command.ts";
import { caseCard } from "../../src/discord/render/players/case-card.ts";
import type { Services } from "../../src/discord/services.ts";
import type { Case } from "../../src/domain/case.ts";
import { EMPTY_POLICY } from "../../src/domain/guild.ts";
import { edited, revoked } from "../../src/history/cases/change-case.ts";
import { createNoHistory } from "../../src/history/no-history.ts";
import { createPermissions } from "../../src/runs/permission/permissions.ts";
import { kick } from "../history/cases/case-samples.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

/** A guild with a server, its Moderators, and one case. */
class OneCase {
  readonly world = new FakeWorld();
  one: Case = kick();
  /** What somebody else does between the look at the case and the change of it. */
  meanwhile = () => {};
  readonly services: Services = {
    ...this.world.services,
    permissions: createPermissions({
      settings: this.world.settings,
      snapshots: this.world.services.snapshots,
      clock: this.world.clock,
      history: createNoHistory().players,
      report: assert.fail,
    }),
    accounts: {
      ...this.world.services.accounts,
      of: async (_, userId) =>
        userId === "u9" ? { userId, player: { name: "Ann", id: 11 }, linkedAtMs: 0 } : undefined,
    },
    cases: {
      ...this.world.services.cases,
      get: async () => this.one,
      liftOf: async () => undefined,
      edit: async ({ userId }, _, change) => {
        this.meanwhile();
        this.one = edited(this.one, change, { userId, atMs: this.world.clock.nowMs() });
        return this.one;
      },
      revoke: async ({ userId }, _, why) => {
        this.meanwhile();
        this.one = revoked(this.one, { userId, atMs: this.world.clock.nowMs() }, why);
        return this.one;
      },
    },
  };

  async link(): Promise<this> {
    const { guildId } = actorOf({});
    const binding = await this.world.linkServer(guildId, serverStatus(), "key-one");
    await this.world.settings.change(guildId, (settings) => ({
      ...settings,
      policies: { [binding.id]: { ...EMPTY_POLICY, roleTiers: { mods: "moderator" } } },
    }));
    this.one = kick({ guildId, bindingId: binding.id, reason: "spam" });
    return this;
  }

  async runs(subcommand: "edit" | "revoke", reason: string, userId = "u1"): Promise<string> {
    const entry = cases.subcommands?.[subcommand];
    const options = {
      number: () => this.one.number,
      string: (name: string) => (name === "reason" ? reason : undefined),
      boolean: () => undefined,
    };
    const args = entry?.parse(options as unknown as Options);
    const actor = actorOf({ userId, roleIds: ["mods"] });
    const invocation = { actor, args, signal: new AbortController().signal };
    const reply = (await entry?.execute(invocation as never, this.services)) as Reply;
    return reply.content ?? "";
  }

  /** Fills in the form that asks for the reason of the case. */
  async reasons(userId: string, reason: string): Promise<string> {
    const press = { actor: actorOf({ userId, roleIds: ["mods"] }), form: { text: () => reason } };
    const reply = await giveReason(this.services, press as unknown as Press, this.one);
    return reply.content ?? "";
  }

  actions(): readonly string[] {
    return this.world.events.map(({ action, actorId, text }) => `${actorId} ${action} ${text}`);
  }
}

describe("a case", () => {
  test("that was changed fifty times says of each later change that it was made, in the audit too", async () => {
    const guild = await new OneCase().link();
    for (let n = 1; n <= 53; n += 1)
      assert.match(await guild.runs("edit", `reason ${n}`), /Case \d+ updated/, `${n}`);
    assert.equal(guild.actions().length, 53);
    assert.match(await guild.runs("edit", "reason 53"), /Nothing changed/);
    const said = (withEdits: boolean) => JSON.stringify(caseCard(guild.one, { withEdits }));
    assert.match(said(false), /Edited 53 times, last by/);
    assert.match(said(true), /50 earlier changes/);
  });

  test("that two revoke at once was revoked by the first, in words and in the audit", async () => {
    const guild = await new OneCase().link();
    guild.meanwhile = () => {
      guild.one = revoked(guild.one, { userId: "u2", atMs: 1 }, "a mistake");
    };
    assert.match(await guild.runs("revoke", "another reason"), /is already revoked/);
    assert.deepEqual(guild.actions(), []);
  });

  test("of a ban that is revoked says who can lift it in the game, and how, to who may", async () => {
    const guild = await new OneCase().link();
    guild.one = { ...guild.one, kind: "ban" };
    assert.match(
      await guild.runs("revoke", "a mistake"),
      /changes nothing in the game\. Only Administrators can run \\?:unban\. Current tier\\?: Moderator\.$/,
    );
    const jailed = await new OneCase().link();
    jailed.one = { ...jailed.one, kind: "jail" };
    assert.match(
      await jailed.runs("revoke", "a mistake"),
      /changes nothing in the game\. Use `\/run command` for that\.$/,
    );
  });

  test("gets its reason from nobody against whom it is, also where its author is no member", async () => {
    const guild = await new OneCase().link();
    const { reason: _, ...rest } = guild.one;
    guild.one = { ...rest, author: { name: "Mo", playerId: 5 }, targets: [{ name: "Ann", playerId: 11 }] };
    await assert.rejects(guild.reasons("u9", "was a mistake"), /is against you/);
    assert.equal(guild.one.reason, undefined);
    assert.match(await guild.reasons("u1", "spam"), /Reason saved/);
  });

  test("keeps the reason of the first of two who give it at once, and the second is told", async () => {
    const guild = await new OneCase().link();
    const { reason: _, ...rest } = guild.one;
    guild.one = { ...rest, author: { name: "Mo", playerId: 5 } };
    guild.meanwhile = () => {
      guild.meanwhile = () => {};
      guild.one = edited(guild.one, { reason: "spam" }, { userId: "u2", atMs: 1 });
    };
    assert.match(await guild.reasons("u1", "raid"), /<@u2> has just given the reason.*case edit/);
    assert.equal(guild.one.reason, "spam");
    assert.deepEqual(guild.actions(), []);
  });
});
