import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { askActions } from "../../commands/case-ask.ts";
import type { Press } from "../../src/discord/command.ts";
import type { Services } from "../../src/discord/services.ts";
import type { AskedBan } from "../../src/domain/asked-ban.ts";
import { Failure } from "../../src/domain/failure.ts";
import { isFailure } from "../support/failures.ts";
import { formOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";

const actor = actorOf({ roleIds: ["mod"] });
const asked: AskedBan = {
  id: "a1",
  guildId: actor.guildId,
  bindingId: "b1",
  serverName: "River City",
  player: { name: "Turbo", id: 7 },
  reason: "rdm",
  askerId: "somebody else",
  askerName: "Mo",
  askedAtMs: 0,
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
const denied = () => Promise.reject(new Failure("denied", "Only Administrators can run :ban."));

describe("A ban that somebody asked for", () => {
  test("who asked and approves it reads alone that they can't: the question stays as it is for others", async () => {
    const { services } = new FakeWorld();
    const own = { ...asked, askerId: actor.userId };
    const { askedBans } = services;
    const answer = askActions["case-ban-yes"].execute(press, {
      ...services,
      askedBans: { ...askedBans, get: () => own },
    });
    assert.ok(Symbol.asyncIterator in answer);
    const replies: unknown[] = [];
    for await (const reply of answer) replies.push(reply);
    assert.deepEqual(replies, [
      { content: "✋ You asked for this ban, so somebody else has to approve it.", ephemeral: true },
    ]);
  });

  test("where it can't be approved any more the question goes, and says why", async () => {
    const { services } = new FakeWorld();
    const { askedBans } = services;
    let isThere = true;
    const answer = askActions["case-ban-yes"].execute(press, {
      ...services,
      askedBans: {
        ...askedBans,
        get: () => (isThere ? asked : undefined),
        approve: async () => {
          isThere = false;
          throw new Failure("denied", "Turbo is protected. Nobody can target them.");
        },
      },
    });
    assert.ok(Symbol.asyncIterator in answer);
    const replies: unknown[] = [];
    for await (const reply of answer) replies.push(reply);
    assert.deepEqual(replies, [
      {
        content:
          "⛔ **The ban of Turbo was not sent.** Turbo is protected. Nobody can target them.\n-# Asked by <@somebody else>.",
        cards: [],
        rows: [],
      },
    ]);
  });

  for (const [name, did] of [
    ["case-ban-yes", "approve"],
    ["case-ban-no", "refuse"],
  ] as const) {
    test(`${name}: who may not press it stands in the audit`, async () => {
      const world = new FakeWorld();
      const { askedBans } = world.services;
      const services: Services = {
        ...world.services,
        askedBans: { ...askedBans, get: () => asked, approve: denied, refuse: denied },
      };
      const answer = askActions[name].execute(press, services);
      const read = async () => {
        if (!(Symbol.asyncIterator in answer)) return void (await answer);
        for await (const _ of answer);
      };
      await assert.rejects(read(), isFailure("denied"));
      assert.deepEqual(
        world.events.map(({ action, text }) => [action, text]),
        [["press-refused", `${did} the ban of Turbo on River City`]],
      );
    });
  }
});
