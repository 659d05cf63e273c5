import assert from "node:assert/strict";
import { test } from "node:test";
import { automaticActions } from "../../commands/automatic.ts";
import { shown } from "../../commands/case-flow.ts";
import { rank } from "../../commands/rank.ts";
import { rule } from "../../commands/rule.ts";
import { run } from "../../commands/run.ts";
import { follow } from "../../commands/run-follow.ts";
import { schedule } from "../../commands/schedule.ts";
import { setup } from "../../commands/setup.ts";
import type { Reply } from "../../src/discord/command.ts";
import type { RunOutcome, SubmittedRun } from "../../src/domain/run.ts";
import { ruleOf } from "../../src/domain/schedule.ts";
import { textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { runRecord } from "../support/run-record.ts";

const actor = actorOf({ manageGuild: true });
const { guildId } = actor;
const PAUSED = /⏸ Automatic commands are paused\. A Manager resumes them in `\/run queue`\./g;

/** What each room says of what runs by itself there. */
async function rooms() {
  const world = new FakeWorld();
  const { id: bindingId } = await world.linkServer(guildId);
  const what = { kind: "text", text: ":h hi" } as const;
  const by = { ownerId: "1", ownerName: "Olivia", channelId: "1", createdAtMs: 0, claimedMs: 0 };
  const made = { id: "s", guildId, bindingId, what, rule: ruleOf("hourly"), anchorMs: 0, failures: 0 };
  const view = { schedule: { ...made, ...by, onlyWithPlayers: false }, text: ":h hi", nextAtMs: 0 };
  const schedules = { ...world.services.schedules, add: async () => ({ ...view, last: undefined }) };
  const feeds = { ...world.services.feeds, list: async () => [] };
  const permissions = { ...world.permissions, decide: async () => ({ allowed: true, why: "" }) };
  const runAnswers = { remember: async () => {}, forget: async () => {} };
  const services = { ...world.services, schedules, feeds, permissions, runAnswers } as never;
  const ended = runRecord({ guildId, text: ":ban Ann", verb: "ban", ends: { atMs: 60_000 } as never });
  const submitted: SubmittedRun = {
    id: "r1",
    async *progress() {},
    outcome: Promise.resolve<RunOutcome>({ record: ended }),
  };
  const end = { id: "r9", endsAtMs: 60_000, state: "armed" };
  const banEnds = { ...world.services.banEnds, list: () => [{ end, waits: undefined }] };
  const cases = { ...world.services.cases, liftOf: async () => undefined };
  const banCase = {
    guildId,
    number: 1,
    kind: "ban",
    targets: [],
    edits: [],
    author: { name: "Olivia" },
    origin: "run r9",
    atMs: 0,
    endsAtMs: 60_000,
  };
  const withEnd = { ...world.services, banEnds, cases } as never;
  const add = { what: ":h hi", rule: ruleOf("hourly"), server: undefined, onlyWithPlayers: false };
  const entries = {
    "schedule add": [schedule.subcommands.add, add],
    "schedule list": [schedule.subcommands.list],
    "rank list": [rank.subcommands.list],
    "rule list": [rule.subcommands.list],
    "run bans": [run.subcommands.bans],
    "setup show": [setup.subcommands.show],
  } as const;
  const said = async () => {
    const texts: Record<string, string> = {};
    for (const [name, [entry, args]] of Object.entries(entries))
      texts[name] = textOf((await entry.execute({ actor, args } as never, services)) as Reply);
    const on = { actor, signal: new AbortController().signal, answer: undefined } as never;
    const replies = follow(services, submitted, on);
    texts["its case"] = textOf(await shown(withEnd, banCase as never));
    texts["a ban with an end"] = textOf((await replies.next()).value as Reply);
    await replies.return(undefined);
    return texts;
  };
  return { world, said };
}

test("while automatic commands are paused, every room in which one waits says so once, and where to resume", async () => {
  const { world, said } = await rooms();
  const pause = { byId: "1", atMs: 0 };
  for (const [name, text] of Object.entries(await said())) assert.doesNotMatch(text, PAUSED, name);
  await world.settings.change(guildId, (own) => ({ ...own, automaticPause: pause }));
  for (const [name, text] of Object.entries(await said()))
    assert.equal(text.match(PAUSED)?.length, 1, `${name}: ${text}`);
});

test("a resume wakes the ends of bans that waited for it", async () => {
  const world = new FakeWorld();
  await world.settings.change(guildId, (own) => ({ ...own, automaticPause: { byId: "1", atMs: 0 } }));
  const woken: string[] = [];
  const banEnds = { ...world.services.banEnds, onResumed: (guild: string) => woken.push(guild) };
  const { execute } = automaticActions["automatic-resume"];
  await execute({ actor, argument: "" } as never, { ...world.services, banEnds } as never);
  assert.equal((await world.settings.of(guildId)).automaticPause, undefined);
  assert.deepEqual(woken, [guildId]);
});
