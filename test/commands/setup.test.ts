import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { audit } from "../../commands/audit.ts";
import type { ChannelSetting } from "../../commands/channel-setting.ts";
import { setup } from "../../commands/setup.ts";
import { cleanKey, looksLikeKey } from "../../commands/setup-key.ts";
import { keyForm } from "../../commands/setup-link.ts";
import { weeklyEntry } from "../../commands/stats-weekly.ts";
import type { Press, Reply, Typing } from "../../src/discord/command.ts";
import type { Services } from "../../src/discord/services.ts";
import { Failure, type FailureCode, StoreError } from "../../src/domain/failure.ts";
import { EMPTY_POLICY } from "../../src/domain/guild.ts";
import type { Button } from "../../src/domain/message.ts";
import type { KnownPermission } from "../../src/domain/ports/command-permission.ts";
import { anyText } from "../support/any-text.ts";
import { formOf, textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const actor = actorOf({ manageGuild: true });

function press(
  argument: string,
  values: Readonly<Record<string, string | readonly string[]>> = {},
  by = actor,
): Press {
  return {
    actor: by,
    argument,
    values: [],
    form: formOf(values),
    messageId: "9",
    signal: new AbortController().signal,
    reference: "r",
  };
}

function world(): FakeWorld {
  const made = new FakeWorld();
  made.keys.set("abc-xyz", serverStatus());
  return made;
}

async function act(made: FakeWorld, name: keyof typeof setup.actions, pressed: Press): Promise<Reply> {
  const action = setup.actions[name];
  assert.ok("execute" in action);
  const answer = await action.execute(pressed, made.services);
  assert.ok(!(Symbol.asyncIterator in answer));
  return answer;
}

const typeKey = (made: FakeWorld, key: string, staff: readonly string[] = ["role"]) =>
  act(made, "setup-key", press("", { key, staff }));

function buttons(reply: Reply): readonly Button[] {
  return (reply.rows ?? []).flat().filter((part) => part.kind === "button");
}

function pendingId(reply: Reply): string {
  return buttons(reply)[0]?.id.split(":")[1] ?? "";
}

function failure(code: FailureCode, words?: RegExp) {
  return (error: unknown) =>
    error instanceof Failure && error.code === code && (words?.test(error.message) ?? true);
}

test("a typed key is proven by one call and shown by its server's name; nothing is saved", async () => {
  const made = world();
  const reply = await typeKey(made, "abc-xyz");
  const text = textOf(reply);
  for (const part of ["Riverside Roleplay", "4001", "12 of 40", "<@&role>"])
    assert.ok(text.includes(part), text);
  assert.deepEqual(made.calls, ["verifyKey"]);
  assert.equal(made.bindingsById.size, 0);
  assert.equal(made.settingsByGuild.size, 0);
  assert.deepEqual(made.events, []);
});

test("the key is in no custom_id and no text, and no output shows it while the service is asked", async () => {
  const made = world();
  const asked: string[][] = [];
  const { verifyKey } = made.keyVerifier;
  made.services.keyVerifier.verifyKey = (key, guildId) => {
    asked.push([...made.hidden]);
    return verifyKey(key, guildId);
  };
  const reply = await typeKey(made, "abc-xyz");
  assert.doesNotMatch(JSON.stringify(reply), /abc-xyz/);
  await assert.rejects(typeKey(made, 'server-key: "wrong-key"'), failure("key-rejected"));
  assert.deepEqual(
    asked,
    [["abc-xyz"], ["wrong-key"]],
    "as it is sent, also where it was pasted with its name",
  );
  await assert.rejects(typeKey(made, "https://x.example/secret"), failure("bad-command"));
  assert.deepEqual(made.hidden, [], "nor longer than that");
});

test("Yes links the server, makes the role moderators, and is audited", async () => {
  const made = world();
  const asked = await typeKey(made, "abc-xyz", ["role", "second"]);
  const reply = await act(made, "setup-yes", press(pendingId(asked)));
  const [binding] = [...made.bindingsById.values()];
  assert.equal(binding?.name, "Riverside Roleplay");
  assert.equal(binding?.linkedBy, actor.userId);
  const policy = (await made.settings.of(actor.guildId)).policies[binding?.id ?? ""];
  assert.deepEqual(policy?.roleTiers, { role: "moderator", second: "moderator" });
  assert.deepEqual(
    made.events.map(({ action, actorId, text }) => ({ action, actorId, text })),
    [{ action: "link", actorId: actor.userId, text: "Riverside Roleplay" }],
  );
  assert.deepEqual(made.calls, ["verifyKey", `linked ${binding?.id}`]);
  // Whoever linked it holds neither role: what they can do now is to choose roles.
  assert.deepEqual(
    buttons(reply).map(({ label }) => label),
    ["Choose roles", "Go on"],
  );
  assert.doesNotMatch(textOf(reply), /\/run command/);
});

test("Yes pressed twice at once links once, and both answers say so", async () => {
  const made = world();
  const yes = press(pendingId(await typeKey(made, "abc-xyz")));
  const replies = await Promise.all([act(made, "setup-yes", yes), act(made, "setup-yes", yes)]);
  for (const reply of replies) assert.match(textOf(reply), /Linked|linked/);
  assert.equal(made.bindingsById.size, 1);
  assert.equal(made.events.length, 1);
  await assert.rejects(act(made, "setup-yes", yes), failure("expired"), "a later press finds nothing");
});

test("Yes pressed twice at once in the guide: it does not fall back to the key", async () => {
  const made = world();
  Object.assign(made.services, { feeds: { list: async () => [] } });
  const yes = press(pendingId(await act(made, "guide-typed", press("", { key: "abc-xyz" }))));
  const replies = await Promise.all([act(made, "guide-yes", yes), act(made, "guide-yes", yes)]);
  for (const reply of replies) assert.match(textOf(reply), /Who may run commands/);
  assert.equal((await made.settings.of(actor.guildId)).guide?.step, "staff");
});

test("a person who holds a tier afterwards reads that they can run commands", async () => {
  const made = world();
  const staff = { ...actor, roleIds: ["role"] };
  const asked = await act(made, "setup-key", press("", { key: "abc-xyz", staff: ["role"] }, staff));
  const reply = await act(made, "setup-yes", press(pendingId(asked), {}, staff));
  assert.match(textOf(reply), /run command/);
  assert.deepEqual(
    buttons(reply).map(({ label }) => label),
    ["Go on"],
  );
});

test("what does not look like a key is not asked about before they say that it is one; an odd one links nothing unseen", async () => {
  const made = world();
  made.keys.set("oddkey", serverStatus());
  const asked = await typeKey(made, "oddkey");
  assert.match(textOf(asked), /really the server key/);
  assert.deepEqual(made.calls, []);
  const odd =
    buttons(asked)
      .find(({ label }) => label === "It is the key")
      ?.id.split(":")[1] ?? "";
  await assert.rejects(act(made, "setup-yes", press(odd)), failure("expired"));
  const again = await typeKey(made, "oddkey");
  const id =
    buttons(again)
      .find(({ label }) => label === "It is the key")
      ?.id.split(":")[1] ?? "";
  const yours = await act(made, "setup-odd", press(id));
  assert.match(textOf(yours), /Is this your server/);
  await act(made, "setup-yes", press(pendingId(yours)));
  const [binding] = [...made.bindingsById.values()];
  const policy = (await made.settings.of(actor.guildId)).policies[binding?.id ?? ""];
  assert.deepEqual(policy?.roleTiers, { role: "moderator" }, "the roles of the form go along");
  assert.deepEqual(made.hidden, []);
});

test("what was refused in the last day is said to be so at once, and is not asked about", async () => {
  const made = world();
  made.refusedKeys.add("oddkey");
  await assert.rejects(typeKey(made, "oddkey"), failure("key-rejected"));
  const guided = await act(made, "guide-typed", press("", { key: "oddkey" }));
  assert.match(textOf(guided), /does not know this key/);
  assert.doesNotMatch(textOf(guided), /really the server key|oddkey/);
  assert.deepEqual(made.hidden, []);
});

test("while no key may be tried, an odd one is not asked about: it may only be one that got no answer", async () => {
  const made = world();
  made.tries = { left: 0, fromMs: 5_000 };
  await assert.rejects(typeKey(made, "oddkey"), (error) => {
    assert.ok(
      failure("denied", /^That doesn't look like a server key\. Too many wrong or unanswered/)(error),
    );
    return (error as Failure).retryAtMs === 5_000;
  });
  made.tries = { left: 0, fromMs: 5_000, hasUnanswered: true };
  const asked = await typeKey(made, "oddkey");
  assert.match(textOf(asked), /Not sent yet\.\n🔒 .* A key that got no answer can be pasted again now\./);
  assert.deepEqual(
    buttons(asked).map(({ label }) => label),
    ["Paste again", "It is the key", "No"],
  );
  assert.deepEqual(made.calls, []);
});

test("a new key says that it is open whether commands run with it", async () => {
  const replaced = async (permission: KnownPermission) => {
    const made = world();
    made.keys.set("abc-new", serverStatus());
    const yes = async (key: string) => act(made, "setup-yes", press(pendingId(await typeKey(made, key, []))));
    assert.doesNotMatch(textOf(await yes("abc-xyz")), /old key/);
    for (const { source } of await made.services.bindings.list(actor.guildId))
      made.commandPermissions.set(source, permission);
    return textOf(await yes("abc-new"));
  };
  assert.match(
    await replaced({ kind: "allowed" }),
    /has its new key[\s\S]*\n❔ Commands ran with the old key\. The next one shows whether they run with this one\./,
  );
  assert.match(
    await replaced({ kind: "unknown" }),
    /has its new key[\s\S]*\n❔ Not known yet whether Marshal can run commands: `\/setup start`, \*\*Commands\*\*/,
  );
});

test("the form names a key that got no answer only where there is one", () => {
  const made = world();
  const intro = () => String(keyForm(actor.guildId, made.services).intro);
  made.tries = { left: 0, fromMs: 5_000 };
  assert.match(intro(), /^🔒 Too many wrong or unanswered keys/);
  assert.doesNotMatch(intro(), /can be pasted again now/);
  made.tries = { left: 0, fromMs: 5_000, hasUnanswered: true };
  assert.match(intro(), /A key that got no answer can be pasted again now\./);
});

test("keys have letters and digits on both sides of a hyphen; ids, addresses and words are odd", () => {
  for (const text of ["abc-xyz", "AbCdEfGh-IjKlMnOpQr", "demo-key", "a-b-c"])
    assert.ok(looksLikeKey(text), text);
  for (const text of [
    "abc",
    "rvrsd",
    "a_b-c",
    "abc-",
    "-abc",
    "x.y-z",
    "2b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
  ])
    assert.ok(!looksLikeKey(text), text);
});

test("in the guide a wrong key leaves the step open: what was wrong, the tries, and where it is locked until when", async () => {
  const made = world();
  const typed = (key: string) => act(made, "guide-typed", press("", { key }));
  const wrong = await typed("wrong-key");
  assert.match(textOf(wrong), /The service does not know this key[\s\S]*Link your game server/);
  assert.deepEqual(
    buttons(wrong).map(({ label }) => label),
    ["Try again"],
  );
  assert.match(
    textOf(await typed("https://x.example/a")),
    /This is a link, not a server key[\s\S]*Link your/,
  );
  const odd = await typed("nokey");
  assert.match(textOf(odd), /really the server key/);
  const oddId =
    buttons(odd)
      .find(({ label }) => label === "It is the key")
      ?.id.split(":")[1] ?? "";
  assert.match(textOf(await act(made, "guide-odd", press(oddId))), /does not know this key[\s\S]*Link your/);
  assert.match(
    textOf(await act(made, "guide-odd", press(oddId))),
    /Marshal no longer has that key[\s\S]*Link your/,
  );
  made.tries = { left: 0, fromMs: 1_800_000_000_000 };
  for (const locked of [await typed("nokey"), await typed("wrong-key")]) {
    assert.match(
      textOf(locked),
      /🔒 Too many wrong or unanswered keys .*\. Try again after <t:1800000000:T>/,
    );
    assert.deepEqual(
      buttons(locked).map(({ label }) => label),
      ["Check again"],
    );
  }
});

test("in the guide the new key of a linked server ends it at once", async () => {
  const made = world();
  made.keys.set("abc-new", serverStatus());
  Object.assign(made.services, { feeds: { list: async () => [] } });
  const yes = async (key: string) =>
    act(made, "guide-yes", press(pendingId(await act(made, "guide-typed", press("", { key })))));
  assert.match(textOf(await yes("abc-xyz")), /Who may run commands/);
  for (const { source } of await made.services.bindings.list(actor.guildId))
    made.commandPermissions.set(source, { kind: "allowed" });
  assert.match(
    textOf(await yes("abc-new")),
    /Key replaced\. Its staff, feeds and records stay[\s\S]*Done for now[\s\S]*❔ Commands ran with the old key/,
  );
});

test("the guide says how many earlier feeds post again, as /setup link does", async () => {
  for (const [feedsBack, says] of [
    [1, /✅ Linked\.\n1 earlier feed posts again from now on/],
    [3, /✅ Linked\.\n3 earlier feeds post again from now on/],
  ] as const) {
    const made = world();
    Object.assign(made.services, {
      feeds: { list: async () => [] },
      onLinked: async () => ({ feedsBack }),
    });
    const yes = press(pendingId(await act(made, "guide-typed", press("", { key: "abc-xyz" }))));
    assert.match(textOf(await act(made, "guide-yes", yes)), says);
  }
});

test("No saves nothing and forgets the key", async () => {
  const made = world();
  const id = pendingId(await typeKey(made, "abc-xyz"));
  await act(made, "setup-no", press(id));
  await assert.rejects(act(made, "setup-yes", press(id)), failure("expired"));
  assert.equal(made.bindingsById.size, 0);
});

test("a key that is not confirmed is forgotten after five minutes", async () => {
  const made = world();
  const id = pendingId(await typeKey(made, "abc-xyz"));
  await made.clock.advance(5 * 60_000);
  await assert.rejects(act(made, "setup-yes", press(id)), failure("expired"));
  assert.equal(made.bindingsById.size, 0);
});

test("another person's Yes links nothing, and leaves the question open", async () => {
  const made = world();
  const id = pendingId(await typeKey(made, "abc-xyz"));
  await assert.rejects(
    act(made, "setup-yes", press(id, {}, { ...actor, userId: "200" })),
    failure("expired"),
  );
  assert.equal(made.bindingsById.size, 0);
  await act(made, "setup-yes", press(id));
  assert.equal(made.bindingsById.size, 1);
});

test("a second Yes links nothing twice", async () => {
  const made = world();
  const id = pendingId(await typeKey(made, "abc-xyz"));
  await act(made, "setup-yes", press(id));
  await assert.rejects(act(made, "setup-yes", press(id)), failure("expired"));
  assert.equal(made.events.length, 1);
});

test("the same server under a new key keeps its binding, and its journal follows it", async () => {
  const made = world();
  const before = await made.linkServer(actor.guildId, serverStatus(), "old-key");
  const asked = await typeKey(made, "abc-xyz");
  assert.match(textOf(asked), /key will be replaced/);
  await act(made, "setup-yes", press(pendingId(asked)));
  const [after] = [...made.bindingsById.values()];
  assert.equal(after?.id, before.id);
  assert.ok(made.calls.includes(`replaced ${before.source} by ${after?.source}`));
});

test("a key that is replaced, or a server that goes, takes all along although the store refuses what is written last", async () => {
  const made = world();
  const before = await made.linkServer(actor.guildId, serverStatus(), "old-key");
  const { change } = made.settings;
  const refuse = async () => {
    throw new StoreError("the store refused it");
  };
  const yes = press(pendingId(await typeKey(made, "abc-xyz")));
  made.settings.change = refuse;
  await assert.rejects(act(made, "setup-yes", yes), StoreError);
  made.settings.change = change;
  const [after] = [...made.bindingsById.values()];
  // Typed again it is known, so this was the only time that anything could follow from it.
  await assert.rejects(typeKey(made, "abc-xyz"), failure("bad-command", /linked here already/));
  assert.ok(made.calls.includes(`replaced ${before.source} by ${after?.source}`), String(made.calls));
  assert.ok(made.calls.includes(`linked ${before.id}`), String(made.calls));

  made.settings.change = refuse;
  await assert.rejects(act(made, "setup-unlink", press(before.id)), StoreError);
  made.settings.change = change;
  await assert.rejects(act(made, "setup-unlink", press(before.id)), failure("not-linked"));
  assert.ok(made.calls.includes(`unlinked ${before.id}`), String(made.calls));
});

test("several servers live in one guild", async () => {
  const made = world();
  await made.linkServer(actor.guildId, serverStatus({ name: "Lakeside", joinKey: "lake" }), "lake-key");
  await act(made, "setup-yes", press(pendingId(await typeKey(made, "abc-xyz"))));
  assert.equal(made.bindingsById.size, 2);
  assert.ok(!made.calls.some((call) => call.startsWith("replaced")));
});

test("a key for which there is no room is refused when it is typed, not at the Yes", async () => {
  const made = world();
  made.serversPerGuild = 1;
  await made.linkServer(actor.guildId, serverStatus({ name: "Lakeside", joinKey: "lake" }), "lake-key");
  await assert.rejects(typeKey(made, "abc-xyz"), failure("bad-command", /1 servers are linked/));
});

test("a key that is linked here already costs no call; a parked one is proven again", async () => {
  const made = world();
  const binding = await made.linkServer(actor.guildId, serverStatus(), "abc-xyz");
  await assert.rejects(typeKey(made, "abc-xyz"), failure("bad-command", /linked here already/));
  assert.deepEqual(made.calls, []);
  made.parked.set(binding.source, "rejected");
  await typeKey(made, "abc-xyz");
  assert.deepEqual(made.calls, ["verifyKey"]);
});

test("linking again lowers no role that holds a higher tier", async () => {
  const made = world();
  const binding = await made.linkServer(actor.guildId, serverStatus(), "old-key");
  const roleTiers = { boss: "manager", watch: "viewer" } as const;
  const policies = { [binding.id]: { ...EMPTY_POLICY, roleTiers } };
  await made.settings.change(actor.guildId, (settings) => ({ ...settings, policies }));
  await act(made, "setup-yes", press(pendingId(await typeKey(made, "abc-xyz", ["boss", "watch"]))));
  const policy = (await made.settings.of(actor.guildId)).policies[binding.id];
  assert.deepEqual(policy?.roleTiers, { boss: "manager", watch: "moderator" });
});

test("a choice of roles in the guide takes the tier from none that its list has no room for", async () => {
  const made = world();
  const { id } = await made.linkServer(actor.guildId);
  const roleIds = Array.from({ length: 30 }, (_, at) => `r${at}`);
  const roleTiers = Object.fromEntries(roleIds.map((roleId) => [roleId, "moderator" as const]));
  await made.settings.change(actor.guildId, (all) => ({
    ...all,
    policies: { [id]: { ...EMPTY_POLICY, roleTiers } },
  }));
  const tiers = async () => (await made.settings.of(actor.guildId)).policies[id]?.roleTiers ?? {};
  const shown = async () => {
    const parts = ((await act(made, "guide", press(`staff:${id}`))).rows ?? []).flat();
    const list = parts.find((part) => part.id === `guide-tier:moderator:${id}`);
    return (list !== undefined && "defaultIds" in list && list.defaultIds) || [];
  };
  const choose = async (values: readonly string[]) =>
    await act(made, "guide-tier", { ...press(`moderator:${id}`), values });

  const before = await shown();
  assert.equal(before.length, 25);
  await choose(before.slice(1));
  assert.deepEqual(Object.keys(await tiers()).sort(), roleIds.slice(1).sort());
  const none = await choose([]);
  assert.equal(Object.keys(await tiers()).length, 4, "those that no list showed");
  assert.doesNotMatch(textOf(none), /No role is/);
  assert.match(made.events.at(-1)?.text ?? "", /^(<@&r\d+> ){4}moderator on/);
  await choose([]);
  assert.deepEqual(await tiers(), {});
});

test("@everyone never becomes staff: it is said in words, and the key is not asked about", async () => {
  const made = world();
  await assert.rejects(
    typeKey(made, "abc-xyz", [actor.guildId]),
    failure("bad-command", /Everyone can't be staff/),
  );
  assert.deepEqual(made.calls, []);
});

test("unlinking asks first, then erases the binding and its policy, audited", async () => {
  const made = world();
  const binding = await made.linkServer(actor.guildId);
  const policies = { [binding.id]: EMPTY_POLICY };
  await made.settings.change(actor.guildId, (settings) => ({ ...settings, policies }));
  const invocation = { actor, args: undefined, signal: new AbortController().signal, reference: "r" };
  const question = await setup.subcommands.unlink.execute(invocation, made.services);
  assert.ok(!(Symbol.asyncIterator in question));
  assert.equal(made.bindingsById.size, 1);
  assert.deepEqual(
    buttons(question).map(({ id }) => id),
    [`setup-unlink:${binding.id}`, "setup-keep"],
  );
  await act(made, "setup-unlink", press(binding.id));
  assert.equal(made.bindingsById.size, 0);
  assert.deepEqual((await made.settings.of(actor.guildId)).policies, {});
  assert.deepEqual(made.calls, [`unlinked ${binding.id}`]);
  assert.equal(made.events[0]?.action, "unlink");
  await assert.rejects(act(made, "setup-unlink", press(binding.id)), failure("not-linked"));
});

test("another guild's server cannot be unlinked", async () => {
  const made = world();
  const binding = await made.linkServer("elsewhere");
  await assert.rejects(act(made, "setup-unlink", press(binding.id)), failure("not-linked"));
  assert.equal(made.bindingsById.size, 1);
});

test("show tells what is linked, parked, and who may run commands", async () => {
  const made = world();
  const binding = await made.linkServer(actor.guildId);
  made.parked.set(binding.source, "rejected twice.");
  const roleTiers = { r1: "moderator", r2: "manager" } as const;
  const policies = { [binding.id]: { ...EMPTY_POLICY, roleTiers } };
  await made.settings.change(actor.guildId, (all) => ({ ...all, noticeChannelId: "77", policies }));
  const invocation = { actor, args: undefined, signal: new AbortController().signal, reference: "r" };
  const services = { ...made.services, feeds: { ...made.services.feeds, list: async () => [] } };
  const reply = await setup.subcommands.show.execute(invocation, services);
  assert.ok(!(Symbol.asyncIterator in reply));
  const text = textOf(reply);
  for (const part of ["<#77>", "Riverside", "rejected twice", "Managers: <@&r2>", "Moderators: <@&r1>"]) {
    assert.ok(text.includes(part), `${part} in ${text}`);
  }
  assert.doesNotMatch(text, /rvrsd|first-key/);
});

const TURNED_OFF = failure("bad-command", /Marshal's host has turned off/);

test("notices are set, and unset again", async () => {
  const made = world();
  const run = (args: ChannelSetting) =>
    setup.subcommands.notices.execute(
      { actor, args, signal: new AbortController().signal, reference: "r" },
      made.services,
    );
  await run({ kind: "set", channelId: "77" });
  await run({ kind: "show" });
  assert.equal((await made.settings.of(actor.guildId)).noticeChannelId, "77");
  await run({ kind: "off" });
  assert.equal((await made.settings.of(actor.guildId)).noticeChannelId, undefined);
  assert.equal(made.events.length, 2);
});

test("where the host keeps no cases, no channel is given to them or to joins of watched players, and one is still taken away", async () => {
  const made = world();
  await made.linkServer(actor.guildId);
  const { cases, watches } = setup.subcommands;
  const invoked = { actor, signal: new AbortController().signal, reference: "r" };
  const to = { kind: "set", channelId: "77" } as const;
  const args = { setting: to, roleId: undefined };
  await assert.rejects(async () => cases.execute({ ...invoked, args: to }, made.services), TURNED_OFF);
  await assert.rejects(async () => watches.execute({ ...invoked, args }, made.services), TURNED_OFF);
  await assert.rejects(act(made, "guide-cases", { ...press("b"), values: ["77"] }), TURNED_OFF);
  assert.equal((await made.settings.of(actor.guildId)).caseChannelId, undefined);
  assert.equal((await made.settings.of(actor.guildId)).watchChannelId, undefined);
  assert.deepEqual(made.events, []);
  await cases.execute({ ...invoked, args: { kind: "off" } }, made.services);
  await watches.execute({ ...invoked, args: { setting: { kind: "off" }, roleId: undefined } }, made.services);
});

test("a channel that takes no posts is saved, and what is missing there is said at once, wherever one is chosen", async () => {
  const made = world();
  made.channelAccess.set("77", { kind: "missing", permissions: ["Send Messages"] });
  made.channelAccess.set("78", { kind: "unknown" });
  await made.linkServer(actor.guildId);
  const { weekly, history } = made.services;
  const services: Services = {
    ...made.services,
    cases: { ...made.services.cases, isKept: true },
    weekly: { ...weekly, set: async () => 0 },
    history: { ...history, privacy: { ...history.privacy, retention: async () => 90 } },
  };
  const invoked = { actor, signal: new AbortController().signal, reference: "r" };
  const { notices, cases, watches } = setup.subcommands;
  const chosen = (channelId: string) => {
    const setting = { kind: "set", channelId } as const;
    return {
      notices: () => notices.execute({ ...invoked, args: setting }, services),
      cases: () => cases.execute({ ...invoked, args: setting }, services),
      watches: () => watches.execute({ ...invoked, args: { setting, roleId: undefined } }, services),
      audit: () => audit.subcommands.channel.execute({ ...invoked, args: setting }, services),
      weekly: () => weeklyEntry.execute({ ...invoked, args: { channelId, isOff: false } }, services),
    };
  };
  for (const [name, answer] of Object.entries(chosen("77")))
    assert.match(
      textOf((await answer()) as Reply),
      /^⚠ Saved, but I can't post there: missing \*\*Send Messages\*\* in <#77>\.\n.*allow what is missing\.$/,
      name,
    );
  assert.equal((await made.settings.of(actor.guildId)).caseChannelId, "77");
  for (const [name, answer] of Object.entries(chosen("78")))
    assert.match(textOf((await answer()) as Reply), /^✅ .* posted in <#78>/, name);
});

test("while no other key can be tried, every form for one begins with that, and until when", async () => {
  const made = world();
  const { link } = setup.subcommands;
  assert.ok("form" in link && "form" in setup.actions["setup-link"]);
  const { form } = setup.actions["setup-link"];
  const intros = () => [
    link.form({ ...press("", {}), args: undefined }, made.services).intro,
    form(press("", {}), made.services).intro,
    form(press("new", {}), made.services).intro,
    setup.actions["guide-key"].form(press("", {}), made.services).intro,
  ];
  for (const intro of intros()) assert.doesNotMatch(intro ?? "", /🔒/);
  made.tries = { left: 0, fromMs: 1_800_000_000_000 };
  for (const intro of intros())
    assert.match(intro ?? "", /^🔒 .* after <t:1800000000:T>[\s\S]*private server settings/);
});

test("the form of a first server asks for its staff; where one is linked, it may be a new key and asks for nothing else", async () => {
  const made = world();
  const fields = () => {
    const { link } = setup.subcommands;
    assert.ok("form" in link && "form" in setup.actions["setup-link"]);
    const asked = link.form({ ...press("", {}), args: undefined }, made.services);
    const again = setup.actions["setup-link"].form(press("", {}), made.services);
    assert.deepEqual(again, asked);
    return asked.fields.map(({ id }) => id);
  };
  assert.deepEqual(fields(), ["key", "staff"]);
  await made.linkServer(actor.guildId);
  assert.deepEqual(fields(), ["key"]);
});

test("everything that links or unlinks is for managers of the guild", () => {
  assert.equal(setup.manageGuild, true);
  for (const name of ["setup-link", "setup-key", "setup-yes", "setup-unlink"] as const) {
    assert.equal(setup.actions[name].manageGuild, true, name);
  }
});

test("what pasting adds to a key is taken away", () => {
  for (const pasted of [
    "abc-xyz",
    "  abc-xyz\n",
    '"abc-xyz"',
    "`abc-xyz`",
    "“abc-xyz”",
    "<abc-xyz>",
    "abc-\nxyz",
    "abc-xyz\u200b",
    "server-key: abc-xyz",
    'key="abc-xyz"',
  ]) {
    assert.equal(cleanKey(pasted), "abc-xyz", JSON.stringify(pasted));
  }
});

test("what cannot be a key is refused in words", () => {
  for (const pasted of ["", " \n ", '""', "ключ-сервера", "https://example.com/key", "x".repeat(201)]) {
    assert.throws(() => cleanKey(pasted), failure("bad-command", /\w/), JSON.stringify(pasted));
  }
});

test("a cleaned key can always stand in a header, and cleaning it again changes nothing", () => {
  fc.assert(
    fc.property(anyText({ maxLength: 60 }), (pasted) => {
      let key: string;
      try {
        key = cleanKey(pasted);
      } catch (error) {
        assert.ok(error instanceof Failure);
        return;
      }
      assert.match(key, /^[\x21-\x7e]{1,200}$/);
    }),
    { numRuns: 500 },
  );
});

test("/setup default finds a server by its name whatever that is, and always offers none", async () => {
  const made = world();
  const linked = new Map<string, string>();
  for (let n = 0; n < 26; n++) {
    const name = n === 0 ? "Ask" : `Town ${n}`;
    linked.set(name, (await made.linkServer(actor.guildId, serverStatus({ name, joinKey: name }), name)).id);
  }
  const { autocomplete = () => assert.fail(), execute } = setup.subcommands.default;
  const choices = await autocomplete({ actor, typed: "" } as unknown as Typing, made.services);
  const none = choices.slice(0, 25).find(({ name }) => name === "None: ask each time");
  assert.ok(none !== undefined && choices.length === 25);
  const set = async (server: string) => {
    const args = { server, channelId: undefined };
    await execute({ actor, args, signal: new AbortController().signal, reference: "r" }, made.services);
    return (await made.settings.of(actor.guildId)).defaultServer;
  };
  assert.equal(await set("ask"), linked.get("Ask"));
  assert.equal(await set(String(none.value)), undefined);
});
