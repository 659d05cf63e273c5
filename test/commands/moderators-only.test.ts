import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cases } from "../../commands/case.ts";
import { duty } from "../../commands/duty.ts";
import { player } from "../../commands/player.ts";
import { stats } from "../../commands/stats.ts";
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
