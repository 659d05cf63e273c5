import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { server } from "../../commands/server.ts";
import type { Answer, Reply } from "../../src/discord/command.ts";
import { panelRenderer } from "../../src/discord/render/server/panel.ts";
import { md } from "../../src/domain/escaped.ts";
import { Failure } from "../../src/domain/failure.ts";
import { type Actor, type Binding, EMPTY_POLICY, type Feed } from "../../src/domain/guild.ts";
import type { Lists, Player } from "../../src/domain/model.ts";
import type { OpenCallCard } from "../../src/domain/ports/mod-calls.ts";
import { optionsOf, textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const actor = actorOf();
const staffActor = actorOf({ roleIds: ["staff"] });
const NOTHING: Lists = {
  players: [],
  staff: { admins: new Map(), mods: new Map(), helpers: new Map() },
  joinLogs: [],
  queue: [],
  killLogs: [],
  commandLogs: [],
  modCalls: [],
  emergencyCalls: [],
  vehicles: [],
};

async function rig(status = serverStatus()) {
  const world = new FakeWorld();
  const binding = await world.linkServer(actor.guildId, status);
  const policy = { ...EMPTY_POLICY, roleTiers: { staff: "moderator" } } as const;
  await world.settings.change(actor.guildId, (all) => ({ ...all, policies: { [binding.id]: policy } }));
  give(world, binding, NOTHING);
  return { world, binding };
}

function give(world: FakeWorld, { source }: Binding, lists: Partial<Lists>): void {
  const state = world.states.get(source);
  assert.ok(state !== undefined);
  const atMs = world.clock.nowMs();
  const seen = Object.fromEntries(Object.entries(lists).map(([list, value]) => [list, { atMs, value }]));
  world.states.set(source, { ...state, statusAtMs: atMs, lists: { ...state.lists, ...seen } });
}

function asked<Args>(args: Args, by: Actor = actor) {
  return { actor: by, args, signal: new AbortController().signal, reference: "r" };
}

const press = (argument: string, values: readonly string[] = [], by: Actor = actor) => ({
  ...asked(undefined, by),
  argument,
  values,
  messageId: "9",
  form: { text: () => "", chosen: () => [] },
});

async function repliesOf(answer: Answer): Promise<Reply[]> {
  if (!(Symbol.asyncIterator in answer)) return [await answer];
  const replies: Reply[] = [];
  for await (const reply of answer) replies.push(reply);
  return replies;
}

/** What stands there in the end. */
async function lastOf(answer: Answer): Promise<Reply> {
  const reply = (await repliesOf(answer)).at(-1);
  assert.ok(reply !== undefined);
  return reply;
}

const statusOf = (world: FakeWorld, by: Actor = actor, name?: string) =>
  lastOf(server.subcommands.status.execute(asked({ server: name }, by), world.services));

type ListWord = "players" | "staff" | "vehicles" | "queue" | "calls" | "logs";
const listOf = (world: FakeWorld, list: ListWord, filter = "", by: Actor = staffActor) =>
  lastOf(server.subcommands[list].execute(asked({ server: undefined, filter }, by), world.services));

const player = (name: string, changes: Partial<Player> = {}): Player => ({
  player: { name, id: 77 },
  team: "Civilian",
  permission: "Normal",
  wantedStars: 0,
  ...changes,
});

describe("/server status", () => {
  test("is one glance: players, queue, staff and calls, wanted, owners by name, and its age", async () => {
    const { world, binding } = await rig();
    const nowS = world.clock.nowMs() / 1000;
    const call = { kind: "modCall", caller: { name: "ann", id: 5 } } as const;
    give(world, binding, {
      players: [
        player("ann", { player: { name: "ann", id: 5 } }),
        player("olga", { player: { name: "olga", id: 4_001 }, permission: "Server Owner" }),
        player("rob", { wantedStars: 3 }),
      ],
      staff: { ...NOTHING.staff, admins: new Map([[4_002, "cora"]]) },
      queue: [1, 2],
      modCalls: [
        { ...call, atS: nowS - 60 },
        { ...call, atS: nowS - 90 },
        { ...call, atS: nowS - 30, moderator: { name: "olga" } },
        { ...call, atS: nowS - 20, caller: { name: "has left" } },
        { ...call, atS: nowS - 7_200 },
      ],
      emergencyCalls: [{ team: "Police", unitIds: [], startedAtS: nowS - 9, callNumber: 12 }],
    });
    const text = textOf(await statusOf(world));
    for (const part of [
      "Riverside Roleplay",
      "**12** of **40** players · **2** in the queue",
      "Staff in the game · 1\nolga",
      "Wanted · 1\nrob ★★★",
      `Open moderator calls · 1\n<t:${nowS - 90}:R>`,
      "Emergency calls · 1\n#12 Police",
      "Owner and 2 co-owners\n[olga](",
      "[cora](https://www.roblox.com/users/4002/profile)\n[Co-owner 2](https://www.roblox.com/users/4003/profile): unknown until they join",
      `Seen <t:${nowS}:R>`,
      "Account verification: Email · Team balance on",
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.doesNotMatch(text, /rvrsd/);
    assert.doesNotMatch(text, /ann/, "who called is for Moderators");
  });

  test("of a fresh server says that its owners' names come when they join", async () => {
    const { world } = await rig();
    const text = textOf(await statusOf(world));
    assert.match(
      text,
      /Owner and 2 co-owners\n\[Owner\]\([^ ]+4001[^ ]+: unknown until they join\n\[Co-owner 1\]\(\S+, \[Co-owner 2\]\(\S+: unknown/,
    );
  });

  test("stands under the name by which people here choose the server", async () => {
    const { world, binding } = await rig();
    await world.bindings.rename(actor.guildId, binding.id, "Night City");
    const refresh = server.actions["server-refresh"].execute(press(binding.id), world.services);
    assert.equal((await lastOf(refresh)).cards?.[0]?.title, "Night City");
    const key = server.actions["server-key"].execute(press(binding.id, [], staffActor), world.services);
    assert.match(textOf(await lastOf(key)), /Join key of \*\*Night City\*\*/);
  });

  test("has the join key behind a button, for staff, and only who asked sees it", async () => {
    const { world, binding } = await rig();
    const key = server.actions["server-key"];
    assert.equal(key.first, "ephemeral");
    assert.match(
      textOf(await lastOf(key.execute(press(binding.id, [], staffActor), world.services))),
      /rvrsd/,
    );
    await assert.rejects(
      lastOf(key.execute(press(binding.id), world.services)),
      (error: unknown) =>
        error instanceof Failure && error.code === "denied" && error.bindingId === binding.id,
    );
  });

  test("its Refresh and Try again ask again", async () => {
    const { world, binding } = await rig();
    for (const action of ["server-refresh", "server-retry"] as const) {
      const reply = await lastOf(server.actions[action].execute(press(binding.id), world.services));
      assert.match(textOf(reply), /Riverside/);
    }
    assert.deepEqual(world.calls, ["fresh", "fresh"]);
  });

  test("a hostile server name neither formats nor pings nor breaks a line", async () => {
    const { world } = await rig(serverStatus({ name: "@everyone\n**[x](https://evil.example)**" }));
    const title = (await statusOf(world)).cards?.[0]?.title ?? "";
    assert.doesNotMatch(title, /@everyone|\n|[^\\]\*\*|\]\(http/);
  });
});

describe("A service that is silent", () => {
  test("shows the last state within a second, with its age, and then what it answers", async () => {
    const { world, binding } = await rig();
    const seenS = world.clock.nowMs() / 1000;
    await world.clock.advance(60_000);
    const answer = Promise.withResolvers<void>();
    const { fresh } = world.snapshots;
    const snapshots = { ...world.snapshots };
    snapshots.fresh = async (...of) => {
      await answer.promise;
      return fresh(...of);
    };
    const services = { ...world.services, snapshots };
    const replies: Reply[] = [];
    const done = (async () => {
      const answers = server.subcommands.status.execute(asked({ server: undefined }), services);
      assert.ok(Symbol.asyncIterator in answers);
      for await (const reply of answers) replies.push(reply);
    })();
    await world.clock.advance(1_000);
    assert.equal(replies.length, 1);
    assert.match(textOf(replies[0]), new RegExp(`Still waiting[\\s\\S]*Seen <t:${seenS}:R>`));
    await world.clock.advance(5_000);
    give(world, binding, {});
    answer.resolve();
    await done;
    assert.equal(replies.length, 2);
    assert.doesNotMatch(textOf(replies[1]), /not answered/);
  });

  test("in a halt is not read: the last state, its age, and when it is read again", async () => {
    const { world } = await rig();
    const seenS = world.clock.nowMs() / 1000;
    await world.clock.advance(90_000);
    world.halt = { untilMs: world.clock.nowMs() + 60_000, why: "rate-limited" };
    const text = textOf(await statusOf(world));
    assert.match(text, /Riverside/);
    assert.match(text, new RegExp(`Seen <t:${seenS}:R>`));
    assert.match(text, new RegExp(`Next try: <t:${seenS + 150}:T>`));
    assert.deepEqual(world.calls, []);
  });

  test("in a halt has one age, that of the last answer, and leaves out what this answer did not bring", async () => {
    const { world, binding } = await rig();
    give(world, binding, {
      staff: { ...NOTHING.staff, admins: new Map([[4_001, "olga"]]) },
      emergencyCalls: [{ team: "Police", unitIds: [], startedAtS: 1, callNumber: 12 }],
    });
    await world.clock.advance(8 * 60_000);
    give(world, binding, { players: [player("mia", { permission: "Server Moderator" })] });
    const answeredS = world.clock.nowMs() / 1000;
    await world.clock.advance(60_000);
    world.halt = { untilMs: world.clock.nowMs() + 60_000, why: "rate-limited" };

    const text = textOf(await statusOf(world));
    assert.deepEqual(text.match(/Seen <t:\d+:R>/g), [`Seen <t:${answeredS}:R>`]);
    assert.match(text, /mia/);
    assert.match(text, /\[olga\]/, "names of owners do not age");
    assert.doesNotMatch(text, /#12/, "the call was seen eight minutes before the answer");
    assert.match(textOf(await listOf(world, "players")), new RegExp(`Seen <t:${answeredS}:R>`));
    assert.match(textOf(await listOf(world, "staff")), new RegExp(`Seen <t:${answeredS - 480}:R>`));
  });

  test("in a halt of an hour shows the last answer although its calls are forgotten", async () => {
    const { world, binding } = await rig();
    const { modCalls: _, ...lists } = NOTHING;
    const state = world.states.get(binding.source);
    assert.ok(state !== undefined);
    world.states.set(binding.source, { ...state, lists: {} });
    give(world, binding, lists);
    world.halt = { untilMs: world.clock.nowMs() + 60_000, why: "rate-limited" };
    assert.match(textOf(await statusOf(world)), /\*\*12\*\* of \*\*40\*\* players/);
  });

  test("a halt whose time has passed keeps nobody from asking, as after a kill", async () => {
    const { world } = await rig();
    world.halt = { untilMs: world.clock.nowMs() - 10_000, why: "blocked" };
    const text = textOf(await statusOf(world));
    assert.doesNotMatch(text, /Not up to date|is blocking Marshal|Next try/);
  });

  test("in a block says so in Marshal's words: the service speaks to whoever programmed it", async () => {
    const { world } = await rig();
    const message = "You are temporarily blocked because of too many invalid requests.";
    world.halt = { untilMs: world.clock.nowMs() + 60_000, why: "blocked", message };
    const text = textOf(await statusOf(world));
    assert.match(text, /Not up to date: the game service is blocking Marshal\./);
    assert.doesNotMatch(text, /You are/);
  });

  test("in a block that this very look met says so in the same words, with and without a state", async () => {
    const said = "temporarily blocked because of too many invalid requests.";
    const lifts = "The block lifts at 2026-11-28T05:22:42.321Z.";
    for (const message of [`You are ${said} ${lifts}`, `Your address is ${said} ${lifts}`]) {
      const { world, binding } = await rig();
      const retryAtMs = world.clock.nowMs() + 60_000;
      world.failure = new Failure("blocked", message, { retryAtMs });
      const text = textOf(await statusOf(world));
      assert.match(
        text,
        /Not up to date: the game service is blocking Marshal\. Next try: <t:\d+:T> \(<t:\d+:R>\)\./,
      );
      assert.doesNotMatch(text, /temporarily blocked|2026-11/);

      world.states.delete(binding.source);
      await assert.rejects(statusOf(world), (error: unknown) => {
        assert.ok(error instanceof Failure);
        assert.equal(error.retryAtMs, retryAtMs);
        assert.match(error.message, /^The game service is blocking Marshal\. There is no earlier state/);
        return true;
      });
    }
  });

  test("behind a page of HTML tells that it is a page", async () => {
    const { world } = await rig();
    const message = "The game service answered with a web page instead of data. This host may be blocked.";
    world.halt = { untilMs: world.clock.nowMs() + 60_000, why: "blocked", message };
    assert.match(
      textOf(await statusOf(world)),
      /Not up to date: the game service answered with a web page instead of data/,
    );
  });

  test("in a halt without any state says that there is none, and when to ask again", async () => {
    const { world, binding } = await rig();
    world.states.delete(binding.source);
    world.halt = { untilMs: 1_900_000_000_000, why: "blocked" };
    await assert.rejects(statusOf(world), (error: unknown) => {
      assert.ok(error instanceof Failure);
      assert.equal(error.code, "blocked");
      assert.ok(error.isRead);
      assert.equal(error.retryAtMs, 1_900_000_000_000);
      assert.match(error.message, /no earlier state/);
      return true;
    });
  });

  test("shows after a restart what its panel shows, and why it is not newer, until it is read", async () => {
    const { world, binding } = await rig();
    const state = world.states.get(binding.source) ?? assert.fail();
    const shown = panelRenderer.current(state, { bindingId: binding.id, mark: "m", seenAtMs: 5_000 });
    const of = { guildId: actor.guildId, channelId: "1", createdBy: "1" };
    const panel = { ...of, bindingId: binding.id, goodAtMs: 5_000, body: shown };
    const older = { ...panel, goodAtMs: 4_000, body: { cards: [{ description: md`older` }] } };
    const others = {
      ...panel,
      bindingId: "other",
      goodAtMs: 9_000,
      body: { cards: [{ description: md`other` }] },
    };
    Object.assign(world.services, { panels: { list: () => [older, panel, others] } });
    world.states.delete(binding.source);
    world.parked.set(binding.source, "rejected twice");
    const reply = await statusOf(world);
    const [card] = reply.cards ?? [];
    assert.match(
      card?.description ?? "",
      /^⏳ Not up to date: the server key is wrong or expired\. .*\n👥 \*\*12\*\* of \*\*40\*\* players.*\n-# Seen <t:5:R>$/,
    );
    assert.deepEqual(card?.fields, shown.cards?.[0]?.fields);
    assert.doesNotMatch(textOf(reply), /Updated by Marshal/);
    assert.deepEqual(
      reply.rows?.flat().map((part) => ("label" in part ? part.label : "")),
      ["Refresh", "Players", "Join key"],
    );
    await assert.rejects(listOf(world, "players"), /no earlier state/, "a panel has no list");
  });

  test("or that cannot be reached is answered from the last state, said so, and why", async () => {
    const { world } = await rig();
    for (const [code, words] of [
      ["unreachable", /Not up to date: the game service is not answering/],
      [
        "module-outdated",
        /Not up to date: the game server runs an old version\. Everyone has to leave it once/,
      ],
    ] as const) {
      world.failure = new Failure(code, "no route");
      assert.match(textOf(await statusOf(world)), words);
    }
  });

  test("that does not let us read a server says which refusal it is, not that nobody was reached", async () => {
    for (const [serviceCode, words] of [
      [4000, /not allowed on this server \(code 4000\)/],
      [9998, /restricts access to this server \(code 9998\)/],
      [4444, /does not let Marshal read this server \(code 4444\)/],
    ] as const) {
      const { world } = await rig();
      world.failure = new Failure("read-refused", "m", { serviceCode });
      const text = textOf(await statusOf(world));
      assert.match(text, words);
      assert.doesNotMatch(text, /is not answering/);
    }
  });

  test("with a parked key is not asked, and the next step is named", async () => {
    const { world, binding } = await rig();
    world.parked.set(binding.source, "rejected twice");
    assert.match(textOf(await statusOf(world)), /\/setup link/);
    assert.deepEqual(world.calls, []);
  });

  test("never hides a defect behind an old state", async () => {
    const { world } = await rig();
    world.failure = new TypeError("broken");
    await assert.rejects(statusOf(world), TypeError);
  });

  test("is another thing than nothing linked", async () => {
    await assert.rejects(
      statusOf(new FakeWorld()),
      (error: unknown) => error instanceof Failure && error.code === "not-linked",
    );
  });
});

describe("Lists of a server", () => {
  test("complete its name from what is linked here, by its id", async () => {
    const { world, binding } = await rig();
    await world.linkServer(
      "another guild",
      serverStatus({ name: "Riverside Two", joinKey: "two" }),
      "second",
    );
    const typing = { actor, option: "server", options: optionsOf() };
    const complete = async (typed: string) =>
      server.subcommands.status.autocomplete?.({ ...typing, typed }, world.services);
    assert.deepEqual(await complete("RIVER"), [{ name: "Riverside Roleplay", value: binding.id }]);
    assert.deepEqual(await complete("lake"), []);
  });

  test("show players by team and name in two columns, and open one from the page's menu", async () => {
    const { world, binding } = await rig();
    const location = { x: 1, z: 2, postalCode: "206", streetName: "Fairfax Road" };
    const many = Array.from({ length: 30 }, (_, n) =>
      player(`p${n + 10}`, { player: { name: `p${n + 10}`, id: n } }),
    );
    give(world, binding, {
      players: [
        ...many,
        player("bob", {
          team: "Police",
          callsign: "1A-2",
          wantedStars: 3,
          permission: "Server Moderator",
          location,
        }),
      ],
      vehicles: [{ name: "Falcon", owner: "bob", plate: "AB 1" }],
    });
    const first = await listOf(world, "players", "", actor);
    const [card] = first.cards ?? [];
    assert.equal(card?.fields?.length, 2);
    assert.ok(card.fields.every(({ inline }) => inline === true));
    assert.match(card.fields[0]?.value ?? "", /^\*\*Civilian · 30\*\*\np10\np11\n/);
    const select = first.rows?.[0]?.[0];
    assert.ok(select?.kind === "select");
    assert.deepEqual(
      select.options?.map(({ label }) => label),
      many.slice(0, 24).map(({ player: { name } }) => name),
    );
    const next = first.rows?.[1]?.find((part) => part.kind === "button" && part.label === "Next");
    assert.ok(next?.kind === "button");

    const turned = await lastOf(
      server.actions["server-next"].execute(press(next.id.replace(/^[^:]+:/, "")), world.services),
    );
    assert.match(textOf(turned), /Police · 1\*\*\nbob 🛡 ★★★/);
    assert.match(turned.cards?.[0]?.footer ?? "", /Page 2 of 2/);

    const open = (by: Actor) =>
      lastOf(server.actions["server-player"].execute(press(binding.id, ["77"], by), world.services));
    const seen = textOf(await open(actor));
    assert.match(seen, /\[bob\]\(https:\/\/www.roblox.com\/users\/77\/profile\)/);
    assert.match(seen, /Police · callsign 1A-2\n🛡 Moderator\n🚨 Wanted ★★★\n🚗 Falcon `AB 1`/);
    assert.doesNotMatch(seen, /Fairfax/);
    assert.match(textOf(await open(staffActor)), /📍 Fairfax Road, postal 206/);
  });

  test("are filtered by team, and complete the teams that there are", async () => {
    const { world, binding } = await rig();
    give(world, binding, {
      players: [player("ann"), player("bob", { team: "Police" })],
      vehicles: [
        { name: "Falcon", owner: "bob" },
        { name: "Truck", owner: "ann" },
      ],
    });
    assert.doesNotMatch(textOf(await listOf(world, "players", "police")), /ann/);
    assert.doesNotMatch(textOf(await listOf(world, "vehicles", "police")), /Truck/);
    const typing = { actor, option: "team", options: optionsOf(), typed: "p" };
    assert.deepEqual(await server.subcommands.players.autocomplete?.(typing, world.services), [
      { name: "Police", value: "Police" },
    ]);
  });

  test("of a page that is gone show the last one", async () => {
    const { world, binding } = await rig();
    give(world, binding, { queue: [1, 2, 3] });
    const reply = await lastOf(
      server.actions["server-page"].execute(press(`queue/7/${binding.id}/`), world.services),
    );
    assert.match(textOf(reply), /\*\*3\*\* wait to join/);
  });

  test("of staff begin with those who play, without any id to read", async () => {
    const { world, binding } = await rig();
    give(world, binding, {
      players: [
        player("zed"),
        player("olga", { player: { name: "olga", id: 4_001 }, permission: "Server Owner" }),
      ],
      staff: { admins: new Map([[78, "ann"]]), mods: new Map([[77, "zed"]]), helpers: new Map() },
    });
    const lines = textOf(await listOf(world, "staff"))
      .replace(/\]\(\S+\)/g, "]")
      .split("\n");
    // The service leaves owners out of its lists; the status counts them, and so does this.
    assert.deepEqual(lines.slice(1, 6), [
      "**2** in the game · **3** in all",
      "",
      "[olga] · Owner · 🟢 in the game, Civilian",
      "[zed] · Moderator · 🟢 in the game, Civilian",
      "[ann] · Administrator",
    ]);
  });

  test("of calls tell where the caller is and who has it, lead to its card, and offer Claim to who waits longest", async () => {
    const { world, binding } = await rig();
    const nowS = world.clock.nowMs() / 1000;
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const called = (nth: number) => nowS - 60 * (nth + 1);
    give(world, binding, {
      players: names.map((name) =>
        player(name, {
          player: { name },
          location: { x: 1, z: 2, streetName: "Main Street", postalCode: name },
        }),
      ),
      modCalls: names.map((name, nth) => ({ kind: "modCall", atS: called(nth), caller: { name } })),
    });
    const cards: OpenCallCard[] = names.slice(0, 6).map((name, nth) => ({
      cardId: `card-${name}`,
      caller: { name },
      calledAtS: [called(nth)],
      ...(name === "b" ? { claimedBy: { userId: "42" } } : {}),
      ...(name === "c" ? { message: { guildId: "1", channelId: "2", messageId: "3" } } : {}),
    }));
    const services = { ...world.services, modCalls: { ...world.services.modCalls, openCards: () => cards } };
    const args = { server: undefined, filter: "" };
    const reply = await lastOf(server.subcommands.calls.execute(asked(args, staffActor), services));
    const text = textOf(reply);
    assert.match(text, /\*\*b\*\* called <t:\d+:R>\n📍 Main Street, postal b · ✋ claimed by <@42>/);
    assert.match(text, /postal c · \[card\]\(https:\/\/discord\.com\/channels\/1\/2\/3\)/);
    assert.deepEqual(
      reply.rows?.[0]?.map((part) => ["label" in part && part.label, part.id]),
      ["f", "e", "d", "c", "a"].map((name) => [
        `Claim ${name}`,
        `server-claim:card-${name}/calls/0/${binding.id}/`,
      ]),
    );
    const order = [...text.matchAll(/\*\*(\w)\*\* called/g)].map(([, name]) => name);
    assert.deepEqual(order, names.toReversed(), "the list runs as its buttons do");
  });

  test("of calls of one matter tell the first one's age, as their card does, and stand where it puts them", async () => {
    const { world, binding } = await rig();
    const nowS = world.clock.nowMs() / 1000;
    const call = (name: string, agoS: number) => ({
      kind: "modCall" as const,
      atS: nowS - agoS,
      caller: { name },
    });
    give(world, binding, {
      players: ["ann", "bob", "cy"].map((name) => player(name, { player: { name } })),
      modCalls: [
        call("ann", 420),
        call("cy", 400),
        call("bob", 120),
        call("ann", 61),
        call("ann", 60),
        call("cy", 30),
      ],
    });
    const card = (cardId: string, name: string, ...agoS: number[]): OpenCallCard => ({
      cardId,
      caller: { name },
      calledAtS: agoS.map((ago) => nowS - ago),
    });
    const claimed = { ...card("cy-1", "cy", 400), claimedBy: { userId: "42" } };
    const cards = [card("ann-1", "ann", 420, 61, 60), claimed, card("cy-2", "cy", 30)];
    const services = { ...world.services, modCalls: { ...world.services.modCalls, openCards: () => cards } };
    const args = { server: undefined, filter: "" };
    const reply = await lastOf(server.subcommands.calls.execute(asked(args, staffActor), services));
    const lines = textOf(reply)
      .split("\n")
      .flatMap((line) => /\*\*(\w+)\*\* called <t:(\d+):R>(.*)/.exec(line)?.slice(1) ?? [])
      .join(" ");
    assert.equal(
      lines,
      `ann ${nowS - 420} , 3 times cy ${nowS - 400}  bob ${nowS - 120}  cy ${nowS - 30} `,
      "of two cards of one caller each has its own line",
    );
    assert.deepEqual(
      reply.rows?.[0]?.map(({ id }) => id),
      ["ann-1", "cy-2"].map((id) => `server-claim:${id}/calls/0/${binding.id}/`),
    );
    assert.match(textOf(await statusOf(world)), new RegExp(`calls · 3\\nthe oldest <t:${nowS - 420}:R>`));
  });

  test("of calls, and the status, say how many more callers left: the cards of their calls are open too", async () => {
    const { world, binding } = await rig();
    const nowS = world.clock.nowMs() / 1000;
    const call = (name: string, agoS: number) =>
      ({ kind: "modCall", atS: nowS - agoS, caller: { name } }) as const;
    const calls = [call("ann", 60), call("bob", 50), call("bob", 40), call("cy", 30), call("old", 7_200)];
    give(world, binding, { players: [player("ann", { player: { name: "ann" } })], modCalls: calls });
    const listed = textOf(await listOf(world, "calls"));
    assert.match(listed, /\*\*1\*\* for moderators .*\n2 more callers left the server\./);
    assert.match(
      textOf(await statusOf(world)),
      /moderator calls · 1\n<t:\d+:R>\n2 more callers left the server/,
    );
    give(world, binding, { players: [], modCalls: calls.slice(0, 1) });
    assert.match(textOf(await listOf(world, "calls")), /No open calls\.\n1 caller left the server\./);
    assert.match(textOf(await statusOf(world)), /moderator calls · 0\n1 caller left the server\./);
    give(world, binding, { modCalls: [call("new", -1)] });
    assert.match(textOf(await listOf(world, "calls")), /\*\*1\*\* for moderators/, "the list is older");
    give(world, binding, { modCalls: calls.slice(-1) });
    assert.doesNotMatch(textOf(await statusOf(world)), /moderator calls/, "an old call is none");
  });

  test("of calls say once why some can't be claimed, and advise what their reader can do about it", async () => {
    const { world, binding } = await rig();
    const nowS = world.clock.nowMs() / 1000;
    give(world, binding, {
      players: [player("a"), player("b")],
      modCalls: ["a", "b"].map((name) => ({ kind: "modCall", atS: nowS - 60, caller: { name } })),
    });
    const log = (changes: Partial<Feed>): Feed => ({
      id: "f1",
      guildId: actor.guildId,
      bindingId: binding.id,
      kind: "modCalls",
      channelId: "600",
      style: "cards",
      filter: {},
      silent: false,
      state: "live",
      createdBy: "1",
      createdAtMs: (nowS - 120) * 1_000,
      ...changes,
    });
    let feeds: readonly Feed[] = [];
    const services = {
      ...world.services,
      feeds: { ...world.services.feeds, list: async () => feeds },
    };
    const args = { server: undefined, filter: "" };
    const read = async (by: Actor) =>
      textOf(await lastOf(server.subcommands.calls.execute(asked(args, by), services)));
    const notes = (text: string) => text.split("\n").filter((line) => /^-# .*[Cc]laim/.test(line));
    const owner = actorOf({ roleIds: ["staff"], manageGuild: true });
    assert.deepEqual(notes(await read(owner)), [
      "-# Claim needs a log of moderator calls. Add one with `/feed add`.",
    ]);
    const others = ["-# Claim needs a log of moderator calls. Someone with Manage Server can add one."];
    assert.deepEqual(notes(await read(staffActor)), others);
    feeds = [log({ kind: "kills" }), log({ bindingId: "another" })];
    assert.deepEqual(notes(await read(staffActor)), others);

    feeds = [log({ state: "paused" })];
    assert.deepEqual(notes(await read(owner)), [
      "-# Claim needs the log of moderator calls, which is off. Start it with `/feed resume`.",
    ]);
    feeds = [log({ createdAtMs: nowS * 1_000 })];
    assert.deepEqual(notes(await read(staffActor)), [
      "-# Calls from before the log of moderator calls began can't be claimed here.",
    ]);
    feeds = [log({})];
    assert.deepEqual(notes(await read(staffActor)), [], "its card follows, or its filter leaves it out");
    give(world, binding, { modCalls: [] });
    feeds = [];
    assert.deepEqual(notes(await read(staffActor)), []);
  });

  test("of emergency calls name a caller who left by what the history knows, and without it all the same", async () => {
    const { world, binding } = await rig();
    const startedAtS = world.clock.nowMs() / 1000 - 60;
    const call = { team: "Police", unitIds: [], startedAtS };
    const here = player("ann", { player: { name: "ann", id: 5 } });
    const emergencyCalls = [
      { ...call, callNumber: 8, callerId: 6_565 },
      { ...call, callNumber: 9, callerId: 5 },
    ];
    give(world, binding, { players: [here], emergencyCalls });
    const looked: (readonly string[])[] = [];
    const players = {
      ...world.services.history.players,
      findAll: async (_: string, ids: readonly string[]) => {
        looked.push(ids);
        return [{ playerId: 6_565, name: "Samuel6565", earlierNames: [], firstSeenS: 0, lastSeenS: 0 }];
      },
    };
    const services = { ...world.services, history: { ...world.services.history, players } };
    const calls = () =>
      server.subcommands.calls.execute(asked({ server: undefined, filter: "" }, staffActor), services);
    assert.match(textOf(await lastOf(calls())), /#8\*\* Police <t:\d+:R> · by \[Samuel6565\]\(/);
    assert.deepEqual(looked, [["6565"]], "who is there is not looked up");
    players.findAll = () => Promise.reject(new Failure("unreachable", "away"));
    assert.match(textOf(await lastOf(calls())), /by \[somebody\][\s\S]*by \[ann\]/);
  });

  test("of calls and logs are for people who take calls", async () => {
    const { world, binding } = await rig();
    const nowS = world.clock.nowMs() / 1000;
    give(world, binding, {
      players: [player("ann")],
      modCalls: [{ kind: "modCall", atS: nowS - 5, caller: { name: "ann" } }],
      emergencyCalls: [
        {
          team: "Fire",
          unitIds: [1],
          startedAtS: nowS,
          callNumber: 3,
          description: "Burning bin",
          callerId: 77,
        },
      ],
      killLogs: [
        { kind: "kill", atS: nowS - 9, killer: { name: "old" }, killed: { name: "ann" } },
        { kind: "kill", atS: nowS - 3, killer: { name: "new" }, killed: { name: "ann" } },
      ],
    });
    const calls = textOf(await listOf(world, "calls"));
    assert.match(calls, /🔔 \*\*ann\*\* called <t:\d+:R>/);
    assert.match(calls, /#3\*\* Fire <t:\d+:R> · by \[ann\]\(\S+\) · 1 unit\n> Burning bin/);
    const logs = textOf(await listOf(world, "logs", "kills"));
    assert.ok(logs.indexOf("**new**") < logs.indexOf("**old**"));
    for (const list of ["calls", "logs"] as const) {
      await assert.rejects(
        listOf(world, list, "kills", actor),
        (error: unknown) => error instanceof Failure && error.code === "denied",
      );
    }
  });
});
