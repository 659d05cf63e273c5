import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setup } from "../../commands/setup.ts";
import type { Press } from "../../src/discord/command.ts";
import type { Services } from "../../src/discord/services.ts";
import type { PermissionCheck } from "../../src/domain/ports/command-permission.ts";
import type { RunPlan, RunRecord, SubmittedRun } from "../../src/domain/run.ts";
import { formOf, textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

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
  const press: Press = {
    actor,
    argument: id,
    values: [],
    form: formOf({}),
    messageId: "9",
    signal: new AbortController().signal,
    reference: "r",
  };
  const action = setup.actions[name];
  assert.ok("execute" in action);
  const reply = await action.execute(press, services);
  assert.ok(!(Symbol.asyncIterator in reply));
  const labels = (reply.rows ?? []).flat().flatMap((part) => (part.kind === "button" ? [part.label] : []));
  return { text: textOf(reply), labels };
}

const checking = (found: PermissionCheck): Partial<Services> => ({
  commandPermission: {
    check: async () => found,
    ownerPage: async () => ({
      kind: "addresses",
      url: "https://service.example/server-owners",
      addresses: [],
    }),
  },
});

describe("A check of the owner's permission", () => {
  const cases: readonly (readonly [PermissionCheck, number, RegExp, string | undefined])[] = [
    [{ kind: "refused" }, 6, /^⛔ Not allowed yet\. Nothing ran/, "Check"],
    [{ kind: "allowed" }, 6, /^✅ The owner has allowed it/, "Check"],
    [{ kind: "empty" }, 0, /^Can't tell while nobody is playing\. Go on/, "Check"],
    [{ kind: "unclear" }, 0, /^Can't tell while nobody is playing\. Go on/, "Check"],
    [{ kind: "unclear" }, 6, /^Set up Marshal[\s\S]*:log Marshal check[\s\S]*Run it\?/, "Yes, run it"],
    [{ kind: "too-soon", atMs: 30_000 }, 6, /^⏳ Checked a moment ago\. Try again after <t:30:T>/, "Check"],
  ];
  for (const [found, players, words, label] of cases)
    test(`that is ${found.kind}, with ${players} players, says so and what to do`, async () => {
      const { text, labels } = await pressed("guide-check", checking(found), players);
      assert.match(text, words);
      assert.ok(labels.includes(label ?? ""), labels.join());
      assert.equal(labels.at(-1), "Skip", "the guide goes on");
    });
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
        return { kind: "refused" };
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
    assert.match(
      (await ending({ status: "done" }, false)).text,
      /^⚠ None of your roles can run commands yet/,
    );
  });
});
