import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appealActions } from "../../commands/appeal.ts";
import type { Press } from "../../src/discord/command.ts";
import type { Services } from "../../src/discord/services.ts";
import type { Appeal } from "../../src/domain/appeal.ts";
import type { Case } from "../../src/domain/case.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { Actor } from "../../src/domain/guild.ts";
import { linkedServer } from "../support/bindings.ts";
import { isFailure } from "../support/failures.ts";
import { formOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";

const binding = linkedServer({ id: "b1", guildId: "g1" });
const actor = actorOf({ guildId: "g1", userId: "max", roleIds: ["mod"] });
const ban: Case = {
  guildId: "g1",
  number: 4,
  kind: "ban",
  bindingId: "b1",
  targets: [{ name: "Ann", playerId: 12 }],
  mass: false,
  author: { name: "Mo", userId: "mo" },
  atMs: 0,
  edits: [],
};
const asked: Appeal = {
  id: "a1",
  guildId: "g1",
  userId: "ann",
  atMs: 0,
  channelId: "players",
  typedName: "Ann",
  words: "It was my brother.",
  player: { name: "Ann", id: 12 },
  caseNumber: 4,
  provenBy: "link",
  card: { channelId: "staff", nonce: "n" },
};

/** A guild with one server, of which the actor is staff, and an appeal about case 4. */
class Rig {
  readonly did: string[] = [];
  one: Case | undefined = ban;
  submitting: Services["runner"]["submit"] = () => Promise.reject(new Error("not expected"));

  async press(name: "appeal-yes" | "appeal-no" | "appeal-talk" | "appeal-theirs"): Promise<void> {
    const world = new FakeWorld();
    world.bindingsById.set("b1", binding);
    await world.settings.change("g1", (own) => ({
      ...own,
      policies: {
        b1: { roleTiers: { mod: "moderator" }, allowed: [], denied: [], protectedPlayers: [] },
      },
    }));
    const { cases, appeals, runner, accounts } = world.services;
    const plan = { id: "p1", confirm: "none", decision: { allowed: true, why: "staff" } };
    const services: Services = {
      ...world.services,
      accounts: { ...accounts, of: async () => undefined },
      cases: { ...cases, isKept: true, get: async () => this.one },
      runner: {
        ...runner,
        plan: async () => plan as unknown as Awaited<ReturnType<Services["runner"]["plan"]>>,
        submit: (own) => this.submitting(own),
      },
      appeals: {
        ...appeals,
        get: () => asked,
        talk: async () => {
          this.did.push("talk");
          return "thread";
        },
        decide: async (_: Actor, __: string, { isAccepted, unbans }) => {
          this.did.push(isAccepted ? `accepted${unbans ? ", unbans" : ""}` : "refused");
          return asked;
        },
        unbanned: async (_, unban) => void this.did.push(unban),
      },
    };
    const press: Press = {
      actor,
      argument: asked.id,
      values: [],
      form: formOf({}),
      messageId: "9",
      signal: new AbortController().signal,
      reference: "r",
    };
    const answer = appealActions[name].execute(press, services);
    if (!(Symbol.asyncIterator in answer)) return void (await answer);
    for await (const _ of answer);
  }
}

describe("A press on an appeal", () => {
  test("that accepts it while the queue is full says that they are still banned, and not that it is unknown", async () => {
    const rig = new Rig();
    rig.submitting = () => Promise.reject(new Failure("queue-full", "50 commands are already waiting."));
    await assert.rejects(rig.press("appeal-yes"), isFailure("queue-full"));
    assert.deepEqual(rig.did, ["accepted, unbans", "not-sent"]);
  });

  test("still answers it where its case was erased, or is of others only by now", async () => {
    for (const one of [undefined, { ...ban, targets: [{ name: "Bob", playerId: 13 }] }]) {
      const rig = new Rig();
      rig.one = one;
      await rig.press("appeal-talk");
      await rig.press("appeal-no");
      assert.deepEqual(rig.did, ["talk", "refused"]);
    }
  });
});
