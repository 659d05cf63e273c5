import assert from "node:assert/strict";
import { test } from "node:test";
import { server } from "../../commands/server.ts";
import type { Reply } from "../../src/discord/command.ts";
import { Failure } from "../../src/domain/failure.ts";
import { type Actor, type Binding, emptyPolicy } from "../../src/domain/guild.ts";
import type { Player } from "../../src/domain/model.ts";
import { optionsOf, textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld, serverStatus } from "../support/fake-services.ts";

const actor = actorOf();
const staffActor = actorOf({ roleIds: ["staff"] });

async function rig(status = serverStatus()) {
  const world = new FakeWorld();
  const binding = await world.linkServer(actor.guildId, status);
  const policy = { ...emptyPolicy, roleTiers: { staff: "moderator" } } as const;
  await world.settings.change(actor.guildId, (all) => ({ ...all, policies: { [binding.id]: policy } }));
  return { world, binding };
}

function asked<Args>(args: Args, by: Actor = actor) {
  return { actor: by, args, signal: new AbortController().signal, reference: "r" };
}

async function statusOf(world: FakeWorld, by: Actor = actor, name?: string): Promise<Reply> {
  const answer = server.subcommands.status.execute(asked({ server: name }, by), world.services);
  assert.ok(answer instanceof Promise);
  return answer;
}

function give(world: FakeWorld, { source }: Binding, players: readonly Player[]): void {
  const state = world.states.get(source);
  assert.ok(state !== undefined);
  const atMs = world.clock.nowMs();
  world.states.set(source, { ...state, lists: { ...state.lists, players: { atMs, value: players } } });
}

test("status shows every base field but the join key", async () => {
  const { world } = await rig();
  const text = textOf(await statusOf(world));
  for (const part of ["Riverside Roleplay", "12", "40", "4001", "4002", "4003", "Email", "On"]) {
    assert.ok(text.includes(part), `${part} in ${text}`);
  }
  assert.doesNotMatch(text, /rvrsd/);
});

test("status gives the join key to staff, beside the public answer, and to nobody else", async () => {
  const { world } = await rig();
  const staff = await statusOf(world, staffActor);
  assert.doesNotMatch(textOf(staff), /rvrsd/);
  assert.match(textOf(staff.aside), /rvrsd/);
  assert.equal((await statusOf(world)).aside, undefined);
});

test("status says how old it is", async () => {
  const { world } = await rig();
  assert.match(textOf(await statusOf(world)), new RegExp(`<t:${world.clock.nowMs() / 1000}:R>`));
});

test("a halt is answered from the last snapshot with its age, without asking", async () => {
  const { world } = await rig();
  const seenS = world.clock.nowMs() / 1000;
  await world.clock.advance(90_000);
  world.halt = { untilMs: world.clock.nowMs() + 60_000, why: "rate-limited" };
  const text = textOf(await statusOf(world));
  assert.match(text, /Riverside/);
  assert.match(text, new RegExp(`Seen <t:${seenS}:R>`));
  assert.match(text, new RegExp(`Asking resumes <t:${seenS + 150}:R>`));
  assert.deepEqual(world.calls, []);
});

test("a halt without any snapshot says that there is none yet, and when asking resumes", async () => {
  const { world, binding } = await rig();
  world.states.delete(binding.source);
  world.halt = { untilMs: 1_900_000_000_000, why: "blocked" };
  await assert.rejects(statusOf(world), (error: unknown) => {
    assert.ok(error instanceof Failure);
    assert.equal(error.code, "blocked");
    assert.equal(error.retryAtMs, 1_900_000_000_000);
    assert.match(error.message, /no earlier snapshot/);
    return true;
  });
});

test("a service that cannot be reached is answered from the last snapshot, said so", async () => {
  const { world } = await rig();
  world.failure = new Failure("unreachable", "no route");
  const text = textOf(await statusOf(world));
  assert.match(text, /Not up to date: the game service could not be reached/);
});

test("a server that the service does not let us read says which refusal it is, not that nobody was reached", async () => {
  for (const [serviceCode, words] of [
    [4000, /not authorised for this server \(code 4000\)/],
    [9998, /restricts access to this server \(code 9998\)/],
    [4444, /does not let this bot read this server \(code 4444\)/],
  ] as const) {
    const { world } = await rig();
    world.failure = new Failure("read-refused", "m", { serviceCode });
    const text = textOf(await statusOf(world));
    assert.match(text, words);
    assert.doesNotMatch(text, /could not be reached/);
  }
});

test("a parked key is not asked for, and the next step is named", async () => {
  const { world, binding } = await rig();
  world.parked.set(binding.source, "rejected twice");
  assert.match(textOf(await statusOf(world)), /\/setup link/);
  assert.deepEqual(world.calls, []);
});

test("a defect is not hidden behind an old snapshot", async () => {
  const { world } = await rig();
  world.failure = new TypeError("broken");
  await assert.rejects(statusOf(world), TypeError);
});

test("nothing linked is a failure of its own", async () => {
  await assert.rejects(
    statusOf(new FakeWorld()),
    (error: unknown) => error instanceof Failure && error.code === "not-linked",
  );
});

test("a hostile server name neither formats nor pings nor breaks a line", async () => {
  const { world } = await rig(serverStatus({ name: "@everyone\n**[x](https://evil.example)**" }));
  const title = (await statusOf(world)).cards?.[0]?.title ?? "";
  assert.doesNotMatch(title, /@everyone|\n|[^\\]\*\*|\]\(http/);
});

test("the refresh button and the retry button ask again", async () => {
  const { world, binding } = await rig();
  const press = { ...asked(undefined), argument: binding.id, values: [], messageId: "9" };
  const form = { text: () => "", chosen: () => [] };
  for (const action of ["server-refresh", "server-retry"] as const) {
    const reply = await server.actions[action].execute({ ...press, form }, world.services);
    assert.ok(!(Symbol.asyncIterator in reply));
    assert.match(textOf(reply), /Riverside/);
  }
});

test("the name of a server completes from what is linked here, by its id", async () => {
  const { world, binding } = await rig();
  await world.linkServer(
    "another guild",
    serverStatus({ name: "Riverside Two", joinKey: "two" }),
    "second-key",
  );
  const typing = { actor, option: "server", options: optionsOf() };
  const complete = async (typed: string) =>
    server.subcommands.status.autocomplete?.({ ...typing, typed }, world.services);
  assert.deepEqual(await complete("RIVER"), [{ name: "Riverside Roleplay", value: binding.id }]);
  assert.deepEqual(await complete("lake"), []);
});

const player = (name: string, changes: Partial<Player> = {}): Player => ({
  player: { name, id: 77 },
  team: "Civilian",
  permission: "Normal",
  wantedStars: 0,
  ...changes,
});

test("players are grouped by team; where they are is for staff", async () => {
  const { world, binding } = await rig();
  const location = { x: 1, z: 2, postalCode: "206", streetName: "Fairfax Road" };
  give(world, binding, [
    player("ann"),
    player("bob", { team: "Police", callsign: "1A-2", wantedStars: 3, location }),
  ]);
  const playersOf = async (by: Actor) =>
    textOf(
      (await server.subcommands.players.execute(asked({ server: undefined }, by), world.services)) as Reply,
    );
  const seen = await playersOf(actor);
  assert.match(seen, /\*\*Police\*\* · 1\n• bob `77` · 1A-2 · ★★★ wanted/);
  assert.doesNotMatch(seen, /Fairfax/);
  assert.match(await playersOf(staffActor), /📍\u00a0Fairfax Road, postal 206/);
});

test("a list that does not fit says how much is missing", async () => {
  const { world, binding } = await rig();
  give(
    world,
    binding,
    Array.from({ length: 200 }, (_, n) => player(`player_number_${n}`)),
  );
  const reply = (await server.subcommands.players.execute(
    asked({ server: undefined }),
    world.services,
  )) as Reply;
  const description = reply.cards?.[0]?.description ?? "";
  assert.ok(description.length <= 4_096);
  assert.match(description, /and \d+ more lines/);
});

test("staff who play are marked", async () => {
  const { world, binding } = await rig();
  give(world, binding, [player("ann")]);
  const state = world.states.get(binding.source);
  assert.ok(state !== undefined);
  const staff = { admins: new Map([[77, "ann"]]), mods: new Map([[78, "zed"]]), helpers: new Map() };
  world.states.set(binding.source, { ...state, lists: { ...state.lists, staff: { atMs: 0, value: staff } } });
  const text = textOf(
    (await server.subcommands.staff.execute(asked({ server: undefined }), world.services)) as Reply,
  );
  assert.match(text, /ann `77` · 🟢 in the server/);
  assert.match(text, /zed `78`$/m);
});
