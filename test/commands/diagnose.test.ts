import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { diagnose } from "../../commands/diagnose.ts";
import type { Services } from "../../src/discord/services.ts";
import type { Feed, Tier } from "../../src/domain/guild.ts";
import type { MessageBody } from "../../src/domain/message.ts";
import type { FeedStatus, Feeds } from "../../src/domain/ports/feeds.ts";
import { textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld, serverStatus } from "../support/fake-services.ts";

const actor = actorOf({ manageGuild: true });

async function rig(options: { readonly tier?: Tier } = { tier: "moderator" }) {
  const world = new FakeWorld();
  const binding = await world.linkServer(actor.guildId);
  if (options.tier !== undefined) {
    const roleTiers = { role: options.tier };
    const policy = { roleTiers, allowed: [], denied: [], protectedPlayers: [] };
    await world.settings.change(actor.guildId, (all) => ({ ...all, policies: { [binding.id]: policy } }));
  }
  const kept: Feed[] = [];
  const statuses = new Map<string, FeedStatus>();
  const feeds: Feeds = {
    list: async () => kept,
    add: () => Promise.reject(new Error("not expected")),
    remove: () => Promise.reject(new Error("not expected")),
    test: () => Promise.reject(new Error("not expected")),
    status: (id) => statuses.get(id) ?? { undelivered: 0 },
    pause: () => Promise.reject(new Error("not expected")),
    async resume(_, id) {
      const at = kept.findIndex((feed) => feed.id === id);
      const found = kept[at];
      if (found === undefined) return undefined;
      const { parkedWhy: __, ...rest } = found;
      kept[at] = { ...rest, state: "live" };
      return kept[at];
    },
  };
  const services: Services = { ...world.services, feeds };
  const add = (id: string, changes: Partial<Feed> = {}) => {
    const feed: Feed = {
      id,
      guildId: actor.guildId,
      bindingId: binding.id,
      kind: "joins",
      channelId: "700",
      style: "lines",
      filter: {},
      silent: false,
      state: "live",
      createdBy: "1",
      createdAtMs: 0,
      ...changes,
    };
    kept.push(feed);
  };
  const on = { actor, signal: new AbortController().signal, reference: "r" };
  const look = async () =>
    (await diagnose.entry.execute({ ...on, args: undefined }, services)) as MessageBody;
  const resume = async (argument: string) => {
    const action = diagnose.actions["diagnose-resume"];
    const form = { text: () => "", chosen: () => [] };
    return (await action.execute(
      { ...on, argument, values: [], form, messageId: "9" },
      services,
    )) as MessageBody;
  };
  return { world, binding, statuses, add, look, resume };
}

const labels = (body: MessageBody) =>
  (body.rows ?? []).flat().flatMap((part) => (part.kind === "button" ? [part.label] : []));

describe("/diagnose", () => {
  test("everything fine is one line each, and only the button to look again", async () => {
    const { add, look, world } = await rig();
    add("f1");
    world.requestsLeft = { left: 12, limit: 35, resetAtMs: world.clock.nowMs() + 1_000 };
    const body = await look();
    const text = textOf(body);
    assert.match(text, /All is well/);
    assert.match(text, /✅ \*\*Riverside Roleplay\*\*: read <t:\d+:R>/);
    assert.match(text, /✅ Joins and leaves in <#700>/);
    assert.match(text, /12 of 35 requests/);
    assert.deepEqual(labels(body), ["Look again"]);
  });

  const cases: readonly {
    readonly name: string;
    readonly words: RegExp;
    readonly button: string | undefined;
    readonly make: (made: Awaited<ReturnType<typeof rig>>) => void;
  }[] = [
    {
      name: "a rejected key",
      words: /⛔ \*\*Riverside Roleplay\*\*: the game service rejects its key \(Server Key is invalid\)/,
      button: "New key for Riverside Roleplay",
      make: ({ world, binding }) => world.parked.set(binding.source, "Server Key is invalid"),
    },
    {
      name: "a server that the service does not let the bot read",
      words:
        /⛔ \*\*Riverside Roleplay\*\*: may not be read \(Not authorised \\\(code 4000\\\)\); asked again at <t:3600:t>/,
      button: undefined,
      make: ({ world, binding }) => world.readRefusals.set(binding.source, "Not authorised (code 4000)"),
    },
    {
      name: "a halt of the whole bot",
      words: /⏳ The game service blocks requests.*at <t:2000:T>/,
      button: undefined,
      make: ({ world }) => {
        world.halt = { untilMs: 2_000_000, why: "blocked" };
      },
    },
    {
      name: "a store that cannot be written",
      words: /⛔ Marshal cannot write to its own store/,
      button: undefined,
      make: ({ world }) => {
        world.storeWorks = false;
      },
    },
    {
      name: "permissions that are missing",
      words: /⚠ Kills in <#701>: lacks \*\*Send Messages\*\*, \*\*Embed Links\*\* for Marshal/,
      button: undefined,
      make: ({ world, add }) => {
        add("f2", { kind: "kills", channelId: "701" });
        world.channelAccess.set("701", { kind: "missing", permissions: ["Send Messages", "Embed Links"] });
      },
    },
    {
      name: "a deleted channel",
      words: /⛔ Kills in <#701>: the channel was deleted/,
      button: "Another channel for kills",
      make: ({ world, add }) => {
        add("f2", { kind: "kills", channelId: "701" });
        world.channelAccess.set("701", { kind: "gone" });
      },
    },
    {
      name: "a log that stopped, in a channel that is open again",
      words: /⛔ Joins and leaves in <#700>: stopped \(no access\)/,
      button: "Post joins and leaves again",
      make: ({ add }) => add("f2", { state: "parked", parkedWhy: "no access" }),
    },
    {
      name: "entries that wait and are late",
      words: /⚠ Joins and leaves in <#700>: late since <t:3:R>, 41 entries wait/,
      button: undefined,
      make: ({ add, statuses }) => {
        add("f2");
        statuses.set("f2", { undelivered: 41, lateSinceMs: 3_000 });
      },
    },
    {
      name: "a server that was last read long ago although it has players",
      words: /last read <t:\d+:R>, which is late/,
      button: undefined,
      make: ({ world, binding, add }) => {
        add("f2");
        const state = world.states.get(binding.source);
        if (state !== undefined) {
          const statusAtMs = world.clock.nowMs() - 16 * 60_000;
          world.states.set(binding.source, { ...state, statusAtMs });
        }
      },
    },
    {
      name: "a notice channel that takes nothing",
      words: /⚠ Notices: <#800> was deleted/,
      button: "Another notice channel",
      make: ({ world }) => {
        world.channelAccess.set("800", { kind: "gone" });
        const settings = world.settingsByGuild.get(actor.guildId);
        if (settings !== undefined)
          world.settingsByGuild.set(actor.guildId, { ...settings, noticeChannelId: "800" });
      },
    },
  ];
  for (const { name, words, button, make } of cases) {
    test(`${name}: said in one line${button === undefined ? "" : ", with the press that mends it"}`, async () => {
      const made = await rig();
      make(made);
      const body = await made.look();
      assert.match(textOf(body), words);
      assert.match(textOf(body), /1 thing needs a look/);
      assert.deepEqual(labels(body), [...(button === undefined ? [] : [button]), "Look again"]);
    });
  }

  test("no staff at all is said, with the button that opens the roles", async () => {
    const { look } = await rig({});
    assert.deepEqual(labels(await look()), ["Roles for Riverside Roleplay", "Look again"]);
  });

  test("the press posts the log again and shows how it stands then", async () => {
    const { add, resume } = await rig();
    add("f2", { state: "parked", parkedWhy: "no access" });
    assert.match(textOf(await resume("f2")), /All is well/);
  });

  test("fifty logs on ten servers with long names fit into one message", async () => {
    const { add, look, world } = await rig();
    for (let at = 0; at < 50; at++)
      add(`f${at}`, { state: "parked", parkedWhy: "x".repeat(400), createdAtMs: at });
    for (let at = 1; at < 10; at++) {
      const status = serverStatus({ name: `${"W".repeat(90)}${at}`, joinKey: `j${at}` });
      await world.linkServer(actor.guildId, status, `key-${at}`);
    }
    const body = await look();
    assert.ok((body.cards?.[0]?.description?.length ?? 0) <= 4_096);
    assert.ok((body.rows ?? []).length <= 5 && labels(body).every((label) => label.length <= 80));
  });
});
