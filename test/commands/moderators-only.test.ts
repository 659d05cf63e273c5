import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cases } from "../../commands/case.ts";
import { duty } from "../../commands/duty.ts";
import { player } from "../../commands/player.ts";
import { rule } from "../../commands/rule.ts";
import { schedule } from "../../commands/schedule.ts";
import { stats } from "../../commands/stats.ts";
import type { Entry } from "../../src/discord/command.ts";
import { Failure } from "../../src/domain/failure.ts";
import { optionsOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";

/** What a member reads who asks for what only Moderators see. */
const REFUSALS = [
  ["/player show", player.subcommands?.show, { player: "Ann" }, "Only Moderators can see player records."],
  ["/case show", cases.subcommands?.show, { number: 1 }, "Only Moderators can see player records."],
  ["/stats server", stats.subcommands?.server, {}, "Only Moderators can see the statistics of a server."],
  ["/duty now", duty.subcommands?.now, {}, "Only Moderators can see who is on duty."],
] as const;

describe("what only Moderators see is named in the refusal", () => {
  for (const [name, entry, options, said] of REFUSALS) {
    test(name, async () => {
      const world = new FakeWorld();
      const actor = actorOf();
      await world.linkServer(actor.guildId);
      assert.ok(entry !== undefined);
      const args = entry.parse(optionsOf(options));
      const asked = { actor, args, signal: new AbortController().signal, reference: "r" };
      const read = async () => {
        const answer = entry.execute(asked as never, world.services);
        if (Symbol.asyncIterator in answer) await answer[Symbol.asyncIterator]().next();
        else await answer;
      };
      await assert.rejects(read, (error: unknown) => {
        assert.ok(error instanceof Failure);
        assert.deepEqual([error.code, error.message, error.wants], ["denied", said, "tier"]);
        return true;
      });
    });
  }
});

/** What a Manager chooses from, and the option. */
const CHOICES: readonly (readonly [name: string, entry: Entry, option: string])[] = [
  ["/rule remove", rule.subcommands.remove, "rule"],
  ["/rule test", rule.subcommands.test, "rule"],
  ["/schedule remove", schedule.subcommands.remove, "schedule"],
  ["/duty quota remove", duty.subcommands.quota.subcommands.remove, "quota"],
  ["/duty quota reset", duty.subcommands.quota.subcommands.reset, "quota"],
];

describe("what only Managers see is offered to nobody else while they type", () => {
  for (const [name, entry, option] of CHOICES) {
    test(name, async () => {
      const { services } = new FakeWorld();
      const one = { id: "q1", number: 1, kind: "team", what: "Police", roleIds: ["7"] };
      const kept = { ...one, roleId: "7", needS: 3_600, period: "week" };
      const hourly = {
        id: "q1",
        what: { kind: "text", text: ":m hi" },
        rule: { kind: "every", minutes: 60 },
      };
      Object.assign(services, {
        rules: { ...services.rules, list: () => ({ rules: [{ rule: kept }], pause: undefined }) },
        schedules: {
          ...services.schedules,
          list: async () => [{ schedule: hourly }],
        },
        staffing: { ...services.staffing, quotas: async () => [kept] },
        duty: { ...services.duty, types: async () => [] },
      });
      const offered = async (manageGuild: boolean) => {
        const actor = actorOf({ manageGuild });
        return await entry.autocomplete?.({ actor, option, typed: "", options: optionsOf({}) }, services);
      };
      assert.equal((await offered(true))?.length, 1);
      assert.deepEqual(await offered(false), []);
    });
  }
});
