import assert from "node:assert/strict";
import { test } from "node:test";
import { voteActions } from "../../commands/session-vote.ts";
import type { Press } from "../../src/discord/command.ts";
import { Failure } from "../../src/domain/failure.ts";
import { isFailure } from "../support/failures.ts";
import { formOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";

test("a press on Mention me that is refused, because the vote is over, allows no mentions", async () => {
  const world = new FakeWorld();
  const { sessions } = world.services;
  const over = () => Promise.reject(new Failure("bad-command", "This vote is over."));
  const press: Press = {
    actor: actorOf({ guildId: "g1", userId: "u" }),
    argument: "s1",
    values: [],
    form: formOf({}),
    messageId: "9",
    signal: new AbortController().signal,
    reference: "r",
  };
  const services = { ...world.services, sessions: { ...sessions, press: over } };
  const answer = Promise.resolve(voteActions["session-mention"].execute(press, services) as Promise<unknown>);
  await assert.rejects(answer, isFailure("bad-command"));
  assert.equal(await world.mentions.isAllowed("g1", "u"), false);
});
