import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setup } from "../../commands/setup.ts";
import type { Press, Reply } from "../../src/discord/command.ts";
import type { Services } from "../../src/discord/services.ts";
import type { AlertRule } from "../../src/domain/alert.ts";
import { Failure, StoreError } from "../../src/domain/failure.ts";
import type { Feed } from "../../src/domain/guild.ts";
import type { Panel } from "../../src/domain/ports/panels.ts";
import { formOf, textOf } from "../support/fake-answers.ts";
import { actorOf, emptyLists, FakeWorld } from "../support/fake-services.ts";

const actor = actorOf({ manageGuild: true, roleIds: ["owners"] });

/** A linked server, and a store that refuses what is written next, as often as the test says. */
async function world() {
  const made = new FakeWorld();
  made.roleNames.set("owners", "Owners");
  const { id, source } = await made.linkServer(actor.guildId);
  const state = made.states.get(source);
  assert.ok(state !== undefined);
  made.states.set(source, { ...state, lists: emptyLists(made.clock.nowMs()) });
  let refusals = 0;
  const mayWrite = () => {
    if (refusals === 0) return;
    refusals -= 1;
    throw new StoreError("the store refused it");
  };
  const feeds: Feed[] = [];
  const alerts: AlertRule[] = [];
  const panels: Panel[] = [];
  let weekly: string | undefined;
  const changed: Partial<Services> = {
    cases: { ...made.services.cases, isKept: true },
    settings: {
      ...made.settings,
      change: async (guildId, edit) => {
        mayWrite();
        return await made.settings.change(guildId, edit);
      },
    },
    feeds: {
      ...made.services.feeds,
      list: async () => feeds,
      add: async (feed) => {
        mayWrite();
        feeds.push({ ...feed, id: `f${feeds.length}`, state: "live", createdAtMs: 0 });
        return feeds.at(-1) as Feed;
      },
      test: async () => mayWrite(),
    },
    alerts: {
      ...made.services.alerts,
      list: async () => alerts,
      add: async (alert) => {
        mayWrite();
        alerts.push({ ...alert, id: `a${alerts.length}`, createdAtMs: 0 });
        return alerts.at(-1) as AlertRule;
      },
      edit: async (_, alertId, edited) => {
        mayWrite();
        const at = alerts.findIndex((alert) => alert.id === alertId);
        const [before] = alerts.slice(at, at + 1);
        if (before === undefined) return undefined;
        alerts[at] = edited(before);
        return alerts[at];
      },
      test: async () => undefined,
    },
    panels: {
      list: () => panels,
      add: async (panel) => {
        mayWrite();
        panels.push(panel);
        return "posted";
      },
      remove: async () => true,
    },
    history: {
      ...made.services.history,
      privacy: { ...made.services.history.privacy, retention: async () => 90 },
    },
    weekly: {
      of: async () => (weekly === undefined ? undefined : { channelId: weekly, byId: "1" }),
      set: async (_, { channelId }) => {
        mayWrite();
        weekly = channelId;
        return 0;
      },
      turnOff: async () => true,
    },
  };
  const services: Services = { ...made.services, ...changed };
  const refuse = (times: number) => {
    refusals = times;
  };
  return { id, services, alerts, refuse };
}

async function act(services: Services, name: string, press: Partial<Press>): Promise<Reply> {
  const action = setup.actions[name as keyof typeof setup.actions];
  assert.ok(action !== undefined && "execute" in action, name);
  const answer = await action.execute(
    {
      actor,
      argument: "",
      values: [],
      form: formOf({}),
      messageId: "9",
      signal: new AbortController().signal,
      reference: "r",
      ...press,
    },
    services,
  );
  assert.ok(!(Symbol.asyncIterator in answer));
  return answer;
}

/** Each press of the guide that stores something, and what its step says once it has. */
const PRESSES: Readonly<
  Record<string, { readonly press: (id: string) => Partial<Press>; readonly says: RegExp }>
> = {
  guide: { press: (id) => ({ argument: `logs:${id}` }), says: /Which logs go where/ },
  "guide-tier": {
    press: (id) => ({ argument: `manager:${id}`, values: ["owners"] }),
    says: /✅ Managers: <@&owners>/,
  },
  "guide-mine": { press: (id) => ({ argument: `owners:${id}` }), says: /✅ Managers: <@&owners>/ },
  "guide-log": {
    press: (id) => ({ argument: `joins:${id}`, values: ["5"] }),
    says: /✅ Joins and leaves: <#5>/,
  },
  "guide-notices": { press: (id) => ({ argument: id, values: ["5"] }), says: /✅ Notices: <#5>/ },
  "guide-zone": {
    press: (id) => ({ argument: id, values: ["Europe/Berlin"] }),
    says: /✅ Time zone: `Europe\/Berlin`/,
  },
  "guide-cases": { press: (id) => ({ argument: id, values: ["5"] }), says: /✅ Cases: <#5>/ },
  "guide-alerts": { press: (id) => ({ argument: id, values: ["5"] }), says: /(✅ .* in <#5>\n?){3}/ },
  "guide-panel": { press: (id) => ({ argument: id, values: ["5"] }), says: /✅ Panel: <#5>/ },
  "guide-weekly": { press: (id) => ({ argument: id, values: ["5"] }), says: /✅ Weekly summary: <#5>/ },
  "guide-test": { press: (id) => ({ argument: id }), says: /All set|Done for now/ },
};

describe("A press of the guided set-up while the store refuses", () => {
  for (const [name, { press, says }] of Object.entries(PRESSES))
    test(`${name} says so and is as good as new when pressed again`, async () => {
      const { id, services, refuse } = await world();
      refuse(1);
      await assert.rejects(act(services, name, press(id)), StoreError);
      assert.match(textOf(await act(services, name, press(id))), says);
    });

  test("a log that is chosen on the second page leaves that page open", async () => {
    const { id, services } = await world();
    for (const [kind, isThere] of [
      ["queue", true],
      ["joins", false],
    ] as const) {
      const reply = await act(services, "guide-log", { argument: `${kind}:${id}`, values: ["5"] });
      const ids = (reply.rows ?? []).flat().map((part) => part.id);
      assert.equal(ids.includes(`guide-log:queue:${id}`), isThere, kind);
    }
  });

  test("the alerts go on after the one that was refused, and none of them is there twice", async () => {
    const { id, services, alerts, refuse } = await world();
    const { add } = services.alerts;
    services.alerts.add = async (alert) => {
      if (alert.kind === "kills") refuse(alerts.length === 1 ? 1 : 0);
      return await add(alert);
    };
    const press = { argument: id, values: ["5"] };
    await assert.rejects(act(services, "guide-alerts", press), StoreError);
    assert.deepEqual(
      alerts.map(({ kind }) => kind),
      ["calls"],
    );
    services.alerts.add = add;
    await act(services, "guide-alerts", press);
    assert.deepEqual(
      alerts.map(({ kind }) => kind),
      ["calls", "kills", "punishments"],
    );
  });

  test("once the three are there, another channel moves the alerts of the one that is shown, and no others", async () => {
    const { id, services, alerts } = await world();
    await act(services, "guide-alerts", { argument: id, values: ["5"] });
    const elsewhere = { ...(alerts[0] as AlertRule), id: "x", kind: "full", channelId: "7" } as const;
    const there = { ...elsewhere, id: "y", kind: "empty", channelId: "5" } as const;
    alerts.push(elsewhere, there);
    const moved = await act(services, "guide-alerts", { argument: id, values: ["6"] });
    assert.match(textOf(moved), /(✅ .* in <#6>\n){3}✅ .* in <#7>\n✅ .* in <#6>/);
    assert.deepEqual(
      alerts.map(({ channelId }) => channelId),
      ["6", "6", "6", "7", "6"],
    );
    services.alerts.edit = async () => {
      throw new Failure("bad-command", "That channel already has this alert. Remove it first.");
    };
    const refused = await act(services, "guide-alerts", { argument: id, values: ["7"] });
    assert.match(textOf(refused), /⚠ Unanswered moderator calls.*: That channel already has this alert/);
  });

  test("a position that was stored by a version with more steps, or none, opens what there is", async () => {
    const { services } = await world();
    assert.match(textOf(await act(services, "guide-open", {})), /Who may run commands/);
    await assert.rejects(act(services, "guide", { argument: "fireworks:b" }), /older version of Marshal/);
  });
});

for (const [name, post, says] of [
  ["guide-panel", "panels.add", /✅ Panel posted in <#5>/],
  ["guide-test", "feeds.test", /✅ Test posted in <#5>/],
] as const) {
  test(`a slow post of ${name} does not call back who went on meanwhile, and says there what came of it`, async () => {
    const { id, services } = await world();
    await act(services, "guide-log", { argument: `joins:${id}`, values: ["5"] });
    const goOn = async () => void (await act(services, "guide", { argument: `zone:${id}` }));
    const feeds = { ...services.feeds, test: goOn };
    const add: Services["panels"]["add"] = async (panel) => {
      await goOn();
      return await services.panels.add(panel);
    };
    const slow = post === "panels.add" ? { panels: { ...services.panels, add } } : { feeds };
    const press = { argument: id, values: ["5"] };
    const text = textOf(await act({ ...services, ...slow }, name, press));
    assert.match(text, /\*\*Time zone\*\*/);
    assert.match(text, says);
  });
}
