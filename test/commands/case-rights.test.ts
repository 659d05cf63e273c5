import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  caseOf,
  refuseAgainstOneself,
  refuseKind,
  refuseReason,
  seenCases,
} from "../../commands/case-rights.ts";
import { caseCard } from "../../src/discord/render/players/case-card.ts";
import { caseList } from "../../src/discord/render/players/case-list.ts";
import { caseLine } from "../../src/discord/render/players/case-words.ts";
import type { Services } from "../../src/discord/services.ts";
import type { Case, CaseKind } from "../../src/domain/case.ts";
import { md } from "../../src/domain/escaped.ts";
import { type Actor, type Binding, EMPTY_POLICY, type StaffPolicy } from "../../src/domain/guild.ts";
import { createNoHistory } from "../../src/history/no-history.ts";
import { LinkedAccounts } from "../../src/runs/accounts/linked-accounts.ts";
import { createPermissions } from "../../src/runs/permission/permissions.ts";
import { kick } from "../history/cases/case-samples.ts";
import { isFailure } from "../support/failures.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { RunsRig } from "../support/runs-rig.ts";
import { serverStatus } from "../support/server-status.ts";

const ofEast: StaffPolicy = { ...EMPTY_POLICY, roleTiers: { east: "moderator", both: "moderator" } };
const ofWest: StaffPolicy = {
  ...EMPTY_POLICY,
  roleTiers: { west: "moderator", both: "moderator" },
  allowed: [{ roleId: "kickers", verb: "kick" }],
};

/** A guild with two servers, each with Moderators of its own, and one case on the western one. */
class TwoServers {
  readonly world = new FakeWorld();
  one: Case = kick();
  accountId = 0;
  readonly services: Services = {
    ...this.world.services,
    permissions: createPermissions({
      settings: this.world.settings,
      snapshots: this.world.services.snapshots,
      clock: this.world.clock,
      history: createNoHistory().players,
      report: assert.fail,
    }),
    cases: {
      ...this.world.services.cases,
      get: async (_, number) => (number === this.one.number ? this.one : undefined),
    },
    accounts: {
      ...this.world.services.accounts,
      of: async (_, userId) => ({ userId, player: { name: "Own", id: this.accountId }, linkedAtMs: 0 }),
    },
  };
  east: Binding | undefined;
  west: Binding | undefined;

  async link(): Promise<this> {
    this.east = await this.#link("East", ofEast);
    this.west = await this.#link("West", ofWest);
    this.one = kick({
      bindingId: this.west.id,
      serverName: "West",
      author: { name: "Mo", userId: "u1" },
      targets: [{ name: "Ann", playerId: 11 }],
    });
    return this;
  }

  async #link(name: string, policy: StaffPolicy): Promise<Binding> {
    const { guildId } = actorOf({});
    const binding = await this.world.linkServer(
      guildId,
      serverStatus({ name, joinKey: name }),
      `key-${name}`,
    );
    await this.world.settings.change(guildId, (settings) => ({
      ...settings,
      policies: { ...settings.policies, [binding.id]: policy },
    }));
    return binding;
  }

  sees(actor: Actor): Promise<Case> {
    return caseOf(this.services, actor, this.one.number);
  }
}

const who = (...roleIds: string[]) => actorOf({ userId: "u2", roleIds });
const author = (...roleIds: string[]) => actorOf({ userId: "u1", roleIds });

describe("cases of one server of a community", () => {
  test("are seen by its Moderators, and by those of another server only if they are Moderators here too", async () => {
    const made = await new TwoServers().link();
    assert.equal(await made.sees(who("west")), made.one);
    assert.equal(await made.sees(who("both")), made.one);
    await assert.rejects(made.sees(who("east")), /Only Moderators of West can see case/);
    await assert.rejects(made.sees(who()), isFailure("denied"));
    assert.deepEqual((await seenCases(made.services, who("east"))).bindingIds, [made.east?.id]);
    assert.equal((await seenCases(made.services, who("both"))).bindingIds, undefined);
  });

  test("of no server are every Moderator's; of one that was unlinked, those who are Moderators everywhere", async () => {
    const made = await new TwoServers().link();
    const { bindingId: _, ...ofNone } = made.one;
    made.one = { ...made.one, bindingId: "gone" };
    await assert.rejects(made.sees(who("east")), isFailure("denied"));
    assert.equal(await made.sees(who("both")), made.one);
    made.one = ofNone;
    assert.equal(await made.sees(who("east")), made.one);
  });

  test("get their reason from their author while they are staff there, never after they were dismissed", async () => {
    const made = await new TwoServers().link();
    await refuseReason(made.services, author("west"), made.one);
    await refuseReason(made.services, author("kickers"), made.one);
    await assert.rejects(refuseReason(made.services, author(), made.one), isFailure("denied"));
    await assert.rejects(refuseReason(made.services, author("east"), made.one), isFailure("denied"));
  });

  test("of a punishment are written by hand only by those who may give it, on that server", async () => {
    const made = await new TwoServers().link();
    const [east, west] = [made.east ?? assert.fail(), made.west ?? assert.fail()];
    const refuse = (actor: Actor, kind: CaseKind, ...servers: readonly Binding[]) =>
      refuseKind(made.services, actor, { kind, servers });
    for (const kind of ["note", "warning", "kick", "jail"] as const) await refuse(who("west"), kind, west);
    const ban = /^Only Administrators can run :ban\. Current tier: Moderator\. .*ask with \/case ask/;
    await assert.rejects(refuse(who("west"), "ban", west), { code: "denied", message: ban });
    await assert.rejects(refuse(who("west"), "unban", west), /Only Administrators can run :unban/);
    await assert.rejects(refuse(who("kickers"), "jail", west), /Only Moderators can run :jail/);
    await refuse(who("kickers"), "kick", west);
    await assert.rejects(refuse(who("kickers"), "kick", east), isFailure("denied"));
    await refuse(who("kickers"), "kick", east, west);
  });

  test("of a punishment that no command of the game shows say so on the card and in every list", () => {
    const { origin: _, command: _command, receipt: _receipt, ...rest } = kick({ kind: "ban" });
    assert.match(
      String(caseCard(rest).cards?.[0]?.description),
      /Written by hand\. Marshal saw no command\./,
    );
    assert.match(caseLine(rest, { withTarget: false }), /🔨 ban written by hand/);
    const page = { cases: [rest], title: md``, filter: "", isLater: false, hasMore: false };
    assert.match(JSON.stringify(caseList(page).rows), /Case 1 · ban written by hand/);
    for (const one of [kick(), { ...rest, kind: "note" } as const]) {
      const shown = JSON.stringify([caseCard(one), caseLine(one, { withTarget: true })]);
      assert.doesNotMatch(shown, /by hand/);
    }
  });

  test("are changed by nobody against whom they are", async () => {
    const made = await new TwoServers().link();
    await refuseAgainstOneself(made.services, who("west"), made.one);
    made.accountId = 11;
    await assert.rejects(refuseAgainstOneself(made.services, who("west"), made.one), /is against you/);
  });

  test("nor by who unlinked that account lately, unless a Manager says that it was not theirs", async () => {
    const rig = new RunsRig();
    const { accounts } = rig.runs;
    const one = kick({ targets: [{ name: "Alice", playerId: 11 }] });
    const [mo, manager] = [rig.actor("mod"), rig.actor("manager")];
    const changes = () => refuseAgainstOneself({ accounts }, mo, one);
    const unlinks = async () => {
      await accounts.vouch(manager, mo.userId, { name: "Alice", id: 11 });
      await accounts.unlink(mo, mo.userId);
      await assert.rejects(changes(), /is against Alice, whom you unlinked/);
    };
    await unlinks();
    await accounts.vouch(manager, mo.userId, { name: "Bob", id: 12 });
    await assert.rejects(changes(), /is against Alice/);
    await accounts.unlink(manager, mo.userId);
    await changes();

    await unlinks();
    await rig.clock.advance(91 * 24 * 3_600_000);
    await changes();
    await unlinks();
    await new LinkedAccounts(rig.accountDocuments).forgetGuild("g1");
    assert.deepEqual(rig.accountDocuments.keys, []);
  });
});
