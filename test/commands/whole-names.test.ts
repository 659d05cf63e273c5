import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cases } from "../../commands/case.ts";
import { me } from "../../commands/me.ts";
import type { Services } from "../../src/discord/services.ts";
import type { CaseDraft } from "../../src/domain/case.ts";
import { EMPTY_POLICY } from "../../src/domain/guild.ts";
import type { Player } from "../../src/domain/model.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";

const actor = actorOf({ roleIds: ["staff"] });
const annabel: Player = {
  player: { name: "Annabel", id: 7 },
  team: "Civilian",
  permission: "Normal",
  wantedStars: 0,
};

/** Annabel is in the server; nobody called Ann has been seen. */
async function withAnnabel() {
  const world = new FakeWorld();
  const binding = await world.linkServer(actor.guildId);
  const policies = { [binding.id]: { ...EMPTY_POLICY, roleTiers: { staff: "manager" as const } } };
  await world.settings.change(actor.guildId, (all) => ({ ...all, policies }));
  const state = world.states.get(binding.source) ?? assert.fail();
  const players = { atMs: world.clock.nowMs(), value: [annabel] };
  world.states.set(binding.source, { ...state, lists: { ...state.lists, players } });
  const done: string[] = [];
  const services: Services = {
    ...world.services,
    cases: {
      ...world.services.cases,
      add: async ({ kind, targets }: CaseDraft) => {
        done.push(`${kind} of ${targets[0]?.name}`);
        throw new Error("far enough");
      },
    },
    askedBans: {
      ...world.services.askedBans,
      ask: async (_, { player }) => {
        done.push(`ask for ${player.name}`);
        throw new Error("far enough");
      },
    },
    watches: { ...world.services.watches, put: async ({ name }) => void done.push(`watch ${name}`) },
    accounts: {
      ...world.services.accounts,
      vouch: async (_, userId, player) => {
        done.push(`link ${player.name}`);
        return { userId, player, linkedAtMs: 0 };
      },
    },
  };
  return { services, done };
}

type Entry = { execute(invocation: never, services: Services): unknown };

async function invoked(entry: unknown, args: object, services: Services): Promise<void> {
  const signal = new AbortController().signal;
  const answer = (entry as Entry).execute({ actor, args, signal } as never, services);
  if (answer !== null && typeof answer === "object" && Symbol.asyncIterator in answer)
    for await (const _ of answer as AsyncIterable<unknown>);
  else await answer;
}

describe("what is kept of a player", () => {
  const reason = "rdm";
  const none = { server: undefined, evidence: undefined };
  const kinds = {
    "a warning": (player: string) => [cases.subcommands?.add, { ...none, player, kind: "warning", reason }],
    "a ban that is asked for": (player: string) => [cases.subcommands?.ask, { ...none, player, reason }],
    "a link": (player: string) => [
      me.subcommands?.link,
      { ...none, player, member: { userId: "m", name: "m" } },
    ],
  } as const;
  for (const [what, made] of Object.entries(kinds))
    test(`${what} is of nobody whose name only begins as it was typed`, async () => {
      const { services, done } = await withAnnabel();
      const [entry, args] = made("Ann");
      await assert.rejects(invoked(entry, args as object, services), /Did you mean Annabel/);
      assert.deepEqual(done, []);
      const [whole, wholeArgs] = made("annabel");
      await invoked(whole, wholeArgs as object, services).catch(() => undefined);
      assert.equal(done.length, 1);
      assert.match(done.join(), /Annabel/);
    });
});
