import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setup } from "../../commands/setup.ts";
import type { Press, Reply } from "../../src/discord/command.ts";
import type { Services } from "../../src/discord/services.ts";
import type { PermissionCheck } from "../../src/domain/ports/command-permission.ts";
import type { RunPlan, RunRecord, SubmittedRun } from "../../src/domain/run.ts";
import { formOf, textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

/** What the clocks of a test show first. */
const START_MS = Date.UTC(2026, 0, 1);

const actor = actorOf({ manageGuild: true });

async function pressed(
  name: "guide-check" | "guide-prove",
  changes: Partial<Services>,
  currentPlayers = 6,
): Promise<{ readonly text: string; readonly labels: readonly string[] }> {
  const made = new FakeWorld();
  const { id } = await made.linkServer(actor.guildId, { ...serverStatus(), currentPlayers });
  const services: Services = {
    ...made.services,
    feeds: { ...made.services.feeds, list: async () => [] },
    ...changes,
  };
  const action = setup.actions[name];
  assert.ok("execute" in action);
  const shown: Reply[] = [];
  const answer = await action.execute(pressOn(id), services);
  if (Symbol.asyncIterator in answer) for await (const reply of answer) shown.push(reply);
  else shown.push(answer);
  const [reply] = shown;
  assert.ok(reply !== undefined && shown.length === 1);
  return { text: textOf(reply), labels: labelsOf(reply) };
}

function pressOn(argument: string): Press {
  const { signal } = new AbortController();
  return { actor, argument, values: [], form: formOf({}), messageId: "9", signal, reference: "r" };
}

function labelsOf({ rows = [] }: Reply): readonly string[] {
  return rows.flat().flatMap((part) => (part.kind === "button" ? [part.label] : []));
}

const checking = (found: PermissionCheck, mayRun = true): Partial<Services> => ({
  permissions: { ...new FakeWorld().services.permissions, isStaff: async () => mayRun },
  commandPermission: {
    check: async () => found,
    ownerPage: async () => ({
      kind: "addresses",
      url: "https://service.example/server-owners",
      addresses: [],
    }),
  },
});

const EMPTY = /^Can't tell while nobody is playing\. Press \*\*Check again\*\* when somebody plays, or go on/;

describe("A check of the owner's permission", () => {
  const cases: readonly (readonly [PermissionCheck, number, RegExp, string | undefined])[] = [
    [{ kind: "refused", left: 5 }, 6, /^⛔ Not allowed yet\. Nothing ran\.\n/, "Check again"],
    [
      { kind: "refused", left: 1 },
      6,
      /^⛔ Not allowed yet\. Nothing ran\. 1 check left this hour\.\n/,
      "Check again",
    ],
    [{ kind: "refused", left: 0 }, 6, /Nothing ran\. No checks left this hour\.\n/, "Check again"],
    [{ kind: "allowed" }, 6, /^✅ The owner has allowed it/, "Check again"],
    [{ kind: "empty" }, 0, EMPTY, "Check again"],
    [{ kind: "unclear" }, 0, EMPTY, "Check again"],
    [{ kind: "unclear" }, 6, /^Set up Marshal[\s\S]*:log Marshal check[\s\S]*Run it\?/, "Yes, run it"],
    [
      { kind: "too-soon", atMs: START_MS + 90_000 },
      6,
      /^⏳ Checked too often to check again before <t:1767225690:t>\. If the owner has allowed it, run any command:/,
      "Check again",
    ],
  ];
  for (const [found, players, words, label] of cases)
    test(`that is ${JSON.stringify(found)}, with ${players} players, says so and what to do`, async () => {
      const { text, labels } = await pressed("guide-check", checking(found), players);
      assert.match(text, words);
      assert.ok(labels.includes(label ?? ""), labels.join());
      assert.equal(labels.at(-1), "Skip", "the guide goes on");
    });
});

test("A check that is unclear asks nobody for a command who may run none, and says what is missing", async () => {
  const { text, labels } = await pressed("guide-check", checking({ kind: "unclear" }, false));
  assert.match(text, /none of your roles can run one yet\. .* press \*\*Back\*\*/);
  assert.ok(!labels.includes("Yes, run it"), labels.join());
});

test("A check right after another is made by itself as soon as it may be, and what was known before is not shown", async () => {
  const made = new FakeWorld();
  const { id } = await made.linkServer(actor.guildId);
  const answers: PermissionCheck[] = [{ kind: "too-soon", atMs: START_MS + 29_000 }, { kind: "allowed" }];
  const checkedAtMs: number[] = [];
  const { ownerPage } = made.services.commandPermission;
  const health = {
    ...made.services.health,
    commandPermission: () => ({ kind: "refused", why: "No.", sinceMs: 0, untilMs: START_MS + 9e5 }) as const,
  };
  const check = async () => {
    checkedAtMs.push(made.clock.nowMs() - START_MS);
    return answers.shift() ?? { kind: "unclear" as const };
  };
  const feeds = { ...made.services.feeds, list: async () => [] };
  const services: Services = { ...made.services, health, feeds, commandPermission: { ownerPage, check } };
  const action = setup.actions["guide-check"];
  assert.ok("execute" in action);
  const answer = action.execute(pressOn(id), services);
  assert.ok(Symbol.asyncIterator in answer);
  const replies = answer[Symbol.asyncIterator]();

  const first = (await replies.next()).value as Reply;
  assert.match(textOf(first), /^⏳ Checked a moment ago\. Checking again <t:1767225629:R>/);
  assert.doesNotMatch(textOf(first), /Not allowed|game service said/);
  assert.ok(!labelsOf(first).includes("Check again"));

  const next = replies.next();
  await made.clock.advance(29_000);
  assert.match(textOf((await next).value as Reply), /^✅ The owner has allowed it/);
  assert.deepEqual(checkedAtMs, [0, 29_000]);
  assert.equal((await replies.next()).done, true);
});

test("A check that answers after the person went on does not call them back", async () => {
  const made = new FakeWorld();
  const change = (step: "allow" | "zone") =>
    made.settings.change(actor.guildId, (before) => ({ ...before, guide: { step } }));
  await change("allow");
  const { text } = await pressed("guide-check", {
    settings: made.settings,
    commandPermission: {
      ...made.services.commandPermission,
      check: async () => {
        await change("zone");
        return { kind: "refused", left: 5 };
      },
    },
  });
  assert.match(text, /\*\*Time zone\*\*\nFor times you type/);
});

describe("The command that proves it", () => {
  const ending = (record: Partial<RunRecord>, isAllowed = true) =>
    pressed("guide-prove", {
      runner: {
        ...new FakeWorld().services.runner,
        plan: async () => ({ decision: { allowed: isAllowed, why: "" } }) as RunPlan,
        submit: async () => ({ outcome: Promise.resolve({ record }) }) as SubmittedRun,
      },
    });

  test("says what became of it, and never that it did not run where nobody knows", async () => {
    assert.match((await ending({ status: "done" })).text, /^✅ `:log Marshal check` ran/);
    assert.match(
      (await ending({ status: "unknown", failureCode: "unreachable" })).text,
      /^❔ It may have run/,
    );
    assert.match((await ending({ status: "failed", failureCode: "platform" })).text, /^⚠ It did not run/);
    assert.match(
      (await ending({ status: "failed", failureCode: "server-empty" })).text,
      /^Can't tell while nobody/,
    );
    assert.match(
      (await ending({ status: "failed", failureCode: "not-authorised" })).text,
      /^⛔ Not allowed yet/,
    );
  });

  test("is not sent for somebody whose roles may run nothing", async () => {
    assert.match((await ending({ status: "done" }, false)).text, /none of your roles can run one yet/);
  });
});
