import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commands } from "../../commands/index.ts";
import { server } from "../../commands/server.ts";
import type { Action, Answer, Reply } from "../../src/discord/command.ts";
import { composePrivateAnswer } from "../../src/discord/messages/compose.ts";
import { failureBody } from "../../src/discord/render/errors.ts";
import { panelRenderer } from "../../src/discord/render/server/panel.ts";
import type { Services } from "../../src/discord/services.ts";
import { markdownOfOurs, md } from "../../src/domain/escaped.ts";
import { Failure } from "../../src/domain/failure.ts";
import { EMPTY_POLICY } from "../../src/domain/guild.ts";
import type { MessageBody } from "../../src/domain/message.ts";
import type { Lists, Player, ServerStatus } from "../../src/domain/model.ts";
import { readMessageForm } from "../../src/sandbox/discord/validate-message.ts";
import { textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

/** Names that are meant to ping, link, spoof or break a line, to be nothing, or to be as long as can be. */
const NAMES = [
  "@everyone **x** <@1>",
  "<@&1> @here <#1>",
  "](https://evil.example) [click",
  "```\nrm -rf",
  "||spoiler|| ~~gone~~ __u__",
  "a\u202Eevil\u200B",
  "<t:0:R> </run:1>",
  "# Heading\n> quote",
  "",
  "\u200b\u200b",
  "*".repeat(500),
  `שלום_${"\u0301".repeat(40)}`,
  "undefinedly",
] as const;
const nameOf = (n: number) => NAMES[n % NAMES.length] ?? "";
const BIG_ID = 4_294_967_295_001;

function world200(count: number, isSparse: boolean): Lists {
  const ids = Array.from({ length: count }, (_, n) => n);
  const ref = (n: number) => ({ name: nameOf(n), ...(isSparse ? {} : { id: BIG_ID + n }) });
  const nowS = 1_767_225_600;
  const players = ids.map(
    (n): Player => ({
      player: ref(n),
      team: nameOf(n + 1),
      permission: n % 3 === 0 ? "Normal" : nameOf(n + 2),
      wantedStars: n % 7,
      ...(isSparse
        ? {}
        : {
            callsign: nameOf(n + 3),
            location: { x: 1, z: 2, postalCode: nameOf(n), streetName: nameOf(n + 4), buildingNumber: "12" },
          }),
    }),
  );
  const people = new Map(ids.map((n) => [BIG_ID + n, nameOf(n)]));
  return {
    players,
    staff: { admins: people, mods: new Map([[1, nameOf(4)]]), helpers: new Map() },
    queue: ids.map((n) => BIG_ID + n),
    vehicles: ids.map((n) => ({
      name: nameOf(n),
      owner: nameOf(n + 1),
      ...(isSparse ? {} : { plate: nameOf(n + 2), texture: nameOf(n + 3), colorName: nameOf(n + 4) }),
    })),
    joinLogs: ids.map((n) => ({ kind: "join", atS: nowS - n, player: ref(n), joined: n % 2 === 0 })),
    killLogs: ids.map((n) => ({ kind: "kill", atS: nowS - n, killer: ref(n), killed: ref(n + 1) })),
    commandLogs: ids.map((n) => ({
      kind: "command",
      atS: nowS - n,
      player: ref(n),
      text: `:h ${nameOf(n)}`,
    })),
    modCalls: ids.map((n) => ({ kind: "modCall", atS: nowS - n, caller: ref(n) })),
    emergencyCalls: ids.map((n) => ({
      team: nameOf(n),
      unitIds: [BIG_ID],
      startedAtS: nowS - n,
      callNumber: n,
      ...(isSparse
        ? {}
        : { callerId: BIG_ID + n, description: nameOf(n).repeat(5), positionDescriptor: nameOf(n + 1) }),
    })),
  };
}

const WORLDS: readonly (readonly [name: string, lists: Lists, status: ServerStatus])[] = [
  ["an empty server", world200(0, true), serverStatus({ currentPlayers: 0, coOwnerIds: [], name: "" })],
  ["a server with one of everything", world200(1, true), serverStatus({ ownerId: BIG_ID })],
  ["200 hostile players without optional fields", world200(200, true), hostileStatus()],
  ["200 hostile players with everything", world200(200, false), hostileStatus()],
];

function hostileStatus(): ServerStatus {
  return serverStatus({
    name: NAMES[0],
    accVerifiedReq: "<@1> **x**".repeat(50),
    coOwnerIds: Array.from({ length: 200 }, (_, n) => BIG_ID + n),
    ownerId: BIG_ID,
    joinKey: "`<@1>`",
  });
}

const staff = actorOf({ roleIds: ["staff"] });

async function rig(lists: Lists, status: ServerStatus) {
  const world = new FakeWorld();
  const binding = await world.linkServer(staff.guildId, status);
  const policy = { ...EMPTY_POLICY, roleTiers: { staff: "moderator" } } as const;
  await world.settings.change(staff.guildId, (all) => ({ ...all, policies: { [binding.id]: policy } }));
  const state = world.states.get(binding.source);
  assert.ok(state !== undefined);
  const atMs = world.clock.nowMs();
  const seen = Object.fromEntries(Object.entries(lists).map(([list, value]) => [list, { atMs, value }]));
  world.states.set(binding.source, { ...state, lists: seen });
  return { world, binding };
}

/** One of Discord's own refusals, or what no reader may meet. */
function assertFit(body: MessageBody, what: string): void {
  const { body: payload } = composePrivateAnswer(body);
  assert.doesNotThrow(() => readMessageForm(JSON.parse(JSON.stringify(payload)), [], "interaction"), what);
  const labels = (body.rows ?? []).flat().flatMap((part) => (part.kind === "button" ? [part.label] : []));
  const options = (body.rows ?? [])
    .flat()
    .flatMap((part) => (part.kind === "select" ? (part.options ?? []) : []))
    .flatMap(({ label, description }) => [label, description ?? ""]);
  const markdown = textOf(body)
    .replace(/\]\(https:\/\/www\.roblox\.com\/users\/\d+\/profile\)/g, "]")
    .replace(/<t:\d+:[tTdDfFR]>/g, "");
  const read = [markdown, ...labels, ...options].join("\n").replaceAll("undefinedly", "");
  assert.doesNotMatch(read, /\bundefined\b|\bnull\b|\bNaN\b|\[object/, what);
  assert.doesNotMatch(read, /\d{10}/, what);
  const { footer = "", author = "" } = body.cards?.[0] ?? {};
  const withoutPlain = markdown.replace(footer, "").replace(author, "");
  assert.doesNotMatch(withoutPlain, /<@&?\d+>|@everyone|@here/, what);
  // In a code span nothing is formatted or linked; pings are found in raw text, so those are looked for everywhere.
  const withoutCode = withoutPlain.replace(/(?<!\\)`[^`]*`/g, "");
  assert.doesNotMatch(withoutCode, /<#\d+>|[^\\]\]\(http/, what);
}

async function each(answer: Answer, check: (reply: Reply) => void): Promise<Reply> {
  let last: Reply | undefined;
  const replies = Symbol.asyncIterator in answer ? answer : [await answer];
  for await (const reply of replies) {
    check(reply);
    last = reply;
  }
  assert.ok(last !== undefined);
  return last;
}

const invocation = { actor: staff, signal: new AbortController().signal, reference: "r" };
const press = (argument: string, values: readonly string[] = []) => ({
  ...invocation,
  argument,
  values,
  messageId: "9",
  form: { text: () => "", chosen: () => [] },
});

function actionNamed(name: string) {
  const actions: Readonly<Record<string, Action>> = Object.assign(
    {},
    ...commands.map(({ actions }) => actions),
  );
  const action = actions[name];
  assert.ok(action !== undefined, name);
  return action;
}

/** Opens a message, everything that its rows offer, and so on; each place once. */
async function openAll(world: FakeWorld, body: MessageBody, opened: Set<string>): Promise<void> {
  for (const part of (body.rows ?? []).flat()) {
    if (opened.has(part.id) || (part.kind === "button" && part.disabled === true)) continue;
    opened.add(part.id);
    const [name = "", ...argument] = part.id.split(":");
    const values = part.kind === "select" ? (part.options ?? []).map(({ value }) => value) : [""];
    for (const value of values) {
      const action = actionNamed(name);
      // A form has no message yet; what is sent with it is tested with the cases and runs that it belongs to.
      if (!("execute" in action)) continue;
      const answer = action.execute(press(argument.join(":"), [value]), world.services);
      const last = await each(answer, (reply) => assertFit(reply, part.id));
      await openAll(world, last, opened);
    }
  }
}

/** The answers of /server panel, and the panel itself as it is kept current and as it is while nobody answers. */
async function openPanel(world: FakeWorld, opened: Set<string>): Promise<void> {
  const [binding] = await world.bindings.list(staff.guildId);
  const state = binding && world.states.get(binding.source);
  assert.ok(binding !== undefined && state !== undefined);
  const services: Services = {
    ...world.services,
    panels: { add: async () => "posted", list: () => [], remove: async () => true },
  };
  const owner = { ...invocation, actor: { ...staff, manageGuild: true } };
  for (const isRemoval of [false, true]) {
    const args = { server: undefined, channelId: undefined, isRemoval };
    const answer = server.subcommands.panel.execute({ ...owner, args }, services);
    await each(answer, (reply) => assertFit({ ...reply, content: withoutChannels(reply) }, "panel"));
  }
  const panel = panelRenderer.current(state, { bindingId: binding.id, mark: "p1", seenAtMs: 0 });
  assertFit(panel, "the panel");
  for (const kind of ["key", "refused", "silent"] as const)
    assertFit(panelRenderer.stale(panel, { kind }), `the panel: ${kind}`);
  for (const code of ["module-outdated", "unreachable"] as const)
    assertFit(panelRenderer.stale(panel, { kind: "failing", code }), `the panel: ${code}`);
  for (const kind of ["waits", "held", "blocked"] as const)
    assertFit(panelRenderer.stale(panel, { kind, untilMs: 5 }), `the panel: ${kind}`);
  await openAll(world, panel, opened);
}

/** Channels that we name ourselves are mentions, on purpose. */
function withoutChannels({ content = md`` }: Reply) {
  return markdownOfOurs(content.replaceAll(`<#${staff.channelId}>`, "here"));
}

const COMMANDS = [
  ...["players", "vehicles", "calls"].flatMap((list) =>
    ["", "pol", NAMES[0], "nobody"].map((filter) => ({ list, filter })),
  ),
  ...["staff", "queue"].map((list) => ({ list, filter: "" })),
  ...["joins", "kills", "commands", "calls"].map((filter) => ({ list: "logs", filter })),
] as const;

function entryOf(list: string) {
  const entries: Readonly<Record<string, (typeof server.subcommands)["players"]>> = {
    players: server.subcommands.players,
    vehicles: server.subcommands.vehicles,
    calls: server.subcommands.calls,
    staff: server.subcommands.staff,
    queue: server.subcommands.queue,
    logs: server.subcommands.logs,
  };
  const entry = entries[list];
  assert.ok(entry !== undefined);
  return entry;
}

describe("Everything of /server that can be opened", () => {
  for (const [name, lists, status] of WORLDS) {
    test(`fits Discord and shows no id, no mention and no gap: ${name}`, async () => {
      const { world } = await rig(lists, status);
      const opened = new Set<string>();
      const first = server.subcommands.status.execute(
        { ...invocation, args: { server: undefined } },
        world.services,
      );
      await openAll(world, await each(first, (reply) => assertFit(reply, "status")), opened);
      for (const { list, filter } of COMMANDS) {
        const args = { server: undefined, filter };
        const answer = entryOf(list).execute({ ...invocation, args }, world.services);
        const last = await each(answer, (reply) => assertFit(reply, `${list} ${filter}`));
        await openAll(world, last, opened);
      }
      await openPanel(world, opened);
      assert.ok(opened.size >= (lists.players.length >= 200 ? 60 : 10), `${opened.size} places`);
    });
  }

  test("says so in an error that fits, when the service is silent and nothing is known", async () => {
    for (const code of [
      "unreachable",
      "platform",
      "bad-response",
      "rate-limited",
      "blocked",
      "key-rejected",
    ] as const) {
      const { world, binding } = await rig(world200(0, true), serverStatus());
      world.states.delete(binding.source);
      world.failure = new Failure(code, `${NAMES[0]} ${NAMES[2]}`, {
        isRead: true,
        retryAtMs: 1_900_000_000_000,
      });
      const failures: Failure[] = [];
      const args = { server: undefined, filter: "" };
      const asks = [
        () => server.subcommands.status.execute({ ...invocation, args }, world.services),
        ...COMMANDS.map(
          ({ list }) =>
            () =>
              entryOf(list).execute({ ...invocation, args }, world.services),
        ),
      ];
      for (const ask of asks) {
        await each(ask(), () => undefined).catch((error: unknown) => {
          assert.ok(error instanceof Failure);
          failures.push(error);
        });
      }
      assert.equal(failures.length, asks.length);
      for (const failure of failures) {
        const body = failureBody(failure, { reference: "r", roleIds: staff.roleIds });
        assertFit(body, code);
        const text = textOf(body);
        assert.doesNotMatch(text, /Did it run|Command ID/);
        assert.match(text, /-# Reference `r`$/);
      }
    }
  });
});
